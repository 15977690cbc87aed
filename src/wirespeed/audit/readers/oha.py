"""oha's JSON. With -z, requests under way at the end are listed among the errors; they are no failures."""

from __future__ import annotations

from wirespeed.audit.numbers import amount, count
from wirespeed.model.audit import LatencyFigures, Percentile, ToolRun

from ._json import Fields, looks_like, pairs, parse, part
from ._reader import JSON_BYTES, NotReadable, Reader

_AT_THE_END = "aborted due to deadline"
_TIMED_OUT = ("timeout", "timed out")


def recognises(text: str) -> bool:
    return looks_like(text, "summary", "latencyPercentiles") and '"requestsPerSec"' in text


def read(text: str) -> ToolRun:
    found = parse(text)
    summary = part(found, "summary")
    if amount(summary.get("requestsPerSec")) is None:
        raise NotReadable("summary.requestsPerSec is missing")
    statuses = _counts(part(found, "statusCodeDistribution"))
    errors = _counts(part(found, "errorDistribution"))
    in_flight = errors.pop(_AT_THE_END, 0)
    answered = sum(statuses.values())
    return ToolRun(
        tool="oha",
        layout="oha's JSON",
        duration_s=amount(summary.get("total")),
        requests_per_s=amount(summary.get("requestsPerSec")),
        answered=answered,
        statuses=statuses,
        refused=sum(number for status, number in statuses.items() if status >= "400"),
        unanswered=errors,
        in_flight=in_flight,
        timeouts=sum(n for message, n in errors.items() if any(w in message.lower() for w in _TIMED_OUT)),
        latency=LatencyFigures(
            min_s=amount(summary.get("fastest")),
            mean_s=amount(summary.get("average")),
            max_s=amount(summary.get("slowest")),
            percentiles=_percentiles(part(found, "latencyPercentiles")),
            samples=answered,
            of="answers",
        ),
    )


def _counts(fields: Fields) -> dict[str, int]:
    counted = ((key[:200], count(value)) for key, value in pairs(fields))
    return {key: number for key, number in counted if number}


def _percentiles(fields: Fields) -> tuple[Percentile, ...]:
    found = []
    for name, value in pairs(fields):
        percent, value_s = amount(name.removeprefix("p")), amount(value)
        if percent is not None and value_s is not None and percent < 100:
            found.append(Percentile(share=percent / 100, value_s=value_s))
    return tuple(found)


READER = Reader("oha", "what oha --output-format json prints", recognises, read, JSON_BYTES)
