"""WS403: identical bytes every time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wirespeed.diagnosis.observation import Change, CodeEdit, Observation

from ._rule import Rule
from ._shares import milliseconds, share

PAGE = """\
# WS403: identical bytes every time

The endpoint takes nothing from the request, returned the same object in every observed call, and the same
bytes were made of it each time. They could be made once.

**Fires when** all of that holds, and making the bytes takes 1 ms or more and half of the request.

**Remedies measured**: the bytes kept after the first answer (`cache bytes`). It is shown with its figures,
and never recommended: a few calls within a second cannot tell whether the object ever changes. An object that
is filled at start-up and one that a background task updates every minute look alike. Whoever wrote it knows.

**What can go wrong**

- The object changes, and clients go on getting the old bytes: the cache must be dropped wherever it does.
- Kept bytes take memory, once for every worker process.
- Headers or cookies that depend on the request must not be kept with them.
"""

LEAST_NS: Final = 1_000_000
LEAST_SHARE: Final = 0.5
"""A cache is a thing to look after: for less than this nobody should."""

JUDGMENT = "whether the answer ever changes cannot be seen in a few calls"
ADVICE = (
    "make the bytes once, and again wherever the object changes; or let clients and proxies cache the answer"
)


def evidence(seen: Observation) -> str | None:
    same = seen.same_every_time
    if same is None or same.encode_ns < LEAST_NS or share(seen, same.encode_ns) < LEAST_SHARE:
        return None
    return (
        f"the same object and the same {seen.body_bytes} bytes in {same.calls} calls, made anew each time: "
        f"{milliseconds(same.encode_ns)}, {share(seen, same.encode_ns):.0%} of the request"
    )


def remedies(seen: Observation) -> Sequence[Change]:
    edits = () if seen.source is None else (CodeEdit(what="cache bytes", source=seen.source),)
    change = Change(
        name="cache bytes",
        code="WS403",
        kind="code",
        edits=edits,
        advice=ADVICE,
        never_recommended=JUDGMENT,
    )
    return [change]


RULE = Rule(
    code="WS403",
    problem="the same bytes are made anew in every request",
    page=PAGE,
    evidence=evidence,
    remedies=remedies,
)
