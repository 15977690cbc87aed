import importlib
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import typer

from wirespeed.cli.commands import COMMANDS

from .pages import PAGES, ROOT, commands, name

NOT_IN_A_CLONE = shutil.ignore_patterns(
    ".git", ".venv", ".nox", ".*_cache", "__pycache__", ".wirespeed", "dist"
)


def wirespeed_arguments(line: str) -> list[str] | None:
    """The arguments of a shell line whose last command is ``wirespeed``; None where it is another one."""
    program, *arguments = shlex.split(line.rpartition("&&")[2])
    return arguments if program.rpartition("/")[2] == "wirespeed" else None


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_wirespeed_command_on_a_page_is_one_that_wirespeed_understands(page: Path) -> None:
    modules = {command.name: command.module for command in COMMANDS}
    for arguments in filter(None, map(wirespeed_arguments, commands(page))):
        command, *rest = arguments
        parser = typer.main.get_command(importlib.import_module(modules[command]).COMMAND)
        parser.make_context(f"wirespeed {command}", rest)


@pytest.mark.slow
def test_the_first_command_of_the_readme_advises_the_example(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(ROOT, clone, ignore=NOT_IN_A_CLONE)

    first = next(commands(ROOT / "README.md"))
    advised = subprocess.run(["bash", "-c", first], cwd=clone, capture_output=True, text=True, check=False)

    assert advised.returncode == 0, advised.stderr
    assert "GET /untyped" in advised.stdout
    assert "WS101" in advised.stdout
    assert "-> list[User]" in advised.stdout
