"""HAR 1.2, as browsers save it: everything a page has asked for.

It is a recording, not a wish: logins and orders may be in it. So GET and HEAD are taken, and nothing else.
"""

from __future__ import annotations

from pydantic import Field, ValidationError

from wirespeed.errors import UsageError
from wirespeed.model._base import Message

from .sent import Read, Sent

_SAFE = ("GET", "HEAD")


class _Header(Message):
    name: str
    value: str


class _Request(Message):
    method: str
    url: str
    headers: list[_Header] = Field(default_factory=list)


class _Entry(Message):
    request: _Request


class _Log(Message):
    entries: list[_Entry]


class _Har(Message):
    log: _Log


def read(text: str, name: str) -> Read:
    """Raises UsageError, which says where in the file."""
    try:
        requests = [each.request for each in _Har.model_validate_json(text).log.entries]
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "its beginning"
        raise UsageError(
            f"--requests-file {name} is no HAR file: {first['msg']} (at {where})",
            advice="Save it with the network panel of a browser, as HAR with content.",
        ) from error
    taken = [each for each in requests if each.method.upper() in _SAFE]
    sent = tuple(
        Sent(each.method, each.url, tuple((pair.name, pair.value) for pair in each.headers), b"")
        for each in taken
    )
    others = len(requests) - len(taken)
    told = f"{others} that are neither GET nor HEAD (name those that may be sent with --request)"
    return Read(sent, (told,) if others else ())
