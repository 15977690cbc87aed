"""Bytes that the route's own type writes in one go, under a content type of the response class.

Only FastAPI's default class takes the fast path, and it says ``application/json``. So an endpoint whose class
has another content type returns a response with the bytes of its type. The class stays in the decorator: it
documents the content type.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .annotate import says_response
from .declared_type import declared_type, move_type, status_of
from .edit import Edit, Placed, Replace
from .injected import existing_response
from .meaning import RESPONSE_MODULES, response_class
from .names import names_used
from .references import refuse_other_uses
from .routes import refuse_loop, route_decorators
from .spot import FileEdit, Spot, imports_at
from .tree import Function, Tree
from .values import FunctionAt, Refused
from .walking import body_nodes

_OPTIONS = "response_model_"


def ready_bytes(spot: Spot) -> Iterator[FileEdit]:
    """``spot.name`` is the content type.

    Raises Refused where the route has options, or sets something on the response that FastAPI makes.
    """
    assert spot.name is not None
    tree, function = spot.tree, spot.tree.function(FunctionAt(spot.line))
    call = _only_route(tree, function)
    typed = declared_type(tree, function, call)
    if typed is None:
        raise Refused("its route has no type that could write the bytes")
    returned = _returned(tree, function)
    refuse_other_uses(spot, function.node, (), (), ", where another value may not do")
    imports = imports_at(tree, function)
    for name in sorted(names_used(typed)):
        imports.names.check_name(name, imports.above)
    response, needs = imports.of_any(RESPONSE_MODULES, "Response")
    adapter_class, more = imports.of("pydantic", "TypeAdapter")
    plain = function.name.strip("_")
    adapter = spot.free_in_module(f"_{plain}_adapter")
    maker = spot.free_in_module(f"_{plain}_response")
    made = f"{adapter} = {adapter_class}({tree.source(typed)})"
    options = f"{status_of(tree, call)}media_type={_quoted(spot.name)}"
    _, room = tree.top(function.node)
    text = f"{made}\n\n\n{_maker(maker, adapter, response, options)}"
    placed = Placed(imports.above, maker, text, room)
    replaced = [each for value in returned for each in _around(tree, value, maker)]
    replaced += move_type(tree, function, call, response)
    yield spot.path, Edit(tree.text, replaced=tuple(replaced), placed=(placed,), needs=(*needs, *more))


def _maker(name: str, adapter: str, response: str, options: str) -> str:
    return (
        f"def {name}(value: object) -> {response}:\n"
        f"    valid = {adapter}.validate_python(value, from_attributes=True)\n"
        f"    content = {adapter}.dump_json(valid, by_alias=True)\n"
        f"    return {response}(content, {options})"
    )


def _quoted(media_type: str) -> str:
    if not media_type.isprintable() or '"' in media_type or "\\" in media_type:
        raise Refused(f"its content type is {media_type!r}")
    return f'"{media_type}"'


def _only_route(tree: Tree, function: Function) -> cst.Call:
    refuse_loop(function)
    calls = route_decorators(function)
    if len(calls) != 1 or len(function.node.decorators) != 1 or function.around:
        raise Refused("it is not a function of the module's own with one route")
    for arg in calls[0].args:
        keyword = arg.keyword.value if arg.keyword else ""
        if arg.star == "**" or keyword.startswith(_OPTIONS):
            raise Refused(f"its decorator has {keyword or 'options given by **'}, which change the bytes")
    if (injected := existing_response(tree, function)) is not None:
        raise Refused(f"what is set on {injected} would be lost with a response of its own")
    return calls[0]


def _returned(tree: Tree, function: Function) -> list[cst.BaseExpression]:
    """The values that FastAPI makes responses of; responses are passed on as they are."""
    nodes = list(body_nodes(function.node))
    if any(isinstance(node, cst.Yield) for node in nodes):
        raise Refused("it is a generator")
    values = [node.value for node in nodes if isinstance(node, cst.Return) and node.value is not None]
    plain = [value for value in values if not _is_response(tree, value, function)]
    if not plain:
        raise Refused("it returns no value that FastAPI makes a response of")
    return plain


def _is_response(tree: Tree, value: cst.BaseExpression, function: Function) -> bool:
    """Whether it is a call of a response class, or of a function of the file that says it returns one."""
    if not isinstance(value, cst.Call):
        return False
    makers = {each.name for each in tree.functions if not each.around and says_response(tree, each)}
    by_function = isinstance(value.func, cst.Name) and value.func.value in makers
    return by_function or response_class(tree, value.func, (function.node,)) is not None


def _around(tree: Tree, value: cst.BaseExpression, maker: str) -> Iterator[Replace]:
    start, end = tree.span(value)
    maker = maker if tree.text[start - 1].isspace() else f" {maker}"
    if isinstance(value, cst.Tuple) and not value.lpar:
        yield from (Replace(start, start, f"{maker}(("), Replace(end, end, "))"))
    else:
        yield from (Replace(start, start, f"{maker}("), Replace(end, end, ")"))
