from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirespeed.cli.compare_options import CompareOptions
from wirespeed.cli.compare_plan import comparison_plan
from wirespeed.experiment import compare as experiment
from wirespeed.experiment.events import Listener, ignore
from wirespeed.model.comparison import Comparison, LensName, Metric
from wirespeed.model.record import Record
from wirespeed.model.subject import ServerName

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
    as_optional_duration,
    as_path,
    as_paths,
    as_share,
    as_wishes,
)


def compare(
    *subjects: str,
    requests: Sequence[RequestLike] = (),
    servers: Sequence[ServerName] = (),
    workers: Sequence[int] = (),
    pythons: Sequence[AnyPath] = (),
    packages: Sequence[str] = (),
    revisions: Sequence[str] = (),
    cross: bool = False,
    headers: Mapping[str, str] = NOTHING,
    folder: AnyPath = ".",
    env: Mapping[str, str] = NOTHING,
    prepare: str | None = None,
    lens: LensName = "service",
    connections: int | None = None,
    metric: Metric | None = None,
    margin: Share = "2%",
    budget: Duration | None = None,
    until_decided: bool = False,
    max_errors: Share = "0.1%",
    allow_different: bool = False,
    timeout: Duration = "30s",
    insecure: bool = False,
    remote: bool = False,
    seed: int | None = None,
    save: bool = False,
    listener: Listener = ignore,
) -> Comparison:
    """Tell whether one thing is faster than another, or that it cannot be told.

    ``subjects`` are apps, or URLs of servers that are running. What has several values is what is compared,
    the first of them being the baseline: two subjects, ``requests``, ``servers``, ``workers``, ``pythons``
    (interpreters or environments), ``packages`` (``"fastapi==0.129.0"``, several for one arm separated by
    commas) or git ``revisions``; with ``cross``, all combinations of several.

    Durations are ``"30s"``, seconds or ``timedelta``, and shares ``"2%"`` or ``0.02``; without ``budget`` it
    is 60 s. ``remote`` says that a URL on another machine may be loaded. ``save`` keeps a record in
    ``.wirespeed``.

    In the document an estimate's ``ratio`` is the arm's figure divided by the baseline's, and ``interval``
    holds at all looks together; a comparison that is not valid has no verdict, and says why.

    Raises ``UsageError`` for arguments that cannot be, ``SubjectError`` for an arm that does not answer the
    first time, and ``KeyboardInterrupt`` for Ctrl-C.

    ```
    comparison = wirespeed.compare("main:app", requests=["/a", "/b"], budget="20s")
    print(comparison.estimates[0].verdict)
    ```
    """

    def measure() -> Comparison:
        plan = comparison_plan(
            CompareOptions(
                subjects=subjects,
                servers=as_codes(servers, "servers"),
                workers=tuple(workers),
                pythons=as_paths(pythons, "pythons"),
                requirements=as_codes(packages, "packages"),
                revisions=as_codes(revisions, "revisions"),
                cross=cross,
                prepare=prepare,
                folder=as_path(folder) or ".",
                env=as_assignments(env),
                lens=lens,
                connections=connections,
                metric=metric,
                margin=as_share(margin),
                budget=as_optional_duration(budget),
                until_decided=until_decided,
                max_errors=as_share(max_errors),
                allow_different=allow_different,
                timeout=as_duration(timeout),
                insecure=insecure,
                remote=remote,
                seed=seed,
                ready=as_wishes(requests, headers),
            )
        )
        outcome = experiment.compare(plan, listener)
        record = Record(kind="comparison", document=outcome.document, evidence=outcome.evidence)
        finished(record, plan.folder, complete=outcome.document.complete, save=save)
        return outcome.document

    return run(measure)
