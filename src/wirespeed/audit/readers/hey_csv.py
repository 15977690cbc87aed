"""hey's CSV: one line an answer. Errors have no line, so how many there were cannot be told."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from wirespeed.audit.numbers import amount
from wirespeed.model.audit import LatencyFigures, Percentile, ToolRun

from ._reader import NotReadable, Reader

HEADER = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset"
_COLUMNS = HEADER.count(",") + 1
_SHARES = (0.5, 0.75, 0.9, 0.95, 0.99)
_RESOLUTION_S = 0.0001
_MOST_BYTES = 80 * 2**20
"""A million lines, which is where hey stops, have 55 MB."""


def recognises(text: str) -> bool:
    return text[: 2 * len(HEADER)].lstrip("\ufeff\r\n ").startswith(HEADER)


def read(text: str) -> ToolRun:
    answers = list(_answers(text))
    times_s = sorted(time_s for time_s, _, _ in answers)
    if not times_s:
        raise NotReadable("it holds no answers")
    duration_s = max(offset_s + time_s for time_s, offset_s, _ in answers)
    statuses = Counter(status for _, _, status in answers)
    return ToolRun(
        tool="hey",
        layout="hey's CSV",
        duration_s=duration_s,
        requests_per_s=len(times_s) / duration_s if duration_s else None,
        answered=len(times_s),
        statuses=dict(sorted(statuses.items())),
        refused=sum(number for status, number in statuses.items() if status >= "400"),
        latency=LatencyFigures(
            min_s=times_s[0],
            mean_s=math.fsum(times_s) / len(times_s),
            max_s=times_s[-1],
            percentiles=tuple(
                Percentile(share=share, value_s=times_s[math.ceil(share * len(times_s)) - 1])
                for share in _SHARES
            ),
            samples=len(times_s),
            resolution_s=_RESOLUTION_S,
            of="answers",
        ),
    )


def _answers(text: str) -> Iterator[tuple[float, float, str]]:
    """Seconds, offset of the start in seconds, and status of each."""
    lines = text.splitlines()
    for number, line in enumerate(lines, start=1):
        if number == 1 or not line:
            continue
        cells = line.split(",")
        time_s, offset_s = amount(cells[0]), amount(cells[-1])
        if len(cells) != _COLUMNS or time_s is None or offset_s is None or not cells[-2].isdigit():
            is_last = number == len(lines)
            raise NotReadable(
                "it is cut off in its last line" if is_last else f"line {number} is no line of hey's CSV"
            )
        yield time_s, offset_s, cells[-2][:3]


READER = Reader("hey-csv", "what hey -o csv prints", recognises, read, _MOST_BYTES)
