"""The files an agent needs: ``wirespeed_agent`` alone in a folder, and a place for the app's bytecode.

Running the installed package instead would put our site-packages, and so our FastAPI, beside it.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from functools import cache
from importlib import resources
from pathlib import Path

_AGENT = "wirespeed_agent"


@cache
def agent_folder() -> Path:
    """The folder to hand to an interpreter; made once and shared by all agents."""
    folder = _private_folder() / _AGENT
    with resources.as_file(resources.files(_AGENT)) as installed:
        shutil.copytree(installed, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def bytecode_folder() -> Path:
    """Where compiled modules are kept for apps whose environment writes none.

    In the user's caches, so that the next run has them too; a user without a home has them for one run.
    """
    try:
        return _user_caches() / "wirespeed" / "bytecode"
    except RuntimeError:
        return _private_folder() / "bytecode"


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
