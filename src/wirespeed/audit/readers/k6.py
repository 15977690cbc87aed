"""k6's end-of-test summary, as ``--summary-export`` writes it and as ``handleSummary`` gets it.

``http_req_failed`` counts the other way round than it reads: its ``passes`` are the requests that failed.
Failures are timed like answers, refused connections with zero milliseconds.
"""

from __future__ import annotations

import re

from wirespeed.audit.numbers import amount, count, scaled
from wirespeed.model.audit import LatencyFigures, Percentile, ToolRun

from ._json import Fields, looks_like, pairs, parse, part
from ._reader import JSON_BYTES, NotReadable, Reader

DEFAULT_TIMEOUT_S = 60.0
_MS = 1e-3


def recognises(text: str) -> bool:
    return looks_like(text, "metrics") and ('"http_reqs"' in text or '"vus_max"' in text)


def read(text: str) -> ToolRun:
    found = parse(text)
    metrics = part(found, "metrics")
    requests = _values(metrics, "http_reqs")
    sent, rate = count(requests.get("count")), amount(requests.get("rate"))
    if sent is None:
        raise NotReadable(
            "metrics.http_reqs is missing: the script sent no HTTP requests, or the file is not whole"
        )
    duration_s = scaled(part(found, "state").get("testRunDurationMs"), _MS)
    dropped = count(_values(metrics, "dropped_iterations").get("count"))
    return ToolRun(
        tool="k6",
        layout="k6's summary (handleSummary)" if part(found, "state") else "k6's summary (--summary-export)",
        open_loop=True if dropped else None,
        duration_s=duration_s or (sent / rate if rate else None),
        requests_per_s=rate,
        sent=sent,
        failed=_failed(_values(metrics, "http_req_failed"), sent),
        dropped=dropped,
        timeout_s=DEFAULT_TIMEOUT_S,
        latency=_latency(_values(metrics, "http_req_duration"), sent),
    )


def _values(metrics: Fields, name: str) -> Fields:
    """The figures of a metric: below ``values`` in handleSummary's data, at once in the exported file."""
    metric = part(metrics, name)
    return part(metric, "values") if "values" in metric else metric


def _failed(values: Fields, sent: int) -> int | None:
    failed = count(values.get("passes"))
    share = amount(values.get("rate", values.get("value")))
    return failed if failed is not None or share is None else round(share * sent)


def _latency(values: Fields, sent: int) -> LatencyFigures:
    percentiles = []
    for name, value in pairs(values):
        percent = re.fullmatch(r"p\((\d{1,2}(?:\.\d{1,6})?)\)", name)
        value_s = scaled(value, _MS)
        if percent and value_s is not None:
            percentiles.append(Percentile(share=float(percent[1]) / 100, value_s=value_s))
    samples = count(values.get("count"))
    return LatencyFigures(
        min_s=scaled(values.get("min"), _MS),
        mean_s=scaled(values.get("avg"), _MS),
        max_s=scaled(values.get("max"), _MS),
        percentiles=tuple(percentiles),
        samples=sent if samples is None else samples,
        of="all requests",
    )


READER = Reader("k6", "k6's summary: --summary-export, or handleSummary's data", recognises, read, JSON_BYTES)
