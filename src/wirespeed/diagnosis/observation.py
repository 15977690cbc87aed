"""What the agent saw of one request, typed: the rules' only source of facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from wirespeed.model._base import Message, Value
from wirespeed.model.advice import Difference, Fidelity, Phases
from wirespeed.source.values import CodeEditKind


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


class Work(Message):
    """One callable that FastAPI ran for the request. Its times are the most in any watched call.

    They are taken inside its thread or coroutine, without garbage collection and without waits for a core.
    A generator is not timed.
    """

    key: str
    """``module:qualname``: the same in every request; functions made by one factory share it."""
    name: str
    source: str | None
    """``file.py:31``, the line of its ``def`` or ``class``; None where it is not the app's own code."""
    role: Literal["endpoint", "dependency"]
    kind: Literal["def", "async def", "class", "other"]
    """``other``: a partial, a callable object, or a function wrapped by a decorator."""
    generator: bool
    in_thread: bool
    calls: int
    """In one request."""
    wall_ns: int
    off_cpu_ns: int
    actions: list[str] = []
    """Files, sockets, databases, processes, locks, context variables and thread-locals it was seen to use."""
    nested: bool = False
    """Defined inside a function, so that its module's globals do not hold it."""
    awaits: bool = False
    """An ``async def`` with an ``await`` in it, so that it cannot become a ``def``."""


class Hold(Message):
    """The event loop held without interruption, in the middle one of the watched calls."""

    wall_ns: int
    cpu_ns: int
    run_queue_ns: int
    """Ready to run, but waiting for a core, a hypervisor's included: the machine's doing, not the app's."""
    work: str | None
    """``Work.key`` of the callable that held it; None for middleware, FastAPI and serialization."""

    @property
    def blocked_ns(self) -> int:
        """Neither computing nor waiting for a core: waiting for something while nobody else can go on."""
        return max(0, self.wall_ns - self.cpu_ns - self.run_queue_ns)


class Layer(Message):
    """One middleware that the request passed."""

    number: int
    """From the outside in, over every app of the process: the agent knows the layer by it."""
    name: str
    is_base_http: bool
    source: str | None
    """``file.py:31`` of the dispatch function or the class; None where it is not the app's own code."""
    own_ns: int
    """Median, without what it wraps."""


class Built(Message):
    """A TypeAdapter or model class that the endpoint or a dependency built while it answered."""

    what: Literal["TypeAdapter", "model"]
    name: str | None
    """The type that the adapter is for, or the model's name."""
    source: str | None
    """The line of the app's code that asked for it; None where a library did."""
    calls: int
    """In one request."""
    ns: int
    """In one request."""


class HandBuilt(Message):
    """A response that the endpoint built itself, and what it spent on encoding it."""

    response_class: str
    encoders: list[str]
    """Which functions encoded, outermost only: ``jsonable_encoder``, ``model_dump``, ``json.dumps`` …"""
    encode_ns: int
    """Inside them and the response's own rendering, in one request."""
    annotations: list[Annotation] = []
    """Types that the values before encoding allow, where they were seen and the route declares none."""


class Revalidated(Message):
    """Values that response validation built anew as models, though it could have passed instances on."""

    model: str
    from_dicts: bool
    """From dicts; otherwise from other objects, such as rows of an ORM."""
    count: int
    """In one answer; of a long list only the beginning is looked at."""
    dumped: int = 0
    """How many instances of this very model the endpoint had dumped to dicts just before."""
    dump_ns: int = 0


class ValidatorAgain(Message):
    """A model validator that runs again when the response is validated, though nothing is built anew."""

    model: str
    validator: str
    mode: Literal["after", "wrap"]
    count: int


class UnionFact(Message):
    """A union of models in the response type that Pydantic tells apart by trying."""

    members: list[str]
    field: str | None
    """The field that could discriminate: every member pins other literals in it."""
    inside: str | None = None
    """``Model.field`` where the union stands in a model and not in the route's own type."""
    annotation: Annotation | None = None
    """The route's type with that discriminator, as its module could write it."""


