"""What clients would notice: statuses and answers of base, its twin and head to one request. Pure.

Speed is asked about only after this: an endpoint that fails faster than it used to answer is no improvement,
and one that answers something else is another endpoint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from wirespeed.diagnosis import route_patterns
from wirespeed.model.advice import Difference
from wirespeed.model.guard import BehaviourChange, Change

Told = dict[str, Any]
"""An answer as the agent tells it."""

SERVER_ERROR = 500
CONTENT_TYPE = "header content-type"


@dataclass
class Witnessed:
    """What one side gave to a request, call after call."""

    answers: list[Told] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    """Calls without an answer, and why."""
    actions: list[str] = field(default_factory=list)

    def add(self, report: Told) -> None:
        if report["answer"] is None:
            self.failures.append(report["failed"])
        else:
            self.answers.append(report["answer"])
        self.actions += [action for action in report["actions"] if action not in self.actions]

    @property
    def outcomes(self) -> list[int | str]:
        """Each status, and each way to fail, once; in the order seen."""
        statuses: list[int | str] = [answer["status"] for answer in self.answers]
        return list(dict.fromkeys([*statuses, *self.failures]))

    @property
    def kinds(self) -> set[int | None]:
        """The statuses, and None for all failures: they are alike, whatever they say."""
        return {_kind(each) for each in self.outcomes}

    @property
    def status(self) -> int | None:
        """The only one, where every call was answered with it."""
        outcomes = self.outcomes
        return outcomes[0] if len(outcomes) == 1 and isinstance(outcomes[0], int) else None


def is_success(status: int | None) -> bool:
    return status is not None and 200 <= status < 300


def _kind(outcome: int | str) -> int | None:
    return outcome if isinstance(outcome, int) else None


def status_change(request: str, base: Witnessed, head: Witnessed) -> BehaviourChange:
    """Of a request that head ends in a way that base does not.

    What failed in base and works in head is told, and blamed on nobody.
    """
    before = base.outcomes[0]
    after = next(each for each in head.outcomes if _kind(each) not in base.kinds)
    is_repaired = _is_broken(before) and not _is_broken(after)
    return BehaviourChange(
        request=request,
        change="status" if isinstance(after, int) else "failed",
        differences=(Difference(at="status", baseline=before, arm=after),),
        allowed=is_repaired,
        note="it fails in base, and no longer in head" if is_repaired else None,
    )


def _is_broken(outcome: int | str) -> bool:
    return not isinstance(outcome, int) or outcome >= SERVER_ERROR


def answer_change(
    request: str, differences: Sequence[Difference], *, is_allowed: bool
) -> BehaviourChange | None:
    """Of answers with the same status; None where clients would notice nothing.

    Headers are told, but fail no guard: many name a version. That of the content type belongs to the body.
    """
    if not differences:
        return None
    of_body = [each for each in differences if not each.at.startswith("header ") or each.at == CONTENT_TYPE]
    change: Change = "body" if of_body else "headers"
    return BehaviourChange(
        request=request,
        change=change,
        differences=tuple(of_body or differences),
        allowed=is_allowed or not of_body,
        note=None if of_body else "headers alone do not fail a guard",
    )


def lost_change(request: str, status: int | None, message: str) -> BehaviourChange:
    """Of a request that takes head's process down, or hangs in it; base answers with ``status``."""
    return BehaviourChange(
        request=request,
        change="failed",
        differences=(Difference(at="status", baseline=status, arm=message),),
    )


def failing_change(request: str, status: int, failed: int, calls: int) -> BehaviourChange:
    """Of a request that head failed to answer as usual, now and then, while it was measured."""
    told = f"another status or none, {failed} of {calls} times"
    return BehaviourChange(
        request=request,
        change="status",
        differences=(Difference(at="status", baseline=status, arm=told),),
        note="only while it was measured, one call after another",
    )


def removed_change(request: str) -> BehaviourChange:
    return BehaviourChange(request=request, change="removed", differences=(), note="head has no such route")


def is_allowed(path: str, template: str | None, allowed: Sequence[str]) -> bool:
    """Whether ``--allow-body-change`` names the request's path or its route's.

    A pattern is compared as routes take it: ``/users/{id}`` allows ``/users/7``, and any template of that
    shape.
    """
    bare = path.partition("?")[0]
    for pattern in allowed:
        if pattern in (path, bare) or route_patterns.matches(pattern, bare):
            return True
        if template is not None and route_patterns.shape(pattern) == route_patterns.shape(template):
            return True
    return False
