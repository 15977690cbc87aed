"""Runs ``fix --write`` on copies of apps, and the tests they have of their own before and after.

    python benchmarks/fix.py FOLDER [NAME]... [--budget 40s]

FOLDER keeps the copies and, for the two open-source apps, their sources and environments, made with uv and
pip on first use. NAME is the beginning of a target's name; without, all of them: the cases of
``tests/cases``, the examples, ``optimade`` and ``simple-repository-server``. Exits with 1 where tests that
passed no longer do, or a file is neither as it was nor as the document says.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
WIRESPEED = [sys.executable, "-c", "from wirespeed.cli import main; main()"]
ROLLED_BACK = 1
"""What ``fix`` ends with where it took something back."""


@dataclass(frozen=True)
class Target:
    """An app to be fixed in ``folder``, and the command of its own tests there, if it has some."""

    name: str
    app: str
    folder: Path
    python: Path = Path(sys.executable)
    tests: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    tests_from: Path | None = None
    """Where its tests run, if not in its folder."""


# -- copies of what is in the repository ---------------------------------------------------------------------


def cases(home: Path) -> Iterator[Target]:
    for source in sorted((ROOT / "tests" / "cases").glob("[0-9]*.py")):
        folder = fresh(home / f"case-{source.name[:2]}")
        shutil.copy(source, folder / "main.py")
        # Named, as one of them starts a process when it is first called.
        endpoint = re.search(r"^Endpoint: GET (\S+)", source.read_text(encoding="utf-8"), re.MULTILINE)
        options = ("--get", endpoint[1]) if endpoint else ()
        yield Target(f"case-{source.stem}", "main:app", folder, options=options)


def examples(home: Path) -> Iterator[Target]:
    """With their tests, which look for them two folders up."""
    for app in ("users:app", "shop.main:app"):
        name = f"example-{app.partition('.')[0].partition(':')[0]}"
        folder = fresh(home / name)
        shutil.copytree(ROOT / "examples", folder / "examples")
        shutil.copytree(ROOT / "tests" / "examples", folder / "tests" / "examples")
        (folder / "pytest.ini").write_text("[pytest]\naddopts = --import-mode=importlib\nmarkers = slow\n")
        tests = (sys.executable, "-m", "pytest", "-q", "tests/examples")
        yield Target(name, app, folder / "examples", tests=tests, tests_from=folder)


# -- open-source apps ----------------------------------------------------------------------------------------


def own_pytest(python: Path) -> tuple[str, ...]:
    """Newer releases of pytest-asyncio warn where this is not set, and apps make errors of warnings."""
    quiet = ("-q", "-p", "no:cacheprovider", "-o", "asyncio_default_fixture_loop_scope=function")
    return (str(python), "-m", "pytest", *quiet)


def optimade(home: Path) -> Iterator[Target]:
    """A REST API for databases of materials, with the data that its sources ship.

    Of its tests, the published sources lack the helpers, so that none can run.
    """
    folder, python = editable(home / "optimade", "optimade", "server")
    env = {"OPTIMADE_DATABASE_BACKEND": "mongomock", "OPTIMADE_INSERT_TEST_DATA": "true"}
    options = ["--only"]
    for path in ("/v1/info", "/v1/links", "/v1/structures", "/v1/references"):
        options += ["--get", path]
    yield Target("optimade", "optimade.server.main:app", folder, python, options=tuple(options), env=env)


SERVE = '''\
"""The server over the packages beside this file."""

from pathlib import Path

from simple_repository_server.__main__ import create_app

app = create_app([str(Path(__file__).parent / "packages")])
'''


def simple_repository(home: Path) -> Iterator[Target]:
    """A package index, over a few made-up packages."""
    needs = ("pytest", "pytest_asyncio", "pytest_httpx", "pytest_httpserver")
    name = "simple-repository-server"
    folder, python = editable(home / name, name, "test", *needs)
    (folder / "serve.py").write_text(SERVE)
    for number in range(40):
        package = folder / "packages" / f"tool{number}"
        package.mkdir(parents=True, exist_ok=True)
        for version in range(1, 9):
            (package / f"tool{number}-{version}.0.tar.gz").write_bytes(b"not a real one")
    tests = (*own_pytest(python), "simple_repository_server")
    options = ("--get", "/simple/", "--get", "/simple/tool7/")
    yield Target(name, "serve:app", folder, python, tests, options=options)


def editable(home: Path, name: str, extra: str, *needs: str) -> tuple[Path, Path]:
    """(folder of fresh sources, interpreter of an environment that has them installed from there)."""
    home.mkdir(parents=True, exist_ok=True)
    if not list(home.glob("*.tar.gz")):
        download = ("-m", "pip", "download", "-q", "--no-deps", "--no-binary", name, "-d", str(home), name)
        subprocess.run([sys.executable, *download], check=True)
    (archive,) = home.glob("*.tar.gz")
    folder = fresh(home / "sources")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    (sources,) = folder.iterdir()
    python = home / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run(["uv", "venv", "-q", "--python", sys.executable, str(home / "venv")], check=True)
        made = ("uv", "pip", "install", "-q", "--python", str(python))
        subprocess.run([*made, "-e", f"{sources}[{extra}]", *needs], check=True)
    return sources, python


def fresh(folder: Path) -> Path:
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    return folder


MAKERS: tuple[Callable[[Path], Iterator[Target]], ...] = (cases, examples, optimade, simple_repository)
NAMES = ("case-", "example-", "optimade", "simple-repository-server")


# -- running -------------------------------------------------------------------------------------------------


def tested(target: Target) -> tuple[bool, str]:
    """Whether its own tests pass, and the last line they print."""
    if not target.tests:
        return True, "has no tests of its own"
    done = subprocess.run(
        target.tests,
        cwd=target.tests_from or target.folder,
        env={**os.environ, **target.env},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = (done.stdout.strip() or done.stderr.strip()).splitlines()
    return done.returncode == 0, lines[-1].strip("= ") if lines else "said nothing"


def fixed(target: Target, budget: str) -> dict[str, Any]:
    """The ``fix`` document."""
    command = [*WIRESPEED, "fix", target.app, "--write", "--json", "--budget", budget]
    command += ["--folder", str(target.folder), "--python", str(target.python), *target.options]
    for name, value in target.env.items():
        command += ["--env", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, ROLLED_BACK):
        raise SystemExit(f"wirespeed fix {target.name} ended with {done.returncode}:\n{done.stderr}")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*.py")}


def unforeseen(target: Target, before: dict[Path, bytes], document: dict[str, Any]) -> list[str]:
    """Files that changed though the document does not say so, or the reverse."""
    after = contents(target.folder)
    changed = {str(path.relative_to(target.folder)) for path in before if after.get(path) != before[path]}
    said = {each["path"] for each in document["files"] if each["state"] == "written"}
    return sorted(changed ^ said)


def run(target: Target, budget: str) -> bool:
    """Whether all is well; tells what was done."""
    passed, told = tested(target)
    print(f"== {target.name}")
    print(f"   tests before  {'passed' if passed else 'FAILED'}: {told}", flush=True)
    before = contents(target.folder)
    document = fixed(target, budget)
    for remedy in document["remedies"]:
        after = remedy["after"]
        gain = f", takes {after['ratio']:.2f} of the time" if after and remedy["state"] == "written" else ""
        reason = f" ({remedy['reason']})" if remedy["reason"] and remedy["state"] != "written" else ""
        what = f"{remedy['code']} {remedy['name']}: {remedy['requests'][0]}"
        print(f"   {remedy['state']:<13} {what}{gain}{reason}")
    odd = unforeseen(target, before, document)
    for name in odd:
        print(f"   WRONG         {name} is not as the document says")
    passes, told = tested(target) if document["written"] else (passed, "nothing was written")
    print(f"   tests after   {'passed' if passes else 'FAILED'}: {told}")
    print(f"   took          {document['elapsed_s']:.0f} s", flush=True)
    return not odd and (passes or not passed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--budget", default="40s")
    given = parser.parse_args()
    home, names, failed = given.folder.absolute(), tuple(given.names) or NAMES, 0
    for maker, kind in zip(MAKERS, NAMES, strict=True):
        if any(kind.startswith(name) or name.startswith(kind) for name in names):
            for target in maker(home):
                if target.name.startswith(names):
                    failed += not run(target, given.budget)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
