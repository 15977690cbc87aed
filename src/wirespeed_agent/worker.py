"""What a server imports as the app: ``wirespeed_served:app``.

Never imported from here. The conductor copies this file, under that name, into a folder that holds only it
and the plan, and the server puts that folder on the path of every worker by its own means. So workers know
what to load without an environment variable or an argument that the app could see.
"""

import json
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wirespeed_agent.served import Served


def _load() -> "Served":
    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if entry != folder]
    with open(os.path.join(folder, "plan.json"), encoding="utf-8") as file:
        plan = json.load(file)
    settings = sys.dont_write_bytecode, sys.pycache_prefix
    # As in __main__: our bytecode stays with us, and our submodules are found through the package itself.
    sys.dont_write_bytecode, sys.pycache_prefix = False, None
    sys.path.insert(0, plan["bundle"])
    from wirespeed_agent.served import load

    del sys.path[0]
    sys.dont_write_bytecode, sys.pycache_prefix = settings
    return load(plan)


app = _load()
