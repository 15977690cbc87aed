"""WS103: the endpoint builds its response by hand."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.diagnosis.observation import Annotation, Change, CodeEdit, Observation

from ._rule import Rule
from ._shares import is_worth, milliseconds, share

PAGE = """\
# WS103: the response is built by hand

The endpoint returns a `Response` that it made itself: `JSONResponse(jsonable_encoder(…))`,
`Response(model.model_dump_json())`, `JSONResponse([row.model_dump() for row in rows])`. FastAPI sends such a
response as it is, so the response type has no say, and everything is encoded in Python, in the endpoint: on
the event loop of an `async def`.

**Fires when** an endpoint answered with a JSON response of its own, and spent 3 % of the request or more on
encoding it.

**Remedies measured**: return the value; status and headers stay, set on an injected `Response`. Where the
route declares no response type, with the types that the values before encoding allow, and with `Any`; where
it declares a response class, without that class.

**What can go wrong**

- A response type that had no effect so far gets one: it validates, and filters fields. The answers are
  compared.
- A hand-built response may differ in its status, headers or content type on purpose. An edit is only made
  where all of that can be kept.
- `jsonable_encoder` and Pydantic write some values differently (`Decimal`, `timedelta`, `+00:00`, NaN).
- Middleware and tests that expect the endpoint's own response class see FastAPI's.
"""


def evidence(seen: Observation) -> str | None:
    made = seen.hand_built
    if made is None or not seen.answers_json or not is_worth(seen, made.encode_ns):
        return None
    how = " and ".join(made.encoders)
    return (
        f"{milliseconds(made.encode_ns)} of every request ({share(seen, made.encode_ns):.0%}) go into "
        f"encoding a {made.response_class} in the endpoint: {how}"
    )


def remedies(seen: Observation) -> Sequence[Change]:
    assert seen.hand_built is not None
    if seen.source is None:
        return [Change(name="return the value", code="WS103", kind="code", advice=ADVICE)]
    if seen.route is not None and not seen.route.has_response_type:
        return [_change(seen, annotation) for annotation in seen.hand_built.annotations]
    return [_change(seen, None)]


ADVICE = "return the value itself, and declare its type as the response type"


def _change(seen: Observation, annotation: Annotation | None) -> Change:
    assert seen.source is not None and seen.route is not None
    parts = ["return the value"]
    if annotation is not None:
        parts.append(f"-> {annotation.expression}")
    if seen.route.explicit_class:
        parts.append("drop response_class")
    return Change(
        name=" + ".join(parts),
        code="WS103",
        kind="code",
        annotation=annotation,
        response_class="drop" if seen.route.explicit_class else "keep",
        edits=(CodeEdit(what="return the value", source=seen.source),),
        advice=ADVICE,
    )


RULE = Rule(
    code="WS103",
    problem="the endpoint encodes its answer itself and returns a response, which no response type speeds up",
    page=PAGE,
    evidence=evidence,
    remedies=remedies,
)
