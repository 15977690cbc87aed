"""Whether arms answer alike: status, content type and body, as values where bodies are JSON.

Lives here: pure comparison of whole answers, and what differs from call to call anyway. The agent has its own
for replays, which knows routes and content codings; the conductor and the agent share no code.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import zip_longest

from wirespeed.model.advice import Difference

MOST_SHOWN = 5
LONGEST_SHOWN = 80
MOST_UNSTABLE = 20
"""A body that differs from itself in more places than this has no part worth comparing."""
BODY = "body"

_ABSENT = "(absent)"
_PIECE_BYTES = 65_536


@dataclass(frozen=True)
class Answer:
    """One answer, its headers by name in lower case, its body as it was sent."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", _ABSENT)

    @property
    def content(self) -> bytes:
        """The body without gzip or deflate; with any other coding, or a broken one, as it was sent."""
        try:
            match self.headers.get("content-encoding", ""):
                case "gzip":
                    return gzip.decompress(self.body)
                case "deflate":
                    return zlib.decompress(self.body)
        except (OSError, EOFError, zlib.error):
            pass
        return self.body


def joined(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """By name in lower case; repeated ones as one list, RFC 9110 section 5.3."""
    found: dict[str, list[str]] = {}
    for name, value in headers:
        found.setdefault(name.lower(), []).append(value)
    return {name: ", ".join(values) for name, values in found.items()}


def unstable_places(answers_of_arms: Iterable[Sequence[Answer]]) -> tuple[str, ...]:
    """JSON paths, or ``body``, at which answers to the same request differ among themselves."""
    found: dict[str, None] = {}
    for first, *others in answers_of_arms:
        for other in others:
            found.update(dict.fromkeys(each.at for each in _body_differences(first, other)))
    return (BODY,) if BODY in found or len(found) > MOST_UNSTABLE else tuple(found)


def differences(baseline: Answer, arm: Answer, unstable: Sequence[str] = ()) -> Iterator[Difference]:
    """Where an arm's answer is not the baseline's, except in and below the ``unstable`` places."""
    if baseline.status != arm.status:
        yield Difference(at="status", baseline=baseline.status, arm=arm.status)
    if baseline.content_type != arm.content_type:
        yield Difference(at="header content-type", baseline=baseline.content_type, arm=arm.content_type)
    if BODY not in unstable:
        for each in _body_differences(baseline, arm):
            if not any(_is_within(each.at, place) for place in unstable):
                yield each


def _body_differences(one: Answer, other: Answer) -> Iterator[Difference]:
    left, right = one.content, other.content
    if left == right:
        return
    try:
        documents = _document(left), _document(right)
    except (ValueError, RecursionError):
        yield _raw_difference(left, right)
    else:
        for place, left_value, right_value in _differing(*documents):
            yield Difference(at=place, baseline=_shown(left_value), arm=_shown(right_value))


def _document(body: bytes) -> object:
    """Numbers are exact: 0.1 and 0.10 are the same, 1e400 is no infinity."""
    return json.loads(body, parse_float=Decimal)


def _differing(left: object, right: object) -> Iterator[tuple[str, object, object]]:
    """JSON paths of the leaves that differ, in the order of the left document."""
    waiting = [("$", left, right)]
    while waiting:
        place, left, right = waiting.pop()
        if isinstance(left, dict) and isinstance(right, dict):
            keys = {**left, **right}
            inside = [(f"{place}.{key}", left.get(key, _ABSENT), right.get(key, _ABSENT)) for key in keys]
            waiting += reversed(inside)
        elif isinstance(left, list) and isinstance(right, list):
            pairs = enumerate(zip_longest(left, right, fillvalue=_ABSENT))
            waiting += reversed([(f"{place}[{index}]", *pair) for index, pair in pairs])
        elif not _same(left, right):
            yield place, left, right


def _same(left: object, right: object) -> bool:
    """Notation does not count, types do: ``true`` is not 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return left == right


def _is_within(place: str, outer: str) -> bool:
    return place == outer or place.startswith((f"{outer}.", f"{outer}["))


def _raw_difference(left: bytes, right: bytes) -> Difference:
    """What stands on both sides where they first differ."""
    start = max(0, _first_difference(left, right) - LONGEST_SHOWN // 4)
    seen = [body[start : start + LONGEST_SHOWN].decode("utf-8", "backslashreplace") for body in (left, right)]
    return Difference(at=BODY, baseline=seen[0], arm=seen[1])


def _first_difference(left: bytes, right: bytes) -> int:
    """Index of the first byte that differs; by pieces, for a loop over all bytes would take seconds."""
    length = min(len(left), len(right))
    starts = range(0, length, _PIECE_BYTES)
    pieces = ((start, slice(start, start + _PIECE_BYTES)) for start in starts)
    start = next((start for start, piece in pieces if left[piece] != right[piece]), length)
    pairs = enumerate(zip(left[start:], right[start:], strict=False), start)
    return next((index for index, (a, b) in pairs if a != b), length)


def _shown(value: object) -> object:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    if len(text) > LONGEST_SHOWN:
        return text[: LONGEST_SHOWN - 1] + "…"
    return float(value) if isinstance(value, Decimal) else value
