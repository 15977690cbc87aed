"""ab's report. A reset connection fails three times over in it: as Receive, as Length and as Exception.

It is timed all the same. A time-out ends the run without a report, so a whole report has none.
"""

from __future__ import annotations

import re

from wirespeed.audit.command_line import Syntax, find_command
from wirespeed.audit.numbers import amount, count, scaled
from wirespeed.model.audit import Asked, LatencyFigures, Percentile, ToolRun

from ._reader import TEXT_BYTES, NotReadable, Reader, refuse_several

COMMAND = Syntax(
    programs=("ab",),
    values={"-n": "requests", "-c": "connections"},
    flags=frozenset({"-k", "-q", "-r", "-l", "-d", "-i", "-S", "-V", "-h", "-w", "-I"}),
    stops_at_url=True,
    attached=True,
)
_MS = 1e-3
_GAVE_UP = re.compile(r"^(apr_\w+: .{1,200})$", re.MULTILINE)


def recognises(text: str) -> bool:
    return "This is ApacheBench" in text or bool(
        re.search(r"^Concurrency Level: +\d", text, re.MULTILINE)
        and re.search(r"^Complete requests: +\d", text, re.MULTILINE)
    )


def read(text: str) -> ToolRun:
    refuse_several(text, "Requests per second:")
    rate, complete = amount(_field(text, "Requests per second")), count(_field(text, "Complete requests"))
    if rate is None or complete is None:
        gave_up = _GAVE_UP.search(text)
        raise NotReadable(
            f"ab gave up: {gave_up[1]}" if gave_up else "it is cut off: Requests per second is missing"
        )
    command = find_command(text, COMMAND)
    failures = _failures(text)
    lost = max(failures["Receive"], failures["Exceptions"])
    refused = count(_field(text, "Non-2xx responses")) or 0
    per_request = re.search(r"^Time per request: +([\d.]+) \[ms\] \(mean, across", text, re.MULTILINE)
    return ToolRun(
        tool="ab",
        layout="ab's report",
        version=_version(text),
        target=_target(text),
        asked=command.asked if command else Asked(),
        connections=count(_field(text, "Concurrency Level")),
        open_loop=False,
        duration_s=amount(_field(text, "Time taken for tests")),
        requests_per_s=rate,
        answered=max(complete - lost, 0),
        sent=complete,
        refused=refused,
        unanswered={
            kind: number
            for kind, number in {"connect errors": failures["Connect"], "receive errors": lost}.items()
            if number
        },
        odd_lengths=max(failures["Length"] - lost, 0),
        per_request_s=scaled(per_request[1], _MS) if per_request else None,
        latency=_latency(text, complete),
    )


def _field(text: str, name: str) -> str | None:
    match = re.search(rf"^{name}: +(\d[\d.]*)", text, re.MULTILINE)
    return match[1] if match else None


def _failures(text: str) -> dict[str, int]:
    """By kind; ab prints the line only where there are any."""
    line = re.search(r"^ +\((Connect: .{1,200})\)$", text, re.MULTILINE)
    found = dict(re.findall(r"(\w+): (\d{1,15})", line[1])) if line else {}
    return {kind: count(found.get(kind)) or 0 for kind in ("Connect", "Receive", "Length", "Exceptions")}


def _version(text: str) -> str | None:
    match = re.search(r"^This is ApacheBench, Version (\S{1,40})", text, re.MULTILINE)
    return match[1] if match else None


def _target(text: str) -> str | None:
    host = re.search(r"^Server Hostname: +(\S+)", text, re.MULTILINE)
    port = re.search(r"^Server Port: +(\d+)", text, re.MULTILINE)
    path = re.search(r"^Document Path: +(\S+)", text, re.MULTILINE)
    return f"{host[1]}:{port[1]}{path[1]}" if host and port and path else None


def _latency(text: str, complete: int) -> LatencyFigures:
    total = re.search(r"^Total: +(\d+) +(\d+) +[\d.]+ +\d+ +(\d+)", text, re.MULTILINE)
    lowest, mean, highest = total.groups() if total else (None, None, None)
    percentiles = re.findall(r"^ +(\d{1,2})% +(\d{1,15})$", text, re.MULTILINE)
    return LatencyFigures(
        min_s=scaled(lowest, _MS),
        mean_s=scaled(mean, _MS),
        max_s=scaled(highest, _MS),
        percentiles=tuple(
            Percentile(share=int(percent) / 100, value_s=int(value) * _MS) for percent, value in percentiles
        ),
        samples=complete,
        resolution_s=_MS,
        of="all requests",
    )


READER = Reader("ab", "the report that ab prints", recognises, read, TEXT_BYTES)
