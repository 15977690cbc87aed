"""The commands by name. Their modules are imported only when one of them is asked for.

Lives here: what ``wirespeed --help`` says. This file must never import Typer, Rich or Pydantic: together they
take longer than a help page may. Even ``dataclasses`` would show.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from wirespeed import __doc__ as tagline


class Command(NamedTuple):
    name: str
    module: str
    """Defines ``COMMAND``, a Typer app of one command whose help begins with ``summary``."""
    summary: str


COMMANDS = (
    Command("advise", "wirespeed.cli.advise", "Find endpoints that answer slowly, and measure every remedy."),
    Command(
        "fix",
        "wirespeed.cli.fix",
        "Show the recommended remedies as one diff, or write them and prove them.",
    ),
    Command(
        "compare",
        "wirespeed.cli.compare",
        "Tell whether one thing is faster than another, or that it cannot be told.",
    ),
    Command(
        "guard",
        "wirespeed.cli.guard",
        "Fail when the app has become slower than it was at another revision, or answers differently.",
    ),
    Command(
        "bisect",
        "wirespeed.cli.bisect",
        "Find the release, or the commit, that changed how fast an app answers.",
    ),
    Command("load", "wirespeed.cli.load", "Put load on a server, and tell what became of every request."),
    Command(
        "replicate", "wirespeed.cli.replicate", "Measure published claims about speed again, on this machine."
    ),
    Command(
        "audit",
        "wirespeed.cli.audit",
        "Tell what the output of hey, wrk, wrk2, ab, oha, k6, vegeta or autocannon supports.",
    ),
    Command(
        "report", "wirespeed.cli.report", "Show a saved record again, on the terminal or for other programs."
    ),
    Command(
        "config", "wirespeed.cli.config", "Show what a command would go by, and where each value comes from."
    ),
    Command("selfcheck", "wirespeed.cli.selfcheck", "Measure how small an effect this machine can show."),
    Command("rule", "wirespeed.cli.rule", "Explain a rule: when it fires, what cures it, what can go wrong."),
)

CHECK_FAILED, BUG, INTERRUPTED = 1, 4, 130
EXIT_CODES = {
    0: "done",
    CHECK_FAILED: "a check failed (--fail-on, --slo, --strict, guard)",
    2: "wrong usage",
    3: "the app or server under study failed",
    BUG: "no verdict: the measurement is invalid, nothing could be measured, or wirespeed has a bug",
    INTERRUPTED: "interrupted",
}
"""The errors in ``wirespeed.errors`` know their own."""


def root_help() -> str:
    """What ``wirespeed --help`` prints."""
    return "\n".join(
        [
            "Usage: wirespeed COMMAND [OPTIONS]",
            "",
            (tagline or "").strip(),
            "",
            "Commands:",
            *_columns((command.name, command.summary) for command in COMMANDS),
            "",
            "Options:",
            *_columns([("-h, --help", "Show this page."), ("--version", "Show the version.")]),
            "",
            "Examples:",
            "  wirespeed advise main:app",
            "  wirespeed advise main:app --get '/orders/42' --header 'Authorization: Bearer x'",
            "  wirespeed load http://127.0.0.1:8000/users --rate 500",
            "  wirespeed advise --help",
            "",
            "Exit codes:",
            *_columns((str(code), meaning) for code, meaning in EXIT_CODES.items()),
        ]
    )


def _columns(rows: Iterable[tuple[str, str]]) -> list[str]:
    pairs = list(rows)
    width = max(len(left) for left, _ in pairs)
    return [f"  {left:<{width}}  {right}" for left, right in pairs]
