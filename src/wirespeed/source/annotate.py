"""Giving an endpoint function its return type.

The type was measured as the endpoint's module sees names once it is loaded. The edit is refused where the
same names would mean something else, or nothing yet, at the function's place in the file.
"""

from __future__ import annotations

import libcst as cst

from .edit import Edit, Return
from .meaning import response_class
from .names import imported_names, rename_all
from .names_at import NamesAt
from .routes import has_double_star, keyword_argument, route_decorators
from .tree import Function, Tree, tree_of
from .values import FunctionAt, Refused, TypeSource


def annotate(
    source: str, function: FunctionAt, annotation: TypeSource, *, returns_value: bool = False
) -> Edit:
    """Give the function a return type, with the imports and definitions that it lacks.

    ``returns_value``: another edit has it return values, and takes the ``-> JSONResponse`` away that it has.

    Raises Refused where the function has one or its route a ``response_model``, and where a name of the type
    cannot be relied on at that place.
    """
    tree = tree_of(source)
    found = tree.function(function)
    _refuse_where_typed(tree, found, returns_value=returns_value)
    above, room = tree.top(found.top_statement)
    names = NamesAt(tree, found.node, found.around, above)
    wanted, aliases = names.sort_out(imported_names(annotation.imports))
    local = rename_all(annotation, aliases)
    names.check(local, [name.bound for name in wanted])
    needed = TypeSource(local.expression, tuple(name.line for name in wanted), local.definitions)
    at = _behind_parameters(tree, found)
    return Edit(source, returns=(Return(at, above, needed, names.taken(wanted), room),))


def _refuse_where_typed(tree: Tree, function: Function, *, returns_value: bool) -> None:
    returns = function.node.returns
    if returns is not None and not (returns_value and says_response(tree, function)):
        raise Refused(f"it has a return annotation: -> {tree.source(returns.annotation)}")
    if any(_names_overload(decorator.decorator) for decorator in function.node.decorators):
        raise Refused("it is an overload, not the function that runs")
    for call in route_decorators(function):
        if keyword_argument(call, "response_model") is not None:
            raise Refused("its decorator has a response_model")
        if has_double_star(call):
            raise Refused("the options that its decorator gives by ** may hold a response_model")


def says_response(tree: Tree, function: Function) -> bool:
    """Whether its return annotation is a class of responses, and so no type of what is answered."""
    returns = function.node.returns
    return returns is not None and response_class(tree, returns.annotation, function.around) is not None


def _names_overload(expression: cst.BaseExpression) -> bool:
    name = expression.attr if isinstance(expression, cst.Attribute) else expression
    return isinstance(name, cst.Name) and name.value == "overload"


def _behind_parameters(tree: Tree, function: Function) -> int:
    """The body begins right behind the colon; what may stand before that is whitespace."""
    space = tree.span(function.node.whitespace_before_colon)
    colon = tree.span(function.node.body).start - 1
    return colon - (space.end - space.start)
