"""The type of what a route answers, and where it goes once its function returns a response of its own."""

from __future__ import annotations

import libcst as cst

from .edit import Replace
from .meaning import response_class
from .names import names_used
from .routes import keyword_argument
from .tree import Function, Tree
from .values import Refused


def declared_type(tree: Tree, function: Function, call: cst.Call) -> cst.BaseExpression | None:
    """Of the route that the decorator ``call`` makes. Raises Refused where it returns a response already."""
    given, returns = keyword_argument(call, "response_model"), function.node.returns
    if given is not None:
        is_none = isinstance(given.value, cst.Name) and given.value.value == "None"
        return None if is_none else given.value
    if returns is not None and response_class(tree, returns.annotation, ()):
        raise Refused("it returns a response already")
    return returns.annotation if returns else None


def move_type(tree: Tree, function: Function, call: cst.Call, response: str) -> list[Replace]:
    """A function that says what it returns says ``response`` now, and its decorator what is answered."""
    returns = function.node.returns
    if returns is None:
        return []
    annotation = returns.annotation
    replaced = [Replace(*tree.span(annotation), response, names_used(annotation))]
    if keyword_argument(call, "response_model") is None:
        at = tree.span(call.args[-1].value).end
        replaced.append(Replace(at, at, f", response_model={tree.source(annotation)}"))
    return replaced


def status_of(tree: Tree, call: cst.Call) -> str:
    """The argument that gives a response the status of its route; empty where that is the usual one."""
    status = keyword_argument(call, "status_code")
    return "" if status is None else f"status_code={tree.source(status.value)}, "
