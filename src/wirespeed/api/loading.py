from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from wirespeed.cli.load_order import Loaded, Watch, loaded
from wirespeed.cli.load_plan import LoadOptions, load_order
from wirespeed.errors import SubjectError
from wirespeed.http.outcomes import Tally
from wirespeed.model.load import Load
from wirespeed.model.record import Record
from wirespeed.model.subject import ServerName

from .advising import NOTHING
from .running import finished, run
from .values import (
    AnyPath,
    Duration,
    RequestLike,
    as_assignments,
    as_duration,
    as_optional_duration,
    as_path,
    as_wishes,
)


@dataclass(frozen=True)
class LoadProgress:
    """How a run is going, about once a second."""

    elapsed_s: float
    answered: int
    failed: int


LoadListener = Callable[[LoadProgress], object]


def load(
    target: str,
    *,
    requests: Sequence[RequestLike] = (),
    headers: Mapping[str, str] = NOTHING,
    connections: int = 50,
    number: int | None = None,
    duration: Duration | None = None,
    rate: float | str | None = None,
    poisson: bool = False,
    slo: str | None = None,
    timeout: Duration = "30s",
    connect_timeout: Duration = "10s",
    processes: int = 1,
    seed: int | None = None,
    unix: AnyPath | None = None,
    insecure: bool = False,
    remote: bool = False,
    server: ServerName | None = None,
    workers: int | None = None,
    python: AnyPath | None = None,
    folder: AnyPath = ".",
    env: Mapping[str, str] = NOTHING,
    prepare: str | None = None,
    save: bool = False,
    listener: LoadListener | None = None,
) -> Load:
    """Put load on a server, and tell what became of every request.

    ``target`` is the URL of a server that is running, or an app, which is started behind its server first.
    Without ``rate`` every connection sends its next request when it has an answer; with it, requests fall due
    that often a second, and latencies count from that moment. A range, ``"100..2000"``, is searched for the
    highest rate that meets ``slo``, such as ``"p99<50ms"``. The run takes ``duration`` (10 s), or ends after
    ``number`` requests. ``remote`` says that a target on another machine may be loaded.

    Durations are ``"30s"``, seconds or ``timedelta``; the document's are nanoseconds. It says whether the run
    is valid, and whether the objective was met: neither is an error. More than one of ``processes`` starts
    others from the main module, which then needs its ``if __name__ == "__main__"``. ``save`` keeps a record
    in ``.wirespeed`` of the working directory.

    Raises ``UsageError`` for arguments that cannot be, ``SubjectError`` where the server cannot be reached or
    the app does not start, and ``KeyboardInterrupt`` for Ctrl-C.

    ```
    done = wirespeed.load("main:app", requests=["/users"], duration="5s")
    print(done.requests_per_s, done.latency_ns.p99)
    ```
    """

    def measure() -> Load:
        order = load_order(
            LoadOptions(
                target=target,
                connections=connections,
                requests=number,
                duration=as_optional_duration(duration),
                rate=None if rate is None else str(rate),
                poisson=poisson,
                slo=slo,
                timeout=as_duration(timeout),
                connect_timeout=as_duration(connect_timeout),
                processes=processes,
                seed=seed,
                unix=as_path(unix),
                insecure=insecure,
                remote=remote,
                server=server,
                workers=workers,
                python=as_path(python),
                folder=as_path(folder) or ".",
                env=as_assignments(env),
                prepare=prepare,
                ready=as_wishes(requests, headers),
            )
        )
        with loaded(order, lambda: nullcontext(_watch(listener))) as done:
            record = Record(kind="load", document=done.load)
            finished(record, Path.cwd(), complete=done.load.complete, save=save)
            _require_answers(done, target)
            return done.load

    return run(measure)


def _require_answers(done: Loaded, target: str) -> None:
    """As the command, whose exit code then says that the server failed."""
    if done.server_gone:
        raise SubjectError(f"{target} went away during the run")
    if not done.load.requests.answered:
        raise SubjectError(f"{target} answered not one request")


def _watch(listener: LoadListener | None) -> Watch:
    def tell(tally: Tally, elapsed_s: float) -> None:
        assert listener is not None
        listener(LoadProgress(elapsed_s, tally.answered, tally.failed))

    return lambda plan: None if listener is None else tell
