"""What becomes of the code itself: before/after pairs as data, and FastAPI as the judge of their answers."""

from __future__ import annotations

import ast
import asyncio
import sys
import tomllib
import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from wirespeed.source import CodeEditAt, NoEdit, Part, RouteChange, RouteEdit, TypeSource, Written
from wirespeed.source.edits import write

FOLDER = Path(__file__).parent / "golden_code"
NAME = "code_edited_by_the_test"


@dataclass(frozen=True)
class Case:
    """``edits`` are (what, a text that only its line has, name); ``-> TYPE`` is a return type."""

    topic: str
    name: str
    edits: tuple[tuple[str, ...], ...]
    requests: tuple[str, ...]
    before: str
    after: str | None
    refused: str | None
    note: str | None

    def parts(self, file: str = "main.py") -> list[Part]:
        return [_part(self.before, file, *edit) for edit in self.edits]


def load_cases() -> Iterator[Case]:
    for path in sorted(FOLDER.glob("*.toml")):
        for raw in tomllib.loads(path.read_text("utf-8"))["case"]:
            yield _case(path.stem, raw)


def _case(topic: str, raw: dict[str, Any]) -> Case:
    return Case(
        topic=topic,
        name=raw["name"],
        edits=tuple(tuple(edit) for edit in raw["edits"]),
        requests=tuple(raw.get("requests", ())),
        before=raw["before"],
        after=raw.get("after"),
        refused=raw.get("refused"),
        note=raw.get("note"),
    )


def _part(source: str, file: str, what: str, text: str, name: str | None = None) -> Part:
    lines = source.split("\n")
    place = f"{file}:{next(number for number, line in enumerate(lines, 1) if text in line)}"
    if what.startswith("-> "):
        return RouteEdit(RouteChange(TypeSource(what[3:])), place)
    return CodeEditAt(what, place, name)  # type: ignore[arg-type]


CASES = list(load_cases())
EDITED = [case for case in CASES if case.after]
ASKED = [case for case in EDITED if case.requests]


def identity(case: Case) -> str:
    return f"{case.topic}: {case.name}"


def edited(case: Case, folder: Path, content: bytes | None = None) -> Written | NoEdit:
    (folder / "main.py").write_bytes(case.before.encode() if content is None else content)
    return write(case.parts(), folder)


@pytest.mark.parametrize("case", EDITED, ids=identity)
def test_an_edit_of_the_code_is_written_down_as_its_golden_text(case: Case, tmp_path: Path) -> None:
    written = edited(case, tmp_path)
    assert isinstance(written, Written), written
    assert written.files[0].after == case.after
    assert written.note == case.note


@pytest.mark.parametrize("case", [case for case in CASES if case.refused], ids=identity)
def test_code_without_a_safe_edit_is_refused_with_its_reason(case: Case, tmp_path: Path) -> None:
    assert edited(case, tmp_path) == NoEdit(case.refused or "")


@pytest.mark.parametrize("case", EDITED, ids=identity)
def test_line_ends_of_windows_and_a_byte_order_mark_stay(case: Case, tmp_path: Path) -> None:
    content = b"\xef\xbb\xbf" + case.before.replace("\n", "\r\n").encode()
    written = edited(case, tmp_path, content)
    assert isinstance(written, Written), written
    file = written.files[0]
    assert file.bytes_before == content
    assert file.bytes_after == b"\xef\xbb\xbf" + (case.after or "").replace("\n", "\r\n").encode()


@pytest.mark.parametrize("case", EDITED, ids=identity)
def test_what_was_edited_is_python_and_cannot_be_edited_again(case: Case, tmp_path: Path) -> None:
    ast.parse(case.after or "")
    (tmp_path / "main.py").write_text(case.after or "", "utf-8")
    lines = (case.after or "").split("\n")
    if all(any(text in line for line in lines) for _, text, *_ in case.edits):
        again = Case(case.topic, case.name, case.edits, (), case.after or "", None, None, None)
        assert isinstance(write(again.parts(), tmp_path), NoEdit)


@pytest.mark.parametrize("case", ASKED, ids=identity)
def test_the_edited_app_answers_as_it_did(case: Case) -> None:
    before, after = answers(case.before, case.requests), answers(case.after or "", case.requests)
    assert before == after
    assert {status for status, _, _ in before} - {404} <= {200, 201, 202, 203, 401}


def answers(source: str, requests: tuple[str, ...]) -> list[tuple[int, dict[str, str], bytes]]:
    """Status, headers and body of each."""
    module = sys.modules[NAME] = types.ModuleType(NAME)
    try:
        exec(compile(source, f"{NAME}.py", "exec", dont_inherit=True), vars(module))
        return asyncio.run(_ask(module.app, requests))
    finally:
        sys.modules.pop(NAME)


async def _ask(app: Any, requests: tuple[str, ...]) -> list[tuple[int, dict[str, str], bytes]]:
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://app") as client:
        replies = [await client.get(path) for path in requests]
    return [(reply.status_code, dict(reply.headers), reply.content) for reply in replies]
