"""APP, ``--python``, ``--folder``, ``--env``, ``--prepare``, ``--server`` to an app that can be started."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from wirespeed.cli.interpreter import choose_python
from wirespeed.cli.values import assignments, at_least
from wirespeed.errors import UsageError
from wirespeed.model.subject import AppSubject, ServerName, ServerSettings

SERVERS: tuple[ServerName, ...] = get_args(ServerName)


def app_subject(
    app: str, *, python: str | None, folder: str, env: Sequence[str], prepare: str | None
) -> AppSubject:
    """The app behind the options; raises ``UsageError`` for the first that cannot be."""
    place = Path(folder).expanduser().absolute()
    if not place.is_dir():
        raise UsageError(f"--folder {folder!r} is not a folder", advice="Give the folder the app runs in.")
    if not app.strip():
        raise UsageError("no app is named", advice="Name it as for a server: main:app, or main.py.")
    if prepare is not None and not re.fullmatch(r"[\w.]+:[\w.]+", prepare):
        raise UsageError(
            f"--prepare {prepare!r} is not a function", advice="Write --prepare module:function."
        )
    return AppSubject(
        app=app.strip(),
        python=choose_python(python, place, os.environ),
        folder=place,
        env=assignments(env, "--env"),
        prepare=prepare,
    )


def server_name(text: str) -> ServerName:
    """A server by its name, however it is capitalized."""
    for server in SERVERS:
        if server == text.strip().lower():
            return server
    raise UsageError(f"--server {text!r} is not known", advice=f"Servers are {', '.join(SERVERS)}.")


def server_settings(name: str | None, workers: int | None) -> ServerSettings:
    """uvicorn with one worker, unless something else is said."""
    number = 1 if workers is None else at_least(workers, 1, "--workers", "somebody has to answer")
    return ServerSettings(name=server_name(name or "uvicorn"), workers=number)
