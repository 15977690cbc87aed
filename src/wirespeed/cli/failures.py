"""Errors and warnings in words, on stderr: what went wrong, what to do next, what the app itself said."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator

from rich.text import Text

from wirespeed.errors import AgentFailed, SubjectDied, SubjectError, SubjectHung, WirespeedError
from wirespeed.report.terminal import make_console
from wirespeed.report.text import clean, clean_lines

OUTPUT_LINES = 20


def explain(error: WirespeedError) -> None:
    """Print an error that was raised on purpose: the message, the advice, then the app's own words."""
    _headline("error: ", "bold red", error.message)
    if isinstance(error, SubjectHung | SubjectDied):
        _line(f"It happened during: {clean(error.during)}")
    if error.advice:
        _line(clean(error.advice))
    for line in _quoted(error):
        _line(line)


def warn(message: str, advice: str | None = None) -> None:
    """Print what the reader should know although the command went on."""
    _headline("warning: ", "bold yellow", message)
    if advice:
        _line(clean(advice))


def tell(message: str) -> None:
    """Print a line that belongs to no document, such as where a record was put."""
    _line(clean(message))


def confess(error: Exception) -> None:
    """Print an error that nobody foresaw, with all that a report of it needs."""
    for line in clean_lines("".join(traceback.format_exception(error))):
        _line(line)
    _headline("error: ", "bold red", "this is a bug in wirespeed, not in your app")
    _line("Please report it with the traceback above.")


def _quoted(error: WirespeedError) -> Iterator[str]:
    if isinstance(error, AgentFailed) and error.traceback:
        yield from clean_lines(error.traceback)
    if isinstance(error, SubjectError):
        yield from _told_by_the_app(error)


def _told_by_the_app(error: SubjectError) -> Iterator[str]:
    if error.app_traceback:
        yield "The app's own traceback:"
        yield from (f"  {line}" for line in clean_lines(error.app_traceback))
    lines = clean_lines(error.output.strip())
    if lines:
        yield "The app printed:" if len(lines) <= OUTPUT_LINES else "The app printed, at the end:"
        yield from (f"  {line}" for line in lines[-OUTPUT_LINES:])


def _headline(label: str, style: str, message: str) -> None:
    first, *more = clean_lines(message) or [""]
    make_console(sys.stderr).print(Text.assemble((label, style), first), soft_wrap=True)
    for line in more:
        _line(line)


def _line(text: str) -> None:
    make_console(sys.stderr).print(Text(text), soft_wrap=True)
