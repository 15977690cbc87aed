"""The place of a code edit, and what the edits there are written with."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, count
from pathlib import PurePath

import libcst as cst

from .bindings import bindings_of
from .edit import Edit, Need
from .names import ImportedName
from .names_at import NamesAt
from .project import Project
from .tree import Function, Tree, tree_of
from .values import FunctionAt
from .walking import names_in

FileEdit = tuple[PurePath, Edit]
"""An edit, and the file that it is of."""


@dataclass(frozen=True)
class Spot:
    """``line`` of a file of the project; ``reserved`` are names that other edits have put into that file."""

    project: Project
    path: PurePath
    line: int
    name: str | None = None
    reserved: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        return self.project.read(self.path).text

    @property
    def tree(self) -> Tree:
        return tree_of(self.text)

    def function(self) -> Function:
        """Raises Refused where none begins there."""
        return self.tree.function(FunctionAt(self.line, self.name))

    def class_there(self) -> cst.ClassDef | None:
        """The class of the module's own that begins on the line."""
        for statement in self.tree.module.body:
            if isinstance(statement, cst.ClassDef) and self.line in self.tree.header_lines(statement):
                return statement
        return None

    def free_in_module(self, wish: str) -> str:
        bound = {binding.name for binding in bindings_of(self.tree, self.tree.module)}
        return free_name(wish, bound | self.reserved | _words(self.tree))


@dataclass(frozen=True)
class Imports:
    """The imports that an edit at a function relies on."""

    names: NamesAt
    above: int

    def of(self, module: str, name: str) -> tuple[str, tuple[Need, ...]]:
        """What ``name`` is called at the function, and the import that is to be added, if any.

        Raises Refused where the name has another meaning there.
        """
        return self.of_any((module,), name)

    def of_any(self, modules: Sequence[str], name: str) -> tuple[str, tuple[Need, ...]]:
        """The same for something that several modules have; from the first where the file has none."""
        for module in modules:
            lacking, aliases = self.names.sort_out([ImportedName(module, name, name)])
            if not lacking:
                return aliases.get(name, name), ()
        wanted = ImportedName(modules[0], name, name)
        bound = free_name(name, self.names.taken([wanted]))
        return bound, (Need(ImportedName(modules[0], name, bound), self.above),)


def imports_at(tree: Tree, function: Function) -> Imports:
    above, _ = tree.top(function.top_statement)
    return Imports(NamesAt(tree, function.node, function.around, above), above)


def free_name(wish: str, taken: Collection[str]) -> str:
    """``wish``, or with the first number from 2 on that makes it free."""
    return next(name for name in chain([wish], (f"{wish}_{n}" for n in count(2))) if name not in taken)


@lru_cache(maxsize=2)
def _words(tree: Tree) -> frozenset[str]:
    return names_in([tree.module])
