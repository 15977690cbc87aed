"""Records: everything that was measured, saved as evidence, one file each.

Lives here: where records go, and that each is written whole or not at all. This file must never know how
evidence is measured or shown. A file on disk is untrusted: ``load`` answers every malformed one with a
``UsageError``.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from wirespeed.errors import RecordNotSaved, UsageError
from wirespeed.model import advice, bisection, comparison, guard, record, replication
from wirespeed.model import load as load_document
from wirespeed.model.record import Record

FOLDER = ".wirespeed"
_BARE_DOCUMENTS = {
    advice.FORMAT: "advice",
    load_document.FORMAT: "load",
    comparison.FORMAT: "comparison",
    replication.FORMAT: "replication",
    bisection.FORMAT: "bisection",
    guard.FORMAT: "guard",
}
_RECORD_NAME = re.compile(r"(?P<second>[0-9T-]+Z)-[a-z]+(?:-(?P<number>[0-9]+))?\.json")
MAX_BYTES = 256 * 1024 * 1024
"""Far above any real record, far below what would exhaust memory when parsed."""


def save(document: Record, folder: Path) -> Path:
    """Write a record below ``folder``, or below the user's data folder where that cannot be written.

    Returns the path of the new file, which only its owner can read. Raises ``RecordNotSaved`` when no place
    took it.
    """
    try:
        content = document.to_json()
    except (ValueError, RecursionError) as error:
        raise RecordNotSaved(f"the record cannot be written as JSON: {error}") from error
    failures = []
    for place in _places(folder):
        try:
            return _write(content, place, _stem(document))
        except OSError as error:
            failures.append(f"{place}: {error.strerror or error}")
    raise RecordNotSaved(
        "the record could not be saved (" + "; ".join(failures) + ")",
        advice="Free some space or set XDG_DATA_HOME to a folder that can be written.",
    )


def load(path: Path) -> Record:
    """Read a record, or the bare document that ``--json`` prints (its evidence is then empty).

    Raises ``UsageError`` for everything that is not a complete record of a known format.
    """
    return parse(_read(path), str(path))


def latest(folder: Path) -> Path:
    """The last record of the folder; of the user's data folder, where it has none. Raises ``UsageError``."""
    for place in _places(folder):
        if found := [path for path in place.glob("*.json") if _RECORD_NAME.fullmatch(path.name)]:
            return max(found, key=_when)
    raise UsageError(
        f"there is no record in {folder / FOLDER}",
        advice="Measure something first, or name the folder the app ran in with --folder.",
    )


def parse(text: bytes, name: str) -> Record:
    """What ``load`` reads, from text of any origin; ``name`` is for errors."""
    _refuse_too_large(text, name)
    content = _parse(name, text)
    if (kind := _BARE_DOCUMENTS.get(str(content.get("format")))) is not None:
        content = {"format": record.FORMAT, "kind": kind, "document": content}
    if content.get("format") != record.FORMAT:
        raise _unknown_format(name, content.get("format"))
    try:
        return Record.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        # Between "document" and its field stands the format that it was read as.
        where = ".".join(str(step) for step in first["loc"] if step not in _BARE_DOCUMENTS)
        raise UsageError(
            f"{name} is not a complete record: {where}: {first['msg']}",
            advice="Records are evidence and not meant to be edited: measure again to get a new one.",
        ) from error


def user_data_folder(environ: Mapping[str, str], platform: str = sys.platform) -> Path:
    """``$XDG_DATA_HOME/wirespeed``, else the platform's usual place below the home folder.

    A relative ``XDG_DATA_HOME`` is ignored, as the XDG Base Directory Specification asks.
    """
    chosen = Path(environ.get("XDG_DATA_HOME", ""))
    if chosen.is_absolute():
        return chosen / "wirespeed"
    usual = "Library/Application Support" if platform == "darwin" else ".local/share"
    return Path("~", usual, "wirespeed").expanduser()


def _places(folder: Path) -> Iterator[Path]:
    yield folder / FOLDER
    try:
        yield user_data_folder(os.environ)
    except RuntimeError:  # a user without a home folder
        return


def _stem(document: Record) -> str:
    created = document.document.created.astimezone(UTC)
    return f"{created:%Y-%m-%dT%H-%M-%SZ}-{document.kind}"


def _when(path: Path) -> tuple[str, int, str]:
    """Records of one second are numbered from 2 on, the first one not."""
    match = _RECORD_NAME.fullmatch(path.name)
    assert match is not None
    return match["second"], int(match["number"] or 1), path.name


def _write(content: bytes, place: Path, stem: str) -> Path:
    make_private_to_git(place)
    descriptor, name = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=place)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        return temporary.replace(_reserve(place, stem))
    finally:
        temporary.unlink(missing_ok=True)


def make_private_to_git(place: Path) -> None:
    place.mkdir(parents=True, exist_ok=True)
    ignore = place / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")


def _reserve(place: Path, stem: str) -> Path:
    """Create the first free name; creation is exclusive, so two processes never take the same one."""
    path = place / f"{stem}.json"
    attempt = 1
    while True:
        try:
            path.touch(mode=0o600, exist_ok=False)
            return path
        except FileExistsError:
            attempt += 1
            path = place / f"{stem}-{attempt}.json"
    raise AssertionError("count() never ends")


def _read(path: Path) -> bytes:
    if not path.is_file():
        raise UsageError(f"there is no record at {path}", advice=f"Records lie in {FOLDER}/ of the project.")
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error
    return content


def _refuse_too_large(content: bytes, name: str) -> None:
    if len(content) > MAX_BYTES:
        raise UsageError(f"{name} is too large for a record: more than {MAX_BYTES // 1024**2} MiB")


def _parse(name: str, content: bytes) -> dict[str, Any]:
    try:
        parsed = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{name} is not a record: it is not JSON ({error})",
            advice="Give a file that wirespeed saved, or the output of --json.",
        ) from error
    if not isinstance(parsed, dict):
        raise _unknown_format(name, None)
    return parsed


def _unknown_format(name: str, found: object) -> UsageError:
    if isinstance(found, str) and found.startswith("wirespeed/"):
        return UsageError(
            f"{name} has the format {found}, and this version reads "
            + ", ".join((record.FORMAT, *_BARE_DOCUMENTS)),
            advice="Read it with the version of wirespeed that wrote it, or a later one.",
        )
    return UsageError(
        f"{name} is not a record: it names no wirespeed format",
        advice="Give a file that wirespeed saved, or the output of --json.",
    )
