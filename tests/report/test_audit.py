"""How an audit reads: a golden text, and nothing in it that the console cannot show."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from wirespeed.audit.audit import Output, audit
from wirespeed.model.audit import Asked
from wirespeed.report.audit import print_audit

FIXTURES = Path(__file__).parents[1] / "audit" / "fixtures"
GOLDEN = Path(__file__).parent / "golden" / "audit.txt"


def printed(*names: str, width: int = 100) -> str:
    outputs = [Output(Path(name).name, (FIXTURES / name).read_bytes()) for name in names]
    console = Console(file=io.StringIO(), width=width, highlight=False, markup=False, emoji=False)
    print_audit(audit(outputs, Asked()), console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_an_audit_reads_as_its_golden_text() -> None:
    files = [f"published/2-{arm}-{n}.ab.txt" for arm in ("json", "orjson") for n in (1, 2)]
    shown = printed("published/4-async-def.wrk.txt", "documented/clean.oha.json", *files)

    assert shown == GOLDEN.read_text(encoding="utf-8")


def test_lines_fit_the_terminal() -> None:
    assert all(len(line) <= 80 for line in printed("published/4-async-def.wrk.txt", width=80).splitlines())
