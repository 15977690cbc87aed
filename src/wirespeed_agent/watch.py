"""What a request does to the world, as far as Python's audit hook can see it.

Names say little about what a GET does, so the first call of every automatic GET is watched. A file opened for
writing, a folder made, a process started or a connection that leaves this machine marks it as acting.

The hook cannot see: writes through files, sockets and pools that were open before; what C code does by itself
(SQLite's own file writes, database drivers such as libpq, GDAL); changes of memory; work handed to another
process or to a thread that was started before. An audit hook cannot be removed either, so it stays in the
agent's process and returns at once while nothing is being watched.
"""

from __future__ import annotations

import contextlib
import ipaddress
import os
import sys
import threading
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

from .ticket import CURRENT

WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
MAX_ACTIONS = 10


def _opened(args: Tuple[Any, ...]) -> Optional[str]:
    path, mode, flags = args
    writes = bool(set(mode) & set("wax+")) if isinstance(mode, str) else bool((flags or 0) & WRITE_FLAGS)
    if not writes or isinstance(path, int) or _is_harmless(os.fsdecode(path)):
        return None
    return f"wrote to {os.fsdecode(path)}"


def _is_harmless(path: str) -> bool:
    """Devices, and bytecode: importing a module is not something the request did on purpose."""
    if sys.pycache_prefix is not None and path.startswith(sys.pycache_prefix):
        return True
    return path.startswith("/dev/") or "__pycache__" in path or ".pyc" in path.rpartition("/")[2]


def _connected(args: Tuple[Any, ...]) -> Optional[str]:
    address = args[1]
    if not isinstance(address, tuple) or _is_loopback(str(address[0])):
        return None
    return f"opened a connection to {address[0]}:{address[1]}"


def _is_loopback(host: str) -> bool:
    if host in ("localhost", ""):
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


def _on_path(what: str) -> Callable[[Tuple[Any, ...]], Optional[str]]:
    def describe(args: Tuple[Any, ...]) -> Optional[str]:
        # Some of these functions also take an open file's number.
        path = args[0] if isinstance(args[0], int) else os.fsdecode(args[0])
        return None if isinstance(path, str) and _is_harmless(path) else f"{what} {path}"

    return describe


def _started(args: Tuple[Any, ...]) -> str:
    command = args[1] if len(args) > 1 and args[1] else args[0]
    words = command if isinstance(command, (list, tuple)) else [command]
    return "started a process: " + " ".join(os.fsdecode(word) for word in list(words)[:4])


EVENTS: Dict[str, Callable[[Tuple[Any, ...]], Optional[str]]] = {
    "open": _opened,
    "os.mkdir": _on_path("made the folder"),
    "os.rmdir": _on_path("removed the folder"),
    "os.remove": _on_path("removed"),
    "os.rename": _on_path("renamed"),
    "os.link": _on_path("linked"),
    "os.symlink": _on_path("linked"),
    "os.truncate": _on_path("truncated"),
    "os.chmod": _on_path("changed the mode of"),
    "shutil.rmtree": _on_path("removed the folder"),
    "subprocess.Popen": _started,
    "os.system": lambda args: f"ran the command {os.fsdecode(args[0])}",
    "os.posix_spawn": _started,
    "os.exec": _started,
    "os.fork": lambda args: "forked a process",
    "socket.connect": _connected,
    "socket.sendto": _connected,
}


class Watch:
    """Actions seen while one call was made, in order, without repeats."""

    def __init__(self) -> None:
        self.actions: List[str] = []
        self._older_threads: Set[Optional[int]] = {thread.ident for thread in threading.enumerate()}

    def _concerns(self) -> bool:
        """Whether the running thread may be working for the watched call.

        Tasks and AnyIO's worker threads carry our ticket in their context; a thread that the call started
        does not, nor does a plain executor's. An older thread of the app's own, such as a heartbeat, is not
        the call's doing.
        """
        if CURRENT.get() is not None:
            return True
        thread = threading.current_thread()
        return (
            thread.ident not in self._older_threads
            or "Executor" in thread.name
            or thread.name.startswith("asyncio_")
        )

    def note(self, event: str, args: Tuple[Any, ...]) -> None:
        if len(self.actions) >= MAX_ACTIONS or not self._concerns():
            return
        action = EVENTS[event](args)
        if action is not None and action not in self.actions:
            self.actions.append(action)


_active: Optional[Watch] = None
_installed = False


def _hook(event: str, args: Tuple[Any, ...]) -> None:
    watch = _active
    if watch is not None and event in EVENTS:
        # An exception here would surface inside the user's own call.
        with contextlib.suppress(Exception):
            watch.note(event, args)


@contextlib.contextmanager
def watching_actions() -> Iterator[Watch]:
    """Collect what happens until the end of the block."""
    global _active, _installed
    if not _installed:
        sys.addaudithook(_hook)
        _installed = True
    watch = Watch()
    _active = watch
    try:
        yield watch
    finally:
        _active = None
