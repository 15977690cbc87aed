"""Which of the screened changes get an arm in the confirming rounds. Pure; nothing here is evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from .edits import Proposal
from .observation import Change, Observation, Screened, Screening

ARMS_AT_MOST = 3

WORTH_A_LOOK = 0.03
"""Below this share of the request, no remedy of the response path is worth an arm.

On 397 endpoints of 17 real apps this leaves out 182 and misses 1 of 172 gains.
"""

THREAD_HOP_NS = 60_000
"""What running a trivial ``def`` in the thread pool costs, about."""

NO_GAIN = 1.05
"""A live arm that looks slower than this, alone and in parallel, is not measured: rounds of it are dear."""

UNKNOWN_GAIN = 0.1
"""What is expected of a change that can only be tried in a process of its own."""

NO_TIME = "not measured: the budget left no time; --budget gives more"

THREADS = ("async def", "def")
AROUND_THE_ANSWER = {*THREADS, "hoist", "pure asgi"}
"""Edits that leave alone how the endpoint's value becomes bytes."""


@dataclass(frozen=True)
class Candidate:
    """A change with what screening showed of it."""

    proposal: Proposal
    screened: Screened

    @property
    def change(self) -> Change:
        return self.proposal.change

    @property
    def keeps_bytes(self) -> bool:
        return self.screened.fidelity == "identical"

    @property
    def is_live(self) -> bool:
        return self.proposal.is_live

    @property
    def needs_own_process(self) -> bool:
        return not self.screened.in_process

    @property
    def is_only_shown(self) -> bool:
        """Whether it is measured to tell something, and never recommended."""
        return self.change.bypass is not None or self.change.never_recommended is not None

    def without_time(self) -> Candidate:
        """It is not measured, and says that."""
        return replace(self, screened=self.screened.model_copy(update={"error": NO_TIME}))

    @property
    def is_timed(self) -> bool:
        """Whether it can have an arm: it was tried, here or not at all for want of a process of its own."""
        timed = self.screened.live_ns if self.is_live else self.screened.replay_ns
        return self.screened.error is None and (timed is not None or self.needs_own_process)


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


def changes_the_answer(change: Change) -> bool:
    """Whether it is about how the value becomes bytes: of such changes an endpoint takes one."""
    whats = {edit.what for edit in change.edits}
    return change.bypass is None and not (whats and whats <= AROUND_THE_ANSWER)


def exclude_each_other(one: Change, other: Change) -> bool:
    """Whether two changes are alternatives, so that only one of them can be recommended."""
    if changes_the_answer(one) and changes_the_answer(other):
        return True
    return not {_site(edit) for edit in one.edits}.isdisjoint(_site(edit) for edit in other.edits)


def _site(edit: object) -> tuple[object, object]:
    what, source = getattr(edit, "what", None), getattr(edit, "source", None)
    return ("threads" if what in THREADS else what), source


def is_worth_screening(seen: Observation) -> bool:
    """Whether what a remedy of the response path could remove is a large enough share of the request."""
    if seen.phases is None or not seen.whole_ns:
        return False
    removable = seen.phases.validation + seen.phases.serialization + seen.phases.rendering
    hops = 0 if seen.is_coroutine else THREAD_HOP_NS
    return removable + hops >= WORTH_A_LOOK * seen.whole_ns


def expected_ratio(candidate: Candidate, seen: Observation, screening: Screening) -> float:
    """The request with the change to the request without, at first look; the better of alone and parallel."""
    screened = candidate.screened
    if candidate.needs_own_process:
        return 1 - UNKNOWN_GAIN
    if not candidate.is_live:
        if screening.baseline_ns is None or screened.replay_ns is None:
            return 1.0
        whole_ns = max(seen.whole_ns or 0, screening.baseline_ns)
        return 1 - (screening.baseline_ns - screened.replay_ns) / whole_ns
    ratios = [
        arm_ns / baseline_ns
        for arm_ns, baseline_ns in (
            (screened.live_ns, screening.baseline_live_ns),
            (screened.parallel_ns, screening.baseline_parallel_ns),
        )
        if arm_ns and baseline_ns
    ]
    return min(ratios, default=1.0)


