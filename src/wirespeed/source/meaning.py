"""What the names of a module stand for: ``JSONResponse`` for ``fastapi.responses.JSONResponse``."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

import libcst as cst

from .bindings import look_up
from .tree import Tree

RESPONSE_MODULES = ("fastapi", "fastapi.responses", "starlette.responses")


def meaning(tree: Tree, expression: cst.BaseExpression, around: Sequence[cst.CSTNode] = ()) -> str | None:
    """The dotted name of what was imported, by whatever name and module the file imports it.

    None for what the file makes itself, binds more than once, or gets by a relative import.
    """
    if isinstance(expression, cst.Attribute):
        owner = meaning(tree, expression.value, around)
        return None if owner is None else f"{owner}.{expression.attr.value}"
    if not isinstance(expression, cst.Name):
        return None
    found = look_up(tree, expression.value, around)
    if not found:
        return f"builtins.{expression.value}" if hasattr(builtins, expression.value) else None
    meanings = {_imported(each.module, each.imported) for each in found}
    return meanings.pop() if len(meanings) == 1 else None


def response_class(tree: Tree, expression: cst.BaseExpression, around: Sequence[cst.CSTNode]) -> str | None:
    """``JSONResponse``: the name of a response class of FastAPI's or Starlette's own."""
    module, _, name = (meaning(tree, expression, around) or "").rpartition(".")
    return name if module in RESPONSE_MODULES and name.endswith("Response") else None


def _imported(module: str | None, imported: tuple[str, str] | None) -> str | None:
    return module if imported is None else ".".join(imported)
