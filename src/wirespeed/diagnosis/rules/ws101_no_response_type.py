"""WS101: no response type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Literal

from wirespeed.diagnosis.observation import Annotation, Change, Observation

from ._rule import Rule

PAGE = """\
# WS101: no response type

The endpoint declares neither a return type nor a `response_model`. FastAPI then walks every key and value
with `jsonable_encoder`, in Python, and hands the result to `json.dumps`. With a response type, Pydantic
validates the value and (since FastAPI 0.130, with the default response class) writes the JSON bytes itself,
in Rust.

**Fires when** an endpoint without a response type answered with JSON made from a value it returned.

**Remedies measured**: the return type inferred from the captured values, exactly; the same with
`dict[str, Any]` in place of row shapes; `Any`. Each alone, with the default response class where another is
set, and with serialization options that were dormant switched off.

**What can go wrong**

- A type is a filter: fields that it does not name are dropped, and values that do not fit become errors.
  `Any` and `dict[str, Any]` filter nothing.
- Other bytes: `Decimal` becomes a string, a `timedelta` an ISO duration, `+00:00` becomes `Z`, `1e-05`
  becomes `0.00001`, NaN becomes `null`. Every captured answer is compared, and a remedy that changes one is
  not recommended.
- `response_model_exclude_none` and its siblings do nothing without a response type, and wake up with one.
- On a small `def` endpoint it is *slower*: validation takes a second hop through the thread pool.
"""


def evidence(seen: Observation) -> str | None:
    if seen.route is None or seen.obstacle is not None or not seen.answers_json:
        return None
    if seen.route.has_response_type:
        return None
    return f"{seen.response_path_share:.0%} of the request is the response path"


def remedies(seen: Observation) -> Sequence[Change]:
    assert seen.route is not None
    classes: Sequence[Literal["keep", "drop"]] = ("drop", "keep") if seen.route.explicit_class else ("keep",)
    options: Sequence[Literal["keep", "reset"]] = (
        ("keep", "reset") if seen.route.dormant_options else ("keep",)
    )
    return [
        Change(
            name=" + ".join(_names(annotation, response_class, option, seen.route.dormant_options)),
            code="WS101",
            kind="annotation",
            annotation=annotation,
            response_class=response_class,
            options=option,
        )
        for annotation, response_class, option in product(seen.annotations, classes, options)
    ]


def _names(annotation: Annotation, response_class: str, option: str, dormant: Sequence[str]) -> Iterator[str]:
    yield f"-> {annotation.expression}"
    if response_class == "drop":
        yield "drop response_class"
    if option == "reset":
        yield from (f"without {name}" for name in dormant)


RULE = Rule(
    code="WS101",
    problem="no response type, so every value goes through jsonable_encoder and json.dumps",
    page=PAGE,
    evidence=evidence,
    remedies=remedies,
)
