"""wrk2's summary: requests fall due at a rate, and latency counts from that moment. Nothing is backfilled.

The first ten seconds calibrate and are left out of the latencies. A time-out is a connection found waiting,
every now and then: one slow answer may count several times, and is timed all the same once it comes.
"""

from __future__ import annotations

import re

from wirespeed.audit.numbers import count
from wirespeed.model.audit import ToolRun

from ._reader import TEXT_BYTES, Reader
from ._wrk_layout import looks_like_wrk, read_summary

_SIGNS = re.compile(r"^ *Thread calibration: |HdrHistogram - |^ {4}Latency +-?nan", re.MULTILINE)


def is_wrk2(text: str) -> bool:
    return looks_like_wrk(text) and bool(_SIGNS.search(text))


def read(text: str) -> ToolRun:
    run = read_summary(text, "wrk2")
    samples = re.search(r"^ *#\[Max .{1,60}Total count += +(\d{1,15})\]", text, re.MULTILINE)
    latency = run.latency.model_copy(update={"samples": count(samples[1]) if samples else None})
    return run.model_copy(update={"open_loop": True, "overdue": run.late, "late": None, "latency": latency})


READER = Reader("wrk2", "the summary that wrk2 prints", is_wrk2, read, TEXT_BYTES)
