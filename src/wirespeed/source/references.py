"""Who else speaks of a function or class: an edit must not change it under those who use it otherwise.

The file itself is read by LibCST, since names may be hidden there; all others by ``ast``, which is fast.
What is not understood counts as a use.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePath

import libcst as cst

from .bindings import look_up
from .project import Project
from .spot import Spot
from .syntax import parsed
from .tree import Tree
from .values import Refused
from .walking import Ancestors, call_name, scopes_of, walk

DEPENDS = frozenset({"Depends", "Security"})
MAKES_ROUTE = frozenset({"add_api_route", "APIRoute"})
_OVERRIDES = "dependency_overrides"

Definition = cst.FunctionDef | cst.ClassDef


def refuse_other_uses(
    spot: Spot, defined: Definition, around: Sequence[cst.CSTNode], allowed: Collection[str], why: str
) -> None:
    """Raises Refused where the project names the function or class anywhere but as an argument of an
    ``allowed`` call or as a key of ``dependency_overrides``; ``why`` completes "it is used on line 12 …".

    Of a method, its name as any attribute counts, for whose that is cannot be seen: in its own file, and
    in the whole project unless a decorator has handed it on.
    """
    name, in_class = defined.name.value, any(isinstance(node, cst.ClassDef) for node in around)
    by_name = in_class and not defined.decorators
    for line in _uses_here(spot.tree, defined, allowed, in_class=in_class):
        raise Refused(f"it is used on line {line}{why}")
    for line in _spelled_here(spot.tree, name, allowed) if by_name else ():
        raise Refused(f"it is used on line {line}{why}")
    search = attributes_elsewhere if by_name else uses_elsewhere
    for other, line in search(spot.project, spot.path, name, allowed):
        raise Refused(f"it is used in {other.as_posix()}, line {line}{why}")


def _uses_here(tree: Tree, defined: Definition, allowed: Collection[str], *, in_class: bool) -> Iterator[int]:
    for node, ancestors in mentions(tree, defined.name.value):
        parent = ancestors[-1]
        if isinstance(parent, cst.Attribute) and node is parent.attr:
            is_use, outer = in_class, ancestors[:-1]
        else:
            is_use, outer = _is_load(node, parent) and refers_to(tree, node, ancestors, defined), ancestors
        if is_use and not _is_allowed(outer, allowed):
            yield tree.line_number(tree.span(node).start)


def _spelled_here(tree: Tree, name: str, allowed: Collection[str]) -> Iterator[int]:
    for node, ancestors in walk(tree.module):
        is_spelled = isinstance(node, cst.SimpleString) and _spells(node.evaluated_value, name)
        if is_spelled and not _is_allowed(ancestors, allowed):
            yield tree.line_number(tree.span(node).start)


def mentions(tree: Tree, name: str) -> Iterator[tuple[cst.Name, Ancestors]]:
    """The places of the word in code, with what they stand in."""
    for node, ancestors in walk(tree.module):
        if isinstance(node, cst.Name) and node.value == name:
            yield node, ancestors


def refers_to(tree: Tree, node: cst.Name, ancestors: Ancestors, defined: Definition) -> bool:
    """Whether the name means what ``defined`` binds, where it stands."""
    bound = look_up(tree, node.value, scopes_of(ancestors, node))
    return tree.span(defined.name).start in {each.offset for each in bound}


def _is_load(node: cst.Name, parent: cst.CSTNode) -> bool:
    if isinstance(parent, cst.FunctionDef | cst.ClassDef | cst.Param | cst.ImportAlias | cst.AsName):
        return getattr(parent, "name", None) is not node
    return not (isinstance(parent, cst.Arg) and parent.keyword is node)


def _is_allowed(ancestors: Ancestors, allowed: Collection[str]) -> bool:
    if len(ancestors) < 2:
        return False
    parent, outer = ancestors[-1], ancestors[-2]
    if isinstance(parent, cst.Arg) and isinstance(outer, cst.Call):
        return call_name(outer) in allowed
    if isinstance(parent, cst.Index) and isinstance(outer, cst.SubscriptElement):
        subscript = ancestors[-3]
        assert isinstance(subscript, cst.Subscript)
        return isinstance(subscript.value, cst.Attribute) and subscript.value.attr.value == _OVERRIDES
    return False


def uses_elsewhere(
    project: Project, path: PurePath, name: str, allowed: Collection[str] = ()
) -> Iterator[tuple[PurePath, int]]:
    """(file, line) of the uses in other modules of the project that import ``name`` from here."""
    homes = homes_of(project.root / path)
    for other, module in _others_with(project, path, name):
        for line in _uses_in(module, name, homes, allowed):
            yield other, line


def attributes_elsewhere(
    project: Project, path: PurePath, name: str, allowed: Collection[str] = ()
) -> Iterator[tuple[PurePath, int]]:
    """(file, line) where other modules of the project have an attribute of that name, or spell it."""
    for other, module in _others_with(project, path, name):
        fine = {id(node) for parent in ast.walk(module) for node in _allowed_below(parent, allowed)}
        for node in ast.walk(module):
            is_attribute = isinstance(node, ast.Attribute) and node.attr == name
            is_spelled = isinstance(node, ast.Constant) and _spells(node.value, name)
            if (is_attribute or is_spelled) and id(node) not in fine:
                yield other, getattr(node, "lineno", 0)


def _others_with(project: Project, path: PurePath, name: str) -> Iterator[tuple[PurePath, ast.AST]]:
    for other, text in project.others_with(name, besides=path):
        try:
            module = parsed(text)
        except (SyntaxError, ValueError, RecursionError) as error:
            reason = f"{other.as_posix()}, which may use {name}, cannot be parsed"
            raise Refused(reason) from error
        yield other, module


def _spells(value: object, name: str) -> bool:
    """As for ``getattr(…, "name")`` and ``patch("package.Class.name")``."""
    return isinstance(value, str) and (value == name or value.endswith(f".{name}"))


def homes_of(file: PurePath) -> frozenset[str]:
    """Last parts of the modules that ``name`` may be imported from: its own, and packages around it."""
    return frozenset({file.stem, *file.parts[:-1]}) - {"__init__", "/"}


def _uses_in(module: ast.AST, name: str, homes: frozenset[str], allowed: Collection[str]) -> Iterator[int]:
    names, modules = set[str](), set[str]()
    for node in _imports(module):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names if node.level or _last(node.module or "") in homes else ():
                if alias.name in (name, "*"):
                    names.add(name if alias.name == "*" else alias.asname or name)
                elif alias.name in homes:
                    modules.add(alias.asname or alias.name)
        else:
            found = [each for each in node.names if _last(each.name) in homes]
            modules |= {each.asname or each.name.partition(".")[0] for each in found}
    if names or modules:
        yield from _loads(module, name, names, modules, allowed)


def _imports(module: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Wherever they stand. Only statements are looked into: expressions hold no imports, and most nodes."""
    waiting = [module]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            below = getattr(node, field, None)
            if isinstance(below, list):
                waiting += below


def _last(module: str) -> str:
    return module.rpartition(".")[2]


def _loads(
    module: ast.AST, name: str, names: set[str], modules: set[str], allowed: Collection[str]
) -> Iterator[int]:
    fine = {id(node) for parent in ast.walk(module) for node in _allowed_below(parent, allowed)}
    for node in ast.walk(module):
        is_name = isinstance(node, ast.Name) and node.id in names
        is_attribute = isinstance(node, ast.Attribute) and node.attr == name and _root(node) in modules
        if (is_name or is_attribute) and id(node) not in fine:
            yield getattr(node, "lineno", 0)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _allowed_below(parent: ast.AST, allowed: Collection[str]) -> list[ast.expr]:
    if isinstance(parent, ast.Call) and _called(parent.func) in allowed:
        return [*parent.args, *(keyword.value for keyword in parent.keywords)]
    if isinstance(parent, ast.Subscript) and _called(parent.value) == _OVERRIDES:
        return [parent.slice]
    return []


def _called(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
