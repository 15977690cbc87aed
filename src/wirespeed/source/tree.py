"""One module of the user's, parsed: its functions, and where in its text each node stands.

LibCST only tells what is where. Edits are splices of the text itself, so that what is not edited cannot
change, whatever LibCST would print for it.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import takewhile
from typing import NamedTuple

import libcst as cst
from libcst.metadata import CodePosition, CodeRange, MetadataWrapper, WhitespaceInclusivePositionProvider

from .values import FunctionAt, Refused

_NEWLINE = re.compile(r"\r\n?|\n")
_HOLDS_STATEMENTS = (
    cst.BaseCompoundStatement,
    cst.BaseSuite,
    cst.Else,
    cst.ExceptHandler,
    cst.ExceptStarHandler,
    cst.Finally,
    cst.MatchCase,
)

Scope = cst.Module | cst.ClassDef | cst.FunctionDef


class Span(NamedTuple):
    """Offsets into the text, in characters."""

    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Function:
    """``around`` is what it stands in, outermost first, the module left out."""

    node: cst.FunctionDef
    around: tuple[cst.CSTNode, ...]

    @property
    def name(self) -> str:
        return self.node.name.value

    @property
    def top_statement(self) -> cst.CSTNode:
        """The statement of the module that is this function or holds it."""
        return self.around[0] if self.around else self.node


class Tree:
    """Raises Refused where the text is no Python that LibCST reads."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.module, self._ranges = _parse(text)
        self._line_starts = [0, *(match.end() for match in _NEWLINE.finditer(text))]

    def span(self, node: cst.CSTNode) -> Span:
        """Of the node with the comments and whitespace that LibCST counts to it."""
        where = self._ranges[node]
        return Span(self._offset(where.start), self._offset(where.end))

    def source(self, node: cst.CSTNode) -> str:
        span = self.span(node)
        return self.text[span.start : span.end]

    def line_number(self, offset: int) -> int:
        return bisect_right(self._line_starts, offset)

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        return tuple(_functions(self.module, ()))

    def function(self, at: FunctionAt) -> Function:
        """Raises Refused where no such function begins on that line."""
        for function in self.functions:
            if at.line in self.header_lines(function.node) and at.name in (None, function.name):
                return function
        raise Refused(f"no function{f' {at.name}' if at.name else ''} begins on line {at.line}")

    def keyword(self, function: Function) -> int:
        """Where its ``def`` stands, or the ``async`` before that."""
        decorators = function.node.decorators
        if function.node.asynchronous is not None:
            return self.span(function.node.asynchronous).start
        if decorators or function.node.lines_after_decorators:
            below = [*decorators, *function.node.lines_after_decorators][-1]
            return self._behind_indent(self.span(below).end)
        return self._behind_indent(self.begin(function.node))

    def begin(self, statement: cst.CSTNode) -> int:
        """The start of its first line, decorators included and comments above it left out."""
        above = _lines_above(statement)
        return self.span(above[-1]).end if above else self.span(statement).start

    def header_lines(self, statement: cst.FunctionDef | cst.ClassDef) -> range:
        """From the first decorator to the name."""
        first, name = self.begin(statement), self.span(statement.name).start
        return range(self.line_number(first), self.line_number(name) + 1)

    def top(self, statement: cst.CSTNode) -> tuple[int, int]:
        """The start of the line from which on comments belong to a statement, and the blank lines before it.

        The first statement of a module needs none.
        """
        if statement is self.module.body[0]:
            return self.begin(statement), sys.maxsize
        lines = _lines_above(statement)
        comments = _run_length(line.comment is not None for line in reversed(lines))
        blank = _run_length(line.comment is None for line in reversed(lines[: len(lines) - comments]))
        return self.span(lines[-comments]).start if comments else self.begin(statement), blank

    def indent_of(self, offset: int) -> str:
        """The whitespace that the line of ``offset`` begins with."""
        start = self._line_starts[self.line_number(offset) - 1]
        return self.text[start : self._behind_indent(start)]

    def _behind_indent(self, start: int) -> int:
        return start + len(self.text[start:]) - len(self.text[start:].lstrip(" \t\f"))

    def _offset(self, position: CodePosition) -> int:
        """A line end that is missing at the end of the file still counts in LibCST's positions."""
        if position.line > len(self._line_starts):
            return len(self.text)
        return self._line_starts[position.line - 1] + position.column


@lru_cache(maxsize=2)
def tree_of(text: str) -> Tree:
    """The parsed text; kept for the next edit of the same file. A parsed file takes much memory."""
    return Tree(text)


def scopes_around(around: tuple[cst.CSTNode, ...]) -> list[Scope]:
    """The functions and classes, innermost first, in which names mean what they mean here.

    Functions do not see the names of a class they stand in.
    """
    scopes = [node for node in reversed(around) if isinstance(node, cst.ClassDef | cst.FunctionDef)]
    return [scope for n, scope in enumerate(scopes) if n == 0 or isinstance(scope, cst.FunctionDef)]


def _lines_above(statement: cst.CSTNode) -> Sequence[cst.EmptyLine]:
    lines: Sequence[cst.EmptyLine] = getattr(statement, "leading_lines", ())
    return lines


def _run_length(flags: Iterable[bool]) -> int:
    return sum(1 for _ in takewhile(bool, flags))


def _parse(text: str) -> tuple[cst.Module, dict[cst.CSTNode, CodeRange]]:
    try:
        module = cst.parse_module(text)
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        ranges = dict(wrapper.resolve(WhitespaceInclusivePositionProvider))
        printed = module.code
    except cst.ParserSyntaxError as error:
        raise Refused(f"the file cannot be parsed: {error.message} on line {error.raw_line}") from error
    # Positions are those of what LibCST prints. It loses blank lines at the very end, which moves nothing.
    if not text.startswith(printed.rstrip()):
        raise Refused("the file has whitespace that LibCST does not keep")
    return module, ranges


def _functions(node: cst.CSTNode, around: tuple[cst.CSTNode, ...]) -> Iterator[Function]:
    for child in node.children:
        if isinstance(child, cst.FunctionDef):
            yield Function(child, around)
        if isinstance(child, _HOLDS_STATEMENTS):
            yield from _functions(child, (*around, child))
