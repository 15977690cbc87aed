"""One command each: ``nox -s tests``, ``lint``, ``types``, ``docs``, ``bench``; ``.ci/run`` calls the same.

``tests`` makes an environment of its own, because what it tests is the wheel as users install it. The others
use the environment that nox runs in: the ``.venv`` that the README's test command makes.
"""

import sys
from pathlib import Path

import nox

LOCK = "requirements/dev.txt"
QUICK = "not slow and not matrix and not browser and not postgres"
ON_TWO_CORES = ("-n", "2", "--dist", "loadfile")
TOOLS = Path(sys.executable).parent

nox.needs_version = ">=2024.10"
nox.options.default_venv_backend = "uv"
nox.options.sessions = ["lint", "types", "docs", "tests"]


def tool(name: str) -> str:
    """The development environment's own copy, whether or not it is activated."""
    return str(TOOLS / name)


@nox.session
def tests(session: nox.Session) -> None:
    """Quick tests against the built wheel; arguments go to pytest and replace that selection."""
    dist = session.create_tmp()
    session.run(
        *(tool("uv"), "build", "--quiet", "--wheel", "--clear", "--out-dir", dist),
        *("--no-build-isolation", "--python", sys.executable),
        external=True,
    )
    session.install("--require-hashes", "-r", LOCK)
    session.install("--no-deps", "--reinstall", *map(str, Path(dist).glob("*.whl")))
    session.run("python", "-m", "pytest", *ON_TWO_CORES, *(session.posargs or ["-m", QUICK]))


@nox.session(python=False)
def lint(session: nox.Session) -> None:
    """Formatting, lint rules, and the import contracts of ARCHITECTURE.md."""
    session.run(tool("ruff"), "format", "--check", ".")
    session.run(tool("ruff"), "check", ".")
    session.run(tool("lint-imports"))


@nox.session(python=False)
def types(session: nox.Session) -> None:
    """mypy, strict, over both packages."""
    session.run(tool("mypy"))


@nox.session(python=False)
def docs(session: nox.Session) -> None:
    """Run README and guides as tests, and check that generated pages are current."""
    session.run(tool("python"), "-m", "pytest", "tests/docs", *session.posargs)


@nox.session(python=False)
def bench(session: nox.Session) -> None:
    """List the benchmarks, or run one: ``nox -s bench -- NAME [ARGUMENT]...``."""
    if session.posargs:
        name, *arguments = session.posargs
        session.run(tool("python"), f"benchmarks/{name}.py", *arguments)
        return
    for script in sorted(Path("benchmarks").glob("*.py")):
        first_line = script.read_text().lstrip('"').partition("\n")[0]
        session.log(f"{script.stem}: {first_line}")


@nox.session(python=False)
def lock(session: nox.Session) -> None:
    """Renew requirements/dev.txt from pyproject.toml (``-- --upgrade`` takes newer versions)."""
    session.run(
        *(tool("uv"), "pip", "compile", "--quiet", "--universal", "--python-version", "3.11"),
        *("--generate-hashes", "--no-emit-index-url", "--no-emit-find-links", "--no-annotate"),
        *("--custom-compile-command", "nox -s lock", "--group", "dev", "--output-file", LOCK),
        *("pyproject.toml", *session.posargs),
    )
