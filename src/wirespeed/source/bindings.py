"""Which names a scope binds, where, and to what: enough to tell whether a name can be relied on at a place.

Only statements of the scope itself count, not those of functions and classes within it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import libcst as cst
from libcst.helpers import get_absolute_module_for_import, get_full_name_for_node

from .tree import Scope, Tree, scopes_around

STAR = "*"


@dataclass(frozen=True, eq=False)
class Binding:
    """``value`` is the expression of a plain assignment; ``imported`` the module and name of a from-import;
    ``module`` the one that an ``import`` binds to the name.

    ``for_checkers``: under ``if TYPE_CHECKING``, so nothing is bound when the app runs.
    """

    name: str
    offset: int
    value: cst.BaseExpression | None = None
    imported: tuple[str, str] | None = None
    for_checkers: bool = False
    module: str | None = None


@lru_cache(maxsize=32)
def bindings_of(tree: Tree, scope: Scope) -> tuple[Binding, ...]:
    """In the order of the text. ``from … import *`` binds ``STAR``."""
    collector = _Collector(tree)
    if isinstance(scope, cst.Module):
        scope.visit(collector)
    else:
        _collect_inside(scope, collector)
    return tuple(collector.bindings)


def names_bound_around(tree: Tree, around: Sequence[cst.CSTNode]) -> frozenset[str]:
    """Names that the functions and the class around a place bind, by which they hide the module's."""
    return frozenset(
        binding.name for scope in scopes_around(tuple(around)) for binding in bindings_of(tree, scope)
    )


def look_up(tree: Tree, name: str, around: Sequence[cst.CSTNode]) -> list[Binding]:
    """The bindings of ``name`` in the innermost scope that has any; empty where none is seen."""
    for scope in (*scopes_around(tuple(around)), tree.module):
        found = [binding for binding in bindings_of(tree, scope) if binding.name == name]
        if found:
            return found
    return []


def _collect_inside(scope: cst.ClassDef | cst.FunctionDef, collector: _Collector) -> None:
    if scope.type_parameters is not None:
        for parameter in scope.type_parameters.params:
            collector.bind(parameter.param.name)
    if isinstance(scope, cst.FunctionDef):
        for name in _parameter_names(scope.params):
            collector.bind(name)
    scope.body.visit(collector)


def _parameter_names(parameters: cst.Parameters) -> Iterator[cst.Name]:
    stars = (parameters.star_arg, parameters.star_kwarg)
    yield from (parameter.name for parameter in stars if isinstance(parameter, cst.Param))
    for group in (parameters.posonly_params, parameters.params, parameters.kwonly_params):
        yield from (parameter.name for parameter in group)


class _Collector(cst.CSTVisitor):
    def __init__(self, tree: Tree) -> None:
        super().__init__()
        self.bindings: list[Binding] = []
        self._tree = tree
        self._for_checkers = False

    def bind(
        self,
        target: cst.CSTNode | None,
        value: cst.BaseExpression | None = None,
        imported: tuple[str, str] | None = None,
        module: str | None = None,
    ) -> None:
        if isinstance(target, cst.Name):
            offset = self._tree.span(target).start
            self.bindings.append(Binding(target.value, offset, value, imported, self._for_checkers, module))
        elif isinstance(target, cst.Tuple | cst.List):
            for element in target.elements:
                self.bind(element.value)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        self.bind(node.name)
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        self.bind(node.name)
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False

    def visit_Assign(self, node: cst.Assign) -> None:
        for target in node.targets:
            self.bind(target.target, node.value)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        if node.value is not None:
            self.bind(node.target, node.value)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self.bind(node.target)

    def visit_For(self, node: cst.For) -> None:
        self.bind(node.target)

    def visit_NamedExpr(self, node: cst.NamedExpr) -> None:
        self.bind(node.target)

    def visit_AsName(self, node: cst.AsName) -> None:
        self.bind(node.name)

    def visit_MatchAs(self, node: cst.MatchAs) -> None:
        self.bind(node.name)

    def visit_MatchStar(self, node: cst.MatchStar) -> None:
        self.bind(node.name)

    def visit_MatchMapping(self, node: cst.MatchMapping) -> None:
        self.bind(node.rest)

    def visit_TypeAlias(self, node: cst.TypeAlias) -> None:
        self.bind(node.name)

    def visit_Global(self, node: cst.Global) -> None:
        for item in node.names:
            self.bind(item.name)

    def visit_Import(self, node: cst.Import) -> bool:
        for alias in node.names:
            name = alias.asname.name if alias.asname else outermost(alias.name)
            self.bind(name, module=get_full_name_for_node(alias.name if alias.asname else name))
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        if isinstance(node.names, cst.ImportStar):
            self.bindings.append(Binding(STAR, self._tree.span(node).start))
            return False
        module = get_absolute_module_for_import(None, node) if not node.relative else None
        for alias in node.names:
            imported = None if module is None else (module, str(alias.evaluated_name))
            self.bind(alias.asname.name if alias.asname else alias.name, imported=imported)
        return False

    def visit_If(self, node: cst.If) -> bool:
        if not _is_type_checking(node.test):
            return True
        self._for_checkers = True
        node.body.visit(self)
        self._for_checkers = False
        if node.orelse is not None:
            node.orelse.visit(self)
        return False


def outermost(name: cst.BaseExpression) -> cst.BaseExpression:
    """``a`` of ``a.b.c``."""
    while isinstance(name, cst.Attribute):
        name = name.value
    return name


def _is_type_checking(test: cst.BaseExpression) -> bool:
    name = get_full_name_for_node(test) or ""
    return name.rpartition(".")[2] == "TYPE_CHECKING"
