"""``# wirespeed: ignore[WS101] reason`` in the user's files: where such comments stand, and what they say.

Read with ``tokenize``, so that text in a string is no comment. What is ignored for them is not known here.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

MARK = "wirespeed:"
_COMMENT = re.compile(r"#\s*wirespeed:\s*ignore\b(?P<codes>\s*\[[^\]]*\])?(?P<rest>.*)", re.DOTALL)


@dataclass(frozen=True)
class IgnoreComment:
    line: int
    """From 1."""
    codes: tuple[str, ...]
    """Of rules or families, in capitals; none stands for all."""
    reason: str
    """Empty where none is given."""
    is_alone: bool
    """Whether nothing else stands on its line."""

    def names(self, code: str) -> bool:
        return not self.codes or code.startswith(self.codes)


@dataclass(frozen=True)
class IgnoringFile:
    """A file's comments, and which lines belong to which function."""

    comments: tuple[IgnoreComment, ...]
    headers: tuple[range, ...]
    """Of every function and class, from its first decorator to the line before its body."""

    def at(self, line: int) -> list[IgnoreComment]:
        """Those of the function whose ``def`` or decorator is on a line: on its header, or right above it."""
        header = next((each for each in self.headers if line in each), range(line, line + 1))
        first = header.start
        alone = {comment.line for comment in self.comments if comment.is_alone}
        while first - 1 in alone:
            first -= 1
        return [comment for comment in self.comments if first <= comment.line < header.stop]


def read_comments(content: bytes) -> IgnoringFile:
    """Raises ``SyntaxError`` where this Python cannot read the file; its own may."""
    if MARK.encode() not in content:
        return IgnoringFile((), ())
    try:
        comments = tuple(_comments(content))
        tree = ast.parse(content)
    except (tokenize.TokenError, ValueError, RecursionError) as error:
        raise SyntaxError(str(error)) from error
    return IgnoringFile(comments, tuple(_headers(tree)))


def _comments(content: bytes) -> Iterator[IgnoreComment]:
    for token in tokenize.tokenize(io.BytesIO(content).readline):
        if token.type == tokenize.COMMENT and (match := _COMMENT.search(token.string)):
            named = (match["codes"] or "").strip().strip("[]")
            yield IgnoreComment(
                line=token.start[0],
                codes=tuple(code.strip().upper() for code in named.split(",") if code.strip()),
                reason=match["rest"].strip().lstrip(":-").strip(),
                is_alone=not token.line[: token.start[1]].strip(),
            )


def _headers(tree: ast.Module) -> Iterator[range]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            body = node.body[0]
            last = max(node.lineno, min(_first_line(body) - 1, body.lineno))
            yield range(first, last + 1)


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])
