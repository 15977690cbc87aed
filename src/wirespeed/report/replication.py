"""The ``replication`` document in words: by suite the figures, the claims, and what nobody had known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from rich.console import Console
from rich.text import Text

from wirespeed.model.replication import Arm, Claim, ClaimVerdict, Conclusion, Pair, Replication, Suite

from .layout import flow, padded, styled, widest, words
from .load import ERRORS, grouped, rate
from .numbers import duration, elapsed, share
from .terminal import WIDEST, print_lines
from .text import Role, clean, counted

VERDICT_ROLES: dict[ClaimVerdict, Role] = {
    ClaimVerdict.HOLDS: "good",
    ClaimVerdict.DOES_NOT_HOLD: "bad",
    ClaimVerdict.CANNOT_TELL: "warn",
}
_GAP, _INDENT = "  ", "  "
_NAME_LIMIT = 40
_MOST_PAIRS = 6
_VERDICT_WIDTH = max(map(len, ClaimVerdict))


def print_replication(replication: Replication, console: Console) -> None:
    print_lines(replication_lines(replication, min(console.width, WIDEST)), console)


def replication_lines(replication: Replication, width: int) -> Iterator[Text]:
    """The report, line by line, for a terminal of so many cells."""
    for suite in replication.suites:
        yield from _suite(suite, width)
        yield Text()
    yield from flow(words(_closing(replication), "muted"), width, hanging=2)


def _suite(suite: Suite, width: int) -> Iterator[Text]:
    yield from flow(words(clean(suite.source.title)), width, start=styled(suite.name + _GAP, "strong"))
    for when, versions in (
        (suite.source.published or "then", suite.source.versions),
        ("here", suite.packages),
    ):
        if versions:
            told = " · ".join(f"{name} {version}" for name, version in versions.items())
            yield from flow(words(f"{when}: {told}", "muted"), width, hanging=4)
    conclusions = {each.step: each for each in suite.conclusions}
    for step, group in groupby(suite.arms, key=lambda arm: arm.step):
        arms = list(group)
        yield Text()
        pairs = _told_pairs([pair for pair in suite.pairs if pair.step == step], arms[0].name)
        yield from _step(suite, step, arms, pairs, conclusions.get(step), width)
    yield Text()
    for claim in suite.claims:
        yield from _claim(claim, width)
    if suite.method_notes:
        yield Text()
        yield styled("What the original method could not know", "strong")
        for note in suite.method_notes:
            yield from flow(words(clean(note)), width, start=Text("- "), hanging=2)


def _told_pairs(pairs: Sequence[Pair], first: str) -> list[Pair]:
    """All of few; of many, those with the first arm. The document has all of them."""
    return [pair for pair in pairs if len(pairs) <= _MOST_PAIRS or first in (pair.arm, pair.baseline)]


def _step(
    suite: Suite,
    step: str,
    arms: Sequence[Arm],
    pairs: Sequence[Pair],
    conclusion: Conclusion | None,
    width: int,
) -> Iterator[Text]:
    facts = [counted(arms[0].connections, "connection")]
    if step in suite.rounds:
        facts.append(counted(suite.rounds[step], "round"))
    yield styled(clean(step), "strong") + styled(_GAP + ", ".join(facts), "muted")
    yield from _table(arms)
    for pair in pairs:
        yield from flow(words(_pair(pair)), width, start=Text(_INDENT), hanging=4)
    if conclusion is not None:
        yield from flow(words(clean(conclusion.text)), width, start=Text(_INDENT), hanging=4)


_COLUMNS: dict[str, Callable[[Arm], str | None]] = {
    "mean": lambda arm: _spelled(arm.mean_ns, duration),
    "median": lambda arm: _spelled(arm.median_ns, duration),
    "requests/s": lambda arm: _spelled(arm.requests_per_s, rate),
    "std. deviation": lambda arm: _spelled(arm.stdev_ns, duration),
    "their mean": lambda arm: _spelled(arm.original.get("mean_ns"), duration),
    "their requests/s": lambda arm: _spelled(arm.original.get("requests_per_s"), rate),
    "errors": lambda arm: _errors(arm.errors),
}


def _spelled(value: float | None, spell: Callable[[float], str]) -> str | None:
    return None if value is None else spell(value)


def _errors(errors: dict[str, int]) -> str | None:
    kinds = [f"{grouped(number)} × {ERRORS.get(kind, clean(kind))}" for kind, number in errors.items()]
    return ", ".join(kinds) or None


def _table(arms: Sequence[Arm]) -> Iterator[Text]:
    """One line an arm; columns that no arm has anything for are left out."""
    cells = {name: [tell(arm) for arm in arms] for name, tell in _COLUMNS.items()}
    shown = {name: column for name, column in cells.items() if any(column)}
    names = [clean(arm.name) for arm in arms]
    left = widest(names, _NAME_LIMIT)
    widths = {name: max(len(name), *(len(cell or "") for cell in column)) for name, column in shown.items()}
    head = "".join(_GAP + name.rjust(widths[name]) for name in shown)
    yield styled(_INDENT + " " * left + head, "muted")
    for number, name in enumerate(names):
        figures = "".join(_GAP + (column[number] or "").rjust(widths[key]) for key, column in shown.items())
        yield Text(_INDENT) + padded(Text(name), left) + figures


def _pair(pair: Pair) -> str:
    """Both ways: 5 times the time is 400 % more, and seen from the other side 80 % less."""
    arm, baseline = clean(pair.arm), clean(pair.baseline)
    low, high = pair.interval
    return (
        f"time of {arm} against {baseline}: {_percent(pair.ratio)} [{_signed(low)}, {_signed(high)}], "
        f"the other way {_percent(1 / pair.ratio)}"
    )


def _percent(ratio: float) -> str:
    return f"{_signed(ratio)} %"


def _signed(ratio: float) -> str:
    return f"{(ratio - 1) * 100:+.1f}"


def _claim(claim: Claim, width: int) -> Iterator[Text]:
    verdict = styled(claim.verdict.value.ljust(_VERDICT_WIDTH), VERDICT_ROLES[claim.verdict])
    hanging = _VERDICT_WIDTH + len(_GAP)
    yield from flow(words(clean(claim.statement)), width, start=verdict + _GAP, hanging=hanging)
    yield from flow(
        [styled(fact, "muted") for fact in _facts(claim)],
        width,
        start=Text(" " * hanging),
        hanging=hanging,
        separator=" · ",
    )


def _facts(claim: Claim) -> Iterator[str]:
    if claim.original is not None:
        yield f"theirs {_times(claim.original)}"
    if claim.ours is not None:
        interval = "" if claim.interval is None else " [{}, {}]".format(*map(_figure, claim.interval))
        yield f"ours {_times(claim.ours)}{interval}"
    yield clean(claim.reason)
    yield clean(claim.source)


def _times(ratio: float) -> str:
    return f"{_figure(ratio)}×"


def _figure(ratio: float) -> str:
    return f"{ratio:.1f}" if ratio >= 9.95 else f"{ratio:.3g}" if ratio < 1 else f"{ratio:.2f}"


def _closing(replication: Replication) -> str:
    verdicts = [claim.verdict for suite in replication.suites for claim in suite.claims]
    tally = ", ".join(f"{verdicts.count(each)} {each.value}" for each in ClaimVerdict)
    facts = [f"{counted(len(verdicts), 'claim')}: {tally}"]
    facts.append(f"{replication.environment.cpu}, {counted(replication.environment.cores, 'core')}")
    if replication.elapsed_s is not None:
        facts.append(elapsed(replication.elapsed_s))
    if replication.quick:
        facts.append("a quick run: without --quick, more can be told")
    if not replication.complete:
        facts.append("stopped early: this is what was measured until then")
    facts.append(
        f"all intervals of a suite hold together in {share(1 - replication.alpha)} of such replications"
    )
    return " · ".join(facts)
