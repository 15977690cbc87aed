"""The imports that a module begins with, as statements with their places."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst
from libcst.helpers import get_full_name_for_node

from .comma_list import CommaList, Item
from .tree import Span, Tree

_FUTURE, _STANDARD, _OTHER, _RELATIVE = range(4)


@dataclass(frozen=True, eq=False)
class ImportLine:
    """An import at the begin of a line of the module's own, outside of any ``if`` or ``try``."""

    node: cst.Import | cst.ImportFrom
    span: Span
    """From its first character to the end of its last line, comment and line end included."""
    module: str
    """With its dots where it is relative; of several modules the first."""
    is_alone: bool
    """No other statement stands behind it on its line."""

    @property
    def aliases(self) -> Sequence[cst.ImportAlias]:
        """Empty for ``import *``."""
        return () if isinstance(self.node.names, cst.ImportStar) else self.node.names

    @property
    def section(self) -> int:
        return section_of(self.module)

    @property
    def sort_key(self) -> tuple[bool, str]:
        """Within a section, ``import`` lines come first."""
        return isinstance(self.node, cst.ImportFrom), self.module.lower()


def section_of(module: str) -> int:
    """Its section by isort's order; our interpreter says what the standard library is."""
    if module.startswith("."):
        return _RELATIVE
    if module == "__future__":
        return _FUTURE
    return _STANDARD if module.partition(".")[0] in sys.stdlib_module_names else _OTHER


def import_lines(tree: Tree) -> Iterator[ImportLine]:
    """In the order of the text."""
    for line in tree.module.body:
        if isinstance(line, cst.SimpleStatementLine):
            statement = line.body[0]
            if isinstance(statement, cst.Import | cst.ImportFrom):
                span = Span(tree.span(statement).start, tree.span(line).end)
                yield ImportLine(statement, span, _module(statement), is_alone=len(line.body) == 1)


def listed_aliases(tree: Tree, line: ImportLine) -> CommaList:
    """The imported names; ``items`` in the order of ``line.aliases``."""
    items = tuple(_item(tree, alias) for alias in line.aliases)
    left, right = getattr(line.node, "lpar", None), getattr(line.node, "rpar", None)
    if left is None or right is None:
        return CommaList(items, items[0].start, items[-1].stop, in_brackets=False)
    return CommaList(items, tree.span(left).start + 1, tree.span(right).end - 1)


def _module(statement: cst.Import | cst.ImportFrom) -> str:
    if isinstance(statement, cst.Import):
        return get_full_name_for_node(statement.names[0].name) or ""
    name = get_full_name_for_node(statement.module) if statement.module else ""
    return "." * len(statement.relative) + (name or "")


def _item(tree: Tree, alias: cst.ImportAlias) -> Item:
    end = tree.span(alias.asname or alias.name).end
    comma = alias.comma
    stop = tree.span(comma.whitespace_after).start if isinstance(comma, cst.Comma) else end
    return Item(tree.span(alias).start, end, stop)
