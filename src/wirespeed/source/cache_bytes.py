"""Answering with bytes made once, for an endpoint that returns the same constant to everyone.

They are made as FastAPI would make them, by the route's own type, when the module is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .bindings import Binding, bindings_of, look_up
from .declared_type import declared_type, move_type, status_of
from .edit import Edit, Need, Placed, Replace
from .meaning import RESPONSE_MODULES
from .references import mentions, refuse_other_uses, uses_elsewhere
from .routes import route_decorators
from .spot import FileEdit, Imports, Spot, imports_at
from .tree import Function, Tree
from .values import Refused
from .walking import Ancestors, scopes_of

_OPTIONS = "response_model_"


def cache_bytes(spot: Spot) -> Iterator[FileEdit]:
    """Raises Refused where what it returns may change, or depends on the request."""
    tree, function = spot.tree, spot.function()
    calls = route_decorators(function)
    if len(calls) != 1 or len(function.node.decorators) != 1 or function.around:
        raise Refused("it is not a function of the module's own with one route")
    _refuse_options(calls[0])
    returned = _returned_name(function)
    above, room = tree.top(function.node)
    made = _constant(spot, function, returned, above)
    refuse_other_uses(spot, function.node, (), (), ", where another value may not do")
    writer = _Writer(spot, function, calls[0], imports_at(tree, function))
    text, name = writer.bytes_of(made.name)
    moved = move_type(tree, function, calls[0], writer.response_name)
    replaced = (Replace(*tree.span(returned), writer.response(name)), *moved)
    placed = Placed(above, name, text, room)
    yield spot.path, Edit(tree.text, replaced=replaced, placed=(placed,), needs=writer.needs)


def _refuse_options(call: cst.Call) -> None:
    for arg in call.args:
        keyword = arg.keyword.value if arg.keyword else ""
        if arg.star == "**" or keyword.startswith(_OPTIONS) or keyword == "response_class":
            raise Refused(f"its decorator has {keyword or 'options given by **'}, which change the bytes")


def _returned_name(function: Function) -> cst.Name:
    """The constant, where returning it is all that the endpoint does."""
    parameters = function.node.params
    if any(True for each in parameters.children if not isinstance(each, cst.MaybeSentinel)):
        raise Refused("it has parameters")
    statements: list[cst.CSTNode] = [each for each in function.node.body.body if not _is_text(each)]
    if len(statements) == 1 and isinstance(statements[0], cst.SimpleStatementLine):
        statements = list(statements[0].body)
    last = statements[0] if len(statements) == 1 else None
    if not isinstance(last, cst.Return) or not isinstance(last.value, cst.Name):
        raise Refused("it does more than to return a constant of the module")
    return last.value


def _is_text(statement: cst.CSTNode) -> bool:
    return (
        isinstance(statement, cst.SimpleStatementLine)
        and isinstance(statement.body[0], cst.Expr)
        and isinstance(statement.body[0].value, cst.SimpleString)
    )


def _constant(spot: Spot, function: Function, returned: cst.Name, above: int) -> Binding:
    tree, name = spot.tree, returned.value
    bound = [each for each in bindings_of(tree, tree.module) if each.name == name]
    if len(bound) != 1 or bound[0].value is None or bound[0].offset >= above:
        raise Refused(f"{name} is not assigned once, above it")
    for node, inside in mentions(tree, name):
        if not _is_harmless(tree, node, inside, above):
            raise Refused(f"{name} may be changed on line {tree.line_number(tree.span(node).start)}")
    for other, line in uses_elsewhere(spot.project, spot.path, name):
        raise Refused(f"{name} may be changed in {other.as_posix()}, line {line}")
    return bound[0]


def _is_harmless(tree: Tree, node: cst.Name, inside: Ancestors, above: int) -> bool:
    """What the module does with it before the bytes are made, and what only returns it or its length."""
    scopes, parent = scopes_of(inside, node), inside[-1]
    if not scopes:
        return tree.span(node).start < above
    if isinstance(parent, cst.Attribute) and parent.attr is node:
        return True
    if tree.module not in scopes and len({each.offset for each in look_up(tree, node.value, scopes)}) != 1:
        return False
    if isinstance(parent, cst.Arg):
        call = inside[-2]
        return isinstance(call, cst.Call) and isinstance(call.func, cst.Name) and call.func.value == "len"
    return isinstance(parent, cst.Return)


class _Writer:
    """``needs`` are complete when everything is written."""

    def __init__(self, spot: Spot, function: Function, call: cst.Call, imports: Imports) -> None:
        self.needs: tuple[Need, ...] = ()
        self._spot, self._function, self._call, self._imports = spot, function, call, imports
        self.response_name = self._name(*RESPONSE_MODULES, name="Response")

    def bytes_of(self, constant: str) -> tuple[str, str]:
        """(the statement that makes the bytes, their name)."""
        name = self._spot.free_in_module(f"_{self._function.name.strip('_')}_body")
        typed = declared_type(self._spot.tree, self._function, self._call)
        if typed is None:
            encode = self._name("fastapi.encoders", name="jsonable_encoder")
            json = self._name("fastapi.responses", "starlette.responses", name="JSONResponse")
            return f"{name} = {json}({encode}({constant})).body", name
        adapter = self._spot.free_in_module(f"_{self._function.name.strip('_')}_adapter")
        made = f"{adapter} = {self._name('pydantic', name='TypeAdapter')}({self._spot.tree.source(typed)})"
        validated = f"{adapter}.validate_python({constant}, from_attributes=True)"
        return f"{made}\n{name} = {adapter}.dump_json({validated}, by_alias=True)", name

    def response(self, name: str) -> str:
        code = status_of(self._spot.tree, self._call)
        return f'{self.response_name}({name}, {code}media_type="application/json")'

    def _name(self, *modules: str, name: str) -> str:
        local, needs = self._imports.of_any(modules, name)
        self.needs += needs
        return local
