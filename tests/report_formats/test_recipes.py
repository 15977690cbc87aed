"""The recipes of docs/ci.md: the guide shows the files, and their commands run as they stand."""

from __future__ import annotations

import importlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest
import typer
import yaml

from wirespeed.cli.commands import COMMANDS

DOCS = Path(__file__).parents[2] / "docs"
RECIPES = sorted((DOCS / "recipes").glob("*.yml"))
SCRIPTS = Path(sys.executable).parent

APP = """
from fastapi import FastAPI

app = FastAPI()


@app.get("/items")
def items(page: int = 1):
    return [{"id": number, "name": f"item {number}"} for number in range(200)]


@app.get("/health")
async def health() -> dict[str, str]:
    return {"status": "ok"}
"""


class Step(NamedTuple):
    recipe: str
    job: str
    line: str


def _lines(value: Any) -> Iterator[str]:
    """The shell lines of a job of either system, wherever they stand."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("run", "script", "before_script"):
                yield from [inner] if isinstance(inner, str) else inner
            else:
                yield from _lines(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _lines(inner)


def _steps() -> Iterator[Step]:
    for recipe in RECIPES:
        document = yaml.safe_load(recipe.read_text())
        jobs = document.get("jobs", document)
        for job, content in jobs.items():
            for line in _lines(content):
                if line.startswith("wirespeed "):
                    yield Step(recipe.stem, job, line)


STEPS = list(_steps())


def ids(step: Step) -> str:
    return f"{step.recipe}-{step.job}"


def test_each_recipe_guards_and_advises() -> None:
    assert {(step.recipe, step.job) for step in STEPS} == {
        (recipe.stem, job) for recipe in RECIPES for job in ("guard", "advise")
    }


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_the_guide_shows_the_recipe_as_it_is(recipe: Path) -> None:
    page = (DOCS / "ci.md").read_text()
    assert f"<!-- recipe: {recipe.name} -->\n```yaml\n{recipe.read_text()}```\n" in page


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_what_the_cache_keeps_is_where_environments_are_kept(recipe: Path) -> None:
    text = recipe.read_text()
    assert "~/.cache/wirespeed\n" in text or (
        'XDG_CACHE_HOME: "$CI_PROJECT_DIR/.cache"' in text and ".cache/wirespeed," in text
    )


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_reports_are_taken_from_where_they_are_written(recipe: Path) -> None:
    text = recipe.read_text()
    written = set(re.findall(r"--report \w+=(\S+)", text))
    assert written
    for file in written:
        assert len(re.findall(rf"(?<![\w=]){re.escape(file)}", text)) >= 1, file


@pytest.mark.parametrize("step", STEPS, ids=ids)
def test_its_commands_are_ones_that_wirespeed_understands(step: Step) -> None:
    _, command, *arguments = shlex.split(step.line)
    module = next(each.module for each in COMMANDS if each.name == command)
    typer.main.get_command(importlib.import_module(module).COMMAND).make_context(command, arguments)


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
    done = subprocess.run(
        ["git", "-C", folder, *identity, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a CI system has of a pull request that changes a comment: a clone with the remote's branches."""
    origin = tmp_path_factory.mktemp("origin")
    git(origin, "init", "--quiet", "--initial-branch", "main")
    (origin / "main.py").write_text(APP)
    git(origin, "add", ".")
    git(origin, "commit", "--quiet", "-m", "An app")
    clone = tmp_path_factory.mktemp("clone") / "shop"
    git(origin, "clone", "--quiet", str(origin), str(clone))
    git(clone, "checkout", "--quiet", "-b", "change")
    (clone / "main.py").write_text(f"# The same app\n{APP}")
    git(clone, "commit", "--quiet", "--all", "-m", "Change nothing")
    return clone


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS, ids=ids)
def test_its_commands_run_as_they_stand(step: Step, checkout: Path, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    environment = {
        **os.environ,
        "PATH": f"{SCRIPTS}:{os.environ['PATH']}",
        "VIRTUAL_ENV": sys.prefix,
        "GITHUB_ACTIONS": "true",
        "GITHUB_STEP_SUMMARY": str(summary),
        "GITHUB_BASE_REF": "main",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": git(checkout, "merge-base", "HEAD", "origin/main"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
    }
    done = subprocess.run(
        ["bash", "-e", "-c", f"{step.line} --budget 8s --seed 7"],
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    # What is measured in so short a time is nothing to rely on; only --fail-on may make it a failure.
    expected = (0, 4) if step.job == "guard" else (0, 1) if "--fail-on" in step.line else (0,)
    assert done.returncode in expected, done.stderr
    for format_name, file in re.findall(r"--report (\w+)=(\S+)", step.line):
        _check(format_name, (checkout / file).read_text())
    if "--report github" in step.line:
        kind = {"guard": "guard", "advise": "advice"}[step.job]
        assert summary.read_text().startswith(f"<!-- wirespeed:{kind} main:app -->")
    if step.job == "advise" and "--report github" in step.line:
        annotation = re.search(r"^::\w+ title=WS101 GET /items,file=main\.py,line=(\d+)::", done.stdout, re.M)
        assert annotation is not None, done.stdout
        line = (checkout / "main.py").read_text().splitlines()[int(annotation[1]) - 1]
        assert line.startswith(('@app.get("/items', "def items"))


def _check(format_name: str, text: str) -> None:
    match format_name:
        case "junit":
            names = [each.get("name") for each in ElementTree.fromstring(text.encode()).iter("testcase")]
            assert "GET /items" in names and "GET /health" in names
        case "sarif":
            assert json.loads(text)["version"] == "2.1.0"
        case "gitlab":
            assert isinstance(json.loads(text), list)
        case "markdown":
            assert text.startswith("<!-- wirespeed:")
        case _:
            raise AssertionError(format_name)
