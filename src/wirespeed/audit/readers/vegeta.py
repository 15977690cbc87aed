"""vegeta's JSON report. Requests without an answer have status 0, and are timed like the others."""

from __future__ import annotations

import re

from wirespeed.audit.numbers import amount, count, scaled
from wirespeed.model.audit import LatencyFigures, Percentile, ToolRun

from ._json import Fields, looks_like, pairs, parse, part
from ._reader import JSON_BYTES, NotReadable, Reader

DEFAULT_TIMEOUT_S = 30.0
_NS = 1e-9
_NO_ANSWER = "0"


def recognises(text: str) -> bool:
    return looks_like(text, "latencies", "bytes_in", "status_codes")


def read(text: str) -> ToolRun:
    found = parse(text)
    sent, rate = count(found.get("requests")), amount(found.get("rate"))
    if sent is None or rate is None:
        raise NotReadable("requests or rate is missing")
    counted = ((status, count(number)) for status, number in pairs(part(found, "status_codes")))
    statuses = {status[:3]: number for status, number in counted if number}
    without = statuses.pop(_NO_ANSWER, 0)
    return ToolRun(
        tool="vegeta",
        layout="vegeta's JSON report",
        open_loop=True,
        duration_s=scaled(found.get("duration"), _NS),
        requests_per_s=rate,
        answered=sum(statuses.values()),
        sent=sent,
        statuses=statuses,
        refused=sum(number for status, number in statuses.items() if status >= "400"),
        unanswered={"without an answer": without} if without else {},
        timeout_s=DEFAULT_TIMEOUT_S,
        latency=_latency(part(found, "latencies"), sent),
    )


def _latency(fields: Fields, sent: int) -> LatencyFigures:
    percentiles = []
    for name, value in pairs(fields):
        percent, value_s = re.fullmatch(r"(\d{1,2})th", name), scaled(value, _NS)
        if percent and value_s is not None:
            percentiles.append(Percentile(share=int(percent[1]) / 100, value_s=value_s))
    return LatencyFigures(
        min_s=scaled(fields.get("min"), _NS),
        mean_s=scaled(fields.get("mean"), _NS),
        max_s=scaled(fields.get("max"), _NS),
        percentiles=tuple(percentiles),
        samples=sent,
        of="all requests",
    )


READER = Reader("vegeta", "what vegeta report -type=json prints", recognises, read, JSON_BYTES)
