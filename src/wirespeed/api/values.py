"""Python's values as the options of the command line have them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from os import PathLike, fspath

from wirespeed.cli.request_options import parse_request, require_header
from wirespeed.errors import UsageError
from wirespeed.model.plan import RequestWishes
from wirespeed.model.request import Request

Duration = str | float | timedelta
"""``"60s"``, ``"500ms"``, a number of seconds, or a ``timedelta``."""
Share = str | float
"""``"2%"`` or ``0.02``."""
RequestLike = str | Request
"""``"/orders/42"`` for a GET, ``"POST /orders"``, or a complete ``Request``."""
AnyPath = str | PathLike[str]


def as_duration(value: Duration) -> str:
    if isinstance(value, timedelta):
        value = value.total_seconds()
    return value if isinstance(value, str) else f"{value:f}"


def as_optional_duration(value: Duration | None) -> str | None:
    return None if value is None else as_duration(value)


def as_share(value: Share) -> str:
    return value if isinstance(value, str) else f"{Decimal(str(value)):f}"


def as_path(value: AnyPath | None) -> str | None:
    return None if value is None else fspath(value)


def as_paths(paths: Sequence[AnyPath], argument: str) -> tuple[str, ...]:
    _require_no_text(paths, argument)
    return tuple(fspath(path) for path in paths)


def as_assignments(values: Mapping[str, str]) -> tuple[str, ...]:
    for name in values:
        if "=" in name or not name:
            raise UsageError(f"env: {name!r} is no name of a variable")
    return tuple(f"{name}={value}" for name, value in values.items())


def as_wishes(
    requests: Sequence[RequestLike], headers: Mapping[str, str], *, only: bool = False
) -> RequestWishes:
    """Raises ``UsageError`` for the first request or header that cannot be sent."""
    _require_no_text(requests, "requests")
    named = tuple(map(_request, requests))
    if only and not named:
        raise UsageError("only=True leaves nothing to measure", advice="Name requests.")
    for name, value in headers.items():
        require_header(name, value)
    return RequestWishes(named=named, headers=tuple(headers.items()), only=only)


def as_codes(codes: Sequence[str], argument: str) -> tuple[str, ...]:
    _require_no_text(codes, argument)
    return tuple(codes)


def _require_no_text(values: object, argument: str) -> None:
    """A text is a sequence of its letters, and never what was meant."""
    if isinstance(values, str):
        raise UsageError(
            f"{argument} is a text", advice=f"Write a list, even of one: {argument}=[{values!r}]."
        )


def _request(given: RequestLike) -> Request:
    if isinstance(given, str):
        method, space, path = given.strip().partition(" ")
        return parse_request(method, path, "request") if space else parse_request("GET", method, "request")
    checked = parse_request(given.method, given.path, "request")
    for name, value in given.headers:
        require_header(name, value)
    return checked.model_copy(update={"headers": given.headers, "body": given.body})
