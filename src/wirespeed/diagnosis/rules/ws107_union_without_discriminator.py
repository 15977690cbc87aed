"""WS107: a union of models without a discriminator."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.diagnosis.observation import Change, CodeEdit, Observation, UnionFact

from ._rule import Rule
from ._shares import is_worth, milliseconds, share

PAGE = """\
# WS107: a union without a discriminator

The response type holds a union of models, and nothing says which member a value belongs to. Pydantic then
tries them: each value is validated against every member, and the best match kept. With a discriminator, a
field in which each member pins its own literals, it goes straight to the right one.

**Fires when** the response type holds such a union, the endpoint answered with JSON, and the response path
takes 3 % of the request or more.

**Remedies measured**: `Annotated[A | B, Field(discriminator="kind")]` in the route's own response type, where
one field tells all members apart. For a union inside a model the same is advice: the model is used elsewhere
too.

**What can go wrong**

- A value whose field names no member becomes an error; the members would have been tried before.
- OpenAPI gains `discriminator` and lists the members under `oneOf` rather than `anyOf`.
- Returning instances and leaving the union as it is makes it slower: dumping tries the members as well.
"""


def evidence(seen: Observation) -> str | None:
    if seen.phases is None or not seen.answers_json or not seen.unions:
        return None
    spent_ns = seen.phases.validation + seen.phases.serialization
    if not is_worth(seen, spent_ns):
        return None
    what = "; ".join(_told(union) for union in seen.unions)
    return f"{milliseconds(spent_ns)} of every request ({share(seen, spent_ns):.0%}) go through {what}"


def _told(union: UnionFact) -> str:
    where = f" in {union.inside}" if union.inside else ""
    told = f"a union of {len(union.members)} models{where}"
    return (
        f"{told}, which {union.field} tells apart" if union.field else f"{told}, which no field tells apart"
    )


def remedies(seen: Observation) -> Sequence[Change]:
    return [_change(seen, union) for union in seen.unions]


def _change(seen: Observation, union: UnionFact) -> Change:
    if union.field is None:
        return Change(
            name="discriminator",
            code="WS107",
            kind="code",
            advice=f"give {', '.join(union.members)} a field with a literal of its own each, and name it "
            "as the discriminator",
        )
    name = f"discriminator {union.field}"
    if union.inside is not None or seen.source is None:
        place = union.inside or "the response type"
        advice = f'declare {place} with Field(discriminator="{union.field}")'
        return Change(name=name, code="WS107", kind="code", advice=advice)
    edit = CodeEdit(what="discriminator", source=seen.source, name=union.field)
    return Change(name=name, code="WS107", kind="code", annotation=union.annotation, edits=(edit,))


RULE = Rule(
    code="WS107",
    problem="a union without a discriminator: Pydantic tries its members in turn",
    page=PAGE,
    evidence=evidence,
    remedies=remedies,
)
