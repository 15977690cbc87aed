"""What the agent saw of one request, typed: the rules' only source of facts."""

from __future__ import annotations

from typing import Any, Literal

from wirespeed.model._base import Message, Value
from wirespeed.model.advice import Difference, Fidelity, Phases


class Annotation(Message):
    """A response type as source text: what is shown is what is measured."""

    expression: str
    imports: list[str] = []
    definitions: list[str] = []
    kind: Literal["exact", "open", "any"]
    by_type: bool
    """The type alone already fixes the bytes of every value it admits."""


class RouteFacts(Message):
    has_response_type: bool
    explicit_class: bool
    response_class: str
    media_type: str | None
    dormant_options: list[str]
    """Serialization options that are set but do nothing, because there is no response type."""


class Failure(Message):
    kind: Literal["raised", "deadline", "endless"]
    message: str
    traceback: str | None = None


class Observation(Message):
    """One probed request. What was not reached stays at its default."""

    failed: Failure | None
    actions: list[str]
    """What the first call did to the world, as far as the audit hook can see."""
    status: int | None = None
    statuses: list[int] = []
    body_bytes: int | None = None
    content_type: str = ""
    first_ns: int | None = None
    whole_ns: int | None = None
    response_path_ns: int | None = None
    gc_share: float | None = None
    unstable: list[str] = []
    phases: Phases | None = None
    obstacle: str | None = None
    """Why the response path cannot be replayed."""
    fast_path: bool = False
    is_coroutine: bool = True
    value_type: str | None = None
    route: RouteFacts | None = None
    annotations: list[Annotation] = []

    @property
    def answers_json(self) -> bool:
        media = self.content_type.partition(";")[0].strip().lower()
        return media == "application/json" or media.endswith("+json")

    @property
    def response_path_share(self) -> float:
        """Response path as a fraction of the whole request."""
        if not (self.whole_ns and self.response_path_ns):
            return 0.0
        return min(1.0, self.response_path_ns / self.whole_ns)


class Screened(Message):
    """One change, tried: what it does to the bytes, and a first look at its time (no evidence)."""

    error: str | None
    replay_ns: int | None
    fidelity: Fidelity | None
    differences: list[Difference] = []
    openapi: str | None = None


class Screening(Message):
    """``variants`` in the order of the changes that were asked for."""

    invalid: str | None
    baseline_ns: int | None
    floor_ns: int | None
    variants: list[Screened]


class Hot(Message):
    share: float | None
    where: str | None
    samples: int


class Seen(Message):
    """What clients would see of one answer."""

    fidelity: Fidelity
    differences: list[Difference] = []


class Round(Message):
    """One endpoint in one confirming round, as measured; times in ns.

    ``runs`` is [arm][block][median, mean, GC, calls]; ``answers`` are the changes', given this round's value.
    """

    invalid: str | None
    live: list[tuple[int, int]]
    answers: list[Seen] = []
    replayed: list[tuple[int, int]] = []
    runs: list[list[tuple[float, float, float, float]]] = []
    errors: list[int] = []


class Change(Value):
    """What makes an arm differ from the unchanged route, as data the agent can act on."""

    name: str
    code: str
    kind: Literal["annotation", "option"]
    annotation: Annotation | None = None
    response_class: Literal["keep", "drop", "bytes"] = "keep"
    options: Literal["keep", "reset"] = "keep"

    def for_agent(self) -> dict[str, Any]:
        return self.model_dump(mode="json", include={"annotation", "response_class", "options"})
