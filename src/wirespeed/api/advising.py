from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirespeed.cli.advise_plan import AdviseOptions, advice_plan
from wirespeed.diagnosis import advise as diagnosis
from wirespeed.experiment.events import Listener, ignore
from wirespeed.model.advice import Advice
from wirespeed.model.record import Record
from wirespeed.model.subject import ServerName

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

NOTHING: Mapping[str, str] = {}


def advise(
    app: str,
    *,
    requests: Sequence[RequestLike] = (),
    headers: Mapping[str, str] = NOTHING,
    only: bool = False,
    python: AnyPath | None = None,
    folder: AnyPath = ".",
    env: Mapping[str, str] = NOTHING,
    prepare: str | None = None,
    budget: Duration = "60s",
    margin: Share = "2%",
    live: int = 3,
    rounds: int | None = None,
    seed: int | None = None,
    deadline: Duration = "10s",
    http: bool = False,
    server: ServerName | None = None,
    workers: int | None = None,
    select: Sequence[str] = (),
    ignored: Sequence[str] = (),
    baseline: AnyPath | None = None,
    save: bool = False,
    listener: Listener = ignore,
) -> Advice:
    """Find the endpoints of an app that answer slowly, and measure every remedy.

    ``app`` is an import string (``"main:app"``), a file or a folder, seen from ``folder``; it runs in a
    process of its own, in the environment of ``python``. ``requests`` are ``"/orders/42"``,
    ``"POST /orders"`` or ``wirespeed.Request``; with ``only``, nothing else is measured. ``headers`` are sent
    with every request.

    ``budget`` (all of it) and ``deadline`` (one call) are texts such as ``"60s"``, numbers of seconds, or
    ``timedelta``; ``margin``, the smallest gain that matters, is ``"2%"`` or the fraction ``0.02``. ``live``
    is how often an endpoint's own code runs in a round. ``select`` and ``ignored`` are codes of rules or
    families (``"WS1"``), ``baseline`` a file of known findings. ``listener`` hears what is going on, in the
    thread that measures. ``save`` keeps a record in ``.wirespeed`` of the folder; otherwise nothing is
    written.

    Raises ``UsageError`` for arguments that cannot be, ``SubjectError`` where the app does not import or
    start, ``MeasurementInvalid`` where not one endpoint could be measured, and ``KeyboardInterrupt`` for
    Ctrl-C.

    ```
    advice = wirespeed.advise("main:app", requests=["/orders/42"], budget="20s")
    slow = [endpoint.request for endpoint in advice.endpoints if endpoint.conclusion == "remedy"]
    ```
    """

    def measure() -> Advice:
        plan = advice_plan(
            AdviseOptions(
                app=app,
                gets=(),
                requests=(),
                bodies=(),
                headers=(),
                only=only,
                prepare=prepare,
                python=as_path(python),
                folder=as_path(folder) or ".",
                env=as_assignments(env),
                budget=as_duration(budget),
                margin=as_share(margin),
                live=live,
                rounds=rounds,
                seed=seed,
                deadline=as_duration(deadline),
                http=http,
                server=server,
                workers=workers,
                rules=as_codes(select, "select"),
                ignored_rules=as_codes(ignored, "ignored"),
                baseline=as_path(baseline),
                ready=as_wishes(requests, headers, only=only),
            )
        )
        outcome = diagnosis.advise(plan, listener)
        record = Record(document=outcome.advice, evidence=outcome.evidence)
        finished(record, plan.subject.folder, complete=not outcome.interrupted, save=save)
        return outcome.advice

    return run(measure)
