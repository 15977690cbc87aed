"""What a request does to the world, as far as Python's audit hook can see it.

Names say little about what a GET does, so the first call of every automatic GET is watched. A file opened for
writing, a folder made, a process started or a connection that leaves this machine marks it as acting.

The hook cannot see: writes through files, sockets and pools that were open before; what C code does by itself
(SQLite's own file writes, database drivers such as libpq, GDAL); changes of memory; work handed to another
process, or to a task or thread that was started before. uvloop is such C code too, so its few ways out are
watched by themselves. An audit hook cannot be removed either: it stays in the agent's process and returns at
once while nothing is being watched.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import ipaddress
import os
import sys
import threading
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

from . import touching

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
    return _reached(address[0], address[1]) if isinstance(address, tuple) else None


def _reached(host: Any, port: Any) -> Optional[str]:
    name = os.fsdecode(host) if isinstance(host, (str, bytes)) else ""
    return None if _is_loopback(name) else f"opened a connection to {name}:{port}"


def _is_loopback(host: str) -> bool:
    if host in ("localhost", ""):
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _on_path(what: str) -> Callable[[Tuple[Any, ...]], Optional[str]]:
    def describe(args: Tuple[Any, ...]) -> Optional[str]:
        # Some of these functions also take an open file's number.
        path = args[0] if isinstance(args[0], int) else os.fsdecode(args[0])
        return None if isinstance(path, str) and _is_harmless(path) else f"{what} {path}"

    return describe


def _started(args: Tuple[Any, ...]) -> str:
    command = args[1] if len(args) > 1 and args[1] else args[0]
    return _ran(command if isinstance(command, (list, tuple)) else [command])


def _ran(words: Any) -> str:
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

LOOP_METHODS: Dict[str, Callable[..., Optional[str]]] = {
    "create_connection": lambda factory, host=None, port=None, **_: _reached(host, port),
    "create_datagram_endpoint": lambda factory, local=None, remote_addr=None, **_: _reached(*remote_addr[:2]),
    "subprocess_exec": lambda factory, *words, **_: _ran(words),
    "subprocess_shell": lambda factory, command, **_: f"ran the command {os.fsdecode(command)}",
}
"""What uvloop does in C, unseen by audit hooks, and what the arguments say of it."""


class Watch:
    """Actions seen while one call was made, in order, without repeats."""

    def __init__(self) -> None:
        self.actions: List[str] = []
        self._older_threads: Set[threading.Thread] = set(threading.enumerate())

    def _concerns(self) -> bool:
        """Whether the running code may be working for the watched call.

        Tasks and AnyIO's worker threads carry the watch in their context; a thread that the call started does
        not, nor does a plain executor's. An older task or thread of the app's own, such as a heartbeat, is
        not the call's doing.
        """
        if _MINE.get() is self:
            return True
        thread = threading.current_thread()
        return (
            thread not in self._older_threads
            or "Executor" in thread.name
            or thread.name.startswith("asyncio_")
        )

    def note(self, describe: Callable[[], Optional[str]]) -> None:
        """Keep what ``describe`` says, if it says anything and the running code is the call's."""
        # An exception here would surface inside the user's own call.
        with contextlib.suppress(Exception):
            if len(self.actions) < MAX_ACTIONS and self._concerns():
                action = describe()
                if action is not None and action not in self.actions:
                    self.actions.append(action)


_MINE: contextvars.ContextVar[Optional[Watch]] = contextvars.ContextVar("wirespeed_watch", default=None)
_active: Optional[Watch] = None
_installed = False


def _hook(event: str, args: Tuple[Any, ...]) -> None:
    watch = _active
    if watch is not None and event in EVENTS:
        watch.note(lambda: EVENTS[event](args))
    touching.on_event(event, args)


def hook_once() -> None:
    """Put the one audit hook of this process in place, unless it is there."""
    global _installed
    if not _installed:
        sys.addaudithook(_hook)
        _installed = True


@contextlib.contextmanager
def watching_actions(loop: asyncio.AbstractEventLoop) -> Iterator[Watch]:
    """Collect what code that runs on ``loop``, or is started from there, does until the end of the block."""
    global _active
    hook_once()
    watch = Watch()
    token = _MINE.set(watch)
    _active = watch
    try:
        with _loop_watched(loop, watch):
            yield watch
    finally:
        _active = None
        _MINE.reset(token)


@contextlib.contextmanager
def _loop_watched(loop: asyncio.AbstractEventLoop, watch: Watch) -> Iterator[None]:
    if not type(loop).__module__.startswith("uvloop"):
        yield
        return
    for name, describe in LOOP_METHODS.items():
        setattr(loop, name, _noting(getattr(loop, name), describe, watch))
    try:
        yield
    finally:
        for name in LOOP_METHODS:
            delattr(loop, name)


def _noting(method: Callable[..., Any], describe: Callable[..., Optional[str]], watch: Watch) -> Any:
    def noting(*args: Any, **kwargs: Any) -> Any:
        watch.note(lambda: describe(*args, **kwargs))
        return method(*args, **kwargs)

    return noting
