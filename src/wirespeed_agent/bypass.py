"""A switch in a layer's place: a ticket may ask for the layer to be passed by, as a pure-ASGI one would.

What a request takes without the layer is the most that rewriting it can gain. The baseline goes through the
same switch, so that the switch itself is nobody's gain.
"""

from __future__ import annotations

import contextlib
from typing import Any, Dict, Iterator, Sequence

from .asgi import ASGIApp, Receive, Scope, Send
from .layers import Placed, placed_layers
from .source_changes import NotInProcess
from .ticket import SCOPE_KEY


class Bypass:
    """Stands for ``layer``; a call whose ticket names ``number`` goes straight to what the layer wraps."""

    def __init__(self, number: int, layer: ASGIApp, wrapped: ASGIApp) -> None:
        self._number = number
        self._layer = layer
        self._wrapped = wrapped

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        ticket = scope.get(SCOPE_KEY)
        if ticket is not None and self._number in ticket.bypass:
            ticket.bypassed += 1
            await self._wrapped(scope, receive, send)
        else:
            await self._layer(scope, receive, send)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._layer, name)


class Bypasses:
    """Switches for the layers with these numbers; while they are ``installed``, call ``app``."""

    def __init__(self, outermost: ASGIApp, applications: Sequence[Any], numbers: Sequence[int]) -> None:
        placed = placed_layers(outermost, applications) if numbers else []
        self._layers = {each.number: each for each in placed if each.number in numbers}
        self.app = outermost

    @contextlib.contextmanager
    def installed(self) -> Iterator[ASGIApp]:
        switches: Dict[int, Bypass] = {}
        with contextlib.ExitStack() as undo:
            # From the inside out, so that a switch leads to the switch below it.
            for layer in sorted(self._layers.values(), key=lambda each: -each.number):
                below = switches.get(id(layer.below), layer.below)
                switches[id(layer.layer)] = switch = Bypass(layer.number, layer.layer, below)
                self._put(layer, switch, undo)
            yield self.app

    def require(self, number: int) -> None:
        """Raises NotInProcess where there is no such layer."""
        if number not in self._layers:
            raise NotInProcess("there is no such layer in this process")

    def _put(self, layer: Placed, switch: Bypass, undo: contextlib.ExitStack) -> None:
        if layer.replace is not None:
            layer.replace(switch)
            undo.callback(layer.replace, layer.layer)
        else:
            undo.callback(setattr, self, "app", self.app)
            self.app = switch
