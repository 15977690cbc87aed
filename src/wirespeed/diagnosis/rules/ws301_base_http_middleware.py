"""WS301: BaseHTTPMiddleware."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wirespeed.diagnosis.observation import Change, CodeEdit, Layer, Observation

from ._rule import Rule
from ._shares import milliseconds, share

PAGE = """\
# WS301: BaseHTTPMiddleware

`@app.middleware("http")` and subclasses of `BaseHTTPMiddleware` start a task group, a child task and a memory
stream for every request, and pass the answer through them: about 90 µs each, whatever the function does. The
same as pure ASGI middleware wraps `send`, and costs a few.

**Fires when** the request passed one whose own time is 2 % of the request or more.

**Remedies measured**: the dispatch function rewritten as pure ASGI middleware, where that can be done
mechanically: all of them as one change, and each by itself. Beside it, a pass-through in the middleware's
place (`without NAME`): it shows the most that any rewrite could gain, and is never a recommendation, as it
leaves out what the middleware does.

**What can go wrong**

- Context variables set in an endpoint become visible to the middleware, and the other way round: the child
  task that hid them is gone.
- `request.state`, exceptions and background tasks pass differently; code that reads the response's body needs
  a rewrite by hand.
- Clients that disconnect: pure ASGI middleware sees it in `receive`, not as a cancelled task.
"""

WORTH: Final = 0.02

ADVICE = "rewrite it as pure ASGI middleware: a class with __call__(scope, receive, send) that wraps send"
UPPER_BOUND = "it leaves out what the middleware does; it shows the most that a rewrite can gain"


def evidence(seen: Observation) -> str | None:
    costly = _costly(seen)
    if not costly:
        return None
    total_ns = sum(layer.own_ns for layer in costly)
    names = ", ".join(layer.name for layer in costly)
    return f"{milliseconds(total_ns)} of every request ({share(seen, total_ns):.0%}) are spent in {names}"


def _costly(seen: Observation) -> list[Layer]:
    """The heaviest first."""
    layers = [layer for layer in seen.layers if layer.is_base_http and share(seen, layer.own_ns) >= WORTH]
    return sorted(layers, key=lambda layer: -layer.own_ns)


def remedies(seen: Observation) -> Sequence[Change]:
    costly = _costly(seen)
    ours = [layer for layer in costly if layer.source is not None]
    rewrites = [_rewrite(ours)] if ours else []
    if len(ours) > 1:
        rewrites += [_rewrite([layer]) for layer in ours]
    return [*rewrites, *(_without(layer) for layer in costly)]


def _rewrite(layers: Sequence[Layer]) -> Change:
    in_order = sorted(layers, key=lambda layer: layer.number)
    return Change(
        name="pure ASGI " + ", ".join(layer.name for layer in in_order),
        code="WS301",
        kind="code",
        edits=tuple(CodeEdit(what="pure asgi", source=str(each.source), name=each.name) for each in in_order),
        advice=ADVICE,
    )


def _without(layer: Layer) -> Change:
    return Change(
        name=f"without {layer.name}",
        code="WS301",
        kind="app",
        bypass=layer.number,
        advice=f"{layer.name}: {ADVICE}",
        never_recommended=UPPER_BOUND,
    )


RULE = Rule(
    code="WS301",
    problem="BaseHTTPMiddleware starts a task and a stream for every request",
    page=PAGE,
    evidence=evidence,
    remedies=remedies,
)
