from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirespeed.cli.guard_plan import GuardOptions, guard_plan
from wirespeed.experiment.events import Listener, ignore
from wirespeed.guard import guard as guarding
from wirespeed.model.guard import Guard
from wirespeed.model.record import Record

from .advising import NOTHING
from .running import finished, run
from .values import (
    AnyPath,
    Duration,
    RequestLike,
    Share,
    as_assignments,
    as_codes,
    as_duration,
    as_path,
    as_share,
    as_wishes,
)


def guard(
    app: str,
    *,
    base: str,
    head: str | None = None,
    requests: Sequence[RequestLike] = (),
    headers: Mapping[str, str] = NOTHING,
    allow_body_change: Sequence[str] = (),
    max_slowdown: Share = "5%",
    python: AnyPath | None = None,
    folder: AnyPath = ".",
    env: Mapping[str, str] = NOTHING,
    prepare: str | None = None,
    same_env: bool = False,
    packages: Sequence[str] = (),
    base_packages: Sequence[str] = (),
    head_packages: Sequence[str] = (),
    budget: Duration = "30s",
    seed: int | None = None,
    deadline: Duration = "10s",
    save: bool = False,
    listener: Listener = ignore,
) -> Guard:
    """Tell whether an app has become slower than it was at another git revision, or answers differently.

    ``base`` is a revision; ``head`` another one, or else the files as they are. With ``requests``, nothing
    else is compared; ``allow_body_change`` are paths whose bodies may differ. ``max_slowdown`` is ``"5%"`` or
    ``0.05``. ``packages`` (``"fastapi==0.129.0"``) are installed on both sides, the others on one. Durations
    are ``"30s"``, seconds or ``timedelta``. ``save`` keeps a record in ``.wirespeed`` of the folder.

    The document's ``decision`` is pass, fail or inconclusive: none of them is an error.

    Raises ``UsageError`` for revisions and packages that are not there, ``SubjectError`` where a side does
    not start, ``MeasurementInvalid`` where there is nothing to compare, and ``KeyboardInterrupt`` for Ctrl-C.

    ```
    decision = wirespeed.guard("main:app", base="main", max_slowdown="3%").decision
    ```
    """

    def measure() -> Guard:
        plan = guard_plan(
            GuardOptions(
                app=app,
                base=base,
                head=head,
                allow_body_change=as_codes(allow_body_change, "allow_body_change"),
                prepare=prepare,
                python=as_path(python),
                folder=as_path(folder) or ".",
                env=as_assignments(env),
                same_env=same_env,
                requirements=as_codes(packages, "packages"),
                base_requirements=as_codes(base_packages, "base_packages"),
                head_requirements=as_codes(head_packages, "head_packages"),
                max_slowdown=as_share(max_slowdown),
                budget=as_duration(budget),
                seed=seed,
                deadline=as_duration(deadline),
                ready=as_wishes(requests, headers),
            )
        )
        outcome = guarding.guard(plan, listener)
        record = Record(kind="guard", document=outcome.document, evidence=outcome.evidence)
        finished(record, plan.subject.folder, complete=outcome.document.complete, save=save)
        return outcome.document

    return run(measure)
