"""The ``response: Response`` parameter through which an endpoint sets status and headers."""

from __future__ import annotations

import re
from dataclasses import dataclass

import libcst as cst

from .edit import Need, Replace
from .meaning import RESPONSE_MODULES, response_class
from .spot import free_name, imports_at
from .tree import Function, Tree
from .values import Refused
from .walking import body_nodes, names_in


@dataclass(frozen=True)
class Injected:
    """``name`` of the parameter; ``replaced`` and ``needs`` are empty where the function has one."""

    name: str
    replaced: tuple[Replace, ...] = ()
    needs: tuple[Need, ...] = ()


def existing_response(tree: Tree, function: Function) -> str | None:
    """Raises Refused where the function uses its parameter: nothing came of it beside a response by hand."""
    for parameter in (*function.node.params.params, *function.node.params.kwonly_params):
        annotation = parameter.annotation
        if annotation and response_class(tree, annotation.annotation, function.around) == "Response":
            name = parameter.name.value
            if any(isinstance(node, cst.Name) and node.value == name for node in body_nodes(function.node)):
                raise Refused(f"what it sets on {name} would come into force")
            return name
    return None


def injected_response(tree: Tree, function: Function) -> Injected:
    """The parameter there is, or a new one before all others."""
    name = existing_response(tree, function)
    if name is not None:
        return Injected(name)
    name = free_name("response", names_in([function.node]))
    class_name, needs = imports_at(tree, function).of_any(RESPONSE_MODULES, "Response")
    at, behind = _first_place(tree, function)
    return Injected(name, (Replace(at, at, f"{name}: {class_name}{behind}"),), needs)


def _first_place(tree: Tree, function: Function) -> tuple[int, str]:
    """(offset, what to put behind a parameter there)."""
    parameters = function.node.params
    positional = parameters.params
    at = tree.span(parameters).start
    if positional and positional[0].name.value in ("self", "cls"):
        comma = positional[0].comma
        if not isinstance(comma, cst.Comma):
            raise Refused("it is a method without parameters of its own")
        at = tree.span(comma).end
    if tree.span(parameters).end == at:
        return at, ""
    indent = re.search(r"[\r\n]([ \t\f]*)\Z", tree.text[:at])
    return at, ", " if indent is None else f",\n{indent.group(1)}"
