"""hey's summary. It counts errors in its rate, and times at most a million answers."""

from __future__ import annotations

import re

from wirespeed.audit.command_line import Syntax, find_command
from wirespeed.audit.numbers import amount, count
from wirespeed.model.audit import Asked, LatencyFigures, Percentile, ToolRun

from ._reader import TEXT_BYTES, NotReadable, Reader, refuse_several

COMMAND = Syntax(
    programs=("hey",),
    values={
        "-n": "requests",
        "-c": "connections",
        "-q": "rate a connection",
        "-t": "timeout",
    },
    flags=frozenset({"-disable-compression", "-disable-keepalive", "-disable-redirects", "-h2"}),
    stops_at_url=True,
)
DEFAULT_TIMEOUT_S = 20.0
DEFAULT_CONNECTIONS = 50
TIMED_OUT = "time-outs"
_RESOLUTION_S = 0.0001
_LONGEST_KIND = 80
_SAYS_TIMEOUT = re.compile(r"Client\.Timeout|deadline exceeded|i/o timeout", re.IGNORECASE)


def recognises(text: str) -> bool:
    return bool(re.search(r"^Summary:\s*$", text, re.MULTILINE)) and bool(
        re.search(r"^ {2}Requests/sec:", text, re.MULTILINE)
    )


def read(text: str) -> ToolRun:
    refuse_several(text, "Summary:")
    command = find_command(text, COMMAND)
    asked = command.asked if command else Asked()
    rate = _figure(text, "Requests/sec")
    if "Status code distribution:" not in text:
        # hey always prints the heading, even where nothing was answered.
        raise NotReadable("it is cut off: the status code distribution is missing")
    if rate is None:
        raise NotReadable("its Requests/sec is no number as hey prints them, with a point for decimals")
    statuses = {code: int(n) for code, n in re.findall(r"^ {2}\[(\d{3})\]\t(\d{1,15}) responses", text, re.M)}
    errors = _errors(text)
    if not statuses and not errors:
        raise NotReadable("it is cut off: there are neither statuses nor errors")
    answered = sum(statuses.values())
    return ToolRun(
        tool="hey",
        layout="hey's summary",
        target=command.target if command else None,
        asked=asked,
        connections=asked.connections or (DEFAULT_CONNECTIONS if command else None),
        open_loop=asked.rate_per_s is not None if command else None,
        duration_s=_figure(text, "Total"),
        requests_per_s=rate,
        answered=answered,
        statuses=statuses,
        refused=sum(number for code, number in statuses.items() if code >= "400"),
        unanswered=errors,
        timeouts=errors.get(TIMED_OUT, 0),
        timeout_s=asked.timeout_s or DEFAULT_TIMEOUT_S,
        latency=_latency(text, answered),
    )


def _figure(text: str, name: str) -> float | None:
    match = re.search(rf"^ {{2}}{name}:\t\s*([\d.]+)(?![\d.,])", text, re.MULTILINE)
    return amount(match[1]) if match else None


def _errors(text: str) -> dict[str, int]:
    _, _, told = text.partition("Error distribution:")
    errors: dict[str, int] = {}
    for number, message in re.findall(r"^ {2}\[(\d{1,15})\]\t(.*)$", told, re.MULTILINE):
        kind = _kind(message)
        errors[kind] = errors.get(kind, 0) + (count(number) or 0)
    return errors


def _kind(message: str) -> str:
    """The end of Go's message says what happened; before it stand URL and ports, which differ."""
    if _SAYS_TIMEOUT.search(message):
        return TIMED_OUT
    return message.rpartition(": ")[2].strip()[:_LONGEST_KIND]


def _latency(text: str, answered: int) -> LatencyFigures:
    percentiles = re.findall(r"^ {2}(\d{1,2})%+ in ([\d.]+) secs", text, re.MULTILINE)
    return LatencyFigures(
        min_s=_figure(text, "Fastest"),
        mean_s=_figure(text, "Average"),
        max_s=_figure(text, "Slowest"),
        percentiles=tuple(Percentile(share=int(p) / 100, value_s=float(value)) for p, value in percentiles),
        samples=answered,
        resolution_s=_RESOLUTION_S,
        of="answers",
    )


READER = Reader("hey", "the summary that hey prints", recognises, read, TEXT_BYTES)
