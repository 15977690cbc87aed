"""The ``wirespeed/fix/1`` document: what ``fix --json`` prints."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import AwareDatetime

from ._base import Document
from .advice import Environment, Fidelity, ParallelEstimate, Plan, SubjectFacts
from .verdict import Estimate

FORMAT: Final = "wirespeed/fix/1"

State = Literal["proposed", "written", "rolled back", "by hand"]


class FixedRemedy(Document):
    """One recommended remedy, on all endpoints that it helps."""

    code: str
    name: str
    requests: tuple[str, ...]
    state: State
    """``proposed``: in the diff, and nothing was written. ``by hand``: no safe edit exists."""
    edit: str | None
    """Its own diff; of a remedy by hand, what to write."""
    whole: Estimate | None
    """As its arm was measured, before anything was written; on the first of the endpoints."""
    parallel: ParallelEstimate | None
    fidelity: Fidelity
    after: Estimate | None = None
    """The same request once it was written, against the app as it was; with all that was written there."""
    reason: str | None = None
    """Why it was rolled back, or has no edit; else what to know of it."""


class FixedFile(Document):
    path: str
    """Relative to the app's folder where it lies below it."""
    state: Literal["proposed", "written", "rolled back"]


class Fix(Document):
    format: Literal["wirespeed/fix/1"] = FORMAT
    created: AwareDatetime
    wirespeed: str
    subject: SubjectFacts
    environment: Environment
    plan: Plan
    diff: str | None
    """What was written, or would be: for ``git apply`` in the app's folder. Null where there is nothing."""
    written: bool
    remedies: tuple[FixedRemedy, ...]
    files: tuple[FixedFile, ...]
    notes: tuple[str, ...] = ()
    elapsed_s: float | None = None
    complete: bool = True
    """False when Ctrl-C ended it early; everything is as it was then."""
