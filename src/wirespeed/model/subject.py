"""What is under study: an app, the interpreter that runs it, and the folder it runs in."""

from __future__ import annotations

from pathlib import Path

from ._base import Message, Value


class AppSubject(Value):
    """An ASGI app as the user named it."""

    app: str
    """An import string (``pkg.main:app``, ``pkg.main:make()``), a file (``main.py``, ``main.py:app``) or a folder."""
    python: Path
    folder: Path
    env: dict[str, str] = {}
    prepare: str | None = None
    """``module:function``, called with the app before start-up."""


class Booted(Message):
    """What the agent reports once the app is imported and its lifespan has started."""

    app: str
    """The import string the app was found under."""
    python: str
    packages: dict[str, str]
    event_loop: str
    import_s: float
    lifespan_s: float
    dont_write_bytecode: bool
    """The app's real setting; the agent itself caches bytecode in a folder of its own where this is true."""
    notes: list[str] = []
