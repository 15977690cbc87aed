"""WS104: dicts or rows are validated again into models."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.diagnosis.observation import Change, CodeEdit, Observation, Revalidated

from ._rule import Rule
from ._shares import is_worth, milliseconds, share

PAGE = """\
# WS104: the answer is validated again into models

The response type is made of models, and the endpoint returns something else: dicts, often made by
`model_dump()` a line before, or rows of an ORM. Response validation then builds every model anew, field by
field, to dump it at once. An instance of the very model would only be looked at.

**Fires when** response validation built models, and dumping and validating take 3 % of the request or more.

**Remedies measured**: return the instances, where the endpoint itself had dumped them to dicts. Where the
values come from elsewhere (a database, a cache), no edit is safe: the advice is to build the models there, or
to declare a `TypedDict`, which is validated without building an object for each row.

**What can go wrong**

- The response model is a filter, and stays one: no type is loosened. Tried on real endpoints, `Any` in place
  of a model leaked password hashes twice.
- Instances of a subclass are dumped by the declared fields only; `model_dump(exclude=…)` or `by_alias` may
  have made other dicts than the response does. Every captured answer is compared.
- Members of a union without a discriminator are left to WS107: as instances they are dumped even slower.
- On instances, validators of fields do not run again, model validators do.
"""

ADVICE = (
    "build the models where the values come from, once, and return the instances; "
    "or declare a TypedDict with the same fields: it filters alike and builds no objects"
)


def evidence(seen: Observation) -> str | None:
    rebuilt = _rebuilt(seen)
    if seen.phases is None or not rebuilt:
        return None
    spent_ns = seen.phases.validation + sum(each.dump_ns for each in rebuilt)
    if not is_worth(seen, spent_ns):
        return None
    what = "; ".join(_told(each) for each in rebuilt)
    return f"{milliseconds(spent_ns)} of every request ({share(seen, spent_ns):.0%}): {what}"


def _rebuilt(seen: Observation) -> list[Revalidated]:
    """Without members of a union that is tried in turn: as instances they would be dumped even slower."""
    members = {name for union in seen.unions for name in union.members}
    return [each for each in seen.revalidated if each.model not in members]


def _told(each: Revalidated) -> str:
    kind = "dicts" if each.from_dicts else "objects"
    told = f"{each.count} {each.model} built from {kind}"
    return f"{told}, after {each.dumped} were dumped to dicts" if each.dumped else told


def remedies(seen: Observation) -> Sequence[Change]:
    if seen.source is not None and any(each.dumped for each in _rebuilt(seen)):
        edit = CodeEdit(what="return instances", source=seen.source)
        return [Change(name="return instances", code="WS104", kind="code", edits=(edit,), advice=ADVICE)]
    return [Change(name="return instances", code="WS104", kind="code", advice=ADVICE)]


RULE = Rule(
    code="WS104",
    problem="values are validated again into models that were, or could have been, there already",
    page=PAGE,
    evidence=evidence,
    remedies=remedies,
)
