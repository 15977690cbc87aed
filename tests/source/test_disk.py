"""Writing to the user's disk: all or nothing, never over what somebody else wrote, and back to the byte."""

from __future__ import annotations

import os
import resource
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from wirespeed.source import EditedFile, Written
from wirespeed.source.disk import EditNotWritten, write_to_disk

NOBODY = 65534


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where another user may look, unlike below pytest's own folder."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def change(folder: Path) -> Written:
    """Of two files with all that bytes can be."""
    one = EditedFile(folder / "a.py", "a = 'ö'\r\n", "a = 'ä'\r\n", "latin-1")
    two = EditedFile(folder / "b.py", "b = 1", "b = 2", "utf-8", has_bom=True)
    for file in (one, two):
        file.path.write_bytes(file.bytes_before)
        file.path.chmod(0o640)
    return Written((one, two), ())


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_every_file_gets_its_new_bytes_and_keeps_its_mode(folder: Path) -> None:
    write_to_disk(change(folder))
    assert contents(folder) == {"a.py": b"a = '\xe4'\r\n", "b.py": b"\xef\xbb\xbfb = 2"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o640}


def test_a_change_is_taken_back_to_the_byte(folder: Path) -> None:
    written = change(folder)
    before = contents(folder)
    write_to_disk(written).roll_back()
    assert contents(folder) == before


def test_a_link_stays_a_link(folder: Path) -> None:
    written = change(folder)
    real = (folder / "a.py").rename(folder / "real.py")
    (folder / "a.py").symlink_to(real)
    write_to_disk(written)
    assert (folder / "a.py").is_symlink()
    assert real.read_bytes() == b"a = '\xe4'\r\n"


def test_a_file_that_changed_meanwhile_is_refused_and_no_other_is_written(folder: Path) -> None:
    written = change(folder)
    (folder / "b.py").write_bytes(b"mine")
    before = contents(folder)
    with pytest.raises(EditNotWritten, match=r"b\.py has been changed in the meantime"):
        write_to_disk(written)
    assert contents(folder) == before


def test_a_file_that_changed_after_writing_is_not_rolled_back_over(folder: Path) -> None:
    on_disk = write_to_disk(change(folder))
    (folder / "b.py").write_bytes(b"mine")
    before = contents(folder)
    with pytest.raises(EditNotWritten, match=r"b\.py has been changed in the meantime"):
        on_disk.roll_back()
    assert contents(folder) == before


def test_a_file_that_is_gone_is_refused(folder: Path) -> None:
    written = change(folder)
    (folder / "b.py").unlink()
    with pytest.raises(EditNotWritten, match=r"b\.py cannot be written: No such file or directory"):
        write_to_disk(written)
    assert contents(folder) == {"a.py": b"a = '\xf6'\r\n"}


def test_a_full_disk_changes_nothing(folder: Path) -> None:
    written = change(folder)
    before = contents(folder)
    with no_room(), pytest.raises(EditNotWritten, match="cannot be written") as failed:
        write_to_disk(written)
    assert contents(folder) == before
    assert "by hand" in str(failed.value.advice)


@pytest.mark.parametrize("read_only", [".", "a.py"], ids=["folder", "file"])
def test_a_read_only_folder_or_file_changes_nothing(folder: Path, read_only: str) -> None:
    written = change(folder)
    for path in folder.iterdir():
        path.chmod(0o666)
    before = contents(folder)
    folder.chmod(0o777)
    (folder / read_only).chmod(0o555)
    with somebody_else(), pytest.raises(EditNotWritten, match=r"a\.py cannot be written"):
        write_to_disk(written)
    folder.chmod(0o755)
    assert contents(folder) == before


def test_what_was_replaced_before_a_failure_is_put_back(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = change(folder)
    before = contents(folder)
    replace = Path.replace

    def fails_for_the_second(self: Path, target: Path) -> Path:
        if target.name == "b.py":
            raise OSError(5, "Input/output error")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", fails_for_the_second)
    with pytest.raises(EditNotWritten, match=r"b\.py cannot be written: Input/output error"):
        write_to_disk(written)
    assert contents(folder) == before


@contextmanager
def no_room() -> Iterator[None]:
    """Files of this process may not grow beyond four bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def somebody_else() -> Iterator[None]:
    """Rights count for everybody but root."""
    own = os.geteuid()
    if own == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(own)
