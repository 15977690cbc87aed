"""The replication document in words: every figure beside the published one, and both directions of a pair."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from typing import Any

from rich.console import Console

from wirespeed.model.advice import Environment
from wirespeed.model.replication import (
    Arm,
    Claim,
    ClaimVerdict,
    Conclusion,
    Pair,
    Replication,
    Source,
    Suite,
)
from wirespeed.report.replication import print_replication

MACHINE = Environment(cpu="a CPU", cores=2, load_1m=None, steal=None, os="Linux", event_loop="uvloop")


def arm(name: str, mean_ms: float, **more: Any) -> Arm:
    return Arm(
        name=name,
        mean_ns=round(mean_ms * 1e6),
        median_ns=round(mean_ms * 1e6),
        requests_per_s=1000 / mean_ms,
        stdev_ns=57_000,
        **{"step": "one connection", "connections": 1, **more},
    )


def document(**changed: Any) -> Replication:
    suite = Suite(
        name="typed-response",
        source=Source(title="a write-up", published="2026-02", versions={"fastapi": "0.131.0"}),
        arms=(arm("/untyped", 7.0, original={"mean_ns": 7.14e6}), arm("/typed", 0.5, errors={"timeout": 3})),
        claims=(
            Claim(
                statement="declaring the type makes it faster",
                original=12.3,
                ours=14.1,
                interval=(13.6, 14.6),
                verdict=ClaimVerdict.HOLDS,
                reason="interval above 2",
                source="the announcement",
            ),
            Claim(
                statement="the guard guards",
                original=None,
                ours=None,
                interval=None,
                verdict=ClaimVerdict.DOES_NOT_HOLD,
                reason="it passes",
            ),
        ),
        method_notes=("the same arm differed from itself by 7.4 %",),
        pairs=(
            Pair(
                step="one connection",
                arm="/typed",
                baseline="/untyped",
                ratio=0.0714,
                interval=(0.069, 0.074),
            ),
        ),
        conclusions=(Conclusion(step="one connection", fastest=("/typed",), text="/typed is the fastest"),),
        packages={"fastapi": "0.165.0"},
        rounds={"one connection": 8},
    )
    return Replication(
        created=datetime(2026, 11, 30, tzinfo=UTC),
        suites=(suite,),
        environment=MACHINE,
        elapsed_s=42.0,
        **changed,
    )


def printed(replication: Replication, width: int = 110) -> str:
    stream = io.StringIO()
    print_replication(replication, Console(file=stream, width=width))
    return stream.getvalue()


def test_figures_stand_beside_the_published_ones() -> None:
    text = printed(document())
    heading, untyped, typed, *_ = [line.split() for line in text.splitlines() if line.startswith("  ")]
    assert heading[:2] == ["mean", "median"]
    assert untyped[:5] == ["/untyped", "7.00", "ms", "7.00", "ms"]
    assert untyped[-2:] == ["7.14", "ms"]
    assert typed[:3] == ["/typed", "500", "µs"]
    assert "3 ×" in " ".join(typed)


def test_a_pair_is_told_both_ways() -> None:
    assert "time of /typed against /untyped: -92.9 % [-93.1, -92.6], the other way +1300.6 %" in printed(
        document()
    )


def test_a_claim_shows_both_figures_the_interval_and_why() -> None:
    text = printed(document())
    assert "holds          declaring the type makes it faster" in text
    assert "theirs 12.3× · ours 14.1× [13.6, 14.6] · interval above 2 · the announcement" in text
    assert "does not hold  the guard guards" in text


def test_what_the_method_could_not_know_comes_after_the_claims() -> None:
    text = printed(document())
    assert text.index("the guard guards") < text.index("differed from itself by 7.4 %")


def test_the_last_line_counts_the_verdicts_and_says_how_sure_they_are() -> None:
    closing = " ".join(printed(document()).split("\n\n")[-1].split())
    assert closing.startswith("2 claims: 1 holds, 1 does not hold, 0 cannot tell · a CPU, 2 cores · 42 s")
    assert closing.endswith("all intervals of a suite hold together in 95 % of such replications")


def test_a_run_that_was_cut_short_or_quick_says_so() -> None:
    text = printed(document(quick=True, complete=False))
    assert "a quick run" in text
    assert "stopped early" in text


def test_lines_fit_a_narrow_terminal_but_for_tables() -> None:
    lines = printed(document(), width=60).splitlines()
    assert (
        max(len(line) for line in lines if "ms" not in line and "µs" not in line and "requests/s" not in line)
        <= 60
    )


def test_names_from_an_app_cannot_move_the_cursor() -> None:
    shown = document()
    (suite,) = shown.suites
    nasty = suite.model_copy(update={"method_notes": ("\x1b[2Jgone",)})
    assert "\x1b" not in printed(shown.model_copy(update={"suites": (nasty,)}))
