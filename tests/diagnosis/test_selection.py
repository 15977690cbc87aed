"""Which of the screened changes get an arm, and which of them comes first."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from wirespeed.diagnosis.budgeting import fit_arms
from wirespeed.diagnosis.edits import Proposal
from wirespeed.diagnosis.observation import Annotation, Change, Observation, Screened, Screening
from wirespeed.diagnosis.selection import (
    ARMS_AT_MOST,
    NO_TIME,
    Candidate,
    is_worth_screening,
    promised_gain_ns,
    risk,
    select,
)
from wirespeed.diagnosis.study import Study
from wirespeed.model.advice import Fidelity, Phases
from wirespeed.model.plan import AdvicePlan
from wirespeed.model.request import PlannedRequest, Request

Kind = Literal["exact", "open", "any"]


def change(name: str, *, kind: Kind = "exact", by_type: bool = False, classes: int = 0) -> Change:
    annotation = Annotation(
        expression=name, definitions=["class A: ..."] * classes, kind=kind, by_type=by_type
    )
    return Change(name=name, code="WS101", kind="annotation", annotation=annotation)


def screened(
    replay_ns: int | None, fidelity: Fidelity | None = "identical", error: str | None = None
) -> Screened:
    return Screened(error=error, replay_ns=replay_ns, fidelity=fidelity)


def names(candidates: list[Candidate]) -> list[str]:
    return [each.change.name for each in candidates]


def selected(*tried: tuple[Change, Screened]) -> tuple[list[str], list[str]]:
    screening = Screening(invalid=None, baseline_ns=1000, floor_ns=10, variants=[s for _, s in tried])
    kept, left = select([Proposal(c) for c, _ in tried], seen(whole_ns=1000), screening)
    return names(kept), names(left)


def test_the_fastest_that_keeps_the_bytes_comes_first() -> None:
    kept, left = selected(
        (change("slow"), screened(500)), (change("fast"), screened(100)), (change("middle"), screened(300))
    )

    assert (kept, left) == (["fast", "middle", "slow"], [])


def test_a_safer_one_that_is_nearly_as_fast_comes_before_it() -> None:
    kept, _ = selected(
        (change("fast", classes=1), screened(100)), (change("safe", by_type=True), screened(124))
    )

    assert kept == ["safe", "fast"]


def test_a_safer_one_that_is_much_slower_does_not() -> None:
    kept, _ = selected(
        (change("fast", classes=1), screened(100)), (change("safe", by_type=True), screened(126))
    )

    assert kept == ["fast", "safe"]


def test_between_equals_the_type_that_tells_something_is_preferred_to_any() -> None:
    ranked = sorted(
        [
            Candidate(Proposal(change("Any", kind="any")), screened(1)),
            Candidate(Proposal(change("list[Row]", classes=1)), screened(1)),
            Candidate(Proposal(change("list[dict]", kind="open")), screened(1)),
            Candidate(Proposal(change("list[User]", by_type=True)), screened(1)),
        ],
        key=risk,
    )

    assert names(ranked) == ["list[User]", "list[dict]", "Any", "list[Row]"]


def test_one_that_clients_would_notice_is_kept_beside_it_only_where_it_is_faster() -> None:
    faster, _ = selected((change("keeps"), screened(300)), (change("differs"), screened(100, "different")))
    slower, left = selected((change("keeps"), screened(300)), (change("differs"), screened(400, "different")))

    assert faster == ["keeps", "differs"]
    assert (slower, left) == (["keeps"], ["differs"])


def test_equal_json_has_a_place_of_its_own_between_the_two() -> None:
    kept, _ = selected(
        (change("keeps"), screened(300)),
        (change("equal"), screened(200, "equal")),
        (change("differs"), screened(100, "different")),
    )

    assert kept == ["keeps", "equal", "differs"]


def test_no_more_than_three_get_an_arm() -> None:
    tried = [(change(str(n)), screened(100 + n)) for n in range(6)]
    kept, left = selected(*tried)

    assert len(kept) == ARMS_AT_MOST
    assert kept + left == [str(n) for n in range(6)]


def test_what_failed_or_was_not_timed_gets_none() -> None:
    kept, left = selected(
        (change("raises"), screened(None, None, "ResponseValidationError")),
        (change("other status"), screened(None, "different")),
        (change("differs above"), screened(50, "identical", "through the whole app the answer differs")),
    )

    assert (kept, left) == ([], ["raises", "other status", "differs above"])


def test_what_the_best_arm_saves_is_promised() -> None:
    screening = Screening(invalid=None, baseline_ns=1000, floor_ns=10, variants=[])
    kept = [Candidate(Proposal(change(name)), screened(ns)) for name, ns in (("a", 400), ("b", 300))]

    assert promised_gain_ns(seen(whole_ns=1000), screening, kept) == 700
    assert promised_gain_ns(seen(whole_ns=2000), screening, kept) == 700
    assert promised_gain_ns(seen(whole_ns=1000), screening, []) == 0


# -- changes of the code -------------------------------------------------------------------------------------


def live_select(*tried: Candidate, **baseline: int) -> tuple[list[str], list[str]]:
    figures = {"baseline_live_ns": 1000, "baseline_parallel_ns": 1000, **baseline}
    screening = Screening.model_validate(
        {
            "invalid": None,
            "baseline_ns": 900,
            "floor_ns": 10,
            "variants": [each.screened for each in tried],
            **figures,
        }
    )
    kept, left = select([each.proposal for each in tried], seen(whole_ns=1000), screening)
    return names(kept), names(left)


def test_what_can_be_had_beside_the_favourite_comes_before_its_alternatives(make: Any) -> None:
    threads = make.code(("async def", "a.py:1"), name="async def", live_ns=900)
    hoisted = make.code(("hoist", "a.py:3"), name="hoist adapter", live_ns=800)
    types = [make.typed(name, by_type=True) for name in ("-> A", "-> B")]

    assert live_select(*types, threads, hoisted) == (["-> A", "hoist adapter", "async def"], ["-> B"])


def test_of_changes_to_one_place_the_fastest_stands_first(make: Any) -> None:
    some = make.code(("async def", "a.py:1"), name="some", live_ns=800)
    more = make.code(("async def", "a.py:1"), ("async def", "a.py:9"), name="more", live_ns=700)

    assert live_select(some, more)[0] == ["more", "some"]


def test_a_live_arm_without_a_gain_at_first_look_is_not_measured(make: Any) -> None:
    slower = make.code(("async def", "a.py:1"), live_ns=1200, parallel_ns=1100)
    only_in_parallel = make.code(("def", "a.py:1"), name="def", live_ns=1200, parallel_ns=100)

    assert live_select(slower) == ([], ["async def"])
    assert live_select(only_in_parallel) == (["def"], [])


def test_what_looked_slower_takes_no_remedys_place(make: Any) -> None:
    slower = make.typed("-> A", by_type=True)
    looked = slower.screened.model_copy(update={"replay_ns": 960})
    slower = Candidate(slower.proposal, looked)
    unseen = make.code(("pure asgi", "a.py:9"), name="own", in_process=False, live_ns=None, fidelity=None)
    threads = make.code(("async def", "a.py:1"), live_ns=700)

    assert live_select(slower, unseen, threads)[0] == ["async def", "own", "-> A"]


def test_arms_are_given_up_for_want_of_time_but_those_that_the_rounds_do_not_pay_for(make: Any) -> None:
    own = make.code(("pure asgi", "a.py:9"), name="own", in_process=False, live_ns=None, fidelity=None)
    arms = [make.code(("async def", "a.py:1")), own, make.typed("-> A"), make.typed("-> B")]
    variants = [each.screened for each in arms]
    screening = Screening(invalid=None, baseline_ns=1000, floor_ns=10, variants=variants)
    request = PlannedRequest(request=Request(method="GET", path="/"), route_id=1, named=False)
    study = Study(request, None, seen(whole_ns=1_000_000), screening=screening, kept=list(arms))

    fit_arms([study], boot_s=1.0, left_s=0.0, plan=AdvicePlan.model_construct(rounds=None, live_calls=1))

    assert names(study.kept) == ["async def", "own"]
    assert names(study.left) == ["-> A", "-> B"]
    assert {each.screened.error for each in study.left} == {NO_TIME}


def test_what_needs_a_process_of_its_own_is_kept_unseen(make: Any) -> None:
    unseen = make.code(("async def", "a.py:1"), in_process=False, live_ns=None, fidelity=None)
    failed = make.code(("async def", "a.py:1"), name="failed", error="it raises", live_ns=None, fidelity=None)

    assert live_select(unseen, failed) == (["async def"], ["failed"])


# -- worth a look --------------------------------------------------------------------------------------------


def seen(**fields: Any) -> Observation:
    return Observation(**{"failed": None, "actions": [], **fields})


def phases(**spent: int) -> Phases:
    none = dict.fromkeys(
        ["routing", "dependencies", "endpoint", "validation", "serialization", "rendering"], 0
    )
    return Phases.model_validate({"layers": {}, **none, **spent})


@pytest.mark.parametrize(
    ("spent", "is_coroutine", "expected"),
    [
        ({"serialization": 30_000}, True, True),
        ({"serialization": 29_000}, True, False),
        ({"validation": 10_000, "serialization": 10_000, "rendering": 10_000}, True, True),
        ({"endpoint": 990_000}, True, False),
        # The hop of a def endpoint may be worth more than its serialization.
        ({"serialization": 1_000}, False, True),
    ],
)
def test_under_three_per_cent_of_the_request_nothing_is_worth_an_arm(
    spent: dict[str, int], is_coroutine: bool, expected: bool
) -> None:
    observed = seen(whole_ns=1_000_000, phases=phases(**spent), is_coroutine=is_coroutine)

    assert is_worth_screening(observed) is expected


def test_what_was_not_timed_is_not_worth_a_look() -> None:
    assert not is_worth_screening(seen())


def test_what_is_only_shown_takes_no_remedys_place(make: Any) -> None:
    shown = make.code(("cache bytes", "a.py:1"), name="cache bytes", live_ns=10)
    left = shown.change.model_copy(update={"never_recommended": "it may change"})
    only_shown = Candidate(Proposal(left), shown.screened)
    types = [make.typed(name, by_type=True) for name in ("-> A", "-> B")]

    assert live_select(only_shown, *types)[0] == ["-> A", "-> B", "cache bytes"]


def test_of_alternatives_that_need_a_process_of_their_own_the_most_natural_has_one(make: Any) -> None:
    own: dict[str, Any] = {"in_process": False, "live_ns": None, "fidelity": None}
    all_, first = ("pure asgi", "a.py:1"), ("pure asgi", "a.py:9")
    both = make.code(all_, first, name="both", **own)

    kept, left = live_select(both, make.code(all_, name="one", **own), make.code(first, name="other", **own))

    assert (kept, left) == (["both"], ["one", "other"])
