"""The agent runs in other people's interpreters, so importing it may need nothing but their standard library.

import-linter cannot tell an import at module level from one inside a function; the syntax tree can.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import wirespeed_agent

PACKAGE = Path(wirespeed_agent.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
NEWER_THAN_PYTHON_3_9 = {"tomllib"}


def imported_when_loaded(body: list[ast.stmt]) -> Iterator[str]:
    """Top-level names of absolute imports that run on import: all but those inside functions."""
    for statement in body:
        if isinstance(statement, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom) and statement.level == 0:
            yield str(statement.module).partition(".")[0]
        elif not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and not for_type_checkers(
            statement
        ):
            for branch in ("body", "orelse", "finalbody"):
                yield from imported_when_loaded(getattr(statement, branch, []))
            for handler in getattr(statement, "handlers", []):
                yield from imported_when_loaded(handler.body)


def for_type_checkers(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and ast.unparse(statement.test) in (
        "TYPE_CHECKING",
        "typing.TYPE_CHECKING",
    )


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_loading_the_agent_imports_only_the_standard_library(module: Path) -> None:
    imported = set(imported_when_loaded(ast.parse(module.read_text()).body))

    allowed = sys.stdlib_module_names - NEWER_THAN_PYTHON_3_9 | {"wirespeed_agent"}
    assert imported - allowed == set()


def test_an_import_in_a_branch_counts_and_one_in_a_function_does_not() -> None:
    source = """
try:
    import uvloop
except ImportError:
    import fastapi
if TYPE_CHECKING:
    import starlette
class Late:
    from orjson import dumps
def load():
    import pydantic
"""
    assert set(imported_when_loaded(ast.parse(source).body)) == {"uvloop", "fastapi", "orjson"}
