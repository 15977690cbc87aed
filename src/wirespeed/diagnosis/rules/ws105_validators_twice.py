"""WS105: model validators run a second time."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.diagnosis.observation import Change, Observation

from ._rule import Rule
from ._shares import is_worth, milliseconds, share

PAGE = """\
# WS105: model validators run twice

The endpoint returns instances of the declared model. Response validation does not check their fields again,
but a `model_validator` of mode `after` or `wrap` stands outside that shortcut: it ran when the instance was
made, and runs again for every answer.

**Fires when** validating instances with such validators takes 3 % of the request or more.

**Remedies measured**: none, this is advice. Make the validators cheap, or let them see that their work is
done. `-> Any`, with the model documented under `responses=`, skips response validation; that is right only
where every value is exactly the declared model and nothing is filtered by it, which no measurement can show.

**What can go wrong**

- A response type is a filter. With `Any` the fields of subclasses come out, and fields that are excluded by
  the route's options.
- Validators with side effects (they count, they cache) run once less.
"""

ADVICE = (
    "make the validators cheap on the second run; or return Any and document the model under responses=, "
    "only where every value is exactly that model and nothing is filtered"
)


def evidence(seen: Observation) -> str | None:
    if seen.phases is None or not seen.validators_again or not is_worth(seen, seen.phases.validation):
        return None
    spent_ns = seen.phases.validation
    validators = ", ".join(
        f"{each.model}.{each.validator} ({each.mode}) {each.count} times" for each in seen.validators_again
    )
    return f"{milliseconds(spent_ns)} of every request ({share(seen, spent_ns):.0%}): {validators}"


def remedies(seen: Observation) -> Sequence[Change]:
    return [Change(name="validators once", code="WS105", kind="code", advice=ADVICE)]


RULE = Rule(
    code="WS105",
    problem="model validators run again on instances that are valid already",
    page=PAGE,
    evidence=evidence,
    remedies=remedies,
)
