"""The place of a code edit, and what the edits there are written with."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import chain, count
from pathlib import PurePath

from .edit import Edit
from .project import Project
from .tree import Function, Tree, tree_of
from .values import FunctionAt


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


FileEdit = tuple[PurePath, Edit]
"""An edit, and the file that it is of."""


def free_name(wish: str, taken: Collection[str]) -> str:
    """``wish``, or with the first number from 2 on that makes it free."""
    return next(name for name in chain([wish], (f"{wish}_{n}" for n in count(2))) if name not in taken)
