"""WS106: type adapters or models are built in every request."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.diagnosis.observation import Built, Change, CodeEdit, Observation

from ._rule import Rule
from ._shares import is_worth, milliseconds, share

PAGE = """\
# WS106: a TypeAdapter or model is built in every request

`TypeAdapter(…)`, `create_model(…)` or a `class X(BaseModel)` inside a function generates and compiles a
schema each time it runs: 100 µs to tens of milliseconds, for something that never changes.

**Fires when** every observed request built one in the endpoint or a dependency, and that takes 3 % of the
request or more. FastAPI itself builds those of every dependency anew where `app.dependency_overrides` is not
empty, which is meant for tests: such places are told as "in a library".

**Remedies measured**: the same call at module level, made once when the module is imported.

**What can go wrong**

- A type that depends on the request cannot be hoisted; a cache by that type can help (advice).
- What is hoisted is evaluated at import: names must be defined by then, and import takes a little longer.
- An adapter that several threads use is fine: adapters are immutable.
"""

ADVICE = "build it once, at module level; where it depends on the request, keep one for each type in a cache"
ADVICE_ON_LIBRARIES = (
    "a library builds it: FastAPI does for every dependency as long as app.dependency_overrides is not empty"
)


def evidence(seen: Observation) -> str | None:
    spent_ns = sum(each.ns for each in seen.built)
    if not seen.built or not is_worth(seen, spent_ns):
        return None
    what = ", ".join(f"{_name(each)} in {each.source or 'a library'}" for each in seen.built)
    return f"{milliseconds(spent_ns)} of every request ({share(seen, spent_ns):.0%}): {what}"


def _name(each: Built) -> str:
    name = each.name or "a type"
    return f"TypeAdapter({name})" if each.what == "TypeAdapter" else f"the model {name}"


def remedies(seen: Observation) -> Sequence[Change]:
    ours = [each for each in seen.built if each.source is not None]
    if not ours:
        return [Change(name="build once", code="WS106", kind="code", advice=ADVICE_ON_LIBRARIES)]
    together = _change(ours)
    adapters = [each for each in ours if each.what == "TypeAdapter"]
    return [together, _change(adapters)] if adapters and len(adapters) < len(ours) else [together]


def _change(built: Sequence[Built]) -> Change:
    edits = [
        CodeEdit(
            what="hoist", source=each.source, name="TypeAdapter" if each.what == "TypeAdapter" else each.name
        )
        for each in built
        if each.source is not None
    ]
    names = ", ".join(dict.fromkeys(_hoisted(each) for each in built))
    return Change(
        name=f"hoist {names}", code="WS106", kind="code", edits=tuple(dict.fromkeys(edits)), advice=ADVICE
    )


def _hoisted(each: Built) -> str:
    return f"TypeAdapter({each.name})" if each.what == "TypeAdapter" else str(each.name)


RULE = Rule(
    code="WS106",
    problem="a TypeAdapter or model is built again in every request",
    page=PAGE,
    evidence=evidence,
    remedies=remedies,
)
