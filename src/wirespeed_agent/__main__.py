"""The agent's entry: ``python FOLDER/wirespeed_agent IN_FD OUT_FD LIFELINE_FD [SERVING_FOLDER]``.

With a folder it runs the app's own server, as the plan in there says; without, it runs the app itself. And
``python FOLDER/wirespeed_agent --nursery SOCKET_FD`` runs the app itself in each process that it forks.

Leaves nothing of its own on ``sys.path``: submodules are found through the package itself, so neither the app
nor its children can import by accident what only we brought. All work is below the guard, because
``multiprocessing`` runs this file again, under another name, in the children of the app that it spawns.
"""

import atexit
import json
import os
import sys

_ended_well: "list[bool]" = []


def main(in_fd: int, out_fd: int, lifeline_fd: int, serving_folder: "str | None" = None) -> None:
    if sys.version_info < (3, 9):
        _refuse(in_fd, out_fd, serving_folder)
        return
    atexit.register(_skip_teardown, os.getpid())
    _put_agent_on_path()
    settings = sys.dont_write_bytecode, sys.pycache_prefix
    # Our own bytecode is kept in our own folder, whatever the environment wants for the app's.
    sys.dont_write_bytecode, sys.pycache_prefix = False, None
    if serving_folder is None:
        from wirespeed_agent.dispatch import run_agent
    else:
        from wirespeed_agent.serving import run_server

    sys.dont_write_bytecode, sys.pycache_prefix = settings
    del sys.path[0]
    if serving_folder is None:
        run_agent(in_fd, out_fd, lifeline_fd)
    else:
        run_server(in_fd, out_fd, lifeline_fd, serving_folder)
    _ended_well.append(True)


def nursery(socket_fd: int) -> None:
    """Returns in each agent that it forks, once that has ended well, and in itself when it is over."""
    _put_agent_on_path()
    settings = sys.dont_write_bytecode, sys.pycache_prefix
    sys.dont_write_bytecode, sys.pycache_prefix = False, None
    from wirespeed_agent.dispatch import run_agent
    from wirespeed_agent.nursery import run_nursery

    sys.dont_write_bytecode, sys.pycache_prefix = settings
    del sys.path[0]
    pipes = run_nursery(socket_fd)
    if pipes is not None:
        atexit.register(_skip_teardown, os.getpid())
        run_agent(*pipes)
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


def _refuse(in_fd: int, out_fd: int, serving_folder: "str | None") -> None:
    version = ".".join(map(str, sys.version_info[:3]))
    message = (
        "wirespeed needs Python 3.9 or later in the app's environment; "
        + sys.executable
        + " is "
        + version
        + "."
    )
    error = {"kind": "environment", "message": message}
    if serving_folder is None:
        os.read(in_fd, 1)  # an answer to nothing would be lost
        os.write(out_fd, json.dumps({"id": None, "error": error}).encode() + b"\n")
        return
    with open(os.path.join(serving_folder, "logbook"), "a") as logbook:
        logbook.write(json.dumps({"pid": os.getpid(), "error": error}) + "\n")


if __name__ == "__main__" and sys.argv[1] == "--nursery":
    nursery(int(sys.argv[2]))
elif __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
