"""What a comparison says on the terminal: nobody wins in words who does not win in numbers."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from wirespeed.model.comparison import Comparison
from wirespeed.report.comparison import comparison_lines, print_comparison

SAMPLE = json.loads((Path(__file__).parents[1] / "data" / "comparison.json").read_text())
ARM, BASELINE = "GET /response-model", "GET /typed"


def estimate(
    verdict: str | None, ratio: float | None, interval: list[float] | None, **changed: Any
) -> dict[str, Any]:
    known = {
        "arm": ARM,
        "baseline": BASELINE,
        "metric": "median_service_time",
        "ratio": ratio,
        "interval": interval,
        "verdict": verdict,
        "note": None,
        "rounds_needed": None,
    }
    return {**known, **changed}


def printed(width: int = 100, **changed: Any) -> str:
    file = io.StringIO()
    document = Comparison.model_validate({**SAMPLE, **changed})
    print_comparison(document, Console(file=file, width=width, color_system=None))
    return file.getvalue()


def test_the_published_sample_reads_like_this() -> None:
    assert printed() == (
        "GET /response-model against GET /typed  one request at a time · 1 round · margin 2 % · seed 7\n"
        "\n"
        "                     median     p95     p99  CPU/request\n"
        "GET /typed           412 µs  480 µs  610 µs       388 µs  baseline\n"
        "GET /response-model  413 µs  481 µs  612 µs       389 µs\n"
        "\n"
        "GET /response-model  equivalent within 2 %: 0.1 % slower [-0.5, 0.7] · median service time\n"
        "[low, high]: intervals; all verdicts hold together in 95 % of such comparisons\n"
    )


BEGUN = "ended after 3 rounds"


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (estimate("faster", 0.5, [0.45, 0.55]), "2.00× faster [1.82, 2.22] · median service time"),
        (estimate("slower", 1.05, [1.03, 1.07]), "5.0 % slower [3.0, 7.0] · median service time"),
        (
            estimate("inconclusive", 0.99, [0.95, 1.03]),
            "cannot tell: between 3.0 % slower and 5.0 % faster · median service time",
        ),
        (
            estimate("inconclusive", None, None, rounds_needed=60),
            "cannot tell · median service time · about 60 rounds would decide",
        ),
        (
            estimate("inconclusive", None, None, note=BEGUN),
            f"cannot tell · median service time · {BEGUN}",
        ),
        (estimate("invalid", None, None), "no verdict · median service time"),
        (
            estimate("slower", 1.3, [1.2, 1.4], metric="peak_memory"),
            "1.30× more [1.20, 1.40] · peak memory",
        ),
        (
            estimate("faster", 0.9, [0.88, 0.92], metric="cpu_s_per_request"),
            "10.0 % less [8.0, 12.0] · CPU time per request",
        ),
    ],
)
def test_every_verdict_has_its_words(found: dict[str, Any], told: str) -> None:
    assert f"{ARM}  {told}\n" in printed(width=120, estimates=[found])


def test_an_undecided_comparison_names_no_winner() -> None:
    text = printed(estimates=[estimate("inconclusive", 0.95, [0.85, 1.04])])
    assert "between 4.0 % slower and 15.0 % faster" in text
    assert "5.0 % faster" not in text.replace("15.0 % faster", "")


def test_the_other_metrics_stand_below_the_verdict_and_unknown_ones_nowhere() -> None:
    others = [
        estimate(None, 1.02, [0.97, 1.07], metric="p95"),
        estimate(None, None, None, metric="p99", note="needs 1000 answers of each arm, and there are 600"),
    ]
    text = printed(estimates=[SAMPLE["estimates"][0], *others])
    assert "\n    95th percentile 2.0 % slower [-3.0, 7.0]\n" in text
    assert "99th" not in text


def test_reasons_come_before_any_figure() -> None:
    reason = "GET /b: 12 of 4800 requests failed"
    text = printed(
        validity={"valid": False, "reasons": [reason]}, estimates=[estimate("invalid", None, None)]
    )
    assert text.splitlines()[1] == f"invalid: {reason}"


def test_errors_have_a_column_of_their_own_with_their_kinds() -> None:
    arms = [{**SAMPLE["arms"][0], "errors": {"timeout": 2, "status 503": 1}}, SAMPLE["arms"][1]]
    assert "2 × no answer in time, 1 × status 503" in printed(width=120, arms=arms)


def test_under_load_the_rate_is_shown() -> None:
    arms = [{**arm, "requests_per_s": 2420.4} for arm in SAMPLE["arms"]]
    text = printed(lens={"name": "load", "connections": 50}, arms=arms)
    assert "50 requests at once" in text
    assert "requests/s" in text
    assert "2,420" in text


def test_three_arms_are_counted_in_the_title() -> None:
    third = {**SAMPLE["arms"][1], "name": "GET /untyped"}
    text = printed(arms=[*SAMPLE["arms"], third])
    assert text.startswith("2 arms against GET /typed")


def test_where_answers_differ_both_values_are_shown() -> None:
    different = {**SAMPLE["arms"][1], "differences": [{"at": "$.price", "baseline": 12.5, "arm": "12.5"}]}
    assert "    $.price: '12.5' instead of 12.5\n" in printed(arms=[SAMPLE["arms"][0], different])


def test_notes_and_unstable_places_are_told() -> None:
    text = printed(notes=["the servers were not restarted"], unstable=["$.at", "$.id"], complete=False)
    assert "note: the servers were not restarted\n" in text
    assert "note: changes from call to call, not compared: $.at, $.id\n" in text
    assert "Stopped early" in text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_prose_fits_the_terminal(width: int) -> None:
    notes = ["a note that is so long that it surely does not fit on a single line of any terminal " * 2]
    lines = list(comparison_lines(Comparison.model_validate({**SAMPLE, "notes": notes}), width))
    prose = [line for line in lines if not line.plain.startswith((ARM, BASELINE, " " * 8))]
    assert max(line.cell_len for line in prose) <= width


def test_names_from_the_app_cannot_write_on_the_terminal() -> None:
    arms = [{**SAMPLE["arms"][0], "name": "GET /\x1b[31mred"}, SAMPLE["arms"][1]]
    assert "\x1b" not in printed(arms=arms)
