"""Carrying out edits: all those of one text at once, so that their order does not matter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, count, groupby, pairwise
from typing import NamedTuple, TypeVar

from .comma_list import CommaList, Gap, Item, merge, take_out
from .edit import Drop, Edit, Placed, Replace, Return
from .import_adding import Insertion, add_imports
from .import_dropping import drop_unused
from .import_lines import import_lines
from .names import ImportedName, defined_name, imported_names, rename
from .tree import Tree, tree_of
from .values import ModuleFacts, Refused, TypeSource

_BLANK_LINES = 2
_PLAIN = ModuleFacts()
_T = TypeVar("_T")


def rewrite(source: str, edits: Iterable[Edit], module: ModuleFacts = _PLAIN) -> str:
    """``source`` with the edits made. What none of them touches stays as it is, to the byte.

    Raises Refused for edits made for another text, and where two of them want different things of one place.
    """
    edits = list(edits)
    if any(edit.source != source for edit in edits):
        raise Refused("the file has changed since the edit was made")
    tree = tree_of(source)
    written = _write(tree, edits)
    replaced = _unique(each for edit in edits for each in edit.replaced)
    drops = _unique(drop for edit in edits for drop in edit.drops)
    gaps = _gaps(source, drops)
    gone = [*gaps, *((each.start, each.end) for each in replaced)]
    released = frozenset[str]().union(*(drop.names for drop in drops), *(each.names for each in replaced))
    lines = list(import_lines(tree))
    added = "\n".join([*(each.text for each in written.insertions), *(each.text for each in replaced)])
    dropped = drop_unused(tree, lines, frozenset() if module.is_package else released, gone, added)
    known = [line for line in lines if line.span.end <= written.above]
    hosts = [line for line in known if line not in dropped.lines]
    imports = add_imports(tree, known, hosts, written.imports, module.package)
    return _splice(tree, [*imports, *written.insertions], [*gaps, *dropped.gaps], replaced)


def _unique(items: Iterable[_T]) -> list[_T]:
    return list(dict.fromkeys(items))


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


def _write(tree: Tree, edits: Sequence[Edit]) -> _Written:
    returns = sorted({each for edit in edits for each in edit.returns}, key=lambda each: each.at)
    placed = _unique(each for edit in edits for each in edit.placed)
    needs = _unique(each for edit in edits for each in edit.needs)
    if any(one.at == other.at for one, other in pairwise(returns)):
        raise Refused("two different types for one function")
    claims = _Claims()
    for need in needs:
        claims.hold_import(need.imported)
    for each in placed:
        claims.hold(each.name, each)
    settled = [claims.settle(each) for each in returns]
    insertions = [
        Insertion(each.at, f" -> {local.expression}") for each, local in zip(returns, settled, strict=True)
    ]
    insertions += _set_apart([*_definitions(tree, returns, settled), *placed])
    above = min([*(each.above for each in returns), *(need.above for need in needs)], default=0)
    return _Written(insertions, claims.imports, above)


def _definitions(tree: Tree, returns: Sequence[Return], settled: Sequence[TypeSource]) -> Iterator[Placed]:
    for each, local in zip(returns, settled, strict=True):
        for text in local.definitions:
            yield Placed(each.above, defined_name(text), _indent(tree, text), each.room)


class _Claims:
    """Who has which name. Types were spelled one by one, so two of them may want one name for two things."""

    def __init__(self) -> None:
        self.imports: list[ImportedName] = []
        self._held: dict[str, object] = {}

    def hold(self, name: str, what: object) -> bool:
        """Whether that is new. Raises Refused where the name is held for something else."""
        is_new = name not in self._held
        if self._held.setdefault(name, what) != what:
            raise Refused(f"two edits want different things to be called {name}")
        return is_new

    def hold_import(self, imported: ImportedName) -> None:
        if self.hold(imported.bound, (imported.module, imported.name)):
            self.imports.append(imported)

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
                return name, self.hold(name, what)
        raise AssertionError("there is always another number")


def _set_apart(placed: Iterable[Placed]) -> Iterator[Insertion]:
    """With two blank lines around each, some of which are there."""
    in_order = sorted(placed, key=lambda each: each.above)
    for above, group in groupby(in_order, key=lambda each: each.above):
        members = list(group)
        missing = "\n" * max(0, _BLANK_LINES - members[0].room)
        texts = (each.text + "\n" * (_BLANK_LINES + 1) for each in members)
        yield Insertion(above, missing + "".join(texts))


def _indent(tree: Tree, definition: str) -> str:
    own = tree.module.default_indent
    return re.sub(r"(?m)^(?: {4})+", lambda found: own * (len(found[0]) // 4), definition.strip("\n"))


def _splice(
    tree: Tree, insertions: Sequence[Insertion], gaps: Sequence[Gap], replaced: Sequence[Replace]
) -> str:
    text, pieces, done = tree.text, list[str](), 0
    changes = [(at, at, added) for at, added in insertions]
    changes += [(each.start, each.end, each.text) for each in replaced]
    changes += [(start, end, "") for start, end in merge(gaps)]
    for start, end, added in sorted(changes, key=lambda change: change[:2]):
        if start < done:
            raise Refused(f"two edits want different things of line {tree.line_number(start)}")
        pieces += [text[done:start], _ended(added, tree.module.default_newline)]
        done = end
    return "".join([*pieces, text[done:]])


def _ended(text: str, newline: str) -> str:
    """What was taken from the file has its line ends already."""
    return text.replace("\r\n", "\n").replace("\n", newline)
