"""The time of each ASGI layer: what it spends itself, without what it wraps.

Between a layer and the one below it, a probe is put for a few calls. A layer's code runs in two places:
around the call to the layer below, and inside the ``send`` it handed down (where GZip compresses). So for the
boundary above layer k, with T the time spent inside the call and S the time the call spent in the ``send``
above it, the layer's own time is (T_k - S_k) - (T_{k+1} - S_{k+1}).
"""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Callable, Dict, Iterator, List, MutableMapping, NamedTuple, Optional, Sequence, Tuple

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


class Placed:
    """A layer that the app's author put around something.

    ``number`` counts from the outside in, over every stack of the process, and names the layer to the
    conductor. ``replace`` puts another app in its place; None for what nothing holds, because it is the
    outermost app itself.
    """

    def __init__(
        self, number: int, layer: ASGIApp, below: ASGIApp, replace: Optional[Callable[[ASGIApp], None]]
    ) -> None:
        self.number = number
        self.name = _name(layer)
        self.layer = layer
        self.below = below
        self.replace = replace


def placed_layers(outermost: ASGIApp, applications: Sequence[Any]) -> List[Placed]:
    """The layers around ``outermost`` and those of every application in it, without FastAPI's own."""
    found: List[Placed] = []
    for top, replace in _tops(outermost, applications):
        for layer, holder in _chain(top):
            if holder is None:
                break
            below = vars(layer)[holder]
            if not _is_framework(layer):
                found.append(Placed(len(found), layer, below, replace))
            replace = functools.partial(vars(layer).__setitem__, holder)
    return found


def _tops(
    outermost: ASGIApp, applications: Sequence[Any]
) -> Iterator[Tuple[ASGIApp, Optional[Callable[[ASGIApp], None]]]]:
    yield outermost, None
    for application in applications:
        # Built by the first request; an application that got none has nothing to time.
        stack = getattr(application, "middleware_stack", None)
        if stack is not None:
            yield stack, functools.partial(setattr, application, "middleware_stack")


def _chain(top: ASGIApp) -> Iterator[Tuple[ASGIApp, Optional[str]]]:
    """Each layer from ``top`` to the next router, and the attribute that holds the one below it.

    The attribute is None for the last: a router, or what cannot be looked into.
    """
    layer = top
    while True:
        holder = None if hasattr(layer, "routes") else _name_of_wrapped(layer)
        # Read before the caller may put something else there.
        below = None if holder is None else vars(layer)[holder]
        yield layer, holder
        if below is None:
            return
        layer = below


class LayerMeter:
    """Probes between all layers, those around the app and those of every Starlette application in it.

    While it is ``installed``, call ``app`` in place of ``outermost``, and ``take()`` after each call.
    """

    def __init__(self, outermost: ASGIApp, applications: List[Any]) -> None:
        self.app = outermost
        self._applications = applications
        self._stacks: List[List[_Probed]] = []

    @contextlib.contextmanager
    def installed(self) -> Iterator[LayerMeter]:
        numbers = {id(each.layer): each.number for each in placed_layers(self.app, self._applications)}
        with contextlib.ExitStack() as undo:
            for top, replace in list(_tops(self.app, self._applications)):
                self._stacks.append(_probed(top, replace or self._set_app, numbers, undo))
            yield self

    def _set_app(self, app: ASGIApp) -> None:
        self.app = app

    def take(self) -> Spent:
        """What each layer spent itself since the last call of ``take``; the routers are left out."""
        taken: Spent = []
        for stack in self._stacks:
            inclusive = [(probed, probed.boundary.take()) for probed in stack]
            for (probed, spent), (_, below) in zip(inclusive, inclusive[1:]):
                taken.append((probed.name, probed.number, max(0, spent - below)))
        return [each for each in taken if each[2]]

    def own_ns(self) -> Dict[str, int]:
        """Nanoseconds by layer since the last call; several of one class add up."""
        return by_name(self.take())


class _Probed(NamedTuple):
    name: str
    number: Optional[int]
    """None for the framework's own."""
    boundary: Boundary


Spent = List[Tuple[str, Optional[int], int]]
"""(name, number, own nanoseconds) of each layer that a call passed."""


def by_name(spent: Spent) -> Dict[str, int]:
    result: Dict[str, int] = {}
    for name, number, nanoseconds in spent:
        key = "framework" if number is None else name
        result[key] = result.get(key, 0) + nanoseconds
    return result


def _probed(
    top: ASGIApp, replace: Callable[[ASGIApp], None], numbers: Dict[int, int], undo: contextlib.ExitStack
) -> List[_Probed]:
    """Put a boundary above each layer from ``top`` on, as far as the next router."""
    stack: List[_Probed] = []
    for layer, holder in list(_chain(top)):
        boundary = Boundary(layer)
        replace(boundary)
        undo.callback(replace, layer)
        stack.append(_Probed(_name(layer), numbers.get(id(layer)), boundary))
        if holder is not None:
            # Through the dictionary: frozen dataclasses and guarded attributes refuse assignment.
            replace = functools.partial(vars(layer).__setitem__, holder)
    return stack


def _name_of_wrapped(layer: Any) -> Optional[str]:
    """The attribute in which a layer keeps the app below it; None where a probe cannot be put there."""
    attributes = getattr(layer, "__dict__", {})
    return next((name for name in WRAPPED_APP_NAMES if callable(attributes.get(name))), None)


def _is_framework(layer: Any) -> bool:
    return _name(layer) in FRAMEWORK_LAYERS or type(layer).__module__.partition(".")[0] == "fastapi"


def _name(layer: Any) -> str:
    return getattr(layer, "__name__", None) or type(layer).__name__
