"""The agent's entry: ``python FOLDER/wirespeed_agent IN_FD OUT_FD LIFELINE_FD``.

Leaves nothing of its own on ``sys.path``: submodules are found through the package itself, so neither the app
nor its children can import by accident what only we brought. All work is below the guard, because
``multiprocessing`` runs this file again, under another name, in the children of the app that it spawns.
"""

import json
import os
import sys


def main(in_fd: int, out_fd: int, lifeline_fd: int) -> None:
    if sys.version_info < (3, 9):
        _refuse(out_fd)
        return
    _put_agent_on_path()
    settings = sys.dont_write_bytecode, sys.pycache_prefix
    # Our own bytecode is kept in our own folder, whatever the environment wants for the app's.
    sys.dont_write_bytecode, sys.pycache_prefix = False, None
    from wirespeed_agent.dispatch import run_agent

    sys.dont_write_bytecode, sys.pycache_prefix = settings
    del sys.path[0]
    run_agent(in_fd, out_fd, lifeline_fd)


def _put_agent_on_path() -> None:
    """In place of the folder of this file, whose modules must not be importable by their bare names."""
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _refuse(out_fd: int) -> None:
    version = ".".join(map(str, sys.version_info[:3]))
    message = (
        "wirespeed needs Python 3.9 or later in the app's environment; " + sys.executable + " is " + version
    )
    error = {"kind": "environment", "message": message}
    os.write(out_fd, json.dumps({"id": None, "error": error}).encode() + b"\n")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:4]))
