"""The user's files are changed all or none, whole or not at all, and come back to the byte."""

from __future__ import annotations

import errno
import os
import signal
from pathlib import Path

import pytest

from wirespeed.diagnosis.file_changes import FileChange, ending_as_ctrl_c, uninterrupted, write_all
from wirespeed.errors import FilesNotWritten

OLD, NEW = b"before = 1\r\n\xff", b"after = 2\r\n\xff"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / name for name in ("one.py", "two.py", "three.py")]
    for path in paths:
        path.write_bytes(OLD)
    return paths


def changes(files: list[Path]) -> list[FileChange]:
    return [FileChange(path, OLD, NEW) for path in files]


def contents(files: list[Path]) -> set[bytes]:
    return {path.read_bytes() for path in files}


def test_what_is_written_comes_back_to_the_byte_with_its_permissions(files: list[Path]) -> None:
    files[0].chmod(0o750)
    written = write_all(changes(files))
    assert contents(files) == {NEW}
    assert files[0].stat().st_mode & 0o777 == 0o750

    written.restore()

    assert contents(files) == {OLD}
    assert files[0].stat().st_mode & 0o777 == 0o750
    assert sorted(files[0].parent.iterdir()) == sorted(files)


def test_a_file_changed_meanwhile_is_refused_before_any_other_is_touched(files: list[Path]) -> None:
    files[2].write_bytes(b"somebody else's")

    with pytest.raises(FilesNotWritten, match=r"three\.py was changed meanwhile"):
        write_all(changes(files))

    assert contents(files) == {OLD, b"somebody else's"}


def test_a_file_that_somebody_changed_after_us_is_named_and_kept_and_the_others_come_back(
    files: list[Path],
) -> None:
    written = write_all(changes(files))
    files[1].write_bytes(b"somebody else's")

    with pytest.raises(FilesNotWritten, match=r"two\.py was changed meanwhile"):
        written.restore()

    assert [path.read_bytes() for path in files] == [OLD, b"somebody else's", OLD]


@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_disk_that_takes_no_more_leaves_every_file_as_it_was(
    files: list[Path], monkeypatch: pytest.MonkeyPatch, reason: int
) -> None:
    real, calls = os.fsync, []

    def full_at_the_second(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 2:
            raise OSError(reason, os.strerror(reason))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", full_at_the_second)

    with pytest.raises(FilesNotWritten, match=os.strerror(reason)):
        write_all(changes(files))

    assert contents(files) == {OLD}
    assert sorted(files[0].parent.iterdir()) == sorted(files)


def test_a_link_stays_a_link_and_what_it_points_to_is_changed(files: list[Path]) -> None:
    link = files[0].with_name("link.py")
    link.symlink_to(files[0])

    write_all([FileChange(link, OLD, NEW)])

    assert link.is_symlink()
    assert files[0].read_bytes() == NEW


def test_a_signal_waits_until_the_files_are_whole() -> None:
    done = False
    with pytest.raises(KeyboardInterrupt):
        with ending_as_ctrl_c(), uninterrupted():
            os.kill(os.getpid(), signal.SIGTERM)
            done = True
        pytest.fail("the signal was lost")
    assert done
