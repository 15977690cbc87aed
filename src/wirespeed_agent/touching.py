"""What a callable touches besides its arguments: whether it may run on the event loop as well as in a thread.

Three sources, none of them a list of functions that block. Python's audit events, in the thread that raises
them, but for those that say nothing about the world outside. The context before and after: what a callable
sets in a worker thread is gone with the thread's copy of the context, and would be seen if it ran on the
loop. And, for callables that look trivial, one call under a profiler, which sees C functions of open files,
sockets, databases and locks, and every global, closure and attribute that is a lock or a thread-local.
"""

from __future__ import annotations

import contextlib
import contextvars
import sys
import threading
import types
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

MOST_TOUCHED = 10
LONGEST_NAME = 80

HARMLESS_EVENTS = frozenset(
    [
        *("array.__new__", "builtins.id", "code.__new__", "compile", "exec", "function.__new__", "import"),
        *("marshal.dumps", "marshal.load", "marshal.loads", "object.__delattr__", "object.__getattr__"),
        *("object.__setattr__", "pickle.find_class", "gc.get_objects", "gc.get_referents"),
        *("gc.get_referrers", "sys._current_frames", "sys._getframe", "sys._getframemodulename"),
        *("sys.excepthook", "sys.setprofile", "sys.settrace", "sys.unraisablehook", "sys.monitoring"),
    ]
)

C_MODULES = frozenset(
    [
        *("_ctypes", "_io", "_multiprocessing", "_posixshmem", "_posixsubprocess", "_queue", "_socket"),
        *("_sqlite3", "_ssl", "_thread", "fcntl", "io", "mmap", "nt", "posix", "select", "socket"),
        *("sqlite3", "ssl", "time"),
    ]
)
"""C code that reaches outside the process or waits. What drivers of the rest do, the clocks tell."""

HARMLESS_C = frozenset(
    [
        *("allocate_lock", "cpu_count", "fspath", "getcwd", "getpid"),
        *("getppid", "getvalue", "gmtime", "localtime", "mktime", "monotonic", "monotonic_ns"),
        *("perf_counter", "perf_counter_ns", "process_time", "process_time_ns", "strftime", "strptime"),
        *("thread_time", "thread_time_ns", "time", "time_ns", "urandom", "urlsafe_b64encode"),
    ]
)
IN_MEMORY = ("BytesIO", "StringIO")
BUILTINS = ("input", "print")

DATABASE_CALLS = frozenset(
    ["commit", "execute", "executemany", "executescript", "fetchall", "fetchmany", "fetchone", "rollback"]
)
"""The names that PEP 249 gives the calls of every database driver."""


class Touched:
    """What one callable was seen to use, in order, without repeats."""

    def __init__(self) -> None:
        self.what: List[str] = []

    def note(self, text: str) -> None:
        if text not in self.what and len(self.what) < MOST_TOUCHED:
            self.what.append(text)


# -- audit events --------------------------------------------------------------------------------------------

_running: Dict[int, Touched] = {}
"""By thread: whose code runs there now."""


@contextlib.contextmanager
def attributed(touched: Optional[Touched]) -> Iterator[None]:
    """Audit events of this thread are the doing of ``touched``; None: of whoever they were before."""
    if touched is None:
        yield
        return
    thread = threading.get_ident()
    outer = _running.get(thread)
    _running[thread] = touched
    try:
        yield
    finally:
        if outer is None:
            _running.pop(thread, None)
        else:
            _running[thread] = outer


def on_event(event: str, args: Tuple[Any, ...]) -> None:
    """For the audit hook."""
    if not _running:
        return
    touched = _running.get(threading.get_ident())
    if touched is not None and event not in HARMLESS_EVENTS:
        subject = args[0] if args and isinstance(args[0], str) else ""
        touched.note(f"{event} {subject}".strip()[:LONGEST_NAME])


# -- context variables ---------------------------------------------------------------------------------------


def note_context(touched: Touched, before: contextvars.Context) -> None:
    """Note the context variables that differ from ``before``."""
    for variable, value in contextvars.copy_context().items():
        if variable not in before or before[variable] is not value:
            touched.note(f"sets the context variable {variable.name}")


# -- one call under a profiler -------------------------------------------------------------------------------

_LOCKS = (type(threading.Lock()), type(threading.RLock()))
_OWNED = (*_LOCKS, threading.local)


def profiled(touched: Touched, call: Callable[..., Any]) -> Callable[..., Any]:
    """``call``, and all that it calls in its thread looked at, to note what it uses."""

    def call_profiled(*args: Any, **kwargs: Any) -> Any:
        before = sys.getprofile()
        sys.setprofile(_profiler(touched))
        try:
            return call(*args, **kwargs)
        finally:
            sys.setprofile(before)

    return call_profiled


def _profiler(touched: Touched) -> Callable[[types.FrameType, str, Any], None]:
    def on_call(frame: types.FrameType, event: str, arg: Any) -> None:
        # An exception here would surface inside the user's own code.
        with contextlib.suppress(Exception):
            if event == "c_call" and frame.f_code.co_filename != __file__:
                _note_c_call(touched, arg)
            elif event == "return":
                _note_names(touched, frame)

    return on_call


def _note_c_call(touched: Touched, function: Any) -> None:
    name = function.__name__
    owner = getattr(function, "__self__", None)
    kind = owner if isinstance(owner, type) else type(owner)
    is_method = owner is not None and not isinstance(owner, types.ModuleType)
    module = kind.__module__ if is_method else getattr(function, "__module__", None) or ""
    if is_method and name in DATABASE_CALLS:
        touched.note(f"calls {kind.__name__}.{name}")
    elif module == "builtins" and name in BUILTINS and not is_method:
        touched.note(f"calls {name}")
    elif module in C_MODULES and name not in HARMLESS_C and kind.__name__ not in IN_MEMORY:
        touched.note(f"calls {kind.__name__ if is_method else module}.{name}")


def _note_names(touched: Touched, frame: types.FrameType) -> None:
    """Locks and thread-locals among the globals, closures and attributes that a function names."""
    code = frame.f_code
    for name in code.co_names:
        _note_owned(touched, name, frame.f_globals.get(name))
    for name, value in list(frame.f_locals.items()):
        _note_owned(touched, name, value)
        attributes = getattr(value, "__dict__", None)
        if type(attributes) is dict:
            for attribute in code.co_names:
                _note_owned(touched, f"{name}.{attribute}", attributes.get(attribute))


def _note_owned(touched: Touched, name: str, value: Any) -> None:
    if issubclass(type(value), _OWNED):
        what = "the lock" if issubclass(type(value), _LOCKS) else "the thread-local"
        touched.note(f"uses {what} {name}")
