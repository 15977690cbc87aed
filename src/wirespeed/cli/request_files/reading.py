"""From a file to the requests in it, whatever its format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from wirespeed.cli.request_files import curl, har
from wirespeed.cli.request_options import parse_request, require_header
from wirespeed.errors import UsageError
from wirespeed.model.request import Request

from .sent import Sent

_OF_THE_CONNECTION = re.compile(
    r":.*|host|connection|content-length|transfer-encoding|keep-alive|te|trailer|upgrade.*|sec-.*|accept-encoding"
    r"|if-.*|cache-control|pragma|range",
    re.IGNORECASE,
)
"""Headers that are about one connection or one cache, not about what is asked for."""
_SECRET = re.compile(r"cookie|.*(auth|token|key|secret|session|password).*", re.IGNORECASE)
SHORTEST_SECRET = 6
"""A header named like a secret may say ``1``, and that is hidden wherever it stands."""


class RequestFile(NamedTuple):
    """``secrets`` are headers' values that nobody is told; ``left_out`` says what was not taken, and why."""

    requests: tuple[Request, ...]
    secrets: tuple[str, ...]
    left_out: tuple[str, ...]


def read_request_file(name: str) -> RequestFile:
    """Raises UsageError where it cannot be read, is of no known format, or has nothing that can be sent."""
    try:
        text = Path(name).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(
            f"--requests-file {name} cannot be read: {error.strerror or error}",
            advice="Give a HAR file from a browser, or a text with curl commands.",
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"--requests-file {name} is not text in UTF-8", advice=_FORMATS) from error
    sent, left_out = (har if text.lstrip().startswith("{") else curl).read(text, name)
    ours, others = _of_one_origin(sent)
    if others:
        left_out = (*left_out, f"{len(others)} to other hosts than {_origin(ours[0])}")
    if not ours:
        told = "; ".join(left_out)
        raise UsageError(f"--requests-file {name} has no request to send" + (f": {told}" if told else ""))
    requests = tuple(dict.fromkeys(_request(each, name) for each in ours))
    return RequestFile(requests, tuple(_secrets(requests)), tuple(left_out))


def _secrets(requests: Iterable[Request]) -> Iterator[str]:
    """Values of credentials and cookies, each cookie's by itself too; short ones stand in too many words."""
    for header, value in (pair for request in requests for pair in request.headers):
        if _SECRET.fullmatch(header):
            parts = [each.partition("=")[2].strip() for each in value.split(";")]
            cookies = parts if header.lower() == "cookie" else []
            yield from (each for each in (value, *cookies) if len(each) >= SHORTEST_SECRET)


_FORMATS = "A HAR file from a browser is, and so is a text with curl commands."


def _of_one_origin(sent: Sequence[Sent]) -> tuple[list[Sent], list[Sent]]:
    """Those to the host that most are sent to, and the others: a page asks many hosts, and the app is one."""
    origins = [_origin(each) for each in sent]
    ours = max(dict.fromkeys(origins), key=origins.count, default="")
    return (
        [each for each, origin in zip(sent, origins, strict=True) if origin == ours],
        [each for each, origin in zip(sent, origins, strict=True) if origin != ours],
    )


def _origin(sent: Sent) -> str:
    return urlsplit(sent.url).netloc


def _request(sent: Sent, name: str) -> Request:
    split = urlsplit(sent.url)
    path = (split.path or "/") + (f"?{split.query}" if split.query else "")
    request = parse_request(sent.method, path, f"--requests-file {name}:")
    headers = tuple(_kept(sent.headers))
    return request.model_copy(update={"headers": headers, "body": sent.body})


def _kept(headers: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for header, value in headers:
        if not _OF_THE_CONNECTION.fullmatch(header):
            require_header(header, value)
            yield header, value
