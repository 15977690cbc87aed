"""What stands on the terminal: whole reports against golden texts, and what holds at any width.

``WIRESPEED_UPDATE_GOLDEN=1 pytest tests/report`` writes the golden texts anew; read the difference before
committing it.
"""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

import pytest
from rich.console import Console

from wirespeed.model.advice import Advice
from wirespeed.model.plan import RequestListing, RequestPlan
from wirespeed.model.request import PlannedRequest, Request, Route, RouteKind, Skipped
from wirespeed.report.dry_run import dry_run_view
from wirespeed.report.terminal import make_console, print_advice, print_dry_run
from wirespeed.report.view import advice_view

GOLDEN = Path(__file__).parent / "golden"
OWN_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(advice: Advice, width: int = 100, *, everything: bool = False) -> str:
    file = io.StringIO()
    view = advice_view(advice, everything=everything, option_for_everything="--all")
    print_advice(view, Console(file=file, width=width, color_system=None))
    return file.getvalue()


def is_golden(name: str, text: str) -> None:
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("WIRESPEED_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_a_report_reads_as_its_golden_text(document_name: str, document: Advice) -> None:
    is_golden(document_name, printed(document))


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
def test_no_prose_is_wider_than_the_terminal_or_120_cells(width: int, document: Advice) -> None:
    prose = [line for line in printed(document, width).splitlines() if not line.startswith(" " * 8)]
    assert max(map(len, prose)) <= min(width, 120)


def test_no_line_ends_in_white_space(document: Advice) -> None:
    assert all(line == line.rstrip() for line in printed(document).splitlines())


def test_showing_everything_names_every_endpoint_and_route(document: Advice) -> None:
    told = {word.rstrip(",") for word in printed(document, everything=True).split()}
    paths = [endpoint.request.split(" ")[1] for endpoint in document.endpoints]
    routes = [skipped.path for skipped in document.skipped]
    assert {path for path in paths + routes if "\x1b" not in path} <= told


def test_an_app_of_two_hundred_endpoints_stays_readable(big: Advice) -> None:
    assert len(printed(big).splitlines()) < 160
    assert len(printed(big, everything=True).splitlines()) > 400


@pytest.mark.parametrize("variable", ["NO_COLOR", None])
def test_colour_is_for_terminals_that_did_not_refuse_it(
    variable: str | None, design: Advice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    if variable:
        monkeypatch.setenv(variable, "1")
    terminal = Terminal()
    print_advice(advice_view(design), make_console(terminal))
    assert ("\x1b[32m" in terminal.getvalue()) is (variable is None)


def test_a_pipe_gets_no_escape_codes(design: Advice) -> None:
    pipe = io.StringIO()
    print_advice(advice_view(design), make_console(pipe))
    assert "\x1b" not in pipe.getvalue() and "18.6× faster" in pipe.getvalue()


def test_escape_codes_in_the_app_never_reach_the_terminal(hostile: Advice) -> None:
    file = io.StringIO()
    console = Console(file=file, width=100, force_terminal=True, color_system="standard")
    print_advice(advice_view(hostile, everything=True), console)
    rest = OWN_COLOURS.sub("", file.getvalue())
    assert [c for c in rest if not c.isprintable() and c != "\n"] == []


def test_markup_in_the_app_is_printed_as_it_stands(hostile: Advice) -> None:
    text = printed(hostile)
    assert "-> [bold]Evil[/bold]" in text
    assert '"[red]:smile:[/red]"' in text


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_an_old_encoding_gets_plainer_characters_instead_of_an_error(encoding: str, document: Advice) -> None:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    print_advice(advice_view(document), make_console(file))
    file.flush()
    assert "users:app" in raw.getvalue().decode(encoding) or "main:app" in raw.getvalue().decode(encoding)


def route(number: int, method: str, path: str, source: str | None = None, kind: RouteKind = "api") -> Route:
    return Route(id=number, methods=[method], path=path, name=path, kind=kind, source=source)


def test_a_dry_run_reads_as_its_golden_text() -> None:
    routes = (
        route(1, "GET", "/users", "users.py:31"),
        route(2, "GET", "/orders/{order_id}", "orders.py:12"),
        route(3, "POST", "/orders", "orders.py:40"),
        route(4, "GET", "/events", kind="streaming"),
        *(route(5 + n, "DELETE", f"/orders/{{order_id}}/{n}") for n in range(7)),
    )
    planned = (
        PlannedRequest(request=Request(method="POST", path="/orders", body=b"{}"), route_id=3, named=True),
        PlannedRequest(request=Request(method="GET", path="/typo"), route_id=None, named=True),
        PlannedRequest(request=Request(method="GET", path="/users"), route_id=1, named=False),
        PlannedRequest(request=Request(method="GET", path="/orders/1?page=2"), route_id=2, named=False),
    )
    skipped = [Skipped(method="GET", path="/events", reason="streams its answer", option=None)]
    for left_alone in routes[4:]:
        option = f"--request 'DELETE {left_alone.path}'"
        skipped.append(
            Skipped(method="DELETE", path=left_alone.path, reason="may change something", option=option)
        )
    listing = RequestListing(routes=routes, requests=RequestPlan(planned=planned, skipped=tuple(skipped)))
    file = io.StringIO()
    print_dry_run(dry_run_view(listing), Console(file=file, width=100, color_system=None))
    is_golden("dry-run", file.getvalue())
