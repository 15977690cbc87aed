"""What is shown of a suite, on the terminal and as a page; names and values in it are not to be trusted."""

from __future__ import annotations

import datetime
import re
from html.parser import HTMLParser
from typing import Any

from wirespeed.model.advice import Difference, Finding
from wirespeed.model.suite import SuiteAdvice, SuiteEndpoint, SuiteGain, SuiteRemedy
from wirespeed.testing.suite.page import page
from wirespeed.testing.suite.plugin import failed_checks
from wirespeed.testing.suite.telling import merged
from wirespeed.testing.suite.terminal import section

NASTY = "<script>alert('x')</script>\x1b[2J\u202e"


def remedy(**changed: Any) -> SuiteRemedy:
    told: dict[str, Any] = {
        "name": "-> list[Order]",
        "code": "WS101",
        "fidelity": "identical",
        "whole": SuiteGain(ratio=0.25, spread=(0.24, 0.26)),
        "response_path": SuiteGain(ratio=0.1, spread=(0.1, 0.11)),
        "before_ns": 6_310_000,
        "after_ns": 631_000,
    }
    return SuiteRemedy(**{**told, **changed})


def endpoint(**changed: Any) -> SuiteEndpoint:
    told: dict[str, Any] = {
        "method": "GET",
        "path": "/orders",
        "source": "app/orders.py:31",
        "tests": 12,
        "requests": 40,
        "first_test": "tests/test_orders.py::test_lists",
        "status": 200,
        "body_bytes": 75_200,
        "fast_path": False,
        "conclusion": "remedy",
        "findings": (Finding(code="WS101", problem="no response type", evidence="96% is the response path"),),
        "remedies": (remedy(),),
    }
    return SuiteEndpoint(**{**told, **changed})


def advice(*endpoints: SuiteEndpoint, **changed: Any) -> SuiteAdvice:
    told: dict[str, Any] = {
        "created": datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
        "wirespeed": "0.1.0",
        "estimates": "one process",
        "shown_from": 1.5,
        "python": "3.13.0",
        "packages": {"fastapi": "0.165.0"},
        "budget_s": 20,
        "elapsed_s": 3.21,
        "endpoints": endpoints,
    }
    return SuiteAdvice(**{**told, **changed})


def shown(told: SuiteAdvice) -> str:
    return "\n".join(line.text for line in section(told))


def test_a_slow_endpoint_is_shown_with_its_place_its_remedy_and_what_clients_see() -> None:
    fast = endpoint(path="/typed", conclusion="fast", remedies=(), findings=())

    assert shown(advice(endpoint(), fast)) == (
        "1 endpoint answers slower than it needs to (estimates of one process, shown from 1.5× on)\n"
        "\n"
        "GET /orders   app/orders.py:31   75.2 kB   12 tests\n"
        "  WS101  no response type\n"
        "  ▸ -> list[Order]   4.00× faster   response path 6.31 → 0.63 ms   identical bytes\n"
        "\n"
        "2 endpoints called · 1 on the fast path · measured for 3.2 s"
    )


def test_a_remedy_with_other_bytes_counts_as_none_and_says_where_they_differ() -> None:
    difference = Difference(at="$[0].price", baseline=1.5, arm="1.5")
    other = remedy(fidelity="different", differences=(difference,))
    text = shown(advice(endpoint(conclusion="other bytes", remedies=(other,))))

    assert text.startswith("0 endpoints answer slower than they need to")
    assert "1 endpoint more would be faster, with an answer that is not the same" in text
    assert "▸" not in text
    assert "differs at $[0].price" in text


def test_what_a_hand_built_response_gains_is_a_lower_bound() -> None:
    assert "at least 4.00× faster" in shown(advice(endpoint(remedies=(remedy(code="WS103"),))))


def test_what_was_found_and_not_measured_says_why() -> None:
    text = shown(advice(endpoint(conclusion="unmeasured", remedies=(), note="its value was not kept: a row")))

    assert (
        "found, but not measured:\n  GET /orders   app/orders.py:31   WS101\n      its value was not kept"
        in text
    )


def test_a_suite_without_requests_says_so() -> None:
    assert shown(advice()).startswith("no request reached a route of FastAPI")


def test_nothing_the_app_names_can_move_the_cursor_or_become_markup() -> None:
    nasty = endpoint(
        path=f"/{NASTY}",
        source=NASTY,
        note=NASTY,
        first_test=NASTY,
        findings=(Finding(code="WS101", problem=NASTY, evidence=NASTY),),
        remedies=(
            remedy(
                name=NASTY,
                definitions=(NASTY,),
                imports=(NASTY,),
                differences=(Difference(at=NASTY, baseline=NASTY, arm={"a": NASTY}),),
            ),
        ),
    )
    told = advice(nasty, notes=(NASTY,), packages={NASTY: NASTY}, python=NASTY)

    assert not re.search("[\x1b\u202e]", shown(told) + page(told))
    assert "<script" not in page(told)


class _Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += attrs
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_loads_nothing() -> None:
    seen = _Seen()
    seen.feed(page(advice(endpoint(), endpoint(path="/other", conclusion="fast", remedies=(), findings=()))))

    assert seen.open == []
    assert not {name for name, _ in seen.attributes} & {"src", "href", "onload", "style"}


def test_a_check_fails_for_a_remedy_that_keeps_the_bytes_and_for_no_other() -> None:
    told = advice(
        endpoint(),
        endpoint(path="/b", remedies=(remedy(fidelity="different"),)),
        endpoint(path="/c", remedies=(remedy(code="WS102"),)),
        endpoint(path="/d", remedies=()),
    )

    assert failed_checks(told, ()) == []
    assert failed_checks(told, ("WS101",)) == ["WS101: -> list[Order] would make GET /orders faster"]
    assert len(failed_checks(told, ("WS1",))) == 2


def test_what_several_workers_saw_of_an_endpoint_is_one_line() -> None:
    one = advice(endpoint(conclusion="unmeasured", remedies=(), tests=3, body_bytes=10), notes=("n",))
    other = advice(
        endpoint(conclusion="nothing", remedies=(), findings=(), tests=4),
        endpoint(path="/b", conclusion="fast", remedies=(), findings=()),
        notes=("n",),
    )
    together = merged([one, other])

    assert [(each.path, each.tests, each.conclusion) for each in together.endpoints] == [
        ("/orders", 7, "unmeasured"),
        ("/b", 12, "fast"),
    ]
    assert together.endpoints[0].body_bytes == 75_200
    assert (together.workers, together.notes) == (2, ("n",))
