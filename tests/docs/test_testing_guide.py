"""The guide to ``wirespeed.testing``: its examples are files of a project whose tests pass."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from .pages import ROOT, fenced

GUIDE = ROOT / "docs" / "testing.md"

SHOWN = """
from shop import app
from wirespeed.testing import assert_fast_path

try:
    assert_fast_path(app, "/v2/books")
except AssertionError as failure:
    print(failure)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for block in fenced(GUIDE, "python"):
        named = re.match(r"# (\w+\.py)\n", block)
        assert named is not None, f"which file is this?\n{block}"
        # The line that names the file is no part of it.
        (tmp_path / named[1]).write_text(block[named.end() :])
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\nfilterwarnings = error\n")
    return tmp_path


def python(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_examples_pass(project: Path) -> None:
    done = python(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:asyncio")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" not in done.stdout


@pytest.mark.slow
def test_the_message_is_what_is_printed(project: Path) -> None:
    printed = python(project, "-c", SHOWN)

    assert printed.stdout in fenced(GUIDE, "text"), printed.stdout + printed.stderr
