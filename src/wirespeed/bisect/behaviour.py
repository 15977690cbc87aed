"""Which release changed the answer: a plain bisection, for an answer is the same or it is not. Pure."""

from __future__ import annotations

from collections.abc import Callable


def narrowed(last: int, answers_as_first: Callable[[int], bool | None]) -> tuple[int, int]:
    """The latest release looked at that answers as number 0 does, and the one after it that does not.

    ``last`` is known not to. Releases of which it cannot be told (None) are left out, and may lie between.
    """
    same, different, untried = 0, last, list(range(1, last))
    while untried:
        middle = untried[len(untried) // 2]
        match answers_as_first(middle):
            case True:
                same, untried = middle, [each for each in untried if each > middle]
            case False:
                different, untried = middle, [each for each in untried if each < middle]
            case None:
                untried.remove(middle)
    return same, different
