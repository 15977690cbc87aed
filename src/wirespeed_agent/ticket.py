"""A ticket travels in the ASGI scope of one of our own calls, from the outermost layer to the route.

It says which variant should answer, and collects what is seen on the way. Requests without a ticket, such as
those the app sends to itself, are none of our business.
"""

from __future__ import annotations

import contextvars
from typing import TYPE_CHECKING, Any, Dict, FrozenSet, List, Optional, Tuple

from .asgi import ASGIApp, RawHeaders

if TYPE_CHECKING:
    from .works import Examined

SCOPE_KEY = "wirespeed.ticket"

RouteKey = Tuple[int, int]
"""Identity of a route as it is included: the same route object may be reached through several routers."""

CURRENT: contextvars.ContextVar[Optional[Ticket]] = contextvars.ContextVar("wirespeed_ticket", default=None)
"""The ticket of the call that this task or worker thread is serving."""


class Ticket:
    """One call's wish (``variant`` on ``route``) and its record. Times are readings of ``clock_ns``."""

    def __init__(self, route: Optional[RouteKey] = None, variant: Optional[ASGIApp] = None) -> None:
        self.route = route
        self.variant = variant
        self.hits = 0
        """How often the wished variant answered; 1 after a good call."""
        self.answered_by: Optional[RouteKey] = None
        self.bypass: FrozenSet[int] = frozenset()
        """Layers above the route to pass by."""
        self.bypassed = 0
        self.keeps_record = True
        """Without one the call costs what it costs."""
        self.record = Record()


class Record:
    """What one live call showed. Zero means: did not happen."""

    def __init__(self) -> None:
        self.scope: Dict[str, Any] = {}
        self.dependencies_ns = 0
        self.endpoint_ns = 0
        self.endpoint_end_ns = 0
        self.serialize_start_ns = 0
        self.dump_start_ns = 0
        self.serialize_end_ns = 0
        self.first_send_ns = 0
        self.last_sent_ns = 0
        self.left_ns = 0
        self.used_dump_json = False
        self.dumped_json: Optional[bytes] = None
        """What the response field made, where it dumped straight to bytes."""
        self.called = False
        self.solved: Any = None
        self.value: Any = None
        self.is_coroutine = True
        self.extra_headers: RawHeaders = []
        self.extra_status: Optional[int] = None
        self.status = 0
        self.headers: RawHeaders = []
        self.chunks: List[bytes] = []
        self.examined: Optional[Examined] = None
        """What a closer look shows, where this call gets one."""

    @property
    def response_path_ns(self) -> int:
        """From the endpoint's return to the first message of the answer: validate, serialize, render."""
        if not (self.endpoint_end_ns and self.first_send_ns):
            return 0
        return self.first_send_ns - self.endpoint_end_ns
