"""What ``fix`` tells: each remedy with what became of it, the diff, and one sentence at the end."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from typing import Any

import pytest
from rich.console import Console

from wirespeed.model.fix import Fix
from wirespeed.report.fix import fix_view
from wirespeed.report.fix_terminal import print_fix

DIFF = """\
--- a/main.py
+++ b/main.py
@@ -9,1 +9,1 @@
-async def rows():
+async def rows() -> list[Row]:
"""
REMEDY: dict[str, Any] = {
    "code": "WS101",
    "name": "-> list[Row]",
    "requests": ["GET /rows"],
    "state": "proposed",
    "edit": DIFF,
    "whole": {"ratio": 0.05, "interval": [0.04, 0.06]},
    "parallel": None,
    "fidelity": "identical",
}
PLAN = {"budget_s": 60, "margin": 0.02, "alpha": 0.05, "seed": 7, "rounds": 8, "live_calls": 3}
MACHINE = {"cpu": "cpu", "cores": 2, "load_1m": None, "steal": None, "os": "Linux", "event_loop": "asyncio"}


def fix(*remedies: dict[str, Any], **fields: Any) -> Fix:
    document: dict[str, Any] = {
        "created": datetime(2026, 1, 1, tzinfo=UTC),
        "wirespeed": "0.1.0",
        "subject": {"app": "main:app", "python": "3.13.0", "packages": {}},
        "environment": MACHINE,
        "plan": PLAN,
        "diff": DIFF,
        "written": False,
        "remedies": [{**REMEDY, **each} for each in remedies],
        "files": [{"path": "main.py", "state": "proposed"}],
    }
    return Fix.model_validate({**document, **fields})


def printed(document: Fix, *, with_diff: bool = True, width: int = 100) -> str:
    out = io.StringIO()
    print_fix(fix_view(document), Console(file=out, width=width, color_system=None), with_diff=with_diff)
    return out.getvalue()


def test_a_remedy_says_what_it_gains_and_the_diff_can_be_applied_as_it_stands() -> None:
    told = printed(fix({}))

    assert (
        "WS101  -> list[Row]  proposed\n    GET /rows · 20.0× faster [16.7, 25.0] · identical bytes" in told
    )
    assert DIFF in told
    assert told.endswith("Nothing was written: --write does, and proves it.\n")


def test_the_diff_is_left_out_where_it_is_printed_elsewhere() -> None:
    assert "@@" not in printed(fix({}), with_diff=False)


def test_what_was_written_says_what_it_gained_once_written() -> None:
    after = {"ratio": 0.051, "interval": [0.05, 0.052]}
    done = fix(
        {"state": "written", "after": after}, written=True, files=[{"path": "main.py", "state": "written"}]
    )
    told = printed(done)

    assert "once written: 19.6× faster [19.2, 20.0]" in told
    assert told.endswith("Wrote 1 remedy to 1 file.\n")


def test_what_was_rolled_back_says_why() -> None:
    back = fix({"state": "rolled back", "reason": "GET /rows: its answer differs: $[0]"}, diff=None)
    told = printed(back)

    assert "rolled back" in told
    assert "its answer differs: $[0]" in told
    assert told.endswith("Everything was rolled back: no file is changed.\n")


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        (fix(diff=None, files=[]), "Nothing to fix: no remedy is proven to help."),
        (fix({}, complete=False), "Interrupted: no file is changed."),
        (fix({"state": "by hand"}, diff=None), "No safe edit could be made: write them by hand."),
    ],
)
def test_the_last_sentence_says_what_became_of_the_files(document: Fix, sentence: str) -> None:
    assert printed(document).endswith(sentence + "\n")


def test_nothing_of_the_app_can_move_the_cursor() -> None:
    sly = fix(
        {"name": "-> \x1b[2J", "requests": ["GET /\x1b]0;x\x07"], "reason": "\x1b[1A"}, diff="+\x1b[2J\n"
    )

    assert "\x1b" not in printed(sly)
