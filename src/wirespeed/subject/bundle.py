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
    """A private folder to hand to an interpreter; made once, shared by all agents, gone when we end."""
    private = Path(tempfile.mkdtemp(prefix="wirespeed-"))
    atexit.register(shutil.rmtree, private, ignore_errors=True)
    with resources.as_file(resources.files(_AGENT)) as installed:
        shutil.copytree(installed, private / _AGENT, ignore=shutil.ignore_patterns("__pycache__"))
    return private / _AGENT


def bytecode_folder() -> Path:
    """Where compiled modules are kept for apps whose environment writes none (XDG Base Directory; macOS)."""
    if sys.platform == "darwin":
        caches = Path.home() / "Library" / "Caches"
    else:
        caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return caches / "wirespeed" / "bytecode"
