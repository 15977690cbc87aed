"""The agent's entry: ``python FOLDER/wirespeed_agent IN_FD OUT_FD LIFELINE_FD``.

Leaves nothing of its own on ``sys.path``: submodules are found through the package itself, so neither the app
nor its children can import by accident what only we brought. All work is below the guard, because
``multiprocessing`` runs this file again, under another name, in the children of the app that it spawns.
"""

import atexit
import json
import os
import sys

_ended_well: "list[bool]" = []


def main(in_fd: int, out_fd: int, lifeline_fd: int) -> None:
    if sys.version_info < (3, 9):
        os.read(in_fd, 1)  # an answer to nothing would be lost
        _refuse(out_fd)
        return
    atexit.register(_skip_teardown, os.getpid())
    _put_agent_on_path()
    settings = sys.dont_write_bytecode, sys.pycache_prefix
    # Our own bytecode is kept in our own folder, whatever the environment wants for the app's.
    sys.dont_write_bytecode, sys.pycache_prefix = False, None
    from wirespeed_agent.dispatch import run_agent

    sys.dont_write_bytecode, sys.pycache_prefix = settings
    del sys.path[0]
    run_agent(in_fd, out_fd, lifeline_fd)
    _ended_well.append(True)


def _skip_teardown(agent_pid: int) -> None:
    """End without taking the modules apart, which takes seconds with large apps, in every round.

    Registered before anything of the app, so it runs after all that the app has to do at its end.
    """
    if _ended_well and os.getpid() == agent_pid:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _put_agent_on_path() -> None:
    """In place of the folder of this file, whose modules must not be importable by their bare names."""
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _refuse(out_fd: int) -> None:
    version = ".".join(map(str, sys.version_info[:3]))
    message = (
        "wirespeed needs Python 3.9 or later in the app's environment; "
        + sys.executable
        + " is "
        + version
        + "."
    )
    error = {"kind": "environment", "message": message}
    os.write(out_fd, json.dumps({"id": None, "error": error}).encode() + b"\n")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:4]))
