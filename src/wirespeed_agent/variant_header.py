"""A secret header chooses which variant of its route answers a request.

The outermost layer of a served app turns the header into a ticket, and takes it away, so that the app never
sees it. The baseline sends one of the same length, so all arms cost the server the same. Requests without a
valid one are answered by the app as it is.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

from .asgi import ASGIApp, Receive, Scope, Send
from .errors import OperationError
from .logbook import Logbook
from .routes import Discovery, FoundRoute
from .seams import shadow_routes
from .ticket import SCOPE_KEY, RouteKey, Ticket
from .tracebacks import app_traceback, last_line
from .variants import variant_app


class _Variant:
    """``wanted``: the route by number, path and methods, and the change, as the conductor has them."""

    def __init__(self, index: int, wanted: Mapping[str, Any]) -> None:
        self.index = index
        self.wanted = wanted
        self.key: Optional[RouteKey] = None
        self.app: Optional[ASGIApp] = None


class VariantSwitch:
    """An ASGI app around ``app``; ``install`` is to be called once the app has started."""

    def __init__(self, app: ASGIApp, wanted: Mapping[str, Any], logbook: Logbook) -> None:
        self._app = app
        self._logbook = logbook
        self._name = wanted["header"].encode()
        self._variants: Dict[bytes, _Variant] = {
            each["value"].encode(): _Variant(index, each) for index, each in enumerate(wanted["variants"])
        }

    def install(self) -> None:
        """Build every variant whose route is there. Raises OperationError where one cannot be built."""
        routes = Discovery(self._app).routes
        shadow_routes(routes)
        self._known = {found.key for found in routes}
        for variant in self._variants.values():
            found = _find(routes, variant.wanted)
            if found is not None:
                variant.key, variant.app = found.key, _build(found, variant.wanted["change"])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        variant = self._take_wish(scope) if scope["type"] == "http" else None
        if variant is None:
            await self._app(scope, receive, send)
            return
        ticket = scope[SCOPE_KEY] = Ticket(variant.key, variant.app)
        try:
            await self._app(scope, receive, send)
        finally:
            if ticket.hits != 1:
                self._note_miss(variant, ticket)

    def _take_wish(self, scope: Scope) -> Optional[_Variant]:
        headers = scope["headers"]
        for name, value in headers:
            if name == self._name and value in self._variants:
                scope["headers"] = [pair for pair in headers if pair[0] != self._name]
                return self._variants[value]
        return None

    def _note_miss(self, variant: _Variant, ticket: Ticket) -> None:
        """The answer came from elsewhere, so it is none of this variant's, and the conductor must know."""
        self._logbook.write(missed=variant.index)
        # Some apps add routes with their first request; FastAPI then makes the contexts of all of them anew.
        if ticket.answered_by not in self._known:
            self.install()


def _find(routes: List[FoundRoute], wanted: Mapping[str, Any]) -> Optional[FoundRoute]:
    """The route by its number, unless another one has it here; else the first of its path and methods."""
    number = wanted["route_id"]
    candidates = [*routes[number : number + 1], *routes]
    same = (r for r in candidates if r.path == wanted["path"] and r.methods == sorted(wanted["methods"]))
    return next(same, None)


def _build(found: FoundRoute, change: Mapping[str, Any]) -> ASGIApp:
    try:
        return variant_app(found, change)
    except Exception as error:
        message = f"A variant of {found.path} cannot be built: {last_line(error)}"
        raise OperationError("variant", message, traceback=app_traceback(error)) from None
