"""autocannon's JSON. Whether a rate was set stands nowhere in it.

With a rate, autocannon corrects for coordinated omission by adding samples that were no requests, one for
each millisecond that an answer took beyond the first; ``latency.totalCount`` then exceeds the answers.
"""

from __future__ import annotations

import re

from wirespeed.audit.numbers import amount, count, scaled
from wirespeed.model.audit import LatencyFigures, Percentile, ToolRun

from ._json import Fields, looks_like, pairs, parse, part, text_of
from ._reader import JSON_BYTES, NotReadable, Reader

DEFAULT_TIMEOUT_S = 10.0
_MS = 1e-3


def recognises(text: str) -> bool:
    return looks_like(text, "latency", "requests", "throughput") and '"non2xx"' in text


def read(text: str) -> ToolRun:
    found = parse(text)
    requests = part(found, "requests")
    answered = count(requests.get("total"))
    if answered is None:
        raise NotReadable("requests.total is missing")
    samples = count(part(found, "latency").get("totalCount"))
    timeouts = count(found.get("timeouts")) or 0
    errors = {"errors": (count(found.get("errors")) or 0) - timeouts, "time-outs": timeouts}
    return ToolRun(
        tool="autocannon",
        layout="autocannon's JSON",
        target=text_of(found, "url"),
        connections=_at_once(found),
        open_loop=True if samples is not None and samples > answered else None,
        duration_s=amount(found.get("duration")),
        requests_per_s=amount(requests.get("average")),
        answered=answered,
        sent=count(requests.get("sent")),
        statuses=_statuses(found),
        refused=sum(count(found.get(family)) or 0 for family in ("4xx", "5xx")),
        unanswered={kind: number for kind, number in errors.items() if number > 0},
        timeouts=timeouts,
        timeout_s=DEFAULT_TIMEOUT_S,
        latency=_latency(part(found, "latency"), samples),
    )


def _at_once(found: Fields) -> int | None:
    connections, pipelining = count(found.get("connections")), count(found.get("pipelining"))
    return connections * max(pipelining or 1, 1) if connections else None


def _statuses(found: Fields) -> dict[str, int] | None:
    told = part(found, "statusCodeStats")
    counted = ((status[:3], count(part(told, status).get("count"))) for status, _ in pairs(told))
    return {status: number for status, number in counted if number} or None


def _latency(fields: Fields, samples: int | None) -> LatencyFigures:
    percentiles = []
    for name, value in pairs(fields):
        percent, value_s = re.fullmatch(r"p(\d{1,2})(?:_(\d{1,6}))?", name), scaled(value, _MS)
        if percent and value_s is not None:
            share = float(f"{percent[1]}.{percent[2] or 0}") / 100
            percentiles.append(Percentile(share=share, value_s=value_s))
    return LatencyFigures(
        min_s=scaled(fields.get("min"), _MS),
        mean_s=scaled(fields.get("average"), _MS),
        max_s=scaled(fields.get("max"), _MS),
        percentiles=tuple(percentiles),
        samples=samples,
        # Times are cut to whole milliseconds before they are averaged.
        resolution_s=_MS,
        of="answers",
    )


READER = Reader("autocannon", "what autocannon --json prints", recognises, read, JSON_BYTES)
