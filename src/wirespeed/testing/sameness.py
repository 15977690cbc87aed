"""``assert_same_bytes`` and ``assert_same_json``: two answers, or an answer and one that was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, Unpack

from wirespeed.errors import UsageError

from .calls import Call, Options, Request, call_of
from .failing import told
from .sending import Passed, is_client, send, send_async

if TYPE_CHECKING:
    from wirespeed_agent.fidelity import Answer

Other: TypeAlias = object
"""Another request to the same app; a body that was recorded, as bytes; or another app or client."""

MOST_SHOWN: Final = 10
AROUND: Final = 30


def assert_same_bytes(
    app: object, request: Request, other: Other, /, *, lifespan: bool = False, **options: Unpack[Options]
) -> None:
    """Fail unless two answers have the same status, content type and bytes.

    ``other`` is another request to the same app, the bytes of a recorded body, or another app or client,
    which gets the same request. Bodies are compared as a client reads them, without their compression; of a
    recorded one nothing but the body is known, and the answer must be a success. The options belong to
    ``request``, and to its repetition where ``other`` is an app.

    Inside a coroutine ``await assert_same_bytes_async(...)``; see ``assert_fast_path`` for apps, clients and
    requests. Raises AssertionError, UsageError, and whatever the app raises.
    """
    __tracebackhide__ = True
    plan = _plan(app, request, other, options)
    _check_bytes(_named(send(*plan.one, lifespan=lifespan)), _counterpart(plan, lifespan))


async def assert_same_bytes_async(
    app: object, request: Request, other: Other, /, *, lifespan: bool = False, **options: Unpack[Options]
) -> None:
    """As ``assert_same_bytes``, in the event loop that runs."""
    __tracebackhide__ = True
    plan = _plan(app, request, other, options)
    one = _named(await send_async(*plan.one, lifespan=lifespan))
    _check_bytes(one, await _counterpart_async(plan, lifespan))


def assert_same_json(
    app: object, request: Request, other: Other, /, *, lifespan: bool = False, **options: Unpack[Options]
) -> None:
    """As ``assert_same_bytes``, but for JSON values: the order of keys and the spelling of numbers are free.

    ``1`` and ``1.0`` are the same number; ``1`` and ``"1"`` are not the same value. The message names every
    place that differs, up to ten of them: ``$.items[3].price: 1.0 != "1.0"``.
    """
    __tracebackhide__ = True
    plan = _plan(app, request, other, options)
    _check_json(_named(send(*plan.one, lifespan=lifespan)), _counterpart(plan, lifespan))


async def assert_same_json_async(
    app: object, request: Request, other: Other, /, *, lifespan: bool = False, **options: Unpack[Options]
) -> None:
    """As ``assert_same_json``, in the event loop that runs."""
    __tracebackhide__ = True
    plan = _plan(app, request, other, options)
    one = _named(await send_async(*plan.one, lifespan=lifespan))
    _check_json(one, await _counterpart_async(plan, lifespan))


# -- what is compared with what ------------------------------------------------------------------------------


class Named(NamedTuple):
    """An answer, or a body that was recorded, with its name in messages."""

    name: str
    answer: Answer
    is_recorded: bool = False


class _Plan(NamedTuple):
    """Two things to send; of the second, only what was recorded where there is nothing to send."""

    one: tuple[object, Call]
    other: tuple[object, Call] | None
    recorded: bytes


def _plan(app: object, request: Request, other: Other, options: Mapping[str, Any]) -> _Plan:
    call = call_of(request, options)
    if isinstance(other, bytes):
        return _Plan((app, call), None, other)
    if isinstance(other, str | tuple):
        return _Plan((app, call), (app, call_of(other, {})), b"")
    if is_client(other) or callable(other):
        return _Plan((app, call), (other, call), b"")
    raise UsageError(f"{other!r} is neither a request nor a recorded body (bytes) nor an app or client.")


def _counterpart(plan: _Plan, lifespan: bool) -> Named:
    return _recorded(plan) if plan.other is None else _named(send(*plan.other, lifespan=lifespan), plan)


async def _counterpart_async(plan: _Plan, lifespan: bool) -> Named:
    if plan.other is None:
        return _recorded(plan)
    return _named(await send_async(*plan.other, lifespan=lifespan), plan)


def _named(passed: Passed, plan: _Plan | None = None) -> Named:
    same = plan is not None and plan.other is not None and plan.other[1] is plan.one[1]
    return Named(f"{passed.name} of the other app" if same else passed.name, passed.answer)


def _recorded(plan: _Plan) -> Named:
    from wirespeed_agent.fidelity import Answer

    return Named("the recorded body", Answer(200, (), plan.recorded), is_recorded=True)


# -- judging -------------------------------------------------------------------------------------------------


def _check_bytes(one: Named, other: Named) -> None:
    __tracebackhide__ = True
    _check_around(one, other)
    left, right = _body(one), _body(other)
    if left == right:
        return
    start = _first_difference(left, right)
    raise AssertionError(
        told(
            f"{one.name} and {other.name} differ from byte {start} on ({len(left)} and {len(right)} bytes)",
            (one.name, _excerpt(left, start)),
            (other.name, _excerpt(right, start)),
            ("as JSON", _as_json(left, right)),
        )
    )


def _check_json(one: Named, other: Named) -> None:
    __tracebackhide__ = True
    _check_around(one, other)
    found = _differences(_document(one), _document(other))
    if found:
        raise AssertionError("\n  ".join([f"{one.name} and {other.name} are not the same JSON:", *found]))


def _check_around(one: Named, other: Named) -> None:
    """Statuses and content types; without a success there is nothing to compare a recorded body with."""
    __tracebackhide__ = True
    status, others = one.answer.status, other.answer.status
    if other.is_recorded:
        if not 200 <= status < 300:
            raise AssertionError(f"{one.name} answered {status}: {_excerpt(_body(one), 0)}")
        return
    if status != others:
        raise AssertionError(
            told(
                f"{one.name} answered {status}, and {other.name} {others}",
                (one.name, _excerpt(_body(one), 0)),
                (other.name, _excerpt(_body(other), 0)),
            )
        )
    types = [_content_type(named) for named in (one, other)]
    if types[0] != types[1]:
        raise AssertionError(
            f"{one.name} is {types[0] or 'of no type'}, and {other.name} is {types[1] or 'of no type'}"
        )


def _body(named: Named) -> bytes:
    from wirespeed_agent.fidelity import decoded

    return decoded(named.answer).body


def _content_type(named: Named) -> str:
    from wirespeed_agent.live import header

    return header(named.answer.headers, b"content-type")


def _document(named: Named) -> object:
    __tracebackhide__ = True
    from wirespeed_agent.json_differences import read

    body = _body(named)
    try:
        return read(body)
    except ValueError as error:
        raise AssertionError(f"{named.name} is not JSON ({error}): {_excerpt(body, 0)}") from None


def _differences(left: object, right: object) -> list[str]:
    """Each differing place with both values; the last line says how many more there are."""
    from wirespeed_agent.json_differences import ABSENT, differences
    from wirespeed_agent.json_places import written

    def shown(value: object) -> str:
        return "(absent)" if value is ABSENT else _spelled(value)

    found = differences(left, right)
    lines = [
        f"{written(each.place)}: {shown(each.baseline)} != {shown(each.arm)}"
        for each in islice(found, MOST_SHOWN)
    ]
    more = sum(1 for _ in found)
    return [*lines, f"and {more} more"] if more else lines


def _spelled(value: object) -> str:
    """A JSON value as JSON, numbers with the digits that they came with."""
    import json
    from decimal import Decimal

    from wirespeed_agent.json_differences import LONGEST_SHOWN

    text = str(value) if isinstance(value, Decimal) else json.dumps(value, ensure_ascii=False, default=float)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"


def _as_json(left: bytes, right: bytes) -> str | None:
    """What the difference of two bodies means to those who read them as JSON; None where nobody can."""
    from wirespeed_agent.json_differences import read

    try:
        found = _differences(read(left), read(right))
    except ValueError:
        return None
    return "\n".join(found) or "the same values, written in another way (order of keys, numbers, escapes)"


def _first_difference(left: bytes, right: bytes) -> int:
    shorter = min(len(left), len(right))
    return next((at for at in range(shorter) if left[at] != right[at]), shorter)


def _excerpt(body: bytes, at: int) -> str:
    start, end = max(0, at - AROUND), at + 2 * AROUND
    text = body[start:end].decode("utf-8", "replace")
    return f"{'…' if start else ''}{text}{'…' if end < len(body) else ''}" or "(nothing)"
