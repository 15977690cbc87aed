"""The summary that wrk and wrk2 share: read into the figures that both have."""

from __future__ import annotations

import re

from wirespeed.audit.command_line import Syntax, find_command
from wirespeed.audit.numbers import amount, count, metric, seconds
from wirespeed.model.audit import Asked, LatencyFigures, Percentile, ToolRun

from ._reader import NotReadable, refuse_several

COMMAND = Syntax(
    programs=("wrk", "wrk2"),
    values={
        "-c": "connections",
        "--connections": "connections",
        "-R": "rate",
        "--rate": "rate",
        "-T": "timeout",
        "--timeout": "timeout",
    },
    attached=True,
    flags=frozenset({"-L", "--latency", "-U", "--u_latency", "-v", "--version", "-B", "--batch_latency"}),
)
DEFAULT_TIMEOUT_S = 2.0
ERROR_KINDS = ("connect", "read", "write")


def looks_like_wrk(text: str) -> bool:
    return bool(re.search(r"^ {2}Thread Stats +Avg +Stdev +Max", text, re.MULTILINE))


def read_summary(text: str, tool: str) -> ToolRun:
    """Everything but how latencies are to be read, which is where the two tools differ."""
    refuse_several(text, "Requests/sec:")
    started = re.search(r"^Running .{1,20} test @ (\S+)", text, re.MULTILINE)
    load = re.search(r"^ {2}(\d{1,9}) threads? and (\d{1,9}) connections?", text, re.MULTILINE)
    ended = re.search(r"^ {2}(\d{1,15}) requests in ([\d.]+[a-z]+), ", text, re.MULTILINE)
    rate = re.search(r"^Requests/sec: +([\d.]+)", text, re.MULTILINE)
    if ended is None or rate is None:
        raise NotReadable("it is cut off: the line with Requests/sec is missing")
    command = find_command(text, COMMAND)
    asked = command.asked if command else Asked()
    errors = _socket_errors(text)
    refused = re.search(r"^ {2}Non-2xx or 3xx responses: (\d{1,15})", text, re.MULTILINE)
    per_thread = _stats(text, "Req/Sec")
    return ToolRun(
        tool=tool,
        layout=f"{tool}'s summary",
        target=started[1] if started else None,
        asked=asked,
        threads=count(load[1]) if load else None,
        connections=count(load[2]) if load else None,
        duration_s=seconds(ended[2]),
        requests_per_s=amount(rate[1]),
        answered=count(ended[1]),
        refused=count(refused[1]) if refused else 0,
        unanswered={f"{kind} errors": errors[kind] for kind in ERROR_KINDS if errors.get(kind)},
        late=errors.get("timeout", 0),
        timeout_s=asked.timeout_s or DEFAULT_TIMEOUT_S,
        per_thread_per_s=metric(per_thread[0]) if per_thread else None,
        latency=_latency(text),
    )


def _socket_errors(text: str) -> dict[str, int]:
    """wrk prints the line only where one of them is not zero."""
    line = re.search(r"^ {2}Socket errors: (.{1,200})$", text, re.MULTILINE)
    found = re.findall(r"([a-z]+) (\d{1,15})", line[1]) if line else []
    return {kind: int(number) for kind, number in found}


def _stats(text: str, row: str) -> tuple[str, str, str] | None:
    """Mean, standard deviation and maximum as they stand."""
    match = re.search(rf"^ {{4}}{row} +(\S+) +(\S+) +(\S+)", text, re.MULTILINE)
    return (match[1], match[2], match[3]) if match else None


def _latency(text: str) -> LatencyFigures:
    mean, _, highest = _stats(text, "Latency") or ("", "", "")
    unit = re.search(r"[a-z]+$", mean)
    # wrk2 prints two distributions with --u_latency: the first is the one that its other figures are from.
    distribution = re.split(r"^ *Latency Distribution.*$", text, flags=re.MULTILINE)[1:2]
    return LatencyFigures(
        mean_s=seconds(mean),
        max_s=seconds(highest),
        percentiles=tuple(_percentiles(distribution[0])) if distribution else (),
        resolution_s=(seconds(f"0.01{unit[0]}") or 0.0) if unit else 0.0,
        of="answers",
    )


def _percentiles(text: str) -> list[Percentile]:
    found: list[Percentile] = []
    for percent, value in re.findall(r"^ *(\d{1,3}(?:\.\d{1,6})?)% +(\S+)", text, re.MULTILINE):
        share, value_s = float(percent) / 100, seconds(value)
        if found and share <= found[-1].share:
            break
        if value_s is not None and share < 1:
            found.append(Percentile(share=share, value_s=value_s))
    return found
