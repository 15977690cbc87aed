"""What is under study: an app, with the interpreter, folder and server that run it, or what answers a URL."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from ._base import Message, Value


class EditedSource(Value):
    """The text that a source file is imported with, in place of what the disk has."""

    file: Path
    """Absolute."""
    text: str


class AppSubject(Value):
    """An ASGI app as the user named it."""

    app: str
    """An import string (``pkg.main:app``, ``pkg.main:make()``), a file (``main.py``, ``main.py:app``) or a
    folder.
    """
    python: Path
    folder: Path
    env: dict[str, str] = {}
    prepare: str | None = None
    """``module:function``, called with the app before start-up."""
    edited: tuple[EditedSource, ...] = ()


ServerName = Literal["uvicorn", "granian", "hypercorn"]


class ServerSettings(Value):
    """The server that answers for an app over HTTP; all else is left as the server has it by default."""

    name: ServerName = "uvicorn"
    workers: int = 1


class BaseUrl(Value):
    """A server that is running already."""

    url: str
    remote: bool = False
    """Whether the user said that it may be loaded although it is on another machine."""


class RouteVariant(Value):
    """A change of one route, to be served beside the original."""

    route_id: int
    path: str
    """Both as in ``model.request.Route``."""
    methods: tuple[str, ...]
    change: dict[str, Any]
    """As the agent reads it: annotation, response class, options."""


class Booted(Message):
    """What the agent reports once the app is imported and its lifespan has started."""

    app: str
    """The import string the app was found under."""
    file: str | None = None
    """Where its module was loaded from: not always below the subject's folder, even where there is such a
    module, as an editable install may come first.
    """
    python: str
    packages: dict[str, str]
    event_loop: str
    import_s: float
    lifespan_s: float
    dont_write_bytecode: bool
    """The app's real setting; the agent itself caches bytecode in a folder of its own where this is true."""
    notes: list[str] = []
    edited: list[str] = []
    """Of the subject's edited files, those that have been imported by now."""
