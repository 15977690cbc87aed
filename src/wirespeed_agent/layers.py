"""The time of each ASGI layer: what it spends itself, without what it wraps.

Between a layer and the one below it, a probe is put for a few calls. A layer's code runs in two places:
around the call to the layer below, and inside the ``send`` it handed down (where GZip compresses). So for the
boundary above layer k, with T the time spent inside the call and S the time the call spent in the ``send``
above it, the layer's own time is (T_k - S_k) - (T_{k+1} - S_{k+1}).
"""

from __future__ import annotations

import contextlib
from typing import Any, Dict, Iterator, List, MutableMapping, Optional, Tuple

from .asgi import ASGIApp, Receive, Scope, Send
from .gcmeter import clock_ns
from .routes import WRAPPED_APP_NAMES

FRAMEWORK_LAYERS = ("ServerErrorMiddleware", "ExceptionMiddleware", "AsyncExitStackMiddleware")
"""Part of every FastAPI app: not the user's to remove, so their time goes to ``framework``."""


class Boundary:
    """Stands in for an ASGI app, passes everything through, and adds up where the time went."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.inside_ns = 0
        self.in_send_ns = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def timed_send(message: MutableMapping[str, Any]) -> None:
            start = clock_ns()
            try:
                await send(message)
            finally:
                self.in_send_ns += clock_ns() - start

        start = clock_ns()
        try:
            await self.app(scope, receive, timed_send)
        finally:
            self.inside_ns += clock_ns() - start

    def __getattr__(self, name: str) -> Any:
        return getattr(self.app, name)

    def take(self) -> int:
        """Own nanoseconds since the last call of ``take``."""
        spent = self.inside_ns - self.in_send_ns
        self.inside_ns = self.in_send_ns = 0
        return spent


class LayerMeter:
    """Probes between all layers, those around the app and those of every Starlette application in it.

    While it is ``installed``, call ``app`` in place of ``outermost``, and ``own_ns()`` after each call.
    """

    def __init__(self, outermost: ASGIApp, applications: List[Any]) -> None:
        self.app = outermost
        self._applications = applications
        self._stacks: List[List[Tuple[str, Boundary]]] = []

    @contextlib.contextmanager
    def installed(self) -> Iterator[LayerMeter]:
        with contextlib.ExitStack() as undo:
            boundary = Boundary(self.app)
            self._stacks.append(_probed(boundary, undo))
            self.app = boundary
            undo.callback(setattr, self, "app", boundary.app)
            for application in self._applications:
                self._install(application, undo)
            yield self

    def _install(self, application: Any, undo: contextlib.ExitStack) -> None:
        # Built by the first request; an application that got none has nothing to time.
        layer = getattr(application, "middleware_stack", None)
        if layer is not None:
            application.middleware_stack = boundary = Boundary(layer)
            undo.callback(setattr, application, "middleware_stack", layer)
            self._stacks.append(_probed(boundary, undo))

    def own_ns(self) -> Dict[str, int]:
        """Nanoseconds by layer since the last call; several of one class add up. The router is left out."""
        result: Dict[str, int] = {}
        for stack in self._stacks:
            inclusive = [(name, boundary.take()) for name, boundary in stack]
            for (name, spent), (_, below) in zip(inclusive, inclusive[1:]):
                key = "framework" if name in FRAMEWORK_LAYERS else name
                result[key] = result.get(key, 0) + max(0, spent - below)
        return {name: spent for name, spent in result.items() if spent}


def _probed(boundary: Boundary, undo: contextlib.ExitStack) -> List[Tuple[str, Boundary]]:
    """Put a boundary below each layer from that of ``boundary`` on, as far as the next router."""
    layer = boundary.app
    stack = [(_name(layer), boundary)]
    while not hasattr(layer, "routes"):
        holder = _name_of_wrapped(layer)
        if holder is None:
            break
        # Through the dictionary: frozen dataclasses and guarded attributes refuse assignment.
        attributes = vars(layer)
        below = attributes[holder]
        attributes[holder] = boundary = Boundary(below)
        undo.callback(attributes.__setitem__, holder, below)
        stack.append((_name(below), boundary))
        layer = below
    return stack


def _name_of_wrapped(layer: Any) -> Optional[str]:
    """The attribute in which a layer keeps the app below it; None where a probe cannot be put there."""
    attributes = getattr(layer, "__dict__", {})
    return next((name for name in WRAPPED_APP_NAMES if callable(attributes.get(name))), None)


def _name(layer: Any) -> str:
    return getattr(layer, "__name__", None) or type(layer).__name__
