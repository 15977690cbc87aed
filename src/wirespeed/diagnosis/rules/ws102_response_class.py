"""WS102: a response class keeps a typed route off the fast path."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.diagnosis.observation import Change, Observation

from ._rule import Rule

PAGE = """\
# WS102: a response class keeps the route off the fast path

The route has a response type, and a response class set on the route, its router or the app. FastAPI then
validates the value, dumps it to Python objects, and lets the class encode those. Without the class, Pydantic
writes the JSON bytes in one go (since FastAPI 0.130). `ORJSONResponse`, once set "for speed", now costs
speed; so does an explicit `JSONResponse`. On older versions the opposite may hold: only measuring tells, so
it is measured here.

**Fires when** a typed route with an explicit response class answered with JSON.

**Remedies measured**: dropping the class; and, where the class has a content type of its own, sending the
bytes of the response type under that content type.

**What can go wrong**

- The content type changes when the class has one of its own: that remedy is then not recommended, its
  sibling is.
- A class that adds headers or wraps the body does so for a reason: the answers are compared.
- `JSONResponse` and Pydantic print small floats differently (`1e-05` and `0.00001`): equal JSON, other bytes.
"""


def evidence(seen: Observation) -> str | None:
    if seen.route is None or seen.obstacle is not None or not seen.answers_json:
        return None
    if not (seen.route.has_response_type and seen.route.explicit_class):
        return None
    return (
        f"{seen.route.response_class} is set explicitly; {seen.response_path_share:.0%} is the response path"
    )


def remedies(seen: Observation) -> Sequence[Change]:
    assert seen.route is not None
    drop = Change(name="drop response_class", code="WS102", kind="option", response_class="drop")
    if seen.route.media_type == "application/json":
        return [drop]
    keep_type = Change(
        name="drop response_class + keep content type", code="WS102", kind="option", response_class="bytes"
    )
    return [drop, keep_type]


RULE = Rule(
    code="WS102",
    problem="an explicit response class keeps the route off the fast path",
    page=PAGE,
    evidence=evidence,
    remedies=remedies,
)
