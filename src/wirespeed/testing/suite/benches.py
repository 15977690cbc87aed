"""How a kept answer is given again: from the endpoint's value, or from the content of its own response."""

from __future__ import annotations

import copy
import json
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from wirespeed.diagnosis.observation import Observation
from wirespeed_agent.gcmeter import clock_ns
from wirespeed_agent.live import header
from wirespeed_agent.replay import Captured, Replay, replay_of
from wirespeed_agent.variants import UNCHANGED, build, rebuild, set_call

from .kept import Endpoint
from .loaded import is_json_response
from .observing import observe, observe_hand_built

_RENDERINGS = 7


class NoBench(Exception):
    """The endpoint's answers cannot be given again; says why."""


class Bench(Protocol):
    """Replays of one endpoint."""

    @property
    def captures(self) -> Sequence[Captured]:
        """The largest answer first."""

    def baseline(self, captured: Captured) -> Replay: ...

    def arm(self, captured: Captured, change: Mapping[str, Any]) -> Replay: ...

    def observe(self, valid: Sequence[Captured], *, whole_ns: float, path_ns: float) -> Observation: ...


def bench_for(endpoint: Endpoint) -> Bench:
    """Raises NoBench."""
    if endpoint.own_handler is not None:
        raise NoBench(
            f"its route is a {endpoint.own_handler}, which runs code of its own around the endpoint"
        )
    if not endpoint.captures:
        raise NoBench(
            f"its value was not kept: {endpoint.not_kept}" if endpoint.not_kept else "nothing was kept"
        )
    largest_first = sorted(endpoint.captures, key=lambda each: -each.body_bytes)
    kind = largest_first[0].hand_built
    captures = [each.captured for each in largest_first if each.hand_built is kind]
    return _FromValue(endpoint, captures) if kind is None else _HandBuilt(endpoint, kind, captures)


class _FromValue:
    def __init__(self, endpoint: Endpoint, captures: Sequence[Captured]) -> None:
        self.captures = captures
        self._endpoint = endpoint

    def baseline(self, captured: Captured) -> Replay:
        return replay_of(self._endpoint.found, captured, UNCHANGED)

    def arm(self, captured: Captured, change: Mapping[str, Any]) -> Replay:
        return replay_of(self._endpoint.found, captured, change)

    def observe(self, valid: Sequence[Captured], *, whole_ns: float, path_ns: float) -> Observation:
        values = [each.value for each in valid]
        return observe(self._endpoint, values=values, whole_ns=whole_ns, path_ns=path_ns)


class _HandBuilt:
    """The response is made again by its class, from what its bytes say.

    What the endpoint did before (``jsonable_encoder``, ``model_dump``) is not in it: the gain is at least
    what is measured.
    """

    def __init__(self, endpoint: Endpoint, kind: type, captures: Sequence[Captured]) -> None:
        if not is_json_response(kind):
            raise NoBench(f"it answers with a {kind.__name__} of its own, whose bytes were made before")
        self.captures = [_as_value(each) for each in captures]
        self._endpoint = endpoint
        self._kind: Any = kind

    def baseline(self, captured: Captured) -> Replay:
        clone = build(self._endpoint.found, UNCHANGED)
        call = self._making(captured)
        set_call(clone, _awaited(call) if captured.is_coroutine else call, response_parameter=None)
        return Replay(captured, rebuild(clone))

    def arm(self, captured: Captured, change: Mapping[str, Any]) -> Replay:
        return replay_of(self._endpoint.found, captured, change)

    def observe(self, valid: Sequence[Captured], *, whole_ns: float, path_ns: float) -> Observation:
        values = [each.value for each in valid]
        encode_ns = _rendering_ns(self._making(valid[0]))
        return observe_hand_built(self._endpoint, self._kind, values, whole_ns=whole_ns, encode_ns=encode_ns)

    def _making(self, captured: Captured) -> Callable[[], Any]:
        status, headers = captured.at_route.status, _own_headers(captured)

        def make() -> Any:
            response = self._kind(captured.value, status_code=status)
            response.raw_headers.extend(headers)
            return response

        return make


def _as_value(captured: Captured) -> Captured:
    """What the bytes say, and the headers and the status that the response had set."""
    made = copy.copy(captured)
    try:
        made.value = json.loads(captured.at_route.body)
    except ValueError as error:
        raise NoBench("its body is no JSON") from error
    made.extra_headers = _own_headers(captured)
    made.extra_status = captured.at_route.status
    return made


def _own_headers(captured: Captured) -> list[tuple[bytes, bytes]]:
    implied = (b"content-length", b"content-type")
    return [each for each in captured.at_route.headers if each[0] not in implied]


def _awaited(call: Callable[[], Any]) -> Callable[[], Any]:
    async def endpoint() -> Any:
        return call()

    return endpoint


def _rendering_ns(make: Callable[[], Any]) -> float:
    times = []
    for _ in range(_RENDERINGS):
        began_ns = clock_ns()
        make()
        times.append(clock_ns() - began_ns)
    return statistics.median(times)


def content_type(captured: Captured) -> str:
    return header(captured.at_route.headers, b"content-type")
