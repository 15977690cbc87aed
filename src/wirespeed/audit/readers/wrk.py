"""wrk's summary: closed loop; answers after the time-out are counted, but not timed.

Its latencies are not those of its requests alone: where an answer took more than twice the mean interval of a
connection, wrk adds samples that were no requests (``stats_correct`` in its source), so no number of samples
is given here.
"""

from __future__ import annotations

from wirespeed.model.audit import ToolRun

from ._reader import TEXT_BYTES, Reader
from ._wrk_layout import looks_like_wrk, read_summary
from .wrk2 import is_wrk2


def recognises(text: str) -> bool:
    return looks_like_wrk(text) and not is_wrk2(text)


def read(text: str) -> ToolRun:
    return read_summary(text, "wrk").model_copy(update={"open_loop": False})


READER = Reader("wrk", "the summary that wrk prints", recognises, read, TEXT_BYTES)
