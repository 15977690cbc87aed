"""``def`` to ``async def`` and back, for functions that FastAPI alone calls.

Whoever else calls the function would get a coroutine where a value was, or the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .class_factory import factory_of_class
from .edit import Edit, Replace
from .meaning import meaning
from .references import DEPENDS, MAKES_ROUTE, refuse_other_uses
from .routes import refuse_loop, route_decorators
from .spot import FileEdit, Spot
from .tree import Function, Tree
from .values import Refused
from .walking import body_nodes, names_in

_NEEDS_LOOP = frozenset({"asyncio", "anyio", "trio", "sniffio", "uvloop"})

_BASES = frozenset(
    {
        "builtins.object",
        "fastapi.APIRouter",
        "fastapi.FastAPI",
        "fastapi.applications.FastAPI",
        "fastapi.routing.APIRouter",
    }
)
_CALLED_ON_THEMSELVES = frozenset(
    {"build_middleware_stack", "handle", "lifespan", "matches", "openapi", "setup", "shutdown", "startup"}
)
"""What apps and routers call of themselves."""
_BY_NAME = frozenset({"getattr", "__getattr__", "__getattribute__", "__dict__", "vars", "getmembers"})


def make_async(spot: Spot) -> Iterator[FileEdit]:
    """``async def`` for the function there, or an async factory for the class that is a dependency.

    Raises Refused where somebody but FastAPI calls it, and for generators.
    """
    if spot.class_there() is not None:
        yield from factory_of_class(spot)
        return
    tree, function = spot.tree, spot.function()
    if function.node.asynchronous is not None:
        raise Refused("it is async already")
    _refuse_unless_fastapi_calls_it(spot, function)
    at = tree.keyword(function)
    yield spot.path, Edit(tree.text, replaced=(Replace(at, at, "async "),))


def make_plain(spot: Spot) -> Iterator[FileEdit]:
    """``def`` for the coroutine function there.

    Raises Refused where it awaits or needs the event loop, and where somebody but FastAPI calls it.
    """
    tree, function = spot.tree, spot.function()
    if function.node.asynchronous is None:
        raise Refused("it is not async")
    _refuse_unless_fastapi_calls_it(spot, function)
    for node in body_nodes(function.node):
        if isinstance(node, cst.Await) or _is_async(node):
            raise Refused(f"it awaits something on line {tree.line_number(tree.span(node).start)}")
        if isinstance(node, cst.Call) and (called := _of_event_loop(tree, function, node)):
            raise Refused(f"it calls {called}, which needs the event loop")
    start, end = tree.span(function.node.asynchronous)
    yield spot.path, Edit(tree.text, replaced=(Replace(start, end),))


def _refuse_unless_fastapi_calls_it(spot: Spot, function: Function) -> None:
    refuse_loop(function)
    routes = {id(call) for call in route_decorators(function)}
    if others := [each for each in function.node.decorators if id(each.decorator) not in routes]:
        name = spot.tree.source(others[0].decorator)
        raise Refused(f"its decorator @{name} may call it, or rely on what it gives")
    if any(isinstance(node, cst.Yield) for node in body_nodes(function.node)):
        raise Refused("it is a generator")
    if function.name.startswith("__"):
        raise Refused(f"{function.name} is called by whoever calls the object")
    if not routes:
        _refuse_unknown_callers(spot.tree, function)
    why = ", where it may be called directly"
    refuse_other_uses(spot, function.node, function.around, DEPENDS | MAKES_ROUTE, why)


def _refuse_unknown_callers(tree: Tree, function: Function) -> None:
    """Of what is no function of the module: callers of a method are known unless its class hands it on."""
    match [node for node in function.around if isinstance(node, cst.FunctionDef | cst.ClassDef)]:
        case []:
            return
        case [cst.ClassDef() as owner]:
            pass
        case _:
            raise Refused("it is defined inside a function, where others may call it")
    if owner.decorators or owner.keywords:
        raise Refused(f"it is a method of {owner.name.value}, which is decorated or made with options")
    for base in owner.bases:
        known = meaning(tree, base.value)
        if known not in _BASES or (known != "builtins.object" and function.name in _CALLED_ON_THEMSELVES):
            raise Refused(f"it is a method, which the base class {tree.source(base.value)} may call")
    if not _BY_NAME.isdisjoint(names_in([owner])):
        raise Refused(f"it is a method, and {owner.name.value} looks attributes up by name")


def _is_async(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.For | cst.With | cst.CompFor) and node.asynchronous is not None


def _of_event_loop(tree: Tree, function: Function, call: cst.Call) -> str | None:
    called = meaning(tree, call.func, (*function.around, function.node)) or ""
    return called if called.partition(".")[0] in _NEEDS_LOOP else None
