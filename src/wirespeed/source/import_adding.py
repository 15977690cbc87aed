"""Adding names to a module's imports: to an import of the same module where there is one, else on a line of
their own where isort would put it.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from importlib.util import resolve_name
from itertools import groupby, pairwise
from typing import Any, NamedTuple

import libcst as cst

from .import_lines import ImportLine, listed_aliases, section_of
from .names import ImportedName
from .tree import Tree


class Insertion(NamedTuple):
    """``text`` goes in front of what stands at the offset ``at``. Line ends are ``\\n``."""

    at: int
    text: str


def add_imports(
    tree: Tree,
    known: Sequence[ImportLine],
    hosts: Sequence[ImportLine],
    wanted: Iterable[ImportedName],
    package: str | None,
) -> list[Insertion]:
    """What makes ``wanted`` known: names for those of the ``hosts`` that fit, and lines among the ``known``.

    Relative imports count from ``package``; without one they fit nothing.
    """
    insertions, homeless = [], []
    for name in sorted(wanted):
        host = next((line for line in hosts if _takes(line, name, package)), None)
        if host is None:
            homeless.append(name)
        else:
            insertions.append(_join(tree, host, name))
    return insertions + _new_lines(tree, known, homeless)


def _takes(line: ImportLine, name: ImportedName, package: str | None) -> bool:
    if not isinstance(line.node, cst.ImportFrom) or not line.aliases:
        return False
    return line.module == name.module or _absolute(line.module, package) == name.module


def _absolute(module: str, package: str | None) -> str | None:
    try:
        return resolve_name(module, package) if package and module.startswith(".") else None
    except ImportError:
        return None


def _join(tree: Tree, line: ImportLine, name: ImportedName) -> Insertion:
    listed = listed_aliases(tree, line)
    number = _place([str(alias.evaluated_name) for alias in line.aliases], name.name)
    if number < len(listed.items):
        start = listed.items[number].start
        return Insertion(start, f"{name.alias},{_indent_before(tree.text, start) or ' '}")
    last = listed.items[-1]
    space = _indent_before(tree.text, last.start) if listed.in_brackets else None
    if last.stop > last.end:
        return Insertion(last.stop, f"{space or ' '}{name.alias},")
    return Insertion(last.end, f",{space or ' '}{name.alias}")


def _indent_before(text: str, offset: int) -> str | None:
    """Line end and indent, where nothing else stands before ``offset`` on its line."""
    found = re.search(r"[\r\n]([ \t\f]*)\Z", text[max(0, offset - 200) : offset])
    return None if found is None else "\n" + found.group(1)


def _by_type(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, name.lower()


_ORDERS: tuple[Callable[[str], Any], ...] = (_by_type, str, str.lower)


def _place(names: Sequence[str], name: str) -> int:
    """Where ``name`` belongs by the order the names are in; the end where they are in none."""
    for order in _ORDERS:
        keys = [order(each) for each in names]
        if all(left <= right for left, right in pairwise(keys)):
            return bisect(keys, order(name))
    return len(names)


def _new_lines(tree: Tree, known: Sequence[ImportLine], names: Sequence[ImportedName]) -> list[Insertion]:
    blocks: dict[tuple[int, str, str], list[str]] = defaultdict(list)
    for module, group in groupby(names, key=lambda name: name.module):
        blocks[_place_line(tree, known, module)].append(
            f"from {module} import {', '.join(name.alias for name in group)}\n"
        )
    return [
        Insertion(at, before + "".join(lines) + behind)
        for (at, before, behind), lines in sorted(blocks.items())
    ]


def _place_line(tree: Tree, known: Sequence[ImportLine], module: str) -> tuple[int, str, str]:
    """(offset, blank lines before, blank lines behind) of a new from-import."""
    section = section_of(module)
    same = [line for line in known if line.section == section]
    if same:
        keys = [line.sort_key for line in same]
        is_sorted = all(left <= right for left, right in pairwise(keys))
        number = bisect(keys, (True, module.lower())) if is_sorted else len(same)
        return (same[number - 1].span.end if number else same[0].span.start), "", ""
    lower = [line for line in known if line.section < section]
    if lower:
        return lower[-1].span.end, "\n", ""
    if known:
        return known[0].span.start, "", "\n"
    return _place_first(tree)


def _place_first(tree: Tree) -> tuple[int, str, str]:
    """For a module without imports: behind its docstring, else in front of its first statement."""
    first = tree.module.body[0]
    if tree.module.get_docstring(clean=False) is not None:
        return tree.span(first).end, "\n", ""
    behind = "\n\n" if isinstance(first, cst.FunctionDef | cst.ClassDef) else "\n"
    return tree.begin(first), "", behind
