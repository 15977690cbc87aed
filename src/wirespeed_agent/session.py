"""What the agent knows about the app while it lives, and the operations that begin and end that life."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import io
import platform
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any, Dict, Iterator, List

from .bytecode import cache_bytecode
from .errors import OperationError
from .lifespan import Lifespan
from .loading import find_app, import_module, installed_version, resolve
from .protocol import Channel
from .target import did_you_mean
from .tracebacks import app_traceback, last_line

# Packages whose version bears on how fast an answer leaves.
_REPORTED_PACKAGES = (
    "fastapi",
    "starlette",
    "pydantic",
    "pydantic-core",
    "anyio",
    "uvicorn",
    "uvloop",
    "httptools",
    "h11",
    "granian",
    "hypercorn",
    "gunicorn",
    "orjson",
    "ujson",
    "msgspec",
    "sqlalchemy",
    "sqlmodel",
)


class Session:
    """The app under study; ``app`` and what is declared with it are set by ``boot``."""

    app: Any
    """The outermost ASGI app."""
    module: ModuleType
    import_string: str
    folder: Path
    lifespan: Lifespan

    def __init__(self, channel: Channel, loop: asyncio.AbstractEventLoop) -> None:
        self.channel = channel
        self.loop = loop
        self.booted = False
        self.prepared = False
        """Whether a ``--prepare`` function has changed the app."""

    @property
    def state(self) -> Dict[str, Any]:
        """The lifespan's state; a server gives every request a shallow copy of it."""
        return self.lifespan.state

    def doing(self, what: str) -> None:
        self.channel.doing(what)


async def boot(session: Session, args: Dict[str, Any]) -> Dict[str, Any]:
    """Import the app, prepare it and run its start-up.

    ``args``: ``app`` as the user named it, ``folder``, ``prepare`` (``module:function`` or null),
    ``bytecode`` (a folder). Answers ``model.subject.Booted``.
    """
    session.folder = Path(args["folder"])
    writes_none = cache_bytecode(args["bytecode"])
    sys.argv = [args["app"]]
    with _output_by_line():
        began = time.perf_counter()
        found = await find_app(args["app"], session.folder, session.doing)
        session.app, session.module, session.import_string = found.app, found.module, found.import_string
        imported = time.perf_counter()
        if args["prepare"]:
            await _prepare(session, args["prepare"])
        starting = time.perf_counter()
        await _start(session)
        started = time.perf_counter()
    return {
        "app": session.import_string,
        "python": platform.python_version(),
        "packages": _packages(),
        "event_loop": type(session.loop).__module__.partition(".")[0],
        "import_s": imported - began,
        "lifespan_s": started - starting,
        "dont_write_bytecode": writes_none,
        "notes": found.notes + _lifespan_notes(session.lifespan),
    }


async def shutdown(session: Session, args: Dict[str, Any]) -> None:
    """Run the app's shutdown; the agent ends once this is answered."""
    if session.booted:
        session.doing("shutting the app down")
        await session.lifespan.shutdown()


async def _prepare(session: Session, spec: str) -> None:
    """Call the user's ``module:function`` with the app; what it returns is not looked at."""
    module_name, _, name = spec.partition(":")
    if not (module_name and name):
        raise OperationError(
            "usage", f"{spec!r} is not module:function.", advice="As in --prepare testing:seed."
        )
    session.doing(f"importing {module_name}, for --prepare")
    module = import_module(module_name, session.folder)
    function = resolve(module, name, offer=lambda module, name: did_you_mean(name, vars(module)))
    session.doing(f"running --prepare {spec}")
    try:
        result = function(session.app)
        if inspect.isawaitable(result):
            await result
    except BaseException as error:
        message = f"--prepare {spec} failed: {last_line(error)}"
        raise OperationError("prepare", message, traceback=app_traceback(error)) from None
    session.prepared = True


async def _start(session: Session) -> None:
    session.doing("starting the app up")
    session.lifespan = Lifespan(session.app)
    await session.lifespan.startup()
    session.booted = True


def _lifespan_notes(lifespan: Lifespan) -> List[str]:
    if lifespan.unsupported is None:
        return []
    return [f"The app runs without a lifespan, as under uvicorn: it answered it with {lifespan.unsupported}."]


def _packages() -> Dict[str, str]:
    versions = ((name, installed_version(name)) for name in _REPORTED_PACKAGES)
    return {name: version for name, version in versions if version is not None}


@contextlib.contextmanager
def _output_by_line() -> Iterator[None]:
    """While the app starts, let what it prints leave at once: one that ends itself often says why first."""
    stream = sys.stdout
    if not isinstance(stream, io.TextIOWrapper) or stream.line_buffering:
        yield
        return
    stream.reconfigure(line_buffering=True)
    try:
        yield
    finally:
        # The app may have closed or detached it.
        with contextlib.suppress(ValueError):
            stream.reconfigure(line_buffering=False)
