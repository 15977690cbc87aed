"""The names in a type's source: which it uses, which it defines, and the same source with other names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import libcst as cst

from .values import Refused, TypeSource


@dataclass(frozen=True, order=True)
class ImportedName:
    """``from module import name``, known here as ``bound``."""

    module: str
    name: str
    bound: str

    @property
    def alias(self) -> str:
        """As it stands behind ``import``."""
        return self.name if self.bound == self.name else f"{self.name} as {self.bound}"

    @property
    def line(self) -> str:
        return f"from {self.module} import {self.alias}"


def imported_names(lines: Iterable[str]) -> list[ImportedName]:
    """Raises Refused for anything but absolute from-imports of single names."""
    return [imported for line in lines for imported in _imported(line)]


def _imported(line: str) -> Iterator[ImportedName]:
    statement = cst.parse_statement(line)
    parts = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
    for part in parts:
        if not isinstance(part, cst.ImportFrom) or part.relative or isinstance(part.names, cst.ImportStar):
            raise Refused(f"{line!r} is no import that can be added")
        module = cst.Module([]).code_for_node(part.module) if part.module else ""
        for alias in part.names:
            yield ImportedName(module, alias.evaluated_name, alias.evaluated_alias or alias.evaluated_name)


def defined_name(definition: str) -> str:
    """Of ``class Row(TypedDict): …`` or ``Row = TypedDict("Row", …)``."""
    statement = cst.parse_module(definition).body[0]
    if isinstance(statement, cst.ClassDef):
        return statement.name.value
    if isinstance(statement, cst.SimpleStatementLine) and isinstance(statement.body[0], cst.Assign):
        target = statement.body[0].targets[0].target
        if isinstance(target, cst.Name):
            return target.value
    raise Refused("a definition is neither a class nor an assignment")


def names_used(source: str | cst.CSTNode) -> frozenset[str]:
    """The names that must mean something where ``source``, an expression or a definition, is evaluated."""
    collector = _Used()
    (cst.parse_module(source) if isinstance(source, str) else source).visit(collector)
    return frozenset(collector.names)


def rename(source: str, names: Mapping[str, str]) -> str:
    """``source`` with other names for things; attributes, keywords, fields and texts stay."""
    if all(old == new for old, new in names.items()):
        return source
    return cst.parse_module(source).visit(_Renamer(names)).code


def rename_all(source: TypeSource, names: Mapping[str, str]) -> TypeSource:
    """Imports stay as they are."""
    return replace(
        source,
        expression=rename(source.expression, names),
        definitions=tuple(rename(each, names) for each in source.definitions),
    )


class _Used(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def visit_Name(self, node: cst.Name) -> None:
        self.names.add(node.value)

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        node.value.visit(self)
        return False

    def visit_Arg(self, node: cst.Arg) -> bool:
        node.value.visit(self)
        return False

    def visit_AnnAssign(self, node: cst.AnnAssign) -> bool:
        node.annotation.visit(self)
        return False

    def visit_Assign(self, node: cst.Assign) -> bool:
        node.value.visit(self)
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        for base in node.bases:
            base.visit(self)
        node.body.visit(self)
        return False


class _Renamer(cst.CSTTransformer):
    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__()
        self._names = names

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        return updated_node.with_changes(value=self._names.get(original_node.value, original_node.value))

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)

    def leave_AnnAssign(self, original_node: cst.AnnAssign, updated_node: cst.AnnAssign) -> cst.AnnAssign:
        return updated_node.with_changes(target=original_node.target)

    def leave_Assign(self, original_node: cst.Assign, updated_node: cst.Assign) -> cst.Assign:
        """``Row = TypedDict("Row", …)`` says its name twice."""
        target, call = updated_node.targets[0].target, updated_node.value
        if not (isinstance(target, cst.Name) and isinstance(call, cst.Call)):
            return updated_node
        told = [_retell(call.args[0], target.value), *call.args[1:]] if call.args else []
        return updated_node.with_changes(value=call.with_changes(args=told))


def _retell(argument: cst.Arg, name: str) -> cst.Arg:
    if not isinstance(argument.value, cst.SimpleString):
        return argument
    return argument.with_changes(value=cst.SimpleString(f'"{name}"'))
