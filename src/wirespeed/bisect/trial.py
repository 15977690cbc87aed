"""Trying a release out before it is measured: does it start, what does it answer, and what will it cost?"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from wirespeed.experiment.rehearsal import ANSWERS, MOST_DIFFERENCES
from wirespeed.experiment.sameness import BODY, Answer, differences, unstable_places
from wirespeed.experiment.stage import Lens
from wirespeed.experiment.validity import ERROR_STATUS
from wirespeed.model.advice import Difference

from .releases import Workshop

_PARTS = {"status": "status", "header content-type": "content type"}


@dataclass(frozen=True)
class Trial:
    answer: Answer
    unstable: tuple[str, ...] = ()
    """Where its answers differ from call to call."""
    call_ns: float = 0.0
    start_s: float = 0.0
    """To start and end its process."""
    differences: tuple[Difference, ...] = ()
    """Where it answers differently than the first end: the first few places."""

    @property
    def is_error(self) -> bool:
        return self.answer.status >= ERROR_STATUS


@dataclass(frozen=True)
class Refusal:
    """Why a release is left out."""

    reason: str
    differences: tuple[Difference, ...] = ()


def try_out(workshop: Workshop, number: int, first: Trial | None) -> Trial:
    """Start a release, twice, for only the second start is like those that follow: all is compiled by then.

    Raises ``WirespeedError`` for whatever keeps it from answering.
    """
    with workshop.staged([number]) as (lens, _):
        with lens.stage([0]) as stage:
            answers = stage.answers(0, 1)
            if answers[0].status < ERROR_STATUS:
                answers += stage.answers(0, ANSWERS - 1)
        unstable = unstable_places([answers])
        found = _differences(first, answers[0], unstable)
        if answers[0].status >= ERROR_STATUS:
            return Trial(answers[0], unstable, differences=found)
        call_ns, start_s = _costs(lens)
    return Trial(answers[0], unstable, call_ns, start_s, found)


def refusal_of(trial: Trial, first_name: str, *, allow_different: bool) -> Refusal | None:
    """Why a release that answers is not measured; None for one that is."""
    if trial.is_error:
        return Refusal(f"it answers {trial.answer.status}, which is an error", trial.differences)
    if trial.differences and not allow_different:
        return Refusal(different(trial.differences, first_name), trial.differences)
    return None


def different(found: Sequence[Difference], first_name: str, where: str = "") -> str:
    """``changed body at 0.130.0: $[0].id is 1, and "1" at 0.129.0``."""
    shown, *others = found
    what = _PARTS.get(shown.at, "body")
    place = f"{shown.at} is " if what == "body" and shown.at != BODY else ""
    more = f", and {len(others)} more" if others else ""
    values = f"{place}{shown.arm!r}, and {shown.baseline!r} at {first_name}{more}"
    return f"changed {what}{where and ' '}{where}: {values}"


def first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def _differences(first: Trial | None, answer: Answer, unstable: Sequence[str]) -> tuple[Difference, ...]:
    if first is None:
        return ()
    masked = [*first.unstable, *unstable]
    return tuple(islice(differences(first.answer, answer, masked), MOST_DIFFERENCES))


def _costs(lens: Lens) -> tuple[float, float]:
    """What a request takes, and what starting and ending the process takes."""
    began = time.monotonic()
    with lens.stage([0]) as stage:
        started = time.monotonic()
        call_ns = stage.call_ns(0)
        called = time.monotonic()
    return call_ns, (started - began) + (time.monotonic() - called)
