"""GitLab's code quality report: the fields it demands, and fingerprints that stay."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from wirespeed.model._base import Document
from wirespeed.model.advice import Advice
from wirespeed.model.guard import Guard
from wirespeed.report.formats import Setting, all_formats

GITLAB = all_formats()["gitlab"]


def written(document: Document, setting: Setting) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads(GITLAB.views[type(document)](document, setting))
    return entries


def test_an_entry_has_what_gitlab_demands(design: Advice, setting: Setting) -> None:
    (entry,) = written(design, setting)
    assert set(entry) == {"description", "check_name", "fingerprint", "severity", "location"}
    assert entry["check_name"] == "WS101"
    assert entry["severity"] == "minor"
    assert entry["location"] == {"path": "shop/users.py", "lines": {"begin": 31}}


def test_what_lies_outside_of_the_repository_is_left_out(nasty: Advice, setting: Setting) -> None:
    assert [entry["location"]["path"] for entry in written(nasty, setting)] == ["shop/sub dir/ev%il:é.py"]


def test_a_fingerprint_survives_that_lines_move_and_figures_change(design: Advice, setting: Setting) -> None:
    moved = tuple(
        each.model_copy(update={"source": "users.py:99", "whole_ns": 7_000_000}) for each in design.endpoints
    )
    before, after = written(design, setting), written(design.model_copy(update={"endpoints": moved}), setting)
    assert [each["fingerprint"] for each in before] == [each["fingerprint"] for each in after]
    assert before != after


def test_no_two_findings_share_a_fingerprint(catches: Advice, setting: Setting) -> None:
    prints = [entry["fingerprint"] for entry in written(catches, setting)]
    assert len(prints) > 2
    assert len(set(prints)) == len(prints)


def test_what_a_guard_proved_is_major(make_guard: Callable[..., Guard], setting: Setting) -> None:
    entries = written(make_guard(), setting)
    assert [(each["check_name"], each["severity"]) for each in entries] == [
        ("guard/behaviour", "major"),
        ("guard/slower", "major"),
    ]
