"""What the agent knows about the app while it lives, and the operations that begin and end that life."""

from __future__ import annotations

import asyncio
import contextlib
import io
import platform
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any, Dict, Iterator, List, Optional

from .bytecode import cache_bytecode
from .edited_imports import EditedFiles
from .lifespan import Lifespan
from .loading import Found, find_app, installed_version
from .preparing import finish_preparing, prepare
from .protocol import Channel

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
    ``bytecode`` (a folder), ``edited`` (files to import with another text). Answers ``model.subject.Booted``.
    """
    session.folder = Path(args["folder"])
    writes_none = cache_bytecode(args["bytecode"])
    edited = EditedFiles(args["edited"])
    edited.install()
    sys.argv = [args["app"]]
    with output_by_line():
        began = time.perf_counter()
        found = await find_app(args["app"], session.folder, session.doing)
        session.app, session.module, session.import_string = found.app, found.module, found.import_string
        imported = time.perf_counter()
        if args["prepare"]:
            await _prepare(session, args["prepare"])
        starting = time.perf_counter()
        await _start(session)
        started = time.perf_counter()
    return booted_report(
        found,
        session.loop,
        import_s=imported - began,
        lifespan_s=started - starting,
        dont_write_bytecode=writes_none,
        notes=found.notes + lifespan_notes(session.lifespan.unsupported),
        edited=edited.loaded,
    )


def booted_report(found: Found, loop: asyncio.AbstractEventLoop, **facts: Any) -> Dict[str, Any]:
    """What ``model.subject.Booted`` reads."""
    return {
        "app": found.import_string,
        "file": getattr(found.module, "__file__", None),
        "python": platform.python_version(),
        "packages": _packages(),
        "event_loop": type(loop).__module__.partition(".")[0],
        **facts,
    }


async def shutdown(session: Session, args: Dict[str, Any]) -> None:
    """Run the app's shutdown; the agent ends once this is answered."""
    if session.booted:
        session.doing("shutting the app down")
        await session.lifespan.shutdown()


async def _prepare(session: Session, spec: str) -> None:
    await finish_preparing(spec, prepare(spec, session.app, session.folder, session.doing))
    session.prepared = True


async def _start(session: Session) -> None:
    session.doing("starting the app up")
    session.lifespan = Lifespan(session.app)
    await session.lifespan.startup()
    session.booted = True


def lifespan_notes(unsupported: Optional[str]) -> List[str]:
    """``unsupported``: what the app answered its lifespan with, if it was an error."""
    if unsupported is None:
        return []
    return [f"The app runs without a lifespan, as under uvicorn: it answered it with {unsupported}."]


def _packages() -> Dict[str, str]:
    versions = ((name, installed_version(name)) for name in _REPORTED_PACKAGES)
    return {name: version for name, version in versions if version is not None}


@contextlib.contextmanager
def output_by_line() -> Iterator[None]:
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
