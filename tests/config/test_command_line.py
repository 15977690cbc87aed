"""The script with a configuration beside it: how light it stays, and what it says of values from the file."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(sys.executable).with_name("wirespeed")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SCRIPT, *arguments], cwd=folder, capture_output=True, text=True, check=False)


def test_help_reads_no_configuration(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.wirespeed]\nmargn = 1\n")
    program = (
        "import json, sys\nfrom wirespeed.cli.shell import run\nrun(['advise', '--help'])\n"
        "print(json.dumps(list(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    assert "--config" in done.stdout
    assert {"tomllib", "wirespeed.cli.configuration", "wirespeed.model.plan"}.isdisjoint(
        json.loads(done.stderr)
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('[tool.wirespeed.advise]\nhttp = true\nserver = "nginx"', "--server is from pyproject.toml:3:1"),
        ('[tool.wirespeed]\npython = "no-such-python"', "--python is from pyproject.toml:2:1"),
        ('[tool.wirespeed]\nfolder = "missing"', "--folder is from pyproject.toml:2:1"),
        ("[tool.wirespeed]\nlive = 0", "--live is from pyproject.toml:2:1"),
        ('[tool.wirespeed]\nrules = { select = ["WS9"] }', "--select is from pyproject.toml:2:11"),
    ],
)
def test_a_value_that_an_option_refuses_is_pointed_at(tmp_path: Path, text: str, place: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f"{text}\n")
    done = run(tmp_path, "advise", "main:app")

    assert done.returncode == 2
    assert place in done.stderr


def test_a_wrong_key_ends_the_command_before_anything_is_started(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.wirespeed]\napp = "main:app"\nmargn = 1\n')
    (tmp_path / "main.py").write_text("import pathlib\npathlib.Path('started').touch()\n")
    done = run(tmp_path, "advise")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "error: pyproject.toml:3:1: there is no key margn",
        "Did you mean margin?",
    ]
    assert not (tmp_path / "started").exists()


def test_the_file_is_found_from_the_folder_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "pyproject.toml").write_text("[tool.wirespeed]\nmargn = 1\n")
    done = run(tmp_path, "advise", "main:app", "--folder", "app")

    assert f"{Path('app') / 'pyproject.toml'}:2:1: there is no key margn" in done.stderr


def test_a_command_without_settings_has_none_to_show(tmp_path: Path) -> None:
    assert run(tmp_path, "config", "audit").returncode == 2
    shown = run(tmp_path, "config", "load")
    assert shown.returncode == 0, shown.stderr
    assert f"wirespeed load goes by no file{os.linesep}" in shown.stdout
