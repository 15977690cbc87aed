"""What tests of every layer share."""

from __future__ import annotations

import os
import signal
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

# A shell that runs the tests in the background has them ignore Ctrl-C, and with them all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# uv is installed beside us, and found there whether or not the environment is activated; last on the path, so
# that nothing else changes. Tests that need it would be skipped without a word otherwise.
os.environ["PATH"] += os.pathsep + str(Path(sys.executable).parent)

# Whatever runs pytest in a test runs it by itself, also while these tests run in parallel.
for name in [each for each in os.environ if each.startswith("PYTEST_XDIST_")]:
    del os.environ[name]


@pytest.fixture
def write_app(tmp_path: Path) -> Callable[..., Path]:
    """Write ``source`` as a module, ``pkg.main`` with its packages; gives the folder to import from."""

    def write(source: str, name: str = "main") -> Path:
        *packages, module = name.split(".")
        folder = tmp_path
        for package in packages:
            folder = folder / package
            folder.mkdir(exist_ok=True)
            (folder / "__init__.py").touch()
        (folder / f"{module}.py").write_text(textwrap.dedent(source), encoding="utf-8")
        return tmp_path

    return write
