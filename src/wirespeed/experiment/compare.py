"""``compare``: arms against a baseline, in rounds of fresh processes, until the rounds decide. An outline."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from wirespeed.model.comparison import Comparison
from wirespeed.model.comparison_plan import ComparisonPlan
from wirespeed.subject.machine import cpu_ticks

from .comparison_document import comparison_document
from .comparison_evidence import evidence_of
from .events import Booting, Listener, ignore
from .rehearsal import rehearse
from .rounds import Rounds, measure_rounds
from .subjects import cast_of, lens_of


@dataclass(frozen=True)
class Outcome:
    """The document, and the raw numbers behind it."""

    document: Comparison
    evidence: dict[str, Any]


def compare(plan: ComparisonPlan, listener: Listener = ignore) -> Outcome:
    """Compare the plan's arms with its baseline. Ctrl-C keeps the rounds that are complete.

    Raises ``UsageError`` and ``SubjectError`` for what keeps an arm from answering the first time; later
    failures make the comparison invalid.
    """
    started, ticks = time.monotonic(), cpu_ticks()
    with cast_of(plan, listener) as cast, lens_of(plan, cast) as lens:
        listener(Booting(", ".join(arm.name for arm in plan.arms)))
        rehearsal = rehearse(lens, plan)
        rounds = Rounds()
        if rehearsal.course is not None:
            statuses = [seen.answer.status for seen in rehearsal.arms]
            rounds = measure_rounds(lens, plan, rehearsal.course, statuses, listener)
    document = comparison_document(plan, cast, rehearsal, rounds, ticks, time.monotonic() - started)
    return Outcome(document, evidence_of(plan, rehearsal, rounds))
