"""Steps that were measured before an interruption: found again, or as if they had never been."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import TypeAdapter

from wirespeed.errors import RecordNotSaved
from wirespeed.store.replication_state import StepStore

KEY = "suite/step/abc"


def store_in(folder: Path) -> StepStore[dict[str, int]]:
    return StepStore(folder, TypeAdapter(dict[str, int]))


def test_a_step_is_found_again_by_another_run(tmp_path: Path) -> None:
    store_in(tmp_path).keep(KEY, {"rounds": 8})
    assert store_in(tmp_path).recall(KEY) == {"rounds": 8}
    assert store_in(tmp_path).recall("suite/step/def") is None


def test_a_file_that_was_tampered_with_counts_as_nothing(tmp_path: Path) -> None:
    store_in(tmp_path).keep(KEY, {"rounds": 8})
    (file,) = (tmp_path / ".wirespeed" / "replicating").iterdir()
    file.write_bytes(b'{"rounds": "many"}')
    assert store_in(tmp_path).recall(KEY) is None


def test_what_is_forgotten_is_measured_again(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.forget()
    store.keep(KEY, {"rounds": 8})
    store.forget()
    assert store.recall(KEY) is None


def test_git_does_not_see_the_steps(tmp_path: Path) -> None:
    store_in(tmp_path).keep(KEY, {})
    assert (tmp_path / ".wirespeed" / ".gitignore").read_text() == "*\n"


def test_a_place_that_is_no_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / ".wirespeed").write_text("")
    with pytest.raises(RecordNotSaved):
        store_in(tmp_path).keep(KEY, {})
