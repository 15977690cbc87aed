"""Which of the screened changes get an arm in the confirming rounds. Pure; nothing here is evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirespeed.diagnosis.observation import Change, Observation, Screened, Screening

ARMS_AT_MOST = 3

WORTH_A_LOOK = 0.03
"""Below this share of the request, no remedy of the response path is worth an arm.

On 397 endpoints of 17 real apps this leaves out 182 and misses 1 of 172 gains.
"""

THREAD_HOP_NS = 60_000
"""What running a trivial ``def`` in the thread pool costs, about."""


@dataclass(frozen=True)
class Candidate:
    """A change with what screening showed of it."""

    change: Change
    screened: Screened

    @property
    def keeps_bytes(self) -> bool:
        return self.screened.fidelity == "identical"

    @property
    def replay_ns(self) -> int:
        assert self.screened.replay_ns is not None
        return self.screened.replay_ns


NEARLY_AS_FAST = 1.25
"""A remedy this close to the fastest is preferred when it is the safer one."""


def risk(candidate: Candidate) -> tuple[bool, bool, bool]:
    """What a change may do to answers that were not captured; smaller is safer.

    A type that fixes the bytes by itself is safest, then one without new classes, which filter. Between such,
    one that tells the reader and OpenAPI something is better than ``Any``.
    """
    annotation = candidate.change.annotation
    if annotation is None:
        return (False, False, False)
    return (not annotation.by_type, bool(annotation.definitions), annotation.kind == "any")


def is_worth_screening(seen: Observation) -> bool:
    """Whether what a remedy could remove is a large enough share of the request."""
    if seen.phases is None or not seen.whole_ns:
        return False
    removable = seen.phases.validation + seen.phases.serialization + seen.phases.rendering
    hops = 0 if seen.is_coroutine else THREAD_HOP_NS
    return removable + hops >= WORTH_A_LOOK * seen.whole_ns


def select(changes: Sequence[Change], screening: Screening) -> tuple[list[Candidate], list[Candidate]]:
    """(kept, left): at most three arms, and the others, which are shown without figures.

    First the favourite among those that keep the bytes: the fastest, or a safer one that is nearly as fast.
    Then the fastest of each fidelity, so that a faster one that clients would notice is shown as what it is;
    then further byte-keeping ones by speed.
    """
    candidates = [Candidate(c, s) for c, s in zip(changes, screening.variants, strict=True)]
    usable = [
        each for each in candidates if each.screened.error is None and each.screened.replay_ns is not None
    ]
    by_speed = sorted(usable, key=lambda each: each.replay_ns)
    kept: list[Candidate] = []
    for fidelity in ("identical", "equal", "different"):
        fastest = next((each for each in by_speed if each.screened.fidelity == fidelity), None)
        if fastest is not None and all(fastest.replay_ns < other.replay_ns for other in kept):
            kept.append(fastest)
    safe = [each for each in by_speed if each.keeps_bytes]
    kept += [each for each in safe if each not in kept]
    if safe:
        close = [each for each in safe if each.replay_ns <= NEARLY_AS_FAST * safe[0].replay_ns]
        favourite = min(close, key=lambda each: (*risk(each), each.replay_ns))
        kept = [favourite, *(each for each in kept if each is not favourite)]
    kept = kept[:ARMS_AT_MOST]
    return kept, [each for each in candidates if each not in kept]


def promised_gain_ns(seen: Observation, screening: Screening, kept: Sequence[Candidate]) -> float:
    """What the best kept arm would save of one request, by screening; orders endpoints when time is short."""
    if screening.baseline_ns is None or not kept:
        return 0.0
    return screening.baseline_ns - min(each.replay_ns for each in kept)
