"""Builders of what round 0 and the rounds give, for tests that vary a little of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from wirespeed.diagnosis.edits import Proposal
from wirespeed.diagnosis.observation import Annotation, Change, CodeEdit, Round, Screened
from wirespeed.diagnosis.selection import Candidate
from wirespeed.model.advice import Fidelity


class Make:
    """What tests build; every argument is what a test is about."""

    @staticmethod
    def typed(name: str = "-> Any", fidelity: Fidelity = "identical", **annotated: Any) -> Candidate:
        annotation = Annotation(**{"expression": name, "kind": "exact", "by_type": False, **annotated})
        change = Change(name=name, code="WS101", kind="annotation", annotation=annotation)
        return Candidate(Proposal(change), Screened(error=None, replay_ns=100, fidelity=fidelity))

    @staticmethod
    def code(
        *edits: tuple[str, str], name: str = "async def", in_parallel: bool = True, **screened: Any
    ) -> Candidate:
        """``edits`` are (what, source) pairs."""
        asked = tuple(CodeEdit.model_validate({"what": what, "source": source}) for what, source in edits)
        change = Change(name=name, code="WS203", kind="code", edits=asked, in_parallel=in_parallel)
        seen: dict[str, Any] = {"error": None, "replay_ns": None, "fidelity": "identical", "live_ns": 500}
        return Candidate(Proposal(change), Screened.model_validate({**seen, **screened}))

    @staticmethod
    def round(
        baseline: Sequence[float] = (1000.0, 1010.0, 990.0),
        arms: Sequence[Sequence[float]] = ((100.0, 101.0, 99.0),),
        *,
        rest_ns: int = 9000,
        **fields: Any,
    ) -> Round:
        """A round in which the request takes ``rest_ns`` besides its response path."""
        document = {
            "invalid": None,
            "live": [(1000 + rest_ns, 1000)] * 3,
            "replayed": [(1100, 1100)] * 3,
            "runs": _runs(baseline, *arms),
            "errors": [0] * (1 + len(arms)),
            "answers": [{"fidelity": "identical"} for _ in arms],
        }
        return Round.model_validate({**document, **fields})

    @staticmethod
    def live_round(
        baseline: Sequence[float],
        *arms: Sequence[float],
        parallel: Sequence[Sequence[float]] = (),
        **fields: Any,
    ) -> Round:
        """A round of whole requests alone; ``parallel`` has the same arms with others in flight."""
        number = 1 + len(arms)
        document = {
            "invalid": None,
            "live": [(int(baseline[0]), 100)] * 3,
            "live_runs": _runs(baseline, *arms),
            "live_errors": [0] * number,
            "live_gave_up": [None] * number,
            "live_answers": [{"fidelity": "identical"} for _ in arms],
            "parallel_runs": _runs(*parallel),
            "parallel_errors": [0] * len(parallel),
            "parallel_gave_up": [None] * len(parallel),
        }
        return Round.model_validate({**document, **fields})


def _runs(*arms: Sequence[float]) -> list[list[tuple[float, float, float, float]]]:
    return [[(block, block, 0.0, 5.0, block) for block in arm] for arm in arms]


@pytest.fixture(scope="session")
def make() -> type[Make]:
    return Make
