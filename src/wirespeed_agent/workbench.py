"""What the measuring operations share: the routes of the booted app, its requests, and captured answers."""

from __future__ import annotations

import base64
import statistics
import sysconfig
import weakref
from typing import Any, Dict, List, Mapping, MutableMapping, Optional, Tuple

from .asgi import Request
from .gcmeter import start_metering
from .layers import LayerMeter
from .live import LiveCall, call_live
from .replay import Captured
from .routes import Discovery, FoundRoute
from .seams import shadow_routes, watching
from .session import Session
from .ticket import RouteKey, Ticket

_benches: MutableMapping[Session, Workbench] = weakref.WeakKeyDictionary()


def bench_of(session: Session) -> Workbench:
    """The session's workbench, made when the first measuring operation asks for it."""
    bench = _benches.get(session)
    if bench is None:
        bench = _benches[session] = Workbench(session)
    return bench


class Workbench:
    """Made once a booted session; finds the routes again when the first request may have added some."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.studies: Dict[int, Study] = {}
        """Probed requests by the key the conductor gave them."""
        start_metering()
        self.discovery = Discovery(session.app)
        self._by_key: Dict[RouteKey, int] = {}
        self._adopt()

    @property
    def routes(self) -> List[FoundRoute]:
        return self.discovery.routes

    def rediscover(self) -> None:
        self.discovery = Discovery(self.session.app)
        self._adopt()

    def _adopt(self) -> None:
        shadow_routes(self.routes)
        self._by_key = {found.key: number for number, found in enumerate(self.routes)}

    def number_of(self, key: Optional[RouteKey]) -> Optional[int]:
        return None if key is None else self._by_key.get(key)

    async def call(self, request: Request, deadline_s: float, ticket: Optional[Ticket] = None) -> LiveCall:
        session = self.session
        return await call_live(session.app, request, session.state, ticket=ticket, deadline_s=deadline_s)

    def owns(self, filename: str) -> bool:
        """Whether a file is the app's own: below its folder, or part of the package its module belongs to."""
        if "/site-packages/" in filename or filename.startswith(sysconfig.get_paths()["stdlib"]):
            package = self.session.module.__name__.partition(".")[0]
            return filename.rpartition("/site-packages/")[2].startswith(package + "/")
        return not filename.startswith("<")

    def layer_meter(self) -> LayerMeter:
        return LayerMeter(self.discovery.apps)

    async def capture(self, request: Request, live_calls: int, deadline_s: float) -> Study:
        """One call to warm up, then ``live_calls`` watched ones; the last one's value is what replays answer
        with.
        """
        with watching():
            await self.call(request, deadline_s)
            calls = [await self.call(request, deadline_s) for _ in range(live_calls)]
        return self.study(request, calls)

    def study(self, request: Request, calls: List[LiveCall]) -> Study:
        last = calls[-1]
        number = self.number_of(last.ticket.answered_by)
        found = None if number is None else self.routes[number]
        return Study(request, found, calls)


class Study:
    """One request, the route that answers it, and its live calls."""

    def __init__(self, request: Request, found: Optional[FoundRoute], calls: List[LiveCall]) -> None:
        self.request = request
        self.found = found
        self.calls = calls

    @property
    def last(self) -> LiveCall:
        return self.calls[-1]

    def captured(self) -> Captured:
        return Captured(self.last.ticket.record, self.last.at_route)

    def obstacle(self) -> Optional[str]:
        """Why the response path of this request cannot be replayed, or None."""
        record = self.last.ticket.record
        if self.found is None:
            return "no FastAPI route answered: a mounted app, a middleware or a plain Starlette route did"
        if self.found.kind != "api":
            return self.found.reason
        if not record.called:
            return "the endpoint was not reached"
        if _is_response(record.value):
            return f"the endpoint answers with a {type(record.value).__name__} of its own"
        return None

    def totals_and_paths(self) -> List[Tuple[int, int]]:
        """(whole request, response path) in nanoseconds of every live call."""
        return [(call.elapsed_ns, call.ticket.record.response_path_ns) for call in self.calls]

    def median_path_ns(self) -> int:
        return int(statistics.median(path for _, path in self.totals_and_paths()))


def _is_response(value: Any) -> bool:
    from starlette.responses import Response

    return issubclass(type(value), Response)


def request_from(data: Mapping[str, Any]) -> Request:
    """The conductor's request: header names in lower case, the body in base64."""
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in data["headers"]]
    return Request(data["method"], data["path"], headers, base64.b64decode(data["body"]))
