"""Which release to look at next, and what is known by then. Pure: it asks, and is told.

A ``Search`` is never changed: every answer makes the next one, so that what is known stands whenever the
search is broken off. Releases are numbers in their order; 0 and the last are the ends that the user named.
``left`` and ``right`` are the ends of the range that is still looked at.

The range with the larger change is followed. So a release that carries more than half of a change that only
ever goes one way is found; where none does, the search ends at one of the larger steps, and its share of the
whole tells. What goes up and down again between releases may stay unseen, as in any bisection.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from wirespeed.model.bisection import Kind, Likeness, Side

from .changes import Change, Evidence, Standard
from .judging import Ruling, is_settled, likeness, rule

NEAR_SHARE = 0.1
"""Share of the whole change that a release may lie off an end it belongs with, where this is more than the
margin: of a change by a factor of two nobody needs to know to 2 % at every step.
"""


@dataclass(frozen=True, slots=True)
class TryOut:
    """See whether a release can be installed, imports, and answers."""

    release: int


@dataclass(frozen=True, slots=True)
class Compare:
    """Measure releases in the same rounds."""

    kind: Kind
    arms: tuple[int, ...]
    """The others are divided by the first: the earlier end, or the release in the middle."""
    standard: Standard
    near: float = 0.0
    """See ``judging.rule``; of no use for two arms."""

    def changes(self, evidence: Evidence, looks: tuple[int, ...]) -> tuple[Change, ...] | None:
        """From each release to the next, in their order; None before the first look."""
        found = evidence.changes(self.standard, looks)
        if found is None or self.kind is not Kind.MIDDLE:
            return found
        to_left, to_right = found
        return to_left.reversed(), to_right

    def is_settled(self, changes: tuple[Change, ...]) -> bool:
        """Whether more rounds are not needed."""
        if self.kind is not Kind.MIDDLE:
            return likeness(changes[0], self.standard.delta) is not None
        before, after = changes
        return is_settled(rule(before, after, self.standard.delta, self.near), before, after, self.near)


Task = TryOut | Compare


@dataclass(frozen=True, slots=True)
class Compared:
    """What came of a comparison."""

    task: Compare
    changes: tuple[Change, ...] | None
    """From each release to the next; None where it ended before the first look."""
    rounds: int

    @property
    def likeness(self) -> Likeness | None:
        """Of two arms."""
        return likeness(self.changes[0], self.task.standard.delta) if self.changes else None

    @property
    def ruling(self) -> Ruling:
        """About the release in the middle."""
        if self.changes is None:
            return Ruling(None, None)
        before, after = self.changes
        return rule(before, after, self.task.standard.delta, self.task.near)

    @property
    def side(self) -> Side | None:
        """Where the search goes on: to the larger change, or the one that seems larger of two large ones."""
        ruling = self.ruling
        if ruling.larger is not None or ruling.place is None or self.changes is None:
            return ruling.larger
        before, after = self.changes
        return Side.BEFORE if abs(before.mean) > abs(after.mean) else Side.AFTER


@dataclass(frozen=True, slots=True)
class Search:
    standard: Standard
    left: int
    right: int
    untried: tuple[int, ...]
    """Between the two, neither measured nor skipped."""
    tried: tuple[int, ...] = ()
    """Those that answer, in the order tried."""
    skipped: tuple[int, ...] = ()
    compared: tuple[Compared, ...] = ()
    is_over: bool = False

    @classmethod
    def of(cls, standard: Standard) -> Search:
        last = standard.releases - 1
        return cls(standard, 0, last, tuple(range(1, last)))

    @property
    def last(self) -> int:
        return self.standard.releases - 1

    @property
    def ends(self) -> Compared | None:
        """Their comparison, once it was made."""
        return self.compared[0] if self.compared else None

    @property
    def whole(self) -> Change | None:
        return None if self.ends is None or self.ends.changes is None else self.ends.changes[0]

    @property
    def comparisons_left(self) -> int:
        """The most that may still come."""
        if self.is_over:
            return 0
        if not self.compared:
            return self.standard.comparisons
        return math.ceil(math.log2(len(self.untried) + 1)) + self._asks_for_step

    @property
    def _asks_for_step(self) -> bool:
        return len(self.untried) > 0 or self.compared[-1].task.kind is Kind.MIDDLE

    def task(self) -> Task | None:
        """What to do next; None where nothing is left to do."""
        if self.is_over:
            return None
        for end in (0, self.last):
            if end not in self.tried:
                return TryOut(end)
        if not self.compared:
            return Compare(Kind.ENDS, (0, self.last), self.standard)
        if self.untried:
            middle = self.untried[len(self.untried) // 2]
            if middle not in self.tried:
                return TryOut(middle)
            return Compare(Kind.MIDDLE, (middle, self.left, self.right), self.standard, self._near)
        return Compare(Kind.STEP, (self.left, self.right), self.standard) if self._asks_for_step else None

    @property
    def _near(self) -> float:
        least = self.whole.least if self.whole else 0.0
        return max(self.standard.delta, NEAR_SHARE * least)

    def after_trying(self, release: int, *, works: bool) -> Search:
        if works:
            return replace(self, tried=(*self.tried, release))
        left_over = tuple(each for each in self.untried if each != release)
        return replace(self, untried=left_over, skipped=(*self.skipped, release))

    def after(self, compared: Compared) -> Search:
        known = replace(self, compared=(*self.compared, compared))
        match compared.task.kind:
            case Kind.ENDS:
                return replace(known, is_over=compared.likeness is not Likeness.DIFFERENT)
            case Kind.MIDDLE:
                return known._beside(compared.task.arms[0], compared.side)
            case Kind.STEP:
                return replace(known, is_over=True)

    def _beside(self, middle: int, side: Side | None) -> Search:
        match side:
            case Side.BEFORE:
                untried = tuple(each for each in self.untried if each < middle)
                return replace(self, right=middle, untried=untried)
            case Side.AFTER:
                untried = tuple(each for each in self.untried if each > middle)
                return replace(self, left=middle, untried=untried)
            case None:
                return replace(self, is_over=True)
