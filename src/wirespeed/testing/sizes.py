"""``assert_body_size``: how many bytes an answer may have, and which field has most of them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, Unpack

from .calls import Options, Request, call_of
from .failing import told
from .quantities import size_bytes
from .sending import Passed, send, send_async

_SEPARATORS: Final = (",", ":")


def assert_body_size(
    app: object,
    request: Request | None = None,
    /,
    *,
    at_most: str | int,
    lifespan: bool = False,
    **options: Unpack[Options],
) -> None:
    """Fail if the body of the answer has more than ``at_most`` bytes: ``"100kB"``, ``"2MiB"`` or a number.

    Bytes are counted as they are sent: compressed, where the request asks for that and the app does it. The
    message names the field that takes most of a JSON body, in all items of a list together.

    Inside a coroutine ``await assert_body_size_async(...)``; see ``assert_fast_path`` for apps, clients and
    requests. Raises AssertionError, UsageError, and whatever the app raises.
    """
    __tracebackhide__ = True
    limit = size_bytes(at_most)
    _check(send(app, call_of(request, options), lifespan=lifespan), limit)


async def assert_body_size_async(
    app: object,
    request: Request | None = None,
    /,
    *,
    at_most: str | int,
    lifespan: bool = False,
    **options: Unpack[Options],
) -> None:
    """As ``assert_body_size``, in the event loop that runs."""
    __tracebackhide__ = True
    limit = size_bytes(at_most)
    _check(await send_async(app, call_of(request, options), lifespan=lifespan), limit)


def _check(passed: Passed, limit: int) -> None:
    __tracebackhide__ = True
    answer = passed.answer
    if not 200 <= answer.status < 300:
        raise AssertionError(f"{passed.name} answered {answer.status}, whose size says nothing")
    if len(answer.body) <= limit:
        return
    from wirespeed.report.numbers import size
    from wirespeed_agent.fidelity import decoded

    body = decoded(answer).body
    compressed = f", {size(len(body))} before compression" if body != answer.body else ""
    raise AssertionError(
        told(
            f"{passed.name} sends {size(len(answer.body))}{compressed}; at most {size(limit)} are allowed",
            ("largest", _largest(body)),
            ("mend", "leave the field out of the response type, or send fewer items at a time"),
        )
    )


class Field(NamedTuple):
    """All values of one kind of place, ``$.items[*].text``, with their keys; bytes as compact JSON."""

    path: str
    places: int
    size: int


def _largest(body: bytes) -> str | None:
    from wirespeed.report.numbers import share, size

    try:
        document = json.loads(body)
    except ValueError:
        return None
    field = largest_field(document)
    if field is None:
        return None
    times = f" in {field.places} places" if field.places > 1 else ""
    return f"{field.path}: {size(field.size)}{times}, {share(field.size / len(body))} of the body"


def largest_field(document: object) -> Field | None:
    """The field of an object that takes most bytes without being mere wrapping; None where there is no field.

    From the outside in: a field is passed through while one of the fields inside has more than half of it.
    """
    totals: defaultdict[tuple[str, ...], list[int]] = defaultdict(lambda: [0, 0])
    for steps, value in _fields(document):
        counts = totals[steps]
        counts[0] += 1
        counts[1] += len(_compact(value)) + len(_compact(steps[-1])) + 1
    place: tuple[str, ...] | None = _heaviest(totals, ())
    while place is not None:
        inner = _heaviest(totals, place)
        if inner is None or totals[inner][1] * 2 <= totals[place][1]:
            return Field(_written(place), *totals[place])
        place = inner
    return None


def _fields(document: object) -> Iterator[tuple[tuple[str, ...], object]]:
    """Every field at every depth, list items under ``[*]``."""
    waiting: list[tuple[object, tuple[str, ...]]] = [(document, ())]
    while waiting:
        value, place = waiting.pop()
        if isinstance(value, dict):
            for key, inner in value.items():
                yield (*place, key), inner
                waiting.append((inner, (*place, key)))
        elif isinstance(value, list):
            waiting.extend((item, (*place, _ITEMS)) for item in value)


_ITEMS: Final = "\0items"
"""No key of an object that came over a wire, in all likelihood; and harmless if it is one."""


def _heaviest(
    totals: Mapping[tuple[str, ...], list[int]], outside: tuple[str, ...]
) -> tuple[str, ...] | None:
    """The largest of the fields directly inside, whatever lists are in between."""
    inside = [place for place in totals if _is_directly_inside(place, outside)]
    return max(inside, key=lambda place: totals[place][1], default=None)


def _is_directly_inside(place: tuple[str, ...], outside: tuple[str, ...]) -> bool:
    between = place[len(outside) : -1]
    return place[: len(outside)] == outside != place and all(step == _ITEMS for step in between)


def _written(place: tuple[str, ...]) -> str:
    from wirespeed_agent.json_places import Indexes, written

    return written(tuple(Indexes(0) if step == _ITEMS else step for step in place))


def _compact(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=_SEPARATORS).encode("utf-8", "surrogatepass")
