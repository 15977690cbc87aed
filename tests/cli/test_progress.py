"""What somebody who watches a terminal sees, and that nobody else does."""

from __future__ import annotations

import io

import pytest

from wirespeed.cli.progress import Step, remark, step, watching
from wirespeed.experiment.events import (
    Booting,
    Event,
    Listed,
    Noted,
    ProbeFinished,
    ProbeStarted,
    RoundFinished,
    RoundStarted,
    ScreenFinished,
    ScreenStarted,
)

EVENTS: list[Event] = [
    Booting("main:app"),
    Listed(endpoints=2, skipped=1),
    ProbeStarted("GET /a[bold]", index=1, total=2),
    ScreenStarted("GET /a[bold]", index=1, total=2),
    ScreenFinished("GET /a[bold]", arms=3),
    ProbeFinished("GET /a[bold]"),
    ProbeFinished("GET /b", note="answered 404"),
    Noted("the app prints a lot"),
    RoundStarted(index=1, total=2, eta_s=12),
    RoundFinished(index=1, total=2),
]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("event", "shown"),
    [
        (Listed(endpoints=2, skipped=1), Step("2 to call, 1 left alone", 0, 2)),
        (ProbeStarted("GET /a", index=2, total=5), Step("looking at GET /a", 1, 5)),
        (RoundStarted(index=3, total=8, eta_s=12), Step("measuring round 3, 12 s left", 2, 8)),
        (RoundStarted(index=3, total=8), Step("measuring round 3", 2, 8)),
        (RoundFinished(index=3, total=8), Step("measured round 3", 3, 8)),
        (ScreenFinished("GET /a", arms=1), None),
    ],
)
def test_the_bar_shows_what_is_done_and_what_is_left(event: Event, shown: Step | None) -> None:
    assert step(event) == shown


def test_only_notes_stay_on_the_screen() -> None:
    assert [said for event in EVENTS if (said := remark(event))] == [
        "GET /b: answered 404",
        "the app prints a lot",
    ]


def test_what_the_app_said_cannot_move_the_cursor() -> None:
    assert remark(Noted("\x1b[2J\x1b]0;title\x07gone\n")) == "gone"


def test_a_pipe_stays_empty() -> None:
    pipe = io.StringIO()

    with watching(pipe) as listener:
        for event in EVENTS:
            listener(event)

    assert pipe.getvalue() == ""


def test_a_terminal_shows_requests_as_they_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    terminal = Terminal()

    with watching(terminal) as listener:
        for event in EVENTS:
            listener(event)

    assert "GET /b: answered 404" in terminal.getvalue()
    assert "measured round 1" in terminal.getvalue()
