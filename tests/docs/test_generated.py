import subprocess
import sys

from .pages import ROOT


def test_generated_pages_are_what_the_code_makes_now() -> None:
    check = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (check.returncode, check.stderr) == (0, "")
