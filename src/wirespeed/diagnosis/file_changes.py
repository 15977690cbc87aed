"""Changing the user's files: all of them or none, each whole or not at all, and back again to the byte.

What lives here: bytes, file names and signals. What it must never know: what the changes are good for.

A file is never written in place. Its new bytes go to a temporary file beside it, which takes its name in
one step once it is complete on disk; so neither a full disk nor the end of this process leaves half a file. A
file whose bytes are not those that the change was made for is somebody else's work and is refused.
"""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from wirespeed.errors import FilesNotWritten

ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class FileChange:
    path: Path
    before: bytes
    after: bytes


class FilesChanged:
    """Files as they were written; ``restore`` puts them back, and names what cannot be put back."""

    def __init__(self, changes: Sequence[FileChange]) -> None:
        self._changes = list(changes)

    @property
    def paths(self) -> tuple[Path, ...]:
        return tuple(each.path for each in self._changes)

    def restore(self) -> None:
        """Every file as it was before. Raises FilesNotWritten, after all others are back, for those that
        somebody changed meanwhile or that cannot be written any more.
        """
        problems = []
        with uninterrupted():
            while self._changes:
                change = self._changes.pop()
                try:
                    _swap(change.path, change.after, change.before)
                except FilesNotWritten as error:
                    problems.append(error.message)
        if problems:
            raise FilesNotWritten(
                "not everything could be put back: " + "; ".join(problems),
                advice="Undo it with the diff that was shown: git apply -R.",
            )


def write_all(changes: Sequence[FileChange]) -> FilesChanged:
    """Write every file, or none. Raises FilesNotWritten with nothing changed.

    All files are looked at before the first is written.
    """
    for change in changes:
        _require(change.path, change.before)
    done: list[FileChange] = []
    with uninterrupted():
        try:
            for change in changes:
                _swap(change.path, change.before, change.after)
                done.append(change)
        except FilesNotWritten:
            FilesChanged(done).restore()
            raise
    return FilesChanged(done)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Signals that would end this process wait until the block has ended."""
    waiting = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, *ENDING_SIGNALS})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, waiting)


@contextlib.contextmanager
def ending_as_ctrl_c() -> Iterator[None]:
    """While the block runs, what would end this process at once raises KeyboardInterrupt, as Ctrl-C does."""
    before = {number: signal.signal(number, _interrupt) for number in ENDING_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _swap(path: Path, expected: bytes, content: bytes) -> None:
    """``content`` in the place of ``expected``, with the file's own permissions. Raises FilesNotWritten."""
    _require(path, expected)
    # A link stays a link; what it points to is what Python reads.
    place = path.resolve()
    try:
        _replace(place, content)
    except OSError as error:
        raise FilesNotWritten(
            f"{path} cannot be written: {error.strerror or error}",
            advice="Nothing was changed. The diff can be applied elsewhere: git apply.",
        ) from error


def _require(path: Path, expected: bytes) -> None:
    try:
        found = path.read_bytes()
    except OSError as error:
        raise FilesNotWritten(f"{path} cannot be read: {error.strerror or error}") from error
    if found != expected:
        raise FilesNotWritten(
            f"{path} was changed meanwhile, and is left as it is now",
            advice="Run it again: the edits are then made for the file as it stands.",
        )


def _replace(place: Path, content: bytes) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{place.name}.", suffix=".tmp", dir=place.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            _like(place, descriptor)
            os.fsync(descriptor)
        temporary.replace(place)
    finally:
        temporary.unlink(missing_ok=True)


def _like(place: Path, descriptor: int) -> None:
    """Permissions and, where we may, owner of ``place``."""
    known = place.stat()
    os.fchmod(descriptor, stat.S_IMODE(known.st_mode))
    with contextlib.suppress(PermissionError):
        os.fchown(descriptor, known.st_uid, known.st_gid)
