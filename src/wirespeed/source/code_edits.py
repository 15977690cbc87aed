"""From a code edit's kind to what writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from .cache_bytes import cache_bytes
from .coroutines import make_async, make_plain
from .discriminate import discriminate
from .hoist import hoist
from .pure_asgi import pure_asgi
from .ready_bytes import ready_bytes
from .return_value import return_instances, return_value
from .spot import FileEdit, Spot
from .values import CodeEditKind

_WRITERS: Mapping[CodeEditKind, Callable[[Spot], Iterator[FileEdit]]] = {
    "return the value": return_value,
    "return instances": return_instances,
    "async def": make_async,
    "def": make_plain,
    "hoist": hoist,
    "discriminator": discriminate,
    "pure asgi": pure_asgi,
    "cache bytes": cache_bytes,
    "ready bytes": ready_bytes,
}


def code_edit(what: CodeEditKind, spot: Spot) -> Iterator[FileEdit]:
    """Raises Refused where there is no safe edit of that kind."""
    yield from _WRITERS[what](spot)