def select(
    proposals: Sequence[Proposal], seen: Observation, screening: Screening
) -> tuple[list[Candidate], list[Candidate]]:
    """(kept, left): at most three arms, and the others, which are shown without figures.

    First the favourite among those that keep the bytes: the fastest, or a safer one that is nearly as fast.
    Then those that can be had beside it, the fastest first. Then the fastest of each fidelity, so that a
    faster one that clients would notice is shown as what it is; then further byte-keeping ones by speed.
    """
    candidates = [Candidate(p, s) for p, s in zip(proposals, screening.variants, strict=True)]
    ratios = {id(each): expected_ratio(each, seen, screening) for each in candidates}
    usable = [
        each
        for each in _affordable(candidates)
        if each.is_timed and not (each.is_live and ratios[id(each)] > NO_GAIN)
    ]
    by_speed = sorted(usable, key=lambda each: (each.is_only_shown, ratios[id(each)]))
    answers = _answers([each for each in by_speed if changes_the_answer(each.change)], ratios)
    others = [each for each in by_speed if not changes_the_answer(each.change)]
    kept = _unique([*answers[:1], *_compatible(others), *answers[1:], *others])
    # What can never be recommended, such as the upper bound of a rewrite, takes no remedy's place; nor does
    # what looked slower.
    kept = sorted(kept, key=lambda each: (each.is_only_shown, ratios[id(each)] > NO_GAIN))[:ARMS_AT_MOST]
    return kept, [each for each in candidates if each not in kept]


def _answers(by_speed: Sequence[Candidate], ratios: dict[int, float]) -> list[Candidate]:
    kept: list[Candidate] = []
    for fidelity in ("identical", "equal", "different", None):
        fastest = next((each for each in by_speed if each.screened.fidelity == fidelity), None)
        if fastest is not None and all(ratios[id(fastest)] < ratios[id(other)] for other in kept):
            kept.append(fastest)
    kept += [each for each in by_speed if each.keeps_bytes and each not in kept]
    safe = [each for each in kept if each.keeps_bytes and not each.is_only_shown]
    if safe:
        limit = NEARLY_AS_FAST * min(ratios[id(each)] for each in safe)
        close = [each for each in safe if ratios[id(each)] <= limit] or safe[:1]
        favourite = min(close, key=lambda each: (*risk(each), ratios[id(each)]))
        kept = [favourite, *(each for each in kept if each is not favourite)]
    return kept


def _affordable(candidates: Sequence[Candidate]) -> list[Candidate]:
    """All but the alternatives to an earlier change that has a process of its own."""
    kept: list[Candidate] = []
    for each in candidates:
        rivals = (other for other in kept if exclude_each_other(each.change, other.change))
        if not (each.needs_own_process and any(other.needs_own_process for other in rivals)):
            kept.append(each)
    return kept


def _compatible(by_speed: Sequence[Candidate]) -> list[Candidate]:
    """The fastest of those that exclude each other."""
    kept: list[Candidate] = []
    for each in by_speed:
        if not any(exclude_each_other(each.change, other.change) for other in kept):
            kept.append(each)
    return kept


def _unique(candidates: Iterable[Candidate]) -> list[Candidate]:
    return list({id(each): each for each in candidates}.values())


def promised_gain_ns(seen: Observation, screening: Screening, kept: Sequence[Candidate]) -> float:
    """What the best kept arm would save of one request, by screening; orders endpoints when time is short."""
    ratios = [expected_ratio(each, seen, screening) for each in kept]
    return max(0.0, (1 - min(ratios, default=1.0)) * (seen.whole_ns or 0))
