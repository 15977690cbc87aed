"""Carrying out edits: all those of one text at once, so that their order does not matter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, count, groupby, pairwise
from typing import NamedTuple

from .comma_list import CommaList, Gap, Item, merge, take_out
from .edit import Drop, Edit, Return
from .import_adding import Insertion, add_imports
from .import_dropping import drop_unused
from .import_lines import import_lines
from .names import ImportedName, defined_name, imported_names, rename
from .tree import Tree, tree_of
from .values import ModuleFacts, Refused, TypeSource

_BLANK_LINES = 2
_PLAIN = ModuleFacts()


def rewrite(source: str, edits: Iterable[Edit], module: ModuleFacts = _PLAIN) -> str:
    """``source`` with the edits made. What none of them touches stays as it is, to the byte.

    Raises Refused for edits made for another text, and where two give one function different types.
    """
    edits = list(edits)
    if any(edit.source != source for edit in edits):
        raise Refused("the file has changed since the edit was made")
    tree = tree_of(source)
    returns = sorted({each for edit in edits for each in edit.returns}, key=lambda each: each.at)
    drops = list(dict.fromkeys(drop for edit in edits for drop in edit.drops))
    written = _write(tree, returns)
    gaps = _gaps(source, drops)
    names = frozenset[str]() if module.is_package else frozenset(chain(*(drop.names for drop in drops)))
    lines = list(import_lines(tree))
    added = "\n".join(each.text for each in written.insertions)
    dropped = drop_unused(tree, lines, names, gaps, added)
    known = [line for line in lines if line.span.end <= written.above]
    hosts = [line for line in known if line not in dropped.lines]
    imports = add_imports(tree, known, hosts, written.imports, module.package)
    return _splice(tree, [*imports, *written.insertions], merge([*gaps, *dropped.gaps]))


def _gaps(source: str, drops: Sequence[Drop]) -> list[Gap]:
    gone: dict[CommaList, set[Item]] = {}
    for drop in drops:
        gone.setdefault(drop.listed, set()).add(drop.item)
    return [gap for listed, items in gone.items() for gap in take_out(source, listed, items)]


class _Written(NamedTuple):
    """Return types and definitions as they are inserted, and the imports they need from ``above`` on."""

    insertions: list[Insertion]
    imports: list[ImportedName]
    above: int


def _write(tree: Tree, returns: Sequence[Return]) -> _Written:
    if any(one.at == other.at for one, other in pairwise(returns)):
        raise Refused("two different types for one function")
    claims = _Claims()
    insertions = list[Insertion]()
    for above, group in groupby(returns, key=lambda each: each.above):
        members = list(group)
        settled = [claims.settle(each) for each in members]
        definitions = [_indent(tree, text) for each in settled for text in each.definitions]
        if definitions:
            insertions.append(Insertion(above, _set_apart(definitions, members[0].room)))
        insertions += [
            Insertion(each.at, f" -> {local.expression}")
            for each, local in zip(members, settled, strict=True)
        ]
    return _Written(insertions, claims.imports, returns[0].above if returns else 0)


class _Claims:
    """Who has which name. Types were spelled one by one, so two of them may want one name for two things."""

    def __init__(self) -> None:
        self.imports: list[ImportedName] = []
        self._held: dict[str, object] = {}

    def settle(self, wanted: Return) -> TypeSource:
        """The type under names that are free; of its definitions only those that nobody brought before."""
        names: dict[str, str] = {}
        definitions = list[str]()
        for imported in imported_names(wanted.type.imports):
            bound, is_new = self._claim(imported.bound, (imported.module, imported.name), wanted.taken)
            names[imported.bound] = bound
            if is_new:
                self.imports.append(replace(imported, bound=bound))
        for definition in wanted.type.definitions:
            name = defined_name(definition)
            names[name], is_new = self._claim(name, rename(definition, names), wanted.taken)
            if is_new:
                definitions.append(rename(definition, names))
        return TypeSource(rename(wanted.type.expression, names), definitions=tuple(definitions))

    def _claim(self, wanted: str, what: object, taken: frozenset[str]) -> tuple[str, bool]:
        numbered = (f"{wanted}{number}" for number in count(2))
        for name in chain([wanted], numbered):
            if name not in taken and self._held.get(name, what) == what:
                is_new = name not in self._held
                self._held[name] = what
                return name, is_new
        raise AssertionError("there is always another number")


def _set_apart(definitions: Sequence[str], room: int) -> str:
    """With two blank lines around each, of which ``room`` are there."""
    missing = "\n" * max(0, _BLANK_LINES - room)
    return missing + "".join(definition + "\n" * (_BLANK_LINES + 1) for definition in definitions)


def _indent(tree: Tree, definition: str) -> str:
    own = tree.module.default_indent
    return re.sub(r"(?m)^(?: {4})+", lambda found: own * (len(found[0]) // 4), definition.strip("\n"))


def _splice(tree: Tree, insertions: Sequence[Insertion], gaps: Sequence[Gap]) -> str:
    text, pieces, done = tree.text, list[str](), 0
    changes = [(at, at, added) for at, added in insertions] + [(start, end, "") for start, end in gaps]
    for start, end, added in sorted(changes, key=lambda change: change[:2]):
        pieces += [text[done:start], added.replace("\n", tree.module.default_newline)]
        done = end
    return "".join([*pieces, text[done:]])
