"""What the report says of an endpoint: its conclusion, its note, its figures. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import numpy as np

from wirespeed.experiment.stopping import ConfirmPlan
from wirespeed.model.advice import Arm, Conclusion, Endpoint, HotFrame, Noise
from wirespeed.model.verdict import Verdict
from wirespeed.stats import pair_rounds, smallest_effect

from .judging import may_be_recommended
from .round_figures import Confirmed
from .selection import WORTH_A_LOOK
from .study import Study
from .table import Row

MOSTLY = 0.5


def conclusion_of(row: Row, *, has_recommendation: bool) -> Conclusion:
    """What to tell the reader about this endpoint, in one word."""
    study = row.study
    if study.is_unsafe:
        return "unsafe"
    if not study.is_measurable or _note(row) is not None:
        return "failed"
    if has_recommendation:
        return "remedy"
    if study.is_untried or (row.candidates and (not row.judged or _is_open(row))):
        return "undecided"
    if _time_is_elsewhere(study) or not study.seen.fast_path:
        return "elsewhere"
    return "fast"


def _note(row: Row) -> str | None:
    return row.study.note or row.failure


def _is_open(row: Row) -> bool:
    """Whether a remedy that keeps the bytes may yet be one."""
    return any(
        may_be_recommended(candidate) and each.verdict is Verdict.INCONCLUSIVE
        for candidate, each in zip(row.candidates, row.judged, strict=True)
    )


def _time_is_elsewhere(study: Study) -> bool:
    """Whether dependencies and endpoint take most of the request, and a frame in them can be named."""
    phases, whole_ns = study.seen.phases, study.seen.whole_ns
    if phases is None or not whole_ns or study.hot is None or study.hot.share is None:
        return False
    return phases.dependencies + phases.endpoint > MOSTLY * whole_ns


def note_of(row: Row, conclusion: Conclusion) -> str | None:
    """The sentence an endpoint's conclusion needs beside its figures."""
    study = row.study
    if (note := _note(row)) is not None:
        return note
    if conclusion == "remedy":
        return None
    if conclusion == "undecided":
        return row.why_unmeasured or "these rounds cannot tell; --budget or --rounds give more"
    if study.screening is not None and study.screening.invalid is not None and _has_replays(study):
        return f"its remedies cannot be measured by replay: {study.screening.invalid}"
    if study.seen.obstacle is not None:
        return study.seen.obstacle
    found = [each for each in study.findings if each.ignored is None]
    if conclusion == "elsewhere" and found and not _was_tried(study):
        return f"the response path is under {WORTH_A_LOOK:.0%} of the request: no remedy of it can matter"
    return None


def _has_replays(study: Study) -> bool:
    return any(not each.is_live for each in (*study.kept, *study.left))


def _was_tried(study: Study) -> bool:
    """Or advised: then there is something to read beside the finding."""
    return bool(study.kept or study.left) or any(finding.advice for finding in study.findings)


def endpoint_of(row: Row, arms: Sequence[Arm], conclusion: Conclusion, note: str | None) -> Endpoint:
    """The document's endpoint. Times come from the confirming rounds where it has any, else from round 0."""
    study, seen = row.study, row.study.seen
    request, hot = study.planned.request, study.hot
    live_ns = seen.whole_ns if row.live_ns is None else row.live_ns
    path_ns = seen.response_path_ns if row.path_ns is None else row.path_ns
    return Endpoint(
        method=request.method,
        path=study.route.path if study.route else request.path,
        request=request.name,
        source=study.route.source if study.route else None,
        status=seen.status,
        body_bytes=seen.body_bytes,
        fast_path=seen.fast_path,
        whole_ns=None if live_ns is None else round(live_ns),
        response_path_ns=None if path_ns is None else round(path_ns),
        floor_ns=None if study.screening is None else study.screening.floor_ns,
        gc_share=seen.gc_share,
        unstable=tuple(seen.unstable),
        phases_ns=seen.phases,
        hot_frame=None
        if hot is None or hot.share is None
        else HotFrame(share=hot.share, where=hot.where or ""),
        conclusion=conclusion,
        note=note,
        findings=tuple(study.findings),
        arms=tuple(arms),
    )


def noise_of(confirmed: Sequence[Confirmed], plan: ConfirmPlan) -> Noise:
    """Median spread of the arms' observations, and the smallest saving that so many of them show."""
    arms = [pair_rounds(np.array(each.response_path or each.whole), plan.pairings) for each in confirmed]
    observed = [each for each in arms if each.size >= 2]
    if not observed:
        return Noise(round_sd=None, smallest_effect=None)
    spread = statistics.median(float(each.std(ddof=1)) for each in observed)
    fewest = min(each.size for each in observed)
    return Noise(round_sd=spread, smallest_effect=smallest_effect(spread, fewest, plan.alpha, len(confirmed)))
