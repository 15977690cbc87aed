"""What becomes of a file: before/after pairs as data, and git as the judge of their diffs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from wirespeed.source import Diff, Refused
from wirespeed.source.diff import diff_of
from wirespeed.source.file_text import FileText
from wirespeed.source.rewrite import rewrite
from wirespeed.source.route_edits import edits_of

from .golden_cases import Case, load_cases

CASES = load_cases()


def edited(case: Case) -> str:
    edits = list(edits_of(case.change, case.before, case.function, routes=case.routes))
    return rewrite(case.before, edits)


@pytest.mark.parametrize("case", [case for case in CASES if case.after], ids=lambda case: case.name)
def test_a_change_is_written_down_as_its_golden_text(case: Case) -> None:
    assert edited(case) == case.after


@pytest.mark.parametrize("case", [case for case in CASES if case.refused], ids=lambda case: case.name)
def test_a_change_without_a_safe_edit_is_refused_with_its_reason(case: Case) -> None:
    with pytest.raises(Refused) as refused:
        edited(case)
    assert refused.value.reason == case.refused


@pytest.mark.parametrize("case", [case for case in CASES if case.after], ids=lambda case: case.name)
def test_what_was_written_down_is_not_written_down_again(case: Case) -> None:
    assert case.after is not None
    again = list(edits_of(case.change, case.before, case.function, routes=case.routes))
    with pytest.raises(Refused, match="has changed since"):
        rewrite(case.after, again)


def test_git_applies_the_diffs_of_all_golden_cases_to_the_byte(tmp_path: Path) -> None:
    """In a folder below the repository's top, as an app's folder may be, and with a space in the names."""
    folder = tmp_path / "services" / "api"
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    diffs: list[Diff] = []
    changed = [(f"case {number}.py", case) for number, case in enumerate(CASES) if case.after]
    for name, case in changed:
        (folder / name).write_text(case.before, encoding="utf-8", newline="")
        diffs.append(diff_of(name, FileText(case.before, "utf-8", has_bom=False), case.after or ""))

    patch = b"".join(diff.to_bytes() for diff in diffs)
    subprocess.run(["git", "apply", "-"], cwd=folder, input=patch, check=True)

    assert [(folder / name).read_text(encoding="utf-8") for name, _ in changed] == [
        c.after for _, c in changed
    ]
