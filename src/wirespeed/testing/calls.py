"""The request that a test names, in HTTPX's words, and the scope that an ASGI app sees of it.

Where there is no client, a request is what Starlette's ``TestClient`` would send, but for
``accept-encoding``: what the app compresses only for those who ask for it comes uncompressed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypedDict
from urllib.parse import quote, unquote_to_bytes, urlencode, urlsplit

from wirespeed.errors import UsageError

Request: TypeAlias = str | tuple[Any, ...]
"""A path with its query, or ``(method, path)``, ``(method, path, body)``, ``(method, path, body, headers)``.

A body of text or bytes is sent as it is, anything else as JSON.
"""

_UNQUOTED: Final = "/%:@!$&'()*+,;=-._~"


class Options(TypedDict, total=False):
    """What else a request may have, by the names that HTTPX gives it."""

    method: str
    url: str
    params: Mapping[str, Any]
    headers: Mapping[str, str]
    json: Any
    content: bytes | str
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Call:
    """``options`` are those of HTTPX's ``request`` besides method and URL."""

    method: str
    url: str
    options: Mapping[str, Any]

    @property
    def name(self) -> str:
        return f"{self.method} {self.url}"


def call_of(request: Request | None, options: Mapping[str, Any]) -> Call:
    """Raises UsageError where it is no request."""
    given = {**_described(request), **options}
    unknown = given.keys() - Options.__annotations__.keys()
    if unknown:
        known = ", ".join(sorted(Options.__annotations__))
        raise UsageError(f"A request has no {', '.join(sorted(unknown))}; it may have {known}.")
    if not isinstance(given.get("url"), str):
        raise UsageError("Which request? Give its path, as in assert_fast_path(app, '/users?page=2').")
    method, url = given.pop("method", "GET"), given.pop("url")
    return Call(method.upper(), url, given)


def _described(request: Request | None) -> dict[str, Any]:
    if request is None:
        return {}
    if isinstance(request, str):
        return {"url": request}
    if not isinstance(request, tuple) or not 2 <= len(request) <= 4:
        raise UsageError(
            f"{request!r} is no request: give a path, or (method, path), (method, path, body) or "
            "(method, path, body, headers)."
        )
    described = dict(zip(("method", "url", "body", "headers"), request, strict=False))
    body = described.pop("body", None)
    if body is not None:
        described["content" if isinstance(body, bytes | str) else "json"] = body
    return described


def body_of(call: Call) -> tuple[bytes, str | None]:
    """The body, and its content type where the request does not say so itself."""
    options = call.options
    if options.get("content") is not None:
        content = options["content"]
        return (content.encode() if isinstance(content, str) else content), None
    if options.get("data") is not None:
        return urlencode(options["data"], doseq=True).encode(), "application/x-www-form-urlencoded"
    if options.get("json") is not None:
        text = json.dumps(options["json"], ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode(), "application/json"
    return b"", None


def scope_of(call: Call, body: bytes, content_type: str | None) -> dict[str, Any]:
    """A fresh scope; ``state`` is left to the caller."""
    url = urlsplit(call.url)
    scheme, host = url.scheme or "http", url.netloc or "testserver"
    raw_path = quote(url.path or "/", safe=_UNQUOTED)
    query = [url.query] if url.query else []
    if call.options.get("params"):
        query.append(urlencode(call.options["params"], doseq=True))
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": call.method,
        "scheme": scheme,
        "path": unquote_to_bytes(raw_path).decode("utf-8", "replace"),
        "raw_path": raw_path.encode("ascii"),
        "query_string": quote("&".join(query), safe=_UNQUOTED + "?").encode("ascii"),
        "root_path": "",
        "headers": list(_headers(call, host, body, content_type)),
        "client": ("testclient", 50000),
        "server": (url.hostname or host, url.port or {"https": 443}.get(scheme, 80)),
        "extensions": {},
    }


def _headers(call: Call, host: str, body: bytes, content_type: str | None) -> Iterator[tuple[bytes, bytes]]:
    given = {name.lower(): value for name, value in (call.options.get("headers") or {}).items()}
    implied = {"host": host, "accept": "*/*", "user-agent": "testclient"}
    if body:
        implied["content-length"] = str(len(body))
    if content_type is not None:
        implied["content-type"] = content_type
    for name, value in {**implied, **given}.items():
        yield name.encode("latin-1"), value.encode("latin-1")
