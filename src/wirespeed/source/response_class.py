"""Where the response class of a route is set, and how to unset it.

FastAPI takes the decorator's, else that of the router the route was declared on, else the ``include_router``
call's, and so on outwards to the app. With the innermost gone, the next one holds: so an edit is made only
where a single one is seen. What other files set is not seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import libcst as cst

from .bindings import Binding, look_up
from .edit import Edit
from .routes import drop_argument, drop_keywords, has_double_star, keyword_argument, route_decorators
from .tree import Function, Tree, tree_of
from .values import CallAt, FunctionAt, Refused

_PlacedCall = tuple[cst.Call, tuple[cst.CSTNode, ...]]
"""A call, and the functions and classes it stands in."""

_DEFAULT = "default_response_class"


@dataclass(frozen=True, eq=False)
class Setting:
    """An argument that sets the class, and the call it is given to."""

    call: cst.Call
    argument: cst.Arg


def drop_response_class(source: str, function: FunctionAt) -> Edit:
    """Remove ``response_class=`` from the function's route decorator.

    Raises Refused where it is not there, or where several routes of the function differ in it.
    """
    tree = tree_of(source)
    return drop_keywords(tree, tree.function(function), ["response_class"])


def drop_default_response_class(source: str, call: CallAt) -> Edit:
    """Remove ``default_response_class=`` from the call that begins on a line; it holds for many routes.

    Raises Refused where no single call on that line has it.
    """
    tree = tree_of(source)
    settings = [
        Setting(found, argument)
        for found, _ in _calls(tree)
        if tree.line_number(tree.span(found).start) == call.line
        and (argument := keyword_argument(found, _DEFAULT)) is not None
    ]
    if len(settings) != 1:
        raise Refused(f"{len(settings) or 'no'} calls on line {call.line} name {_DEFAULT}")
    return _drop(tree, settings[0])


def drop_class_in_force(source: str, function: FunctionAt) -> Edit:
    """Remove whichever one argument gives the function's route its class, here or on what it is declared on.

    Raises Refused where none can be seen in this file, or more than one.
    """
    tree = tree_of(source)
    found = tree.function(function)
    decorators = route_decorators(found)
    if not decorators:
        raise Refused("no decorator of it makes a route")
    own = [call for call in decorators if keyword_argument(call, "response_class")]
    outer = _outer_settings(tree, found, decorators, must_be_known=not own)
    if own and outer:
        lines = _lines(tree, outer)
        raise Refused(f"the response class is set in its decorator, and again on line {lines}")
    if own:
        return drop_keywords(tree, found, ["response_class"])
    return _drop(tree, _only(tree, outer))


def _only(tree: Tree, settings: Sequence[Setting]) -> Setting:
    if not settings:
        raise Refused("its response class is set in another file, or in a way that cannot be followed")
    if len(settings) > 1:
        raise Refused(f"{_DEFAULT} is set more than once, on lines {_lines(tree, settings)}")
    return settings[0]


def _lines(tree: Tree, settings: Sequence[Setting]) -> str:
    numbers = sorted(tree.line_number(tree.span(each.call).start) for each in settings)
    return " and ".join(map(str, numbers))


def _drop(tree: Tree, setting: Setting) -> Edit:
    note = f"other routes that {_DEFAULT} on line {_lines(tree, [setting])} holds for change with it"
    return Edit(tree.text, drops=(drop_argument(tree, setting.call, setting.argument),), note=note)


def _outer_settings(
    tree: Tree, function: Function, decorators: Sequence[cst.Call], *, must_be_known: bool
) -> list[Setting]:
    search = _Search(tree)
    try:
        for call in decorators:
            search.follow(_owner(call), function.around)
    except Refused:
        if must_be_known:
            raise
    return search.settings


class _Search:
    """Follows a router outwards: the call that makes it, the calls that include it, and their routers."""

    def __init__(self, tree: Tree) -> None:
        self.settings: list[Setting] = []
        self._tree = tree
        self._followed: set[int] = set()

    def follow(self, owner: cst.BaseExpression, around: Sequence[cst.CSTNode]) -> None:
        made, call = self._made(owner, around)
        if made.offset in self._followed:
            return
        self._followed.add(made.offset)
        self._take(call)
        for including, place in _calls(self._tree, "include_router"):
            if self._is(_included(including), place, made):
                self._follow_out(including, place)

    def _follow_out(self, including: cst.Call, around: Sequence[cst.CSTNode]) -> None:
        """What cannot be followed is out of force where a setting further in is known."""
        try:
            self._take(including)
            self.follow(_owner(including), around)
        except Refused:
            if not self.settings:
                raise

    def _made(self, owner: cst.BaseExpression, around: Sequence[cst.CSTNode]) -> tuple[Binding, cst.Call]:
        """The one assignment to the owner's name, and the call that it is of."""
        if not isinstance(owner, cst.Name):
            raise Refused(f"{self._tree.source(owner)} cannot be followed to where it is made")
        found = look_up(self._tree, owner.value, around)
        if len(found) == 1 and isinstance(found[0].value, cst.Call):
            return found[0], found[0].value
        where = "in another file" if any(each.imported for each in found) else "in no single place"
        raise Refused(f"{owner.value}, which it belongs to, is made {where}")

    def _is(
        self, expression: cst.BaseExpression | None, around: Sequence[cst.CSTNode], made: Binding
    ) -> bool:
        if not isinstance(expression, cst.Name) or expression.value != made.name:
            return False
        return [each.offset for each in look_up(self._tree, made.name, around)] == [made.offset]

    def _take(self, call: cst.Call) -> None:
        argument = keyword_argument(call, _DEFAULT)
        if argument is not None:
            self.settings.append(Setting(call, argument))
        elif has_double_star(call):
            line = self._tree.line_number(self._tree.span(call).start)
            raise Refused(f"the options given by ** on line {line} may set {_DEFAULT}")


def _owner(call: cst.Call) -> cst.BaseExpression:
    """``router`` of ``router.get(…)``."""
    assert isinstance(call.func, cst.Attribute)
    return call.func.value


def _included(call: cst.Call) -> cst.BaseExpression | None:
    argument = keyword_argument(call, "router") or next(iter(call.args), None)
    return None if argument is None else argument.value


@lru_cache(maxsize=4)
def _calls(tree: Tree, method: str | None = None) -> tuple[_PlacedCall, ...]:
    """All calls, or those of one method."""
    if method is not None and method not in tree.text:
        return ()
    collector = _Calls(method)
    tree.module.visit(collector)
    return tuple(collector.calls)


class _Calls(cst.CSTVisitor):
    def __init__(self, method: str | None) -> None:
        super().__init__()
        self.calls: list[_PlacedCall] = []
        self._method = method
        self._around: list[cst.CSTNode] = []

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._around.append(node)

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        self._around.pop()

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._around.append(node)

    def leave_ClassDef(self, original_node: cst.ClassDef) -> None:
        self._around.pop()

    def visit_Call(self, node: cst.Call) -> None:
        of_method = isinstance(node.func, cst.Attribute) and node.func.attr.value == self._method
        if self._method is None or of_method:
            self.calls.append((node, tuple(self._around)))
