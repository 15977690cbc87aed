"""Taking away the serialization options of a route."""

from __future__ import annotations

from collections.abc import Sequence

from .edit import Edit
from .routes import drop_keywords
from .tree import tree_of
from .values import FunctionAt


def reset_options(source: str, function: FunctionAt, names: Sequence[str]) -> Edit:
    """Remove the keywords ``names`` from the function's route decorator, ``response_model_exclude_none`` say.

    Raises Refused where one of them is not there, or where several routes of the function differ in it.
    """
    tree = tree_of(source)
    return drop_keywords(tree, tree.function(function), names)
