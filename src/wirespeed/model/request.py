"""Requests and the routes they are built for."""

from __future__ import annotations

from base64 import b64encode
from typing import Any, Literal

from ._base import Document, Message, Value

RouteKind = Literal["api", "streaming", "websocket", "starlette", "mount"]


class Request(Value):
    """One HTTP request, complete: nothing is left to fill in."""

    method: str
    path: str
    """Path with query string, percent-encoded as it would stand in the request line."""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    @property
    def name(self) -> str:
        """How reports call it: ``GET /orders/42?page=2``."""
        return f"{self.method} {self.path}"

    def for_agent(self) -> dict[str, Any]:
        """As the agent reads it: the body in base64."""
        return {
            "method": self.method,
            "path": self.path,
            "headers": [list(pair) for pair in self.headers],
            "body": b64encode(self.body).decode("ascii"),
        }


class Route(Message):
    """One route as the agent found it. ``operation`` is its OpenAPI operation, references resolved."""

    id: int
    methods: list[str]
    path: str
    """Path template with mount prefixes and converters, ``/shop/files/{name:path}``."""
    name: str
    kind: RouteKind
    reason: str | None = None
    """Why it cannot be advised, for every kind but ``api``."""
    source: str | None = None
    """``file.py:31`` of the endpoint function, relative to the folder where it lies below it."""
    operation: dict[str, Any] = {}


class PlannedRequest(Value):
    """A request that will be sent, and who chose it."""

    request: Request
    route_id: int | None
    """None when the user named a path that no known route's pattern matches."""
    named: bool
    """True when the user named it; then it may be called as often as measuring needs."""


class Skipped(Document):
    """A route that is not measured, and the option that would change that."""

    method: str
    path: str
    reason: str
    option: str | None
