"""From a measured change of a route to the edits of its endpoint's file that make it permanent."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .annotate import annotate
from .edit import Edit
from .options import reset_options
from .response_class import drop_class_in_force
from .routes import refuse_loop, route_decorators
from .tree import Function, tree_of
from .values import FunctionAt, Refused, RouteChange


def edits_of(
    change: RouteChange, source: str, function: FunctionAt, *, routes: int = 1, returns_value: bool = False
) -> Iterator[Edit]:
    """One edit for each part of the change. Raises Refused where one of them has no safe edit.

    ``returns_value``: another edit takes away the responses that the function builds by hand.
    """
    refuse_shared(tree_of(source).function(function), routes)
    if change.annotation is not None:
        yield annotate(source, function, change.annotation, returns_value=returns_value)
    if change.response_class == "drop":
        yield drop_class_in_force(source, function)
    if change.options:
        yield reset_options(source, function, change.options)


def refuse_shared(function: Function, routes: int) -> None:
    """Raises Refused where the code makes routes that were not measured, or may make more of them."""
    decorators = len(route_decorators(function))
    refuse_loop(function)
    in_function = any(isinstance(node, cst.FunctionDef) for node in function.around)
    in_class = any(isinstance(node, cst.ClassDef) for node in function.around)
    if in_function and not decorators:
        raise Refused("no decorator of it makes a route")
    # One function may serve many routes; but code that runs again makes another function each time.
    runs_again = in_function or (in_class and not decorators)
    if runs_again and routes > max(1, decorators):
        raise Refused(f"{routes} routes are made by the same lines")
