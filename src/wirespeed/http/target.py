"""What load is put on: a URL and requests, parsed once into a value that is complete.

Lives here: reading URLs, rendering requests to bytes, and the order of weighted requests. Nothing here does
I/O.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, cycle, repeat
from urllib.parse import SplitResult, quote, unquote, urlsplit

from wirespeed import __version__
from wirespeed.errors import UsageError
from wirespeed.model.request import Request

IDEMPOTENT = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"})
"""RFC 9110 section 9.2.2: what may be sent again without asking."""
_TAKES_CONTENT = frozenset({"POST", "PUT", "PATCH"})
_DEFAULT_PORTS = {"http": 80, "https": 443}
_UNIX_SCHEME = "http+unix"
_LONGEST_CYCLE = 1000
_PATH_SAFE = "/?:@!$&'()*+,;=%-._~[]"
_OWN_HEADERS = frozenset({"content-length", "transfer-encoding"})


@dataclass(frozen=True, slots=True)
class Tls:
    server_name: str
    verify: bool


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """One request as the bytes that go over the wire."""

    name: str
    content: bytes
    is_head: bool
    """Answers to HEAD have no body, whatever their headers say."""
    is_idempotent: bool
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Origin:
    """Where connections go: ``host`` and ``port``, or ``unix_path``; and ``tls`` unless in the clear."""

    scheme: str
    host: str
    port: int
    unix_path: str | None
    tls: Tls | None

    @property
    def authority(self) -> str:
        """As it stands in the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if _DEFAULT_PORTS[self.scheme] == self.port else f"{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Target:
    """An origin and at least one request for it."""

    url: str
    """As reports show it."""
    origin: Origin
    requests: tuple[PreparedRequest, ...]


def parse_target(
    url: str,
    *,
    requests: Sequence[tuple[Request, int]] = (),
    headers: Sequence[tuple[str, str]] = (),
    unix_path: str | None = None,
    verify: bool = True,
) -> Target:
    """The target of ``http://``, ``https://`` or ``http+unix://%2Fpath%2Fto%2Fsocket/`` URLs.

    ``requests`` are pairs of a request and its weight; without any, the URL's own path is got. ``unix_path``
    is connected to instead of the URL's host. Raises ``UsageError`` for anything that could not be sent.
    """
    parts = _split(url)
    origin = _origin(parts, url, unix_path, verify)
    own = Request(method="GET", path=_path_of(parts))
    pairs = list(requests) or [(own, 1)]
    prepared = tuple(_prepare(request, weight, origin, headers) for request, weight in pairs)
    return Target(url=url, origin=origin, requests=prepared)


def weighted_cycle(requests: Sequence[PreparedRequest], seed: int) -> Iterator[int]:
    """Endless indices into ``requests``, in random order; each block of as many as all weights together is
    exact.
    """
    if len(requests) == 1:
        return repeat(0)
    block = [index for index, request in enumerate(requests) for _ in range(request.weight)]
    order = random.Random(seed)
    blocks = [order.sample(block, len(block)) for _ in range(max(1, _LONGEST_CYCLE // len(block)))]
    return cycle(list(chain.from_iterable(blocks)))


def _split(url: str) -> SplitResult:
    if "://" not in url:
        raise UsageError(
            f"{url!r} is not a URL", advice=f"Write http://{url.lstrip('/') or '127.0.0.1:8000/'}."
        )
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise UsageError(
            f"{url!r} is not a URL: {error}", advice="Write http://127.0.0.1:8000/path."
        ) from error
    if parts.scheme not in (*_DEFAULT_PORTS, _UNIX_SCHEME):
        raise UsageError(
            f"{parts.scheme}:// cannot be loaded",
            advice="Use http://, https:// or http+unix://%2Fpath%2Fto%2Fsocket/.",
        )
    if parts.username is not None:
        raise UsageError("the URL has a user name in it", advice="Use --header 'Authorization: …' instead.")
    if not parts.hostname:
        raise UsageError(f"{url!r} names no host", advice="Write http://127.0.0.1:8000/path.")
    return parts


def _origin(parts: SplitResult, url: str, unix_path: str | None, verify: bool) -> Origin:
    if parts.scheme == _UNIX_SCHEME:
        if unix_path is not None:
            raise UsageError(f"--unix and {url!r} name a socket each", advice="Leave out one of them.")
        # The host of a URL is case-insensitive, a path is not: take it from the text as it was written.
        return Origin("http", "localhost", 80, unquote(parts.netloc), None)
    host = _ascii_host(parts.hostname or "")
    port = parts.port if parts.port is not None else _DEFAULT_PORTS[parts.scheme]
    tls = Tls(server_name=host, verify=verify) if parts.scheme == "https" else None
    return Origin(parts.scheme, host, port, unix_path, tls)


def _ascii_host(host: str) -> str:
    try:
        return host if host.isascii() else host.encode("idna").decode()
    except UnicodeError as error:
        raise UsageError(f"{host!r} is not a host name: {error}") from error


def _path_of(parts: SplitResult) -> str:
    path = parts.path or "/"
    path = f"{path}?{parts.query}" if parts.query else path
    return quote(re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", path), safe=_PATH_SAFE)


def _prepare(
    request: Request, weight: int, origin: Origin, headers: Sequence[tuple[str, str]]
) -> PreparedRequest:
    return PreparedRequest(
        name=request.name,
        content=_render(request, origin, headers),
        is_head=request.method == "HEAD",
        is_idempotent=request.method in IDEMPOTENT,
        weight=weight,
    )


def _render(request: Request, origin: Origin, headers: Sequence[tuple[str, str]]) -> bytes:
    given = list(request.headers)
    named = {name.lower() for name, _ in given}
    given += [(name, value) for name, value in headers if name.lower() not in named]
    named = {name.lower() for name, _ in given}
    if own := sorted(named & _OWN_HEADERS):
        raise UsageError(f"--header {own[0]} is computed from the body", advice="Leave it out.")
    defaults = [("Host", origin.authority), ("User-Agent", f"wirespeed/{__version__}"), ("Accept", "*/*")]
    lines = [(name, value) for name, value in defaults if name.lower() not in named] + given
    if request.body or request.method in _TAKES_CONTENT:
        lines.append(("Content-Length", str(len(request.body))))
    head = f"{request.method} {request.path} HTTP/1.1\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in lines)
    return head.encode("latin-1") + b"\r\n" + request.body
