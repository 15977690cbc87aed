"""Places in a JSON document: written, generalised over list items, and covered by one another."""

from __future__ import annotations

import json
import re
from typing import Iterable, NamedTuple, Tuple, Union


class Indexes(NamedTuple):
    """Every list index from ``start`` on."""

    start: int


Step = Union[str, int, Indexes]
Place = Tuple[Step, ...]
"""Keys and indexes from the root, which is the empty place."""


def written(place: Place) -> str:
    """``$[3].when``, ``$[*]["a-b"]``, ``$.items[5:]``."""
    return "$" + "".join(map(_written_step, place))


def kind_of(place: Place) -> Place:
    """The same place with every list index generalised."""
    return tuple(Indexes(0) if isinstance(step, int) else step for step in place)


def covers(mask: Place, place: Place) -> bool:
    """True where ``place`` is ``mask`` or inside of it."""
    return len(mask) <= len(place) and all(map(_covers_step, mask, place))


def generalised(places: Iterable[Place]) -> list[Place]:
    """Places that cover all of ``places``: one for each kind, indexes generalised only where they vary."""
    found: dict[tuple[object, ...], Place] = {}
    for place in places:
        kind = tuple(step if isinstance(step, str) else type(step) for step in place)
        known = found.get(kind)
        found[kind] = place if known is None else tuple(map(_joined_step, known, place))
    return list(found.values())


def _written_step(step: Step) -> str:
    if isinstance(step, Indexes):
        return f"[{step.start}:]" if step.start else "[*]"
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", step) else f"[{json.dumps(step)}]"


def _covers_step(mask: Step, step: Step) -> bool:
    if isinstance(mask, Indexes):
        return isinstance(step, int) and step >= mask.start
    return mask == step


def _joined_step(one: Step, other: Step) -> Step:
    if isinstance(one, Indexes) and isinstance(other, Indexes):
        return min(one, other)
    return one if one == other else Indexes(0)
