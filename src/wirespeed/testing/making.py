"""How an answer was made: on the fast path, or which rule kept it off.

FastAPI's fast path: the response field validates the endpoint's value and writes the JSON bytes itself, in
``serialize_json``. ``broken_by`` is pure, and knows an answer only by what was seen of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from .failing import definition

if TYPE_CHECKING:
    from wirespeed_agent.routes import FoundRoute
    from wirespeed_agent.ticket import Record

    from .sending import Passed

FIRST_WITH_FAST_PATH: Final = "0.130.0"
LONGEST_BODY_SHOWN: Final = 200


@dataclass(frozen=True)
class Broken:
    """Why an answer is not from the fast path. ``rule``: the code, where there is one for it."""

    rule: str | None
    what: str
    where: str | None = None
    mend: str | None = None


@dataclass(frozen=True)
class Made:
    """What was seen of one answer. ``found``: the API route it came to; ``body``: as the client reads it."""

    status: int
    body: bytes
    found: FoundRoute | None
    record: Record


def made(passed: Passed) -> Made:
    from wirespeed_agent.fidelity import decoded
    from wirespeed_agent.seams import reached_route

    record = passed.ticket.record
    return Made(passed.answer.status, decoded(passed.answer).body, reached_route(record.scope), record)


def broken_by(seen: Made) -> Broken | None:
    """None for an answer from the fast path."""
    if seen.found is None:
        return _no_route(seen)
    broken = _not_returned(seen, seen.found) or _built_by_hand(seen, seen.found)
    if broken is not None:
        return broken
    if not seen.record.used_dump_json:
        return _off_the_fast_path(seen, seen.found)
    return _rewritten(seen, seen.found)


def _no_route(seen: Made) -> Broken:
    return Broken(
        None,
        f"no FastAPI route answered, but {_answer(seen)} came from above: a middleware, a mounted app, a "
        "plain Starlette route, or nobody at all",
        mend="ask for the path of an endpoint; where a middleware answers in its place, test the endpoint "
        "without it",
    )


def _not_returned(seen: Made, found: FoundRoute) -> Broken | None:
    """Answers that were not made from a value of the endpoint at all."""
    where = definition(found.endpoint)
    if found.kind != "api":
        return Broken(None, str(found.reason), where)
    if not seen.record.called:
        mend = "send what the endpoint accepts: only an answer from its value can be on the fast path"
        return Broken(None, f"the endpoint returned nothing: {_answer(seen)} came in its place", where, mend)
    if not seen.body and not any(seen.record.chunks):
        return Broken(None, f"an answer with status {seen.status} has no body", where)
    return None


def _built_by_hand(seen: Made, found: FoundRoute) -> Broken | None:
    from wirespeed_agent.responses import is_response, is_streamed

    value, where = seen.record.value, definition(found.endpoint)
    if not is_response(value):
        return None
    name = type(value).__name__
    if is_streamed(value):
        return Broken(None, f"it is a {name}: what it sends is not made from a value", where)
    field = getattr(found.effective, "response_field", None)
    ignored = f", in which its response type {_type_name(field)} has no say" if field is not None else ""
    mend = "return the value itself" + ("" if field is not None else ", and declare its type")
    return Broken(
        "WS103",
        f"the endpoint returns a {name} that it built itself{ignored}",
        where,
        f"{mend}; set status and headers on an injected Response",
    )


def _off_the_fast_path(seen: Made, found: FoundRoute) -> Broken:
    from wirespeed_agent.routes import has_explicit_response_class

    where = definition(found.endpoint)
    if getattr(found.effective, "response_field", None) is None:
        return Broken(
            "WS101",
            "no response type is declared, so every value goes through jsonable_encoder and json.dumps",
            where,
            f"declare what the endpoint returns: {_proposals(seen.record.value, found)}",
        )
    if has_explicit_response_class(found.effective):
        return _class_in_the_way(seen, found)
    return Broken(None, f"{_answer(seen)} was not made by the response field", where)


def _class_in_the_way(seen: Made, found: FoundRoute) -> Broken:
    from wirespeed_agent.routes import response_class

    chosen = response_class(found.effective)
    app = seen.record.scope.get("app")
    of_the_app = getattr(getattr(app, "router", None), "default_response_class", None)
    whose = "the app's default_response_class" if of_the_app is chosen else "set on the route or its router"
    return Broken(
        "WS102",
        f"the response class {chosen.__name__}, {whose}, keeps the route off the fast path",
        definition(found.endpoint),
        "drop the response class: FastAPI's default writes the bytes of the response type directly",
    )


def _rewritten(seen: Made, found: FoundRoute) -> Broken | None:
    sent, dumped = b"".join(seen.record.chunks), seen.record.dumped_json
    if seen.body == sent == dumped:
        return None
    where = definition(found.endpoint)
    if sent == dumped:
        what = (
            "the response field wrote the bytes, but a middleware above the route put others in their place"
        )
        return Broken(None, what, where, "change the value in the endpoint instead of the body behind it")
    kind = type(found.route).__name__
    what = f"the response field wrote the bytes, but the route ({kind}) put others in their place"
    return Broken(None, what, where, "change the value in the endpoint instead of the body behind it")


def _proposals(value: Any, found: FoundRoute) -> str:
    """The types that this one value allows, as ``advise`` proposes them, written as return types."""
    from wirespeed_agent.inference import infer
    from wirespeed_agent.variants import namespace_of

    name = getattr(found.endpoint, "__name__", "Answer")
    inferred = infer([value], namespace_of(found.endpoint), name_hint=name)
    return " or ".join(
        f"`-> {each.expression}`" + (" (`wirespeed advise` writes the class)" if each.definitions else "")
        for each in inferred
    )


def _type_name(field: Any) -> str:
    from wirespeed_agent.encoding import type_name

    annotation = getattr(field.field_info, "annotation", None)
    return "" if annotation is None else type_name(annotation)


def _answer(seen: Made) -> str:
    text = seen.body[:LONGEST_BODY_SHOWN].decode("utf-8", "replace")
    return f"a {seen.status} ({text})" if text else f"a {seen.status}"
