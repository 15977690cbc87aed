"""What users rely on when evidence is saved: it is whole, private and somewhere; bad files are told apart."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from wirespeed.errors import RecordNotSaved, UsageError
from wirespeed.model.advice import Advice, Difference
from wirespeed.model.record import Record
from wirespeed.store import records
from wirespeed.store.records import load, save, user_data_folder

SAMPLE = Path(__file__).parents[1] / "data" / "advice.json"


@pytest.fixture
def record() -> Record:
    advice = Advice.model_validate_json(SAMPLE.read_bytes())
    return Record(document=advice, evidence={"rounds": [{"GET /untyped": {"baseline": [6310000, 6290000]}}]})


@pytest.fixture(autouse=True)
def data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's data folder, so that no test writes to the real one."""
    home = tmp_path / "data-home"
    monkeypatch.setenv("XDG_DATA_HOME", str(home))
    return home


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def test_what_was_saved_is_what_is_loaded(record: Record, project: Path) -> None:
    assert load(save(record, project)) == record


def test_a_record_is_named_by_its_time_and_kind(record: Record, project: Path) -> None:
    path = save(record, project)
    assert path.relative_to(project) == Path(".wirespeed/2026-11-30T12-00-00Z-advice.json")


def test_a_record_is_private_to_its_owner(record: Record, project: Path) -> None:
    assert save(record, project).stat().st_mode & 0o777 == 0o600


def test_git_never_sees_records(record: Record, project: Path) -> None:
    subprocess.run(["git", "init", "-q", project], check=True)
    save(record, project)
    seen = subprocess.run(["git", "-C", project, "status", "--short"], check=True, capture_output=True)
    assert seen.stdout == b""


def test_a_gitignore_that_the_user_changed_is_left_alone(record: Record, project: Path) -> None:
    ignore = save(record, project).parent / ".gitignore"
    ignore.write_text("*.tmp\n")
    save(record, project)
    assert ignore.read_text() == "*.tmp\n"


def test_records_of_the_same_second_never_overwrite_each_other(record: Record, project: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(lambda _: save(record, project), range(24)))
    assert len(set(paths)) == 24
    assert all(load(path) == record for path in paths)


def test_nothing_but_records_is_left_in_the_folder(record: Record, project: Path) -> None:
    path = save(record, project)
    assert {entry.name for entry in path.parent.iterdir()} == {".gitignore", path.name}


def test_where_the_project_cannot_be_written_the_users_data_folder_takes_the_record(
    record: Record, project: Path, data_home: Path
) -> None:
    (project / ".wirespeed").write_text("a file in the way")
    path = save(record, project)
    assert path.parent == data_home / "wirespeed"
    assert load(path) == record


def test_when_no_place_takes_the_record_the_error_names_each_and_says_what_to_do(
    record: Record, project: Path, data_home: Path
) -> None:
    (project / ".wirespeed").write_text("a file in the way")
    data_home.write_text("another")
    with pytest.raises(RecordNotSaved, match=r"project/\.wirespeed.*data-home/wirespeed") as caught:
        save(record, project)
    assert caught.value.advice is not None


def test_a_full_disk_leaves_no_half_written_record(project: Path, data_home: Path) -> None:
    """A limit on file sizes fails in the middle of a write, as a full disk does."""
    script = f"""
import resource, sys
from pathlib import Path
from wirespeed.errors import RecordNotSaved
from wirespeed.model.advice import Advice
from wirespeed.model.record import Record
from wirespeed.store.records import save
record = Record(document=Advice.model_validate_json(Path({str(SAMPLE)!r}).read_bytes()))
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    save(record, Path({str(project)!r}))
except RecordNotSaved as error:
    print(error.message)
"""
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert "could not be saved" in done.stdout
    assert {path.name for path in project.rglob("*") if path.is_file()} == {".gitignore"}
    assert {path.name for path in data_home.rglob("*") if path.is_file()} == {".gitignore"}


def test_values_that_json_cannot_hold_do_not_lose_the_record(record: Record, project: Path) -> None:
    odd = Difference(at="$.name", baseline="caf\udce9", arm=float("nan"))
    endpoint = record.document.endpoints[0]
    arm = endpoint.arms[0].model_copy(update={"differences": (odd,)})
    endpoint = endpoint.model_copy(update={"arms": (arm,)})
    advice = record.document.model_copy(update={"endpoints": (endpoint,)})
    saved = load(save(Record(document=advice), project))
    assert saved.document.endpoints[0].arms[0].differences == (
        Difference(at="$.name", baseline="caf?", arm=None),
    )


def test_the_output_of_json_can_be_loaded_too(record: Record, tmp_path: Path) -> None:
    path = tmp_path / "advice.json"
    path.write_bytes(record.document.to_json())
    assert load(path) == Record(document=record.document)


def without(field: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(SAMPLE.read_text())
    del document["endpoints"][0][field]
    return {"format": "wirespeed/record/1", "kind": "advice", "document": document}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "not JSON"),
        (b"requests per second: 12", "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        (b"[" * 200_000, "not JSON"),
        (b"[1, 2]", "names no wirespeed format"),
        (b'{"format": 7}', "names no wirespeed format"),
        (b'{"metrics": {}}', "names no wirespeed format"),
        (b'{"format": "wirespeed/record/2"}', "has the format wirespeed/record/2, and this version reads"),
        (b'{"format": "wirespeed/record/1"}', "not a complete record: document: Field required"),
        (
            json.dumps(without("whole_ns")).encode(),
            r"not a complete record: document\.endpoints\.0\.whole_ns: Field required",
        ),
    ],
)
def test_a_file_that_is_no_record_is_told_from_one_that_is(
    content: bytes, complaint: str, tmp_path: Path
) -> None:
    path = tmp_path / "record.json"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=complaint) as caught:
        load(path)
    assert caught.value.advice is not None


def test_a_missing_record_and_a_folder_are_usage_errors(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.json", tmp_path):
        with pytest.raises(UsageError, match="there is no record at"):
            load(path)


def test_a_pipe_with_no_writer_does_not_hang_the_reader(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="there is no record at"):
        load(tmp_path / "pipe")


def test_a_huge_file_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "MAX_BYTES", 1024 * 1024)
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(1024 * 1024 + 1)
    with pytest.raises(UsageError, match="too large"):
        load(path)


@pytest.mark.parametrize(
    ("environ", "platform", "expected"),
    [
        ({"XDG_DATA_HOME": "/data"}, "linux", "/data/wirespeed"),
        ({"XDG_DATA_HOME": "/data"}, "darwin", "/data/wirespeed"),
        ({}, "linux", "~/.local/share/wirespeed"),
        ({"XDG_DATA_HOME": ""}, "linux", "~/.local/share/wirespeed"),
        ({"XDG_DATA_HOME": "relative"}, "linux", "~/.local/share/wirespeed"),
        ({}, "darwin", "~/Library/Application Support/wirespeed"),
    ],
)
def test_the_users_data_folder_is_where_the_platform_expects_it(
    environ: dict[str, str], platform: str, expected: str
) -> None:
    assert user_data_folder(environ, platform) == Path(expected).expanduser()
