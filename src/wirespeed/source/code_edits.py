"""From a code edit's kind to what writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from .coroutines import make_async, make_plain
from .hoist import hoist
from .return_value import return_instances, return_value
from .spot import FileEdit, Spot
from .values import CodeEditKind, Refused

_WRITERS: Mapping[CodeEditKind, Callable[[Spot], Iterator[FileEdit]]] = {
    "return the value": return_value,
    "return instances": return_instances,
    "async def": make_async,
    "def": make_plain,
    "hoist": hoist,
}


def code_edit(what: CodeEditKind, spot: Spot) -> Iterator[FileEdit]:
    """Raises Refused where there is no safe edit of that kind."""
    writer = _WRITERS.get(what)
    if writer is None:
        raise Refused(f"there is no edit for {what!r}")
    yield from writer(spot)
