"""``def`` to ``async def`` and back."""

from __future__ import annotations

from collections.abc import Iterator

from .edit import Edit, Replace
from .spot import FileEdit, Spot
from .values import Refused


def make_async(spot: Spot) -> Iterator[FileEdit]:
    """``async def`` for the function there. Raises Refused where others would get a coroutine from it."""
    tree, function = spot.tree, spot.function()
    if function.node.asynchronous is not None:
        raise Refused("it is async already")
    at = tree.keyword(function)
    yield spot.path, Edit(tree.text, replaced=(Replace(at, at, "async "),))
