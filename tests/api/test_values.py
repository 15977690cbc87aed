"""Python's values on their way to a plan."""

from datetime import timedelta
from pathlib import Path

import pytest

from wirespeed.api.values import as_assignments, as_codes, as_duration, as_share, as_wishes
from wirespeed.cli.values import duration_s, fraction
from wirespeed.errors import UsageError
from wirespeed.model.request import Request


@pytest.mark.parametrize("value", ["90s", "1.5m", 90, 90.0, timedelta(minutes=1.5)])
def test_a_duration_may_be_a_text_seconds_or_a_timedelta(value: str | float | timedelta) -> None:
    assert duration_s(as_duration(value), "budget") == 90


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), timedelta(0)])
def test_a_duration_that_is_none_is_refused(value: float | timedelta) -> None:
    with pytest.raises(UsageError):
        duration_s(as_duration(value), "budget")


@pytest.mark.parametrize("value", ["2%", "0.02", 0.02])
def test_a_share_may_be_a_text_or_a_fraction(value: str | float) -> None:
    assert fraction(as_share(value), "margin") == 0.02


def test_requests_may_be_paths_lines_or_complete() -> None:
    whole = Request(method="put", path="/a b", headers=(("X-A", "1"),), body=b"{}")
    named = as_wishes(["/orders/42", "post /orders", whole], {}).named

    assert [(each.method, each.path) for each in named] == [
        ("GET", "/orders/42"),
        ("POST", "/orders"),
        ("PUT", "/a%20b"),
    ]
    assert (named[2].headers, named[2].body) == (whole.headers, whole.body)


@pytest.mark.parametrize(
    "request_",
    [
        "orders",
        "GTE /a",
        Request(method="GET", path="a"),
        Request(method="GET", path="/a", headers=(("a b", ""),)),
    ],
)
def test_a_request_that_cannot_be_sent_is_refused(request_: str | Request) -> None:
    with pytest.raises(UsageError):
        as_wishes([request_], {})


def test_a_header_that_cannot_be_sent_is_refused_without_its_value() -> None:
    with pytest.raises(UsageError) as refused:
        as_wishes([], {"X-Token": "secret\n"})
    assert "secret" not in refused.value.message


def test_a_text_is_no_list_of_its_letters() -> None:
    with pytest.raises(UsageError, match="requests is a text"):
        as_wishes("/a", {})
    with pytest.raises(UsageError, match="select is a text"):
        as_codes("WS1", "select")


def test_a_variable_needs_a_name() -> None:
    assert as_assignments({"A": "1=2"}) == ("A=1=2",)
    with pytest.raises(UsageError):
        as_assignments({"A=1": "2"})


def test_nothing_to_measure_is_refused() -> None:
    with pytest.raises(UsageError, match="only"):
        as_wishes([], {}, only=True)


def test_paths_are_paths(tmp_path: Path) -> None:
    import wirespeed

    with pytest.raises(UsageError, match="not a folder"):
        wirespeed.advise("main:app", folder=tmp_path / "missing")
