"""What the measuring operations share: the routes of the booted app, its requests, and captured answers."""

from __future__ import annotations

import base64
import contextlib
import functools
import statistics
import sysconfig
import weakref
from typing import Any, Dict, Iterator, List, Mapping, MutableMapping, Optional, Sequence, Tuple

from .asgi import ASGIApp, Request
from .errors import OperationError
from .fidelity import Answer, Masks, unstable
from .gcmeter import start_metering
from .layers import LayerMeter, Placed, placed_layers
from .live import CallFailed, LiveCall, call_live
from .replay import Captured
from .responses import is_response
from .routes import Discovery, FoundRoute
from .seams import shadow_routes, watching
from .session import Session
from .ticket import RouteKey, Ticket

NOT_FOUND = 404

_benches: MutableMapping[Session, Workbench] = weakref.WeakKeyDictionary()


@contextlib.contextmanager
def blaming_the_endpoint() -> Iterator[None]:
    """A call that fails although one like it worked before is the endpoint's fault."""
    try:
        yield
    except CallFailed as failure:
        message = f"it failed while it was measured: {failure.message}"
        raise OperationError("endpoint", message, traceback=failure.traceback) from failure


def bench_of(session: Session) -> Workbench:
    """The session's workbench, made when the first measuring operation asks for it."""
    bench = _benches.get(session)
    if bench is None:
        bench = _benches[session] = Workbench(session)
    return bench


class Workbench:
    """Made once a booted session; looks for routes again when one answers that was not known."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.studies: Dict[int, Study] = {}
        """Probed requests by the key the conductor gave them."""
        self._was_called = False
        start_metering()
        self.rediscover()

    @property
    def routes(self) -> List[FoundRoute]:
        return self.discovery.routes

    def rediscover(self) -> None:
        self.discovery = Discovery(self.session.app)
        shadow_routes(self.routes)
        self._by_key: Dict[Optional[RouteKey], FoundRoute] = {found.key: found for found in self.routes}

    async def call(
        self,
        request: Request,
        deadline_s: float,
        *,
        ticket: Optional[Ticket] = None,
        app: Optional[ASGIApp] = None,
    ) -> LiveCall:
        """Call the whole app, or ``app`` in its place. Raises CallFailed."""
        session = self.session
        call = await call_live(
            app or session.app, request, session.state, ticket=ticket, deadline_s=deadline_s
        )
        if call.answer.status == NOT_FOUND and not self._was_called and ticket is None:
            # The request that makes an app add its routes may still be answered without them.
            call = await call_live(app or session.app, request, session.state, deadline_s=deadline_s)
        self._was_called = True
        # Some apps add routes with their first request; FastAPI then makes the contexts of all of them anew.
        if call.ticket.answered_by not in self._by_key:
            self.rediscover()
        return call

    def owns(self, filename: str) -> bool:
        """Whether a file is the app's own: below its folder, or part of the package its module belongs to."""
        if "/site-packages/" in filename or filename.startswith(sysconfig.get_paths()["stdlib"]):
            package = self.session.module.__name__.partition(".")[0]
            return filename.rpartition("/site-packages/")[2].startswith(package + "/")
        return not filename.startswith("<")

    def layer_meter(self) -> LayerMeter:
        return LayerMeter(self.session.app, self.discovery.apps)

    def placed_layers(self) -> List[Placed]:
        return placed_layers(self.session.app, self.discovery.apps)

    async def capture(self, request: Request, live_calls: int, deadline_s: float) -> Study:
        """``live_calls`` watched ones; the first, which finds cold caches, is left out if there are more.

        Raises CallFailed, also for an answer that is an error or a redirect.
        """
        calls: List[LiveCall] = []
        with watching():
            for _ in range(live_calls):
                calls.append(await self.call(request, deadline_s))
                status = calls[-1].answer.status
                if not is_success(status):
                    raise CallFailed("status", f"it answered {status}", status)
        return self.study(request, calls[1:] or calls)

    def study(self, request: Request, calls: List[LiveCall], earlier: Sequence[Answer] = ()) -> Study:
        """What ``calls`` show, compared among themselves and with ``earlier`` answers."""
        return Study(request, self._by_key.get(calls[-1].ticket.answered_by), calls, earlier)


class Study:
    """One request, the route that answers it, and its live calls."""

    def __init__(
        self,
        request: Request,
        found: Optional[FoundRoute],
        calls: List[LiveCall],
        earlier: Sequence[Answer] = (),
    ) -> None:
        self.request = request
        self.found = found
        self.calls = calls
        self.answers = [*earlier, *(call.answer for call in calls)]

    @functools.cached_property
    def masks(self) -> Masks:
        """Where the answers differ among themselves."""
        return unstable(self.answers)

    @property
    def last(self) -> LiveCall:
        return self.calls[-1]

    def captured(self) -> List[Captured]:
        """What replays can answer with: distinct answers, the last one first."""
        by_body = {call.at_route.body: call for call in self.calls}
        return [Captured(call.ticket.record, call.at_route) for call in reversed(list(by_body.values()))]

    def obstacle(self) -> Optional[str]:
        """Why the response path of this request cannot be replayed, or None."""
        record = self.last.ticket.record
        if self.found is None:
            return "no FastAPI route answered: a mounted app, a middleware or a plain Starlette route did"
        if self.found.kind != "api":
            return self.found.reason
        if not record.called:
            return "the endpoint did not return"
        if self.is_hand_built():
            return f"the endpoint answers with a {type(record.value).__name__} of its own"
        return None

    def is_hand_built(self) -> bool:
        """Whether the endpoint returned a response already, which no response model has a say in."""
        record = self.last.ticket.record
        return record.called and is_response(record.value)

    def totals_and_paths(self) -> List[Tuple[int, int]]:
        """(whole request, response path) in nanoseconds of every live call."""
        return [(call.elapsed_ns, call.ticket.record.response_path_ns) for call in self.calls]

    def median_path_ns(self) -> int:
        return int(statistics.median(path for _, path in self.totals_and_paths()))


def is_success(status: int) -> bool:
    """Whether an answer is what its endpoint is there for; others are not its cost."""
    return 200 <= status < 300


def request_from(data: Mapping[str, Any]) -> Request:
    """The conductor's request: header names in lower case, the body in base64."""
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in data["headers"]]
    return Request(data["method"], data["path"], headers, base64.b64decode(data["body"]))
