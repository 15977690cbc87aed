"""What is kept of the watched requests: a few figures of every endpoint, a few answers of the slow ones.

Bounded whatever the suite does: endpoints are named by method, path and function, so that an app made anew
for every test counts as one; an endpoint keeps three answers (the first, the largest, the latest); all
answers together stay below ``MOST_BYTES``. Nothing here knows FastAPI.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

MOST_ENDPOINTS = 5_000
MOST_BYTES = 64_000_000
MOST_CAPTURE_BYTES = 8_000_000
MOST_CALLS = 64
"""Of how many calls of an endpoint, the latest ones, the times are kept."""

GROWN = 2
"""A value this many times as long as any kept one is kept out of turn."""


class EndpointKey(NamedTuple):
    method: str
    path: str
    """With the prefixes of routers and mounts, a template."""
    function: str
    """``module:qualname``."""


class Call(NamedTuple):
    """One successful request, without garbage collection and without what watching it took."""

    body_bytes: int
    total_ns: int
    """From the app's door to the last message of the answer, middleware included."""
    response_path_ns: int


@dataclass(frozen=True)
class Capture:
    """One answer that can be given again."""

    captured: Any
    """``wirespeed_agent.replay.Captured``."""
    hand_built: type | None
    """The class of the response that the endpoint made itself; the value is then not known."""
    size_bytes: int
    """About what it keeps alive."""
    body_bytes: int


@dataclass
class Endpoint:
    """One endpoint, as the suite called it."""

    key: EndpointKey
    found: Any
    """``wirespeed_agent.routes.FoundRoute`` of a copy of the route that nothing of the app hangs on."""
    own_handler: str | None
    """The route's class, where it runs code of its own around the endpoint."""
    stream: str | None
    """Why it has no value at all."""
    may_be_slow: bool
    """Whether its declaration keeps it off the fast path."""
    first_test: str | None = None
    requests: int = 0
    successes: int = 0
    tests: int = 0
    fast_path: bool = False
    status: int | None = None
    content_type: str = ""
    body_bytes: int = 0
    """Of the largest successful answer."""
    values: int = 0
    """Values that came and might have been kept, whatever answer was made of them."""
    longest: int = 0
    """Length of the longest value that was its turn, whether or not it could be kept."""
    calls: deque[Call] = field(default_factory=lambda: deque(maxlen=MOST_CALLS))
    captures: list[Capture] = field(default_factory=list)
    not_kept: str | None = None
    """Why the latest value that should have been kept was not."""
    last_test: str | None = None

    @property
    def may_be_unseen(self) -> bool:
        """Whether answers that were not kept, or cannot be made again, may hold something to find."""
        unseen = self.own_handler or self.not_kept or any(each.hand_built for each in self.captures)
        return bool(self.successes and unseen and "json" in self.content_type)


class Kept:
    """All endpoints and their captures. Requests may come from several threads at once."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.endpoints: dict[EndpointKey, Endpoint] = {}
        self.size_bytes = 0
        self.refused = 0
        """Endpoints beyond ``MOST_ENDPOINTS``."""
        self._most_bytes = most_bytes
        self._lock = threading.Lock()

    def endpoint(self, key: EndpointKey) -> Endpoint | None:
        return self.endpoints.get(key)

    def add(self, endpoint: Endpoint) -> Endpoint | None:
        """The endpoint of that key, which another thread may have added first; None beyond the bound."""
        with self._lock:
            if endpoint.key not in self.endpoints and len(self.endpoints) >= MOST_ENDPOINTS:
                self.refused += 1
                return None
            return self.endpoints.setdefault(endpoint.key, endpoint)

    def is_due(self, endpoint: Endpoint, length: int) -> bool:
        """Whether the value that was just returned should be kept.

        The first, then ever more rarely (the second, fourth, eighth …), so that an endpoint which every test
        calls costs next to nothing; and one much longer than all before.
        """
        with self._lock:
            endpoint.values += 1
            is_turn = endpoint.values & (endpoint.values - 1) == 0
            is_due = is_turn or length >= GROWN * max(1, endpoint.longest)
            if is_due:
                endpoint.longest = max(endpoint.longest, length)
            return is_due

    def count(self, endpoint: Endpoint, test: str | None) -> None:
        """One request, whatever became of it."""
        with self._lock:
            endpoint.requests += 1
            if test is not None and test != endpoint.last_test:
                endpoint.last_test = test
                endpoint.tests += 1
                endpoint.first_test = endpoint.first_test or test

    def succeed(
        self, endpoint: Endpoint, call: Call, *, status: int, content_type: str, fast_path: bool
    ) -> None:
        with self._lock:
            endpoint.successes += 1
            endpoint.status = status
            endpoint.content_type = content_type
            endpoint.fast_path = fast_path
            endpoint.body_bytes = max(endpoint.body_bytes, call.body_bytes)
            endpoint.calls.append(call)

    def keep(self, endpoint: Endpoint, capture: Capture) -> None:
        """Keep the capture in the place of one that it stands for, as far as there is room."""
        with self._lock:
            stays = _after(endpoint.captures, capture)
            gone = [each for each in endpoint.captures if each not in stays]
            freed = sum(each.size_bytes for each in gone)
            if not self._make_room(capture.size_bytes - freed, endpoint):
                endpoint.not_kept = "all that is kept of the other endpoints leaves no room"
                return
            self.size_bytes += capture.size_bytes - freed
            endpoint.captures = stays

    def forget(self) -> None:
        """Let go of everything."""
        with self._lock:
            self.endpoints.clear()
            self.size_bytes = 0

    def _make_room(self, needed: int, endpoint: Endpoint) -> bool:
        """Give up second and third captures of other endpoints, the largest first."""
        while self.size_bytes + needed > self._most_bytes:
            spare = max(self._spare(endpoint), key=lambda each: each[1].size_bytes, default=None)
            if spare is None:
                return False
            owner, capture = spare
            owner.captures = [each for each in owner.captures if each is not capture]
            self.size_bytes -= capture.size_bytes
        return True

    def _spare(self, but: Endpoint) -> Iterator[tuple[Endpoint, Capture]]:
        for endpoint in self.endpoints.values():
            if endpoint is not but and len(endpoint.captures) > 1:
                largest = max(endpoint.captures, key=lambda each: each.body_bytes)
                yield from ((endpoint, each) for each in endpoint.captures if each is not largest)


def _after(captures: list[Capture], latest: Capture) -> list[Capture]:
    """The first, the largest and the latest: at most three, in the order they came."""
    everything = [*captures, latest]
    largest = max(everything, key=lambda each: each.body_bytes)
    return [each for each in everything if each in (everything[0], largest, latest)]
