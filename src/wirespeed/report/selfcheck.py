"""The ``selfcheck`` document in words: how much rounds differ on this machine, and what they can show."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from wirespeed.model.selfcheck import Kind, Selfcheck

from .numbers import duration, elapsed, share
from .text import clean, counted

_PAIRINGS = {0: "as they are", 1: "in pairs", 2: "in fours"}


def print_selfcheck(checked: Selfcheck, console: Console) -> None:
    for line in selfcheck_lines(checked):
        console.print(Text(line), soft_wrap=True)


def selfcheck_lines(checked: Selfcheck) -> Iterator[str]:
    """One paragraph a kind of request, below the facts."""
    fastapi = checked.packages.get("fastapi", "unknown")
    yield f"FastAPI {clean(fastapi)} · Python {clean(checked.python)} · {elapsed(checked.elapsed_s)}"
    if not checked.complete:
        yield "Stopped early: this is what was measured until then."
    for kind in checked.kinds:
        yield ""
        yield f"{clean(kind.request)}  {duration(kind.call_ns)} · {counted(kind.rounds, 'round')}"
        yield from (f"  {line}" for line in _kind_lines(kind))
    if not checked.kinds:
        yield "Too few rounds to tell anything."


def _kind_lines(kind: Kind) -> Iterator[str]:
    yield f"rounds differ by {share(kind.round_sd)} (standard deviation)"
    few, many = share(kind.smallest_effect_8), share(kind.smallest_effect_40)
    yield f"8 rounds show a gain of {few}, 40 rounds one of {many}"
    if kind.autocorrelation is None or kind.pairings is None:
        yield "too few rounds to tell whether one depends on the one before"
    else:
        averaged = _PAIRINGS.get(kind.pairings, f"in groups of {2**kind.pairings}")
        yield f"autocorrelation {kind.autocorrelation:+.2f}: rounds are taken {averaged}"
