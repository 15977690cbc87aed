"""Tracebacks as the app's author would see them under a server: without the agent's own frames."""

from __future__ import annotations

import importlib
import os
import traceback
from typing import Iterable, List, Optional

_OUR_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep
_IMPORT_MACHINERY = ("<frozen importlib", os.path.dirname(os.path.abspath(importlib.__file__)) + os.sep)


def is_ours(filename: str) -> bool:
    return filename.startswith(_OUR_FOLDER)


def is_plumbing(filename: str) -> bool:
    return is_ours(filename) or filename.startswith(_IMPORT_MACHINERY)


def app_traceback(error: BaseException) -> str:
    """The traceback of ``error`` and of everything it came from, as Python prints it."""
    report = traceback.TracebackException.from_exception(error)
    for part in _parts(report):
        part.stack = without_plumbing(part.stack)
    return "".join(report.format())


def full_traceback(error: BaseException) -> str:
    """With the agent's frames, for what should not have happened here."""
    return "".join(traceback.format_exception(type(error), error, error.__traceback__))


def without_plumbing(frames: Iterable[traceback.FrameSummary]) -> traceback.StackSummary:
    return traceback.StackSummary.from_list([frame for frame in frames if not is_plumbing(frame.filename)])


def last_line(error: BaseException) -> str:
    """``ValueError: no such table``, on one line even where the message has several."""
    text = " ".join(str(error).split())
    name = type(error).__name__
    return name + ": " + text if text else name


def _parts(report: Optional[traceback.TracebackException]) -> List[traceback.TracebackException]:
    """An exception's report with those of its causes, contexts and members; chains never loop."""
    found, queue = [], [report]
    while queue:
        part = queue.pop()
        if part is None:
            continue
        found.append(part)
        queue += [part.__cause__, part.__context__, *(getattr(part, "exceptions", None) or ())]
    return found
