"""Python's own reading of a text, for questions that need no places in it."""

from __future__ import annotations

import ast
import warnings
from functools import lru_cache


@lru_cache(maxsize=256)
def parsed(text: str, mode: str = "exec") -> ast.AST:
    """Raises SyntaxError. The tree is shared, and not to be changed.

    Whatever Python would warn of is the user's, and told elsewhere.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree: ast.AST = compile(text, "<text>", mode, ast.PyCF_ONLY_AST, dont_inherit=True)
    return tree
