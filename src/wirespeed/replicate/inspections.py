"""Looking at one answer of each arm: what it is, and who made its bytes.

The agent calls the app in the app's own process and watches the response path, so this is what happened, not
what a route's settings promise.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wirespeed.experiment.events import Booting, Listener
from wirespeed.model.subject import AppSubject
from wirespeed.subject.agent import AgentProcess

from .casting import Stand, request_of
from .results import Inspected, InspectionResult
from .suite import Arm, Inspection

DEADLINE_S = 60.0
_GRACE_S = 5.0
"""The agent has the same deadline for a call, and says better what became of it."""


def inspect(step: Inspection, stand: Stand, listener: Listener) -> InspectionResult:
    """Raises whatever keeps an arm from starting or answering."""
    listener(Booting(", ".join(arm.name for arm in step.arms)))
    found: list[Inspected] = []
    for subject, arms in _by_subject(step, stand, listener):
        with _booted(subject) as agent:
            found += [_look_at(agent, number, arm) for number, arm in enumerate(arms)]
    order = {arm.name: number for number, arm in enumerate(step.arms)}
    return InspectionResult(step=step.name, arms=tuple(sorted(found, key=lambda each: order[each.name])))


def _by_subject(step: Inspection, stand: Stand, listener: Listener) -> Iterator[tuple[AppSubject, list[Arm]]]:
    groups: list[tuple[AppSubject, list[Arm]]] = []
    for arm in step.arms:
        subject = stand.subject(arm, listener)
        group = next((arms for known, arms in groups if known == subject), None)
        if group is None:
            groups.append((subject, [arm]))
        else:
            group.append(arm)
    yield from groups


@contextmanager
def _booted(subject: AppSubject) -> Iterator[AgentProcess]:
    with AgentProcess(subject) as agent:
        agent.boot()
        yield agent


def _look_at(agent: AgentProcess, number: int, arm: Arm) -> Inspected:
    doing = f"calling {arm.name}"
    request = {"request": request_of(arm).for_agent(), "deadline_s": DEADLINE_S}
    answer = agent.call("answer", request, deadline_s=DEADLINE_S + _GRACE_S, doing=doing)
    probing = {**request, "key": number, "watch": False, "calls": 1, "seconds": 0.0}
    seen = agent.call("probe", probing, deadline_s=2 * DEADLINE_S + _GRACE_S, doing=doing)
    return inspected(arm.name, answer, seen)


def inspected(name: str, answer: dict[str, Any], seen: dict[str, Any]) -> Inspected:
    """From what the agent tells of an answer and of how it came about."""
    body, route = b64decode(answer["body"]), seen.get("route") or {}
    return Inspected(
        name=name,
        status=answer["status"],
        body_sha256=hashlib.sha256(body).hexdigest(),
        content_type=seen.get("content_type") or None,
        value_type=seen.get("value_type"),
        hand_built=bool(seen.get("hand_built")),
        fast_path=bool(seen.get("fast_path")),
        has_response_model=bool(route.get("has_response_type")),
        json_value=_json(body),
        phases_ns=seen.get("phases"),
    )


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None
