"""The before/after pairs below ``golden/``, one TOML file a topic."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirespeed.source import FunctionAt, RouteChange, TypeSource

FOLDER = Path(__file__).parent / "golden"


@dataclass(frozen=True)
class Case:
    """``after`` or ``refused`` is what comes of the change."""

    name: str
    before: str
    function: FunctionAt
    change: RouteChange
    routes: int
    after: str | None
    refused: str | None


def load_cases() -> list[Case]:
    paths = sorted(FOLDER.glob("*.toml"))
    return [_case(raw) for path in paths for raw in tomllib.loads(path.read_text("utf-8"))["case"]]


def line_of(source: str, function: str) -> int:
    """Of the first ``def`` of that name."""
    lines = source.split("\n")
    return next(n for n, line in enumerate(lines, 1) if re.match(rf"\s*(?:async )?def {function}\b", line))


def _case(raw: dict[str, Any]) -> Case:
    name = raw.get("function")
    line = raw["line"] if name is None else line_of(raw["before"], name)
    annotation = None
    if "type" in raw:
        definitions = tuple(raw.get("definitions", ()))
        annotation = TypeSource(raw["type"], tuple(raw.get("imports", ())), definitions)
    change = RouteChange(annotation, raw.get("response_class", "keep"), tuple(raw.get("options", ())))
    return Case(
        name=raw["name"],
        before=raw["before"],
        function=FunctionAt(line, name),
        change=change,
        routes=raw.get("routes", 1),
        after=raw.get("after"),
        refused=raw.get("refused"),
    )
