"""What the rules read of an endpoint: the observation that ``advise`` makes, from the tests' requests."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from wirespeed.diagnosis.observation import Annotation, HandBuilt, Observation, RouteFacts
from wirespeed.diagnosis.rules import Rule, all_rules
from wirespeed_agent.inference import infer
from wirespeed_agent.routes import shorten, source_of
from wirespeed_agent.variants import namespace_of, route_facts

from .kept import Endpoint
from .options import RULES

_NO_PLACE = "?:1"
"""Only the source of a code edit needs one, and no edit is written here."""


def observe(
    endpoint: Endpoint,
    *,
    values: Sequence[Any] = (),
    whole_ns: float | None = None,
    path_ns: float | None = None,
) -> Observation:
    """``values``: what the response path was given, where kept. Without times, the tests' own medians."""
    calls = list(endpoint.calls)
    if whole_ns is None or path_ns is None:
        whole_ns = _median([call.total_ns for call in calls])
        path_ns = _median([call.response_path_ns for call in calls])
    return Observation(
        failed=None,
        actions=[],
        status=endpoint.status,
        body_bytes=endpoint.body_bytes,
        content_type=endpoint.content_type,
        whole_ns=None if whole_ns is None else round(whole_ns),
        response_path_ns=None if path_ns is None else round(path_ns),
        fast_path=endpoint.fast_path,
        obstacle=endpoint.stream,
        route=RouteFacts.model_validate(route_facts(endpoint.found)),
        annotations=_annotations(endpoint, values),
    )


def observe_hand_built(
    endpoint: Endpoint, kind: type, values: Sequence[Any], *, whole_ns: float, encode_ns: float
) -> Observation:
    """Of an endpoint that answers with a response of its own; ``values`` are its bodies, read as JSON."""
    made = HandBuilt(
        response_class=kind.__name__,
        encoders=[kind.__name__],
        encode_ns=round(encode_ns),
        annotations=_annotations(endpoint, values),
    )
    seen = observe(endpoint, whole_ns=whole_ns, path_ns=encode_ns)
    obstacle = f"the endpoint answers with a {kind.__name__} of its own"
    return seen.model_copy(update={"hand_built": made, "source": _NO_PLACE, "obstacle": obstacle})


def fired(seen: Observation) -> Iterator[tuple[Rule, str]]:
    """The rules that replay can measure, with their evidence."""
    for code in RULES:
        rule = all_rules()[code]
        evidence = rule.evidence(seen)
        if evidence is not None:
            yield rule, evidence


def placed_in(folder: str) -> Callable[[Endpoint], str | None]:
    """``app/orders.py:31``: where an endpoint's ``def`` is, relative to ``folder``."""

    def place(endpoint: Endpoint) -> str | None:
        found = source_of(endpoint.found.endpoint)
        return None if found is None else f"{shorten(found[0], folder)}:{found[1]}"

    return place


def _annotations(endpoint: Endpoint, values: Sequence[Any]) -> list[Annotation]:
    """An existing response type is a filter and a promise: nothing is inferred beside it."""
    found = endpoint.found
    if not values or getattr(found.effective, "response_field", None) is not None:
        return []
    inferred = infer(
        values, namespace_of(found.endpoint), name_hint=getattr(found.endpoint, "__name__", "Answer")
    )
    return [Annotation.model_validate(each.to_json()) for each in inferred]


def _median(values: Sequence[int]) -> float | None:
    return statistics.median(values) if values else None
