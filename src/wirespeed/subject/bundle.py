"""The files an agent needs: ``wirespeed_agent`` alone in a folder, and a place for the app's bytecode.

Running the installed package instead would put our site-packages, and so our FastAPI, beside it.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import resources
from pathlib import Path
from threading import RLock
from typing import Any

_AGENT = "wirespeed_agent"
LOGBOOK = "logbook"
_making = RLock()


def agent_folder() -> Path:
    """The folder to hand to an interpreter; made once and shared by all agents, of all threads."""
    with _making:
        return _agent_folder()


@cache
def _agent_folder() -> Path:
    folder = _private_folder() / _AGENT
    with resources.as_file(resources.files(_AGENT)) as installed:
        shutil.copytree(installed, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@contextmanager
def serving_folder(plan: dict[str, Any]) -> Iterator[Path]:
    """A folder for one server: what its workers import, what they are to serve, and where they report."""
    bundle = agent_folder().parent
    with tempfile.TemporaryDirectory(prefix="served-", dir=bundle, ignore_cleanup_errors=True) as name:
        # Resolved, as servers do it before they put it on the path.
        folder = Path(name).resolve()
        shutil.copy(bundle / _AGENT / "worker.py", folder / "wirespeed_served.py")
        logbook = folder / LOGBOOK
        logbook.touch()
        plan = {**plan, "bundle": str(bundle), "logbook": str(logbook)}
        (folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
        yield folder


def bytecode_folder() -> Path:
    """Where compiled modules are kept for apps whose environment writes none."""
    return _cache("bytecode")


def environments_folder() -> Path:
    """Where environments with other packages are kept."""
    return _cache("environments")


def _cache(name: str) -> Path:
    """In the user's caches, so that the next run has it too; a user without a home has it for one run."""
    try:
        return _user_caches() / "wirespeed" / name
    except RuntimeError:
        with _making:
            return _private_folder() / name


def _user_caches() -> Path:
    """By the XDG Base Directory Specification, or Apple's; raises RuntimeError where there is no home."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    configured = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return configured if configured.is_absolute() else Path.home() / ".cache"


@cache
def _private_folder() -> Path:
    """Readable by this user alone, and gone when we end."""
    folder = Path(tempfile.mkdtemp(prefix="wirespeed-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