class SameEveryTime(Message):
    """The endpoint takes nothing from the request, and every call gave one object and the same bytes."""

    calls: int
    encode_ns: int
    """From the endpoint's return to the first message."""


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
    source: str | None = None
    """Of the endpoint: ``file.py:31``, the line of its ``def``; None where it is not the app's own code."""
    works: list[Work] = []
    """The endpoint first, then dependencies in the order they ran in."""
    heavy_elsewhere: list[str] = []
    """Keys of ``works`` that were not trivial when another request was observed."""
    holds: list[Hold] = []
    """The worst few, the most blocked first."""
    layers: list[Layer] = []
    built: list[Built] = []
    hand_built: HandBuilt | None = None
    revalidated: list[Revalidated] = []
    validators_again: list[ValidatorAgain] = []
    unions: list[UnionFact] = []
    same_every_time: SameEveryTime | None = None

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
    """None for a change of the code: it is called live, never replayed."""
    fidelity: Fidelity | None
    differences: list[Difference] = []
    openapi: str | None = None
    in_process: bool = True
    why_not: str | None = None
    """Why a change of the code needs a process of its own."""
    live_ns: int | None = None
    """One request through the whole app."""
    parallel_ns: int | None = None
    """Time per request with others in flight: wall time of them all over their number."""


class Screening(Message):
    """``variants`` in the order of the changes that were asked for.

    ``invalid`` says why the response path cannot be replayed; changes of the code are tried all the same.
    """

    invalid: str | None
    baseline_ns: int | None
    floor_ns: int | None
    variants: list[Screened]
    baseline_live_ns: int | None = None
    baseline_parallel_ns: int | None = None


class Hot(Message):
    share: float | None
    where: str | None
    samples: int


class Seen(Message):
    """What clients would see of one answer."""

    fidelity: Fidelity
    differences: list[Difference] = []


RunFigures = tuple[float, float, float, float, float]
"""Of the calls of one run: median and mean without GC, GC altogether, number, fastest; in ns."""


class Round(Message):
    """One endpoint in one confirming round, as measured; times in ns.

    ``runs`` is [arm][block]; ``answers`` are the changes', given this round's value.
    ``live_runs`` is the same for arms that are whole requests, the unchanged route first; ``parallel_runs``
    for the same arms with others in flight, each figure a time per request.
    """

    invalid: str | None
    live: list[tuple[int, int]]
    answers: list[Seen] = []
    replayed: list[tuple[int, int]] = []
    runs: list[list[RunFigures]] = []
    errors: list[int] = []
    live_answers: list[Seen] = []
    """Of the live changes."""
    live_runs: list[list[RunFigures]] = []
    live_errors: list[int] = []
    live_gave_up: list[str | None] = []
    """Why an arm's blocks are incomplete: beyond the deadline, or called as often as allowed."""
    parallel_runs: list[list[RunFigures]] = []
    parallel_errors: list[int] = []
    parallel_gave_up: list[str | None] = []


class CodeEdit(Value):
    """One edit of the user's code, as a rule asks for it; ``source`` writes it, or says why it cannot."""

    what: CodeEditKind
    source: str
    """``file.py:31``: the function (its ``def`` or decorator), the call to hoist, the middleware."""
    name: str | None = None
    """The callable's name where known; for a discriminator the field."""


class Change(Value):
    """What makes an arm differ from the unchanged route, as data the agent can act on."""

    name: str
    code: str
    kind: Literal["annotation", "option", "code", "app"]
    annotation: Annotation | None = None
    """Beside a ``discriminator`` edit: the type which that edit writes, and not an edit of its own."""
    response_class: Literal["keep", "drop", "bytes"] = "keep"
    options: Literal["keep", "reset"] = "keep"
    edits: tuple[CodeEdit, ...] = ()
    bypass: int | None = None
    """Number of the layer that lets everything through: the most that a rewrite can gain."""
    in_parallel: bool = False
    """Measured alone and with 20 requests at once; harm in either forbids to recommend it."""
    advice: str | None = None
    """What to do by hand. A change that has nothing but advice gets no arm."""
    never_recommended: str | None = None
    """Why it is shown with its figures and left to the user, whatever they are."""

    @property
    def is_advice_only(self) -> bool:
        return not (
            self.edits
            or self.annotation
            or self.bypass is not None
            or self.response_class != "keep"
            or self.options != "keep"
        )

    def for_agent(self, edited: Sequence[dict[str, str]] = ()) -> dict[str, Any]:
        """``edited``: the whole edited files, as ``{"file": absolute path, "text": …}``."""
        change = self.model_dump(mode="json", include={"annotation", "response_class", "options", "bypass"})
        return {**change, "edited": list(edited)}
