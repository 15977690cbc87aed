"""Steps of replications that are measured already, so that an interrupted run goes on where it ended.

One small file a step, in ``.wirespeed/replicating``: a step is kept whole or not at all. What is read there
is untrusted, and a file that is not what it should be counts as nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from wirespeed.errors import RecordNotSaved

from .records import FOLDER, make_private_to_git

T = TypeVar("T")


class StepStore(Generic[T]):
    """``kept`` reads and writes what is stored."""

    def __init__(self, folder: Path, kept: TypeAdapter[T]) -> None:
        self._folder = folder / FOLDER / "replicating"
        self._kept = kept

    def recall(self, key: str) -> T | None:
        try:
            return self._kept.validate_json(self._path(key).read_bytes())
        except (OSError, ValidationError):
            return None

    def keep(self, key: str, result: T) -> None:
        """Raises ``RecordNotSaved``."""
        path = self._path(key)
        try:
            make_private_to_git(path.parent.parent)
            path.parent.mkdir(exist_ok=True)
            scratch = path.with_suffix(".tmp")
            scratch.write_bytes(self._kept.dump_json(result))
            scratch.replace(path)
        except OSError as error:
            raise RecordNotSaved(
                f"what was measured cannot be kept for later: {path}: {error.strerror or error}"
            ) from error

    def forget(self) -> None:
        """After a run that is complete, or where one is wanted from the beginning."""
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(self._folder)

    def _path(self, key: str) -> Path:
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"
