"""From what was recommended, and what became of it in the files, to the ``fix`` document."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import wirespeed
from wirespeed.model.fix import Fix, FixedFile, FixedRemedy, State
from wirespeed.model.plan import AdvicePlan
from wirespeed.model.verdict import Estimate
from wirespeed.source.values import EditedFile, Written

from .advise import Advised
from .arms import parallel_estimate
from .edits import Proposal
from .table import Row


@dataclass
class Writing:
    """What became of the files. ``reasons``: why a remedy was rolled back, by the ``id`` of its proposal."""

    written: Written | None = None
    kept: list[Proposal] = field(default_factory=list)
    reasons: dict[int, str] = field(default_factory=dict)
    after: dict[int, Estimate] = field(default_factory=dict)
    """What a remedy's first endpoint takes now, by the ``id`` of the proposal."""
    interrupted: bool = False


@dataclass(frozen=True)
class FixOutcome:
    """The document; the diff as it must stand in a file, in the encodings of the user's files."""

    fix: Fix
    patch: bytes
    interrupted: bool

    @property
    def was_rolled_back(self) -> bool:
        return any(remedy.state == "rolled back" for remedy in self.fix.remedies)


def fix_outcome(plan: AdvicePlan, advised: Advised, writing: Writing | None, started: float) -> FixOutcome:
    """``writing`` is None where nothing was to be written."""
    advice = advised.outcome.advice
    shown = advised.together.written if writing is None else writing.written
    interrupted = advised.outcome.interrupted or (writing is not None and writing.interrupted)
    document = Fix(
        created=datetime.now(UTC),
        wirespeed=wirespeed.__version__,
        subject=advice.subject,
        environment=advice.environment,
        plan=advice.plan,
        diff=None if shown is None else shown.diff,
        written=writing is not None and writing.written is not None,
        remedies=tuple(_remedies(advised, writing)),
        files=tuple(_files(advised.together.written, writing, advised.zero.writer.folder)),
        notes=advice.notes,
        elapsed_s=time.monotonic() - started,
        complete=advice.complete and not interrupted,
    )
    return FixOutcome(document, b"" if shown is None else shown.to_bytes(), interrupted)


def _remedies(advised: Advised, writing: Writing | None) -> Iterator[FixedRemedy]:
    """Each recommended change once, with all endpoints that it reaches, those that were measured first."""
    uses: dict[int, list[Row]] = {}
    proposals: dict[int, Proposal] = {}
    for row in sorted(advised.table.rows, key=lambda row: not row.chosen):
        for proposal, _ in row.recommends:
            if not advised.together.standing(proposal).is_invalid:
                uses.setdefault(id(proposal), []).append(row)
                proposals[id(proposal)] = proposal
    for key, rows in uses.items():
        yield _remedy(proposals[key], rows, advised, writing)


def _remedy(proposal: Proposal, rows: list[Row], advised: Advised, writing: Writing | None) -> FixedRemedy:
    first = next((row for row in rows if row.measures(proposal)), rows[0])
    judged = next(each for mine, each in first.recommends if mine is proposal)
    candidate = next((each for each in first.candidates if each.proposal is proposal), None)
    fidelity = candidate.screened.fidelity if candidate is not None else None
    return FixedRemedy(
        code=proposal.change.code,
        name=proposal.change.name,
        requests=tuple(row.study.planned.request.name for row in rows),
        state=_state(proposal, advised, writing),
        edit=proposal.text,
        whole=judged.whole.estimate,
        parallel=parallel_estimate(judged.parallel),
        fidelity=fidelity or "identical",
        after=None if writing is None else writing.after.get(id(proposal)),
        reason=_reason(proposal, advised, writing),
    )


def _state(proposal: Proposal, advised: Advised, writing: Writing | None) -> State:
    if not any(proposal is each for each in advised.together.standing_proposals):
        return "by hand"
    if writing is None:
        return "proposed"
    return "written" if any(proposal is each for each in writing.kept) else "rolled back"


def _reason(proposal: Proposal, advised: Advised, writing: Writing | None) -> str | None:
    if writing is not None and (reason := writing.reasons.get(id(proposal))) is not None:
        return reason
    told = (advised.together.standing(proposal).reason, proposal.remark)
    return "; ".join(filter(None, told)) or None


def _files(together: Written | None, writing: Writing | None, folder: Path) -> Iterator[FixedFile]:
    if together is None:
        return
    kept = writing.written.files if writing is not None and writing.written is not None else ()
    written = {each.path for each in kept}
    for each in together.files:
        state = "proposed" if writing is None else "written" if each.path in written else "rolled back"
        yield FixedFile.model_validate({"path": _shown(each, folder), "state": state})


def _shown(file: EditedFile, folder: Path) -> str:
    return str(file.path.relative_to(folder) if file.path.is_relative_to(folder) else file.path)
