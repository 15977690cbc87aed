"""Writing a change to the user's files: all of them or none, and back to the very bytes.

Nothing here needs LibCST.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from wirespeed.errors import WirespeedError

from .values import EditedFile, Written


class EditNotWritten(WirespeedError):
    """A file of the user's could not be written, or is not what the change was made for."""


@dataclass(frozen=True)
class OnDisk:
    """A change that has been written."""

    files: tuple[EditedFile, ...]

    def roll_back(self) -> None:
        """Give every file its bytes of before.

        Raises EditNotWritten, and leaves all as they are, where one has been changed since.
        """
        _replace_all([(file.path, file.bytes_after, file.bytes_before) for file in self.files])


def write_to_disk(written: Written) -> OnDisk:
    """Put the change into its files.

    Raises EditNotWritten where a file is no longer what the change was made for, or cannot be written; then
    all of them are as they were.
    """
    _replace_all([(file.path, file.bytes_before, file.bytes_after) for file in written.files])
    return OnDisk(written.files)


_Replacement = tuple[Path, bytes, bytes]
"""A file, what it must hold, and what it shall hold."""


def _replace_all(replacements: Sequence[_Replacement]) -> None:
    for path, expected, _ in replacements:
        _refuse_changed(path, expected)
    with _beside([(path, content) for path, _, content in replacements]) as prepared:
        done: list[_Replacement] = []
        try:
            for (path, expected, content), temporary in zip(replacements, prepared, strict=True):
                # Once more, since preparing took its time.
                _refuse_changed(path, expected)
                temporary.replace(path.resolve())
                done.append((path, content, expected))
        except OSError as error:
            _undo(done)
            raise _failure(path, error) from error
        except BaseException:
            _undo(done)
            raise


def _undo(done: Sequence[_Replacement]) -> None:
    if done:
        _replace_all(done[::-1])


def _refuse_changed(path: Path, expected: bytes) -> None:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise _failure(path, error) from error
    if content != expected:
        raise EditNotWritten(
            f"{path} has been changed in the meantime",
            advice="Nothing was written. Run the command again to get the change for the file as it is now.",
        )


@contextmanager
def _beside(contents: Sequence[tuple[Path, bytes]]) -> Iterator[list[Path]]:
    """Files with the contents, each beside the one that it will replace and with its mode and owner."""
    temporaries = list[Path]()
    try:
        for path, content in contents:
            temporaries.append(_prepare(path.resolve(), content))
        yield temporaries
    finally:
        for temporary in temporaries:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


def _prepare(path: Path, content: bytes) -> Path:
    """Everything that can fail for want of room or rights fails here, before any file is replaced."""
    temporary: Path | None = None
    try:
        now = path.stat()
        if not os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
            raise PermissionError(13, "the file is read-only")
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".wirespeed", dir=path.parent)
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(now.st_mode & 0o7777)
        with suppress(PermissionError):
            os.chown(temporary, now.st_uid, now.st_gid)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise _failure(path, error) from error
    return temporary


def _failure(path: Path, error: OSError) -> EditNotWritten:
    return EditNotWritten(
        f"{path} cannot be written: {error.strerror or error}",
        advice="No file was changed. Make room for it and its folder writable, or apply the diff by hand.",
    )
