"""``--get``, ``--request``, ``--body`` and ``--header`` to complete requests."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from urllib.parse import quote, urlsplit

from wirespeed.diagnosis.request_building import body_type, merge_headers
from wirespeed.errors import UsageError
from wirespeed.model.plan import RequestWishes
from wirespeed.model.request import Request

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
WITH_BODY = ("POST", "PUT", "PATCH")
"""Methods whose requests usually have a body; others have one only when there is one for every request."""

NO_WISHES = RequestWishes()

_TARGET_SAFE = "/?:@!$&'()*+,;=%-._~"
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
"""A header's name, RFC 9110 section 5.6.2."""
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
"""What a header can carry: nothing that ends its line, and only what Latin-1 has."""


def parse_wishes(
    gets: Sequence[str],
    requests: Sequence[str],
    bodies: Sequence[str],
    headers: Sequence[str],
    *,
    only: bool,
    read: Callable[[str], bytes],
    ready: RequestWishes = NO_WISHES,
) -> RequestWishes:
    """The wishes behind the options. ``read`` fetches what ``@name`` refers to.

    ``ready`` are wishes that no option said: its requests count where the options name none, and its headers
    but for those that the options have too.
    """
    named = [_get(path) for path in gets]
    named += _with_bodies([_request(text) for text in requests], _contents(bodies, read))
    named = named or list(ready.named)
    if only and not named:
        raise UsageError(
            "--only leaves nothing to measure", advice="Name what to measure: --get '/orders/42' --only."
        )
    given = tuple(map(parse_header, headers))
    return RequestWishes(named=tuple(named), headers=merge_headers(ready.headers, given), only=only)


def saying_its_type(request: Request, others: Sequence[tuple[str, str]]) -> Request:
    """A body that looks like JSON says so, unless a header of the request or of all ``others`` does already.

    FastAPI reads no other body as JSON.
    """
    said = any(name.lower() == "content-type" for name, _ in (*request.headers, *others))
    content_type = None if said or not request.body else body_type(None, request.body)
    if content_type is None:
        return request
    return request.model_copy(update={"headers": (*request.headers, ("content-type", content_type))})


def parse_header(text: str) -> tuple[str, str]:
    """``Name: value``."""
    name, colon, value = text.partition(":")
    name, value = name.strip(), value.strip()
    if not colon or not _TOKEN.fullmatch(name):
        raise UsageError(
            f"--header {text!r} is not a header",
            advice="Write its name, a colon and its value: --header 'Authorization: Bearer x'.",
        )
    require_header(name, value)
    return name, value


def require_header(name: str, value: str) -> None:
    """Raises ``UsageError`` where no request can carry it; the error never tells the value."""
    if not _TOKEN.fullmatch(name):
        raise UsageError(
            f"{name!r} is no name of a header", advice="Names have letters, digits and dashes: X-Token."
        )
    if not _HEADER_VALUE.fullmatch(value):
        raise UsageError(
            f"the value of --header {name!r} has characters that no header can carry",
            advice="Leave out line breaks, and encode what is not Latin-1.",
        )


def read_body(name: str) -> bytes:
    """The content of a file, or of stdin for ``-``."""
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise UsageError(
            f"--body @{name} cannot be read: {error.strerror or error}",
            advice="Give a file that exists, @- for standard input, or the body itself without the @.",
        ) from error


def _get(path: str) -> Request:
    return Request(method="GET", path=_target(path, "--get"))


def _request(text: str) -> Request:
    method, _, path = text.strip().partition(" ")
    if not path.strip():
        raise UsageError(
            f"--request {text!r} is not a method and a path",
            advice="Write both, as in --request 'POST /orders'; for a GET, --get '/orders' is enough.",
        )
    return parse_request(method, path, "--request")


def parse_request(method: str, path: str, option: str) -> Request:
    """A request without headers and body; ``option`` is where it was named, for the complaint."""
    if method.upper() not in METHODS:
        close = get_close_matches(method.upper(), METHODS, n=1)
        advice = f"Did you mean {close[0]}?" if close else f"Methods are {', '.join(METHODS)}."
        raise UsageError(f"there is no method {method!r} in {option} {f'{method} {path}'!r}", advice=advice)
    return Request(method=method.upper(), path=_target(path.strip(), option))


def _target(path: str, option: str) -> str:
    """Percent-encoded; what is encoded already stays as it is."""
    prefix = "" if option == "--get" else "METHOD "
    if not path.startswith("/"):
        split = urlsplit(path)
        local = (
            (split.path or "/") + (f"?{split.query}" if split.query else "") if split.scheme else f"/{path}"
        )
        raise UsageError(
            f"the path of {option} {path!r} does not start with a slash",
            advice=f"Give the path as the app sees it: {option} '{prefix}{local}'.",
        )
    if "#" in path:
        raise UsageError(
            f"the path of {option} {path!r} has a #, which never reaches a server",
            advice="Leave out what follows it, or write %23 where it belongs to a name.",
        )
    return quote(re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", path), safe=_TARGET_SAFE)


def _contents(bodies: Sequence[str], read: Callable[[str], bytes]) -> list[bytes]:
    if bodies.count("@-") > 1:
        raise UsageError(
            "--body @- reads standard input, and that can be done only once",
            advice="Put the other bodies into files: --body @order.json.",
        )
    return [read(body[1:]) if body.startswith("@") else body.encode() for body in bodies]


def _with_bodies(requests: Sequence[Request], bodies: Sequence[bytes]) -> list[Request]:
    """Bodies in order: one for every request, or one for every request that usually has one."""
    if not bodies:
        return list(requests)
    takes_one = [len(bodies) == len(requests) or request.method in WITH_BODY for request in requests]
    if len(bodies) != sum(takes_one):
        raise UsageError(
            f"{len(bodies)} --body for {sum(takes_one)} --request that take one",
            advice="Give each such --request its --body, in the same order; --body '' stands for none.",
        )
    waiting = iter(bodies)
    return [
        request.model_copy(update={"body": next(waiting)}) if takes else request
        for request, takes in zip(requests, takes_one, strict=True)
    ]
