"""From what was measured to the document that is printed and kept."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from wirespeed import __version__
from wirespeed.http.engine import Measured
from wirespeed.http.health import complaints
from wirespeed.http.objective import Objective, judge
from wirespeed.http.outcomes import Distribution, Failure, Tally
from wirespeed.http.plan import LoadPlan
from wirespeed.http.search import Trial
from wirespeed.http.target import Target
from wirespeed.model import load
from wirespeed.model.advice import Environment
from wirespeed.stats.histogram import Histogram

PERCENTILES = {"p10": 0.1, "p50": 0.5, "p75": 0.75, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99_9": 0.999}


def summarize(
    target: Target,
    plan: LoadPlan,
    measured: Measured,
    environment: Environment,
    objective: Objective | None = None,
    trials: tuple[Trial, ...] = (),
) -> load.Load:
    """The document of a run, or of the best of several trials."""
    tally, duration_s = measured.tally, measured.duration_s
    reasons = tuple(_reasons(measured, plan, environment.cores))
    return load.Load(
        created=datetime.now(UTC),
        wirespeed=__version__,
        target=target.url,
        calls=tuple(load.LoadRequest(name=call.name, weight=call.weight) for call in target.requests),
        plan=_settings(plan),
        requests=_counts(tally),
        duration_s=duration_s,
        requests_per_s=tally.answered / duration_s,
        bytes=load.ReceivedBytes(received=tally.received_bytes, per_s=tally.received_bytes / duration_s),
        latency_ns=_latencies(tally.response),
        service_ns=_latencies(tally.service),
        phases_ns=_phases(measured),
        steps_ns=load.LoadSteps(**{name: _step(histogram) for name, histogram in vars(tally.steps).items()}),
        timeline=load.Timeline(slot_s=tally.timeline.slot_s, answers=tuple(tally.timeline.counts())),
        histogram=tally.response.histogram.encode(),
        generator=load.Generator(
            cpu=measured.health.cpu,
            lag_ns=_spread(measured.health.lag),
            late_ns=_spread(measured.health.late),
        ),
        environment=environment,
        complete=not measured.stopped_early,
        validity=load.Validity(valid=not reasons, reasons=reasons),
        objective=None if objective is None else _objective(tally, objective),
        search=tuple(map(_trial, trials)),
    )


def _reasons(measured: Measured, plan: LoadPlan, cores: int) -> Iterator[str]:
    if measured.server_gone:
        yield f"the server refused every connection from about {measured.duration_s - 5:.0f} s on"
    if not measured.tally.answered:
        yield "no request was answered"
    yield from complaints(measured.health, measured.tally, plan, cores)


def _settings(plan: LoadPlan) -> load.LoadSettings:
    return load.LoadSettings(
        connections=plan.connections,
        duration_s=plan.duration_s,
        requests=plan.requests,
        rate=plan.rate,
        poisson=plan.poisson,
        timeout_s=plan.timeout_s,
        connect_timeout_s=plan.connect_timeout_s,
        processes=plan.processes,
        seed=plan.seed,
    )


def _counts(tally: Tally) -> load.RequestCounts:
    return load.RequestCounts(
        due=tally.due,
        unsent=tally.unsent,
        sent=tally.sent,
        answered=tally.answered,
        in_flight=tally.in_flight,
        status={str(status): number for status, number in sorted(tally.status.items())},
        errors=load.ErrorCounts(**{failure.value: tally.errors[failure] for failure in Failure}),
        retried=tally.retried,
    )


def _latencies(distribution: Distribution) -> load.Latencies:
    histogram = distribution.histogram
    return load.Latencies(
        min=histogram.min_ns,
        mean=_rounded(histogram.mean_ns),
        stdev=_rounded(histogram.stdev_ns),
        max=histogram.max_ns,
        censored_above=distribution.censored_above_ns,
        **{name: _supported(histogram, share) for name, share in PERCENTILES.items()},
    )


def _phases(measured: Measured) -> load.LoadPhases:
    steps = measured.tally.steps
    return load.LoadPhases(
        dns=measured.lookup_ns,
        connect=steps.connect.percentile_ns(0.5),
        tls=steps.tls.percentile_ns(0.5),
        write=steps.write.percentile_ns(0.5),
        wait=steps.wait.percentile_ns(0.5),
        read=steps.read.percentile_ns(0.5),
    )


def _step(histogram: Histogram) -> load.Step | None:
    low_ns, mean_ns, high_ns = histogram.min_ns, histogram.mean_ns, histogram.max_ns
    if low_ns is None or mean_ns is None or high_ns is None:
        return None
    return load.Step(min=low_ns, mean=round(mean_ns), max=high_ns)


def _spread(histogram: Histogram) -> load.Spread | None:
    median_ns, high_ns = histogram.percentile_ns(0.5), histogram.percentile_ns(0.99)
    return None if median_ns is None or high_ns is None else load.Spread(p50=median_ns, p99=high_ns)


def _objective(tally: Tally, objective: Objective) -> load.Objective:
    finding = judge(tally, objective)
    return load.Objective(text=objective.text, met=finding.met, reason=finding.reason)


def _trial(trial: Trial) -> load.Trial:
    finding = trial.finding
    return load.Trial(
        rate=trial.plan.rate or 0.0, met=finding.met, value_ns=finding.value_ns, reason=finding.reason
    )


def _supported(histogram: Histogram, share: float) -> int | None:
    return histogram.percentile_ns(share) if histogram.supports(share) else None


def _rounded(value: float | None) -> int | None:
    return None if value is None else round(value)
