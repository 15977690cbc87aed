"""Taking out the imports that an edit leaves without a use.

A name counts as used wherever else the file has it, as a name or as a word of a string: rather one import
too many than one too few.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import libcst as cst

from .bindings import outermost
from .comma_list import Gap, take_out
from .import_lines import ImportLine, listed_aliases
from .tree import Tree

_HasWords = cst.Name | cst.SimpleString | cst.FormattedStringText


@dataclass(frozen=True)
class Dropped:
    """What to delete, and the imports that lose something by it."""

    gaps: tuple[Gap, ...]
    lines: tuple[ImportLine, ...]


def drop_unused(
    tree: Tree, lines: Sequence[ImportLine], names: Collection[str], gaps: Sequence[Gap], added: str
) -> Dropped:
    """Drop from ``lines`` the imports of those ``names`` that nothing uses but what stands in ``gaps``.

    ``added`` is source that the edit brings.
    """
    dropped, losing = list[Gap](), list[ImportLine]()
    for line in filter(lambda line: line.is_alone, lines):
        unused = [alias for alias in line.aliases if _is_unused(tree, line, alias, names, gaps, added)]
        if unused:
            dropped += _without(tree, line, unused)
            losing.append(line)
    return Dropped(tuple(dropped), tuple(losing))


def _without(tree: Tree, line: ImportLine, unused: Sequence[cst.ImportAlias]) -> list[Gap]:
    if len(unused) == len(line.aliases):
        return [line.span]
    listed = listed_aliases(tree, line)
    gone = [item for item, alias in zip(listed.items, line.aliases, strict=True) if alias in unused]
    return take_out(tree.text, listed, gone)


def _is_unused(
    tree: Tree,
    line: ImportLine,
    alias: cst.ImportAlias,
    names: Collection[str],
    gaps: Sequence[Gap],
    added: str,
) -> bool:
    name = _bound(alias)
    if name not in names or _is_kept_on_purpose(tree, line, alias):
        return False
    if re.search(_word(name), added):
        return False
    own = (*gaps, tree.span(alias))
    return not any(True for at in _mentions(tree, name) if not any(start <= at < end for start, end in own))


def _bound(alias: cst.ImportAlias) -> str:
    name = alias.asname.name if alias.asname else outermost(alias.name)
    return name.value if isinstance(name, cst.Name) else ""


def _is_kept_on_purpose(tree: Tree, line: ImportLine, alias: cst.ImportAlias) -> bool:
    """``import X as X`` re-exports, and a ``noqa`` says that the import may go unused."""
    return alias.evaluated_alias == alias.evaluated_name or "noqa" in tree.text[slice(*line.span)]


def _word(name: str) -> str:
    return rf"(?<!\w){re.escape(name)}(?!\w)"


def _mentions(tree: Tree, name: str) -> Iterator[int]:
    """Offsets of ``name`` in code and in strings; comments do not count."""
    word = re.compile(_word(name))
    for node in _words_of(tree):
        if word.search(node.value):
            yield tree.span(node).start


@lru_cache(maxsize=2)
def _words_of(tree: Tree) -> tuple[_HasWords, ...]:
    collector = _Words()
    tree.module.visit(collector)
    return tuple(collector.found)


class _Words(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[_HasWords] = []

    def visit_Expr(self, node: cst.Expr) -> bool:
        """Docstrings tell, and do not use."""
        return not isinstance(node.value, cst.SimpleString | cst.ConcatenatedString)

    def visit_Name(self, node: cst.Name) -> None:
        self.found.append(node)

    def visit_SimpleString(self, node: cst.SimpleString) -> None:
        self.found.append(node)

    def visit_FormattedStringText(self, node: cst.FormattedStringText) -> None:
        self.found.append(node)
