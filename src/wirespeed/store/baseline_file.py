"""Baselines on disk. They lie in the user's repository and are edited and merged by hand: untrusted input."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from wirespeed.errors import UsageError
from wirespeed.model.baseline import FORMAT, Baseline

MOST_BYTES = 16 * 1024 * 1024


def read_baseline(path: Path) -> Baseline:
    """Raises ``UsageError`` for everything that is not a baseline of the format we know."""
    content = _parsed(path)
    found = content.get("format") if isinstance(content, dict) else None
    if found != FORMAT:
        told = "names no format" if found is None else f"has the format {found!r}"
        raise UsageError(f"{path} {told}, and a baseline is {FORMAT}", advice=_WRITE_ANEW)
    try:
        return Baseline.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise UsageError(f"{path} is not a baseline: {where}: {first['msg']}", advice=_WRITE_ANEW) from error


def write_baseline(baseline: Baseline, path: Path) -> None:
    """One finding a line, so that a diff shows each that came or went. Raises ``UsageError``."""
    lines = [json.dumps(each.model_dump(), ensure_ascii=False) for each in baseline.findings]
    inside = ",\n".join(f"    {line}" for line in lines)
    listed = f"[\n{inside}\n  ]" if lines else "[]"
    text = f'{{\n  "format": "{baseline.format}",\n  "findings": {listed}\n}}\n'
    try:
        path.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(
            f"the baseline cannot be written: {path}: {error.strerror or error}",
            advice="Name a file in a folder that exists.",
        ) from error


_WRITE_ANEW = "Write it anew with --write-baseline."


def _parsed(path: Path) -> object:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(
            f"--baseline {path} cannot be read: {error.strerror or error}",
            advice="Make it first: --write-baseline writes what is found now.",
        ) from error
    if len(content) > MOST_BYTES:
        raise UsageError(f"{path} is too large for a baseline: more than {MOST_BYTES // 1024**2} MiB")
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not a baseline: it is not JSON ({error})", advice=_WRITE_ANEW) from error
