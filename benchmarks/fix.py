"""Runs ``fix --write`` on copies of apps, and the tests they have of their own before and after.

    python benchmarks/fix.py FOLDER [NAME]... [--budget 40s]

FOLDER keeps the copies and, for the open-source apps, their sources and environments, made with uv on first
use. NAME is the beginning of a target's name; without, all of them: the cases of ``tests/cases``, the
examples, and the open-source apps ``glances``, ``optimade``, ``piccolo-admin``, ``quetz`` and
``simple-repository-server``. Exits with 1 where tests that passed no longer do, or a file is neither as it
was nor as the document says.
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
    folder = sources_of("optimade", home)
    python = environment(home, "-e", f"{folder}[server]")
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
    name = "simple-repository-server"
    folder = sources_of(name, home)
    needs = ("pytest", "pytest_asyncio", "pytest_httpx", "pytest_httpserver")
    python = environment(home, "-e", f"{folder}[test]", *needs)
    (folder / "serve.py").write_text(SERVE)
    for number in range(40):
        package = folder / "packages" / f"tool{number}"
        package.mkdir(parents=True, exist_ok=True)
        for version in range(1, 9):
            (package / f"tool{number}-{version}.0.tar.gz").write_bytes(b"not a real one")
    tests = (*own_pytest(python), "simple_repository_server")
    options = ("--get", "/simple/", "--get", "/simple/tool7/")
    yield Target(name, "serve:app", folder, python, tests, options=options)


GLANCES = '''\
"""The REST API of this machine's figures, as ``glances -w`` makes it."""

import sys

sys.argv = ["glances", "-w", "--disable-webui", "--disable-autodiscover", "--disable-check-update"]

from glances.main import GlancesMain
from glances.webserver import GlancesWebServer

main = GlancesMain()
server = GlancesWebServer(config=main.get_config(), args=main.get_args())
server.web.stats = server.stats
server.web.plugins_list = server.stats.getPluginsList()
app = server.web._app
'''


def glances(home: Path) -> Iterator[Target]:
    """A monitor of machines. Of its tests, those of the REST API start it and ask it over HTTP."""
    folder = sources_of("glances", home)
    python = environment(home, "-e", f"{folder}[web]", "pytest", "requests")
    (folder / "serve.py").write_text(GLANCES)
    options = ["--only"]
    for path in ("status", "pluginslist", "args", "all/limits"):
        options += ["--get", f"/api/4/{path}"]
    tests = (*own_pytest(python), "tests/test_restful.py")
    yield Target("glances", "serve:app", folder, python, tests, options=tuple(options))


PICCOLO_SETTINGS = """\
from pathlib import Path

from piccolo.conf.apps import AppRegistry
from piccolo.engine.sqlite import SQLiteEngine

DB = SQLiteEngine(path=str(Path(__file__).parent / "tests.sqlite"))
APP_REGISTRY = AppRegistry(apps=["piccolo.apps.user.piccolo_app", "piccolo_admin.piccolo_app"])
"""


def piccolo_admin(home: Path) -> Iterator[Target]:
    """An admin of databases, with its example's tables; the published sources lack a picture of one test."""
    folder = sources_of("piccolo_admin", home)
    # They lack what an installation from them needs, too. The folder comes before what is installed.
    python = environment(home, "piccolo_admin", "piccolo[sqlite]", "pytest", "httpx")
    (folder / "piccolo_conf.py").write_text(PICCOLO_SETTINGS)
    tests = (
        *own_pytest(python),
        "tests",
        "--deselect=tests/test_endpoints.py::TestMediaStorage::test_image_upload",
    )
    options = ("--only", "--get", "/public/meta/", "--get", "/public/translations/")
    yield Target("piccolo-admin", "piccolo_admin.example.app:APP", folder, python, tests, options=options)


QUETZ = '''\
"""The server, with the channels and users that it makes for developers."""

import os
from pathlib import Path

os.chdir(Path(__file__).parent / "deployed")
os.environ["QUETZ_CONFIG_FILE"] = "config.toml"

from quetz.main import app
'''


def quetz(home: Path) -> Iterator[Target]:
    """A server of conda packages, on the last releases that it starts with."""
    folder = sources_of("quetz-server", home)
    python = environment(
        home, "-e", f"{folder}[test]", "pyinstrument", "fastapi==0.115.12", "starlette<1", "httpx<0.28"
    )
    make = (str(python.with_name("quetz")), "create", str(folder / "deployed"), "--create-conf", "--dev")
    subprocess.run(make, cwd=folder, check=True, capture_output=True)
    (folder / "serve.py").write_text(QUETZ)
    options = ("--only", "--get", "/health/live")
    about = ("test_health.py", "api/test_api_keys.py", "api/test_channels.py", "api/test_users.py")
    tests = (*own_pytest(python), *(f"quetz/tests/{name}" for name in about))
    yield Target("quetz", "serve:app", folder, python, tests, options=options)


def sources_of(name: str, home: Path) -> Path:
    """A fresh folder of what the package index has as its sources."""
    home.mkdir(parents=True, exist_ok=True)
    if not list(home.glob("*.tar.gz")):
        # pip would build them, for which some lack a file.
        download = ("uv", "tool", "run", "-q", "unearth", name, "--no-binary", "--download", str(home))
        subprocess.run(download, check=True, stdout=subprocess.DEVNULL)
    (archive,) = home.glob("*.tar.gz")
    folder = fresh(home / "sources")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    (sources,) = folder.iterdir()
    return sources


def environment(home: Path, *requirements: str) -> Path:
    """The interpreter of an environment that is made once."""
    python = home / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run(["uv", "venv", "-q", "--python", sys.executable, str(home / "venv")], check=True)
        subprocess.run(["uv", "pip", "install", "-q", "--python", str(python), *requirements], check=True)
    return python


def fresh(folder: Path) -> Path:
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    return folder


MAKERS: dict[str, Callable[[Path], Iterator[Target]]] = {
    "case": cases,
    "example": examples,
    "glances": glances,
    "optimade": optimade,
    "piccolo-admin": piccolo_admin,
    "quetz": quetz,
    "simple-repository-server": simple_repository,
}
"""By the beginning of their targets' names, which the folder they are made in has, too."""


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
    home, names, failed = given.folder.absolute(), tuple(given.names) or tuple(MAKERS), 0
    for kind, maker in MAKERS.items():
        if any(kind.startswith(name) or name.startswith(kind) for name in names):
            for target in maker(home / kind):
                if target.name.startswith(names):
                    failed += not run(target, given.budget)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
