"""From bytes to a run: decode, find the format, read. Everything that is refused says why, and what to do.

How many bytes are fetched is the caller's matter; ``MOST_BYTES`` says how many can be of use at all.
"""

from __future__ import annotations

import re
import unicodedata

from wirespeed.audit.readers import NotReadable, Reader, all_readers
from wirespeed.errors import UsageError
from wirespeed.model.audit import LatencyFigures, ToolRun

MOST_BYTES = max(reader.most_bytes for reader in all_readers().values())
_BINARY_SAMPLE = 4096
_BINARY_SHARE = 0.1
_COLOURS = re.compile(r"\x1b\[[0-9;]{0,20}m")


def read_run(content: bytes, name: str, format_name: str | None) -> ToolRun:
    """The run that an output tells of. Raises ``UsageError``."""
    text = _decoded(content, name)
    size_bytes = len(content)
    reader = _named(format_name) if format_name else _recognised(text, name, size_bytes)
    if size_bytes > reader.most_bytes:
        raise UsageError(
            f"{name} has {_megabytes(size_bytes)}, more than {reader.describes} ever has",
            advice=f"At most {_megabytes(reader.most_bytes)} are read: cut what is not of the output.",
        )
    try:
        return _without_times_of_nothing(reader.read(text))
    except NotReadable as why:
        raise UsageError(
            f"{name} is no whole {reader.name} output: {why}",
            advice="Give the output of a run that ended by itself, from its first line to its last.",
        ) from why


def too_large(name: str, size_bytes: int | None) -> UsageError:
    """The error for what was not even read."""
    size = f"has {_megabytes(size_bytes)}" if size_bytes else "does not end"
    return UsageError(
        f"{name} {size}: at most {_megabytes(MOST_BYTES)} are read",
        advice="Give the summary that the tool prints at the end, not its log of every request.",
    )


def _without_times_of_nothing(run: ToolRun) -> ToolRun:
    """Where nothing was answered, tools print zeros or NaN for times."""
    if run.answered == 0 and run.latency.of != "all requests":
        return run.model_copy(update={"latency": LatencyFigures(samples=0, of=run.latency.of)})
    return run


def _decoded(content: bytes, name: str) -> str:
    """UTF-8 with or without a mark, or UTF-16 as PowerShell writes it; colours of a terminal removed."""
    if not content.strip():
        raise UsageError(
            f"{name} is empty",
            advice="Give the output of a load tool; errors go to stderr and may be elsewhere.",
        )
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    text = content.decode(encoding, errors="replace")
    if _is_binary(text[:_BINARY_SAMPLE]):
        raise UsageError(f"{name} is no text", advice="Give the output that the tool printed.")
    return _COLOURS.sub("", text.replace("\r\n", "\n"))


def _is_binary(sample: str) -> bool:
    strange = sum(character == "\ufffd" or _is_control(character) for character in sample)
    return strange > _BINARY_SHARE * len(sample)


def _is_control(character: str) -> bool:
    return unicodedata.category(character) == "Cc" and character not in "\t\n\r\x1b"


def _recognised(text: str, name: str, size_bytes: int) -> Reader:
    # Who would refuse its size need not look: JSON takes tens of times its size once parsed.
    readers = [reader for reader in all_readers().values() if size_bytes <= reader.most_bytes]
    found = [reader for reader in readers if reader.recognises(text)]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(reader.name for reader in found)
        raise UsageError(
            f"{name} looks like several outputs: {names}",
            advice="Give each in a file of its own, or say with --format which one to read.",
        )
    names = ", ".join(reader.name for reader in readers)
    size = f" for {_megabytes(size_bytes)}" if len(readers) < len(all_readers()) else ""
    raise UsageError(
        f"{name} is of no format known here{size}",
        advice=f"Known are {names}. If it is one of them, say so with --format.",
    )


def _named(format_name: str) -> Reader:
    reader = all_readers().get(format_name)
    if reader is None:
        raise UsageError(
            f"there is no format {format_name!r}", advice=f"Formats are {', '.join(all_readers())}."
        )
    return reader


def _megabytes(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:,.1f} MB"
