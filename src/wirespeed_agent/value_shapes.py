"""What was seen at each place of some values, merged while looking.

A ``Shape`` is an accumulator: a million rows leave the shape of one row, so time is linear in the values and
memory in the number of different places. Only ``type(value)`` and the contents of built-in containers are
looked at, never an attribute of a user's object: a lazy proxy stays unresolved and an ORM row unloaded.
Names, source text and Pydantic are unknown here.
"""

from __future__ import annotations

import keyword
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any, Iterable, Mapping, Sequence

MAX_ALTERNATIVES = 6
"""Classes named at one place, None apart; beyond that the place has no type worth writing."""
MAX_DEPTH = 16
MAX_POSITIONS = 8
MAX_FIELDS = 256
"""Beyond this many different keys, dicts of one place are a table whatever else they look like."""
MAX_PLACES = 4096
"""Beyond this many fields in all, no dict is like another, and new ones stay unknown."""
LONGEST_RECORD = 32
"""Like values under more keys than this read as a table."""

CONTAINERS: dict[type, type] = {
    list: list,
    tuple: tuple,
    dict: dict,
    OrderedDict: dict,
    defaultdict: dict,
    Counter: dict,
    set: set,
    frozenset: frozenset,
    deque: deque,
}
"""Exact classes that are looked into, and the class that stands for them in a type."""


class Part:
    """One alternative of a place: all values of one class. By itself: a class that is not looked into."""

    __slots__ = ()

    def see(self, value: Any, observer: Observer) -> None:
        """Take one more value in."""

    def absorb(self, other: Any) -> None:
        """Take in what another part of the same class saw."""


class Shape:
    """All alternatives of one place, in the order they came."""

    __slots__ = ("parts", "times", "unknown")

    def __init__(self) -> None:
        self.parts: dict[type, Part] = {}
        self.times = 0
        """How many dicts had this field; kept by ``Entries``."""
        self.unknown = False
        """True once the place has too many alternatives, is too deep or contains itself."""

    def part(self, kind: type) -> Part | None:
        """The alternative for ``kind``, made on first sight; None where the place is unknown."""
        found = self.parts.get(kind)
        if found is None and not self.unknown:
            if kind is not type(None) and len(self.named) == MAX_ALTERNATIVES:
                self.give_up()
                return None
            found = self.parts[kind] = _PARTS.get(kind, Part)()
        return found

    @property
    def named(self) -> list[type]:
        """The classes seen here, without None's."""
        return [kind for kind in self.parts if kind is not type(None)]

    def give_up(self) -> None:
        self.unknown = True
        self.parts.clear()

    def absorb(self, other: Shape) -> None:
        if other.unknown:
            self.give_up()
        for kind, theirs in other.parts.items():
            mine = self.part(kind)
            if mine is not None:
                mine.absorb(theirs)


class Observer:
    """Feeds values into shapes; knows which containers it is inside of and how many fields there are."""

    __slots__ = ("_inside", "_places")

    def __init__(self) -> None:
        self._inside: set[int] = set()
        self._places = 0

    def see(self, shape: Shape, value: object) -> None:
        kind = CONTAINERS.get(type(value))
        if kind is None:
            shape.part(type(value))
            return
        part = shape.part(kind)
        if part is None:
            return
        identity = id(value)
        if identity in self._inside or len(self._inside) == MAX_DEPTH:
            shape.give_up()
            return
        self._inside.add(identity)
        part.see(value, self)
        self._inside.remove(identity)

    def discover(self, shape: Shape) -> None:
        """Count a new field."""
        self._places += 1
        if self._places > MAX_PLACES:
            shape.give_up()

    def see_all(self, shape: Shape, values: Iterable[object]) -> None:
        parts = shape.parts
        for value in values:
            kind = type(value)
            if kind in CONTAINERS:
                self.see(shape, value)
            elif kind not in parts:
                shape.part(kind)


def observe(values: Iterable[object]) -> Shape:
    """The merged shape of all ``values``. Linear in their size."""
    shape = Shape()
    Observer().see_all(shape, values)
    return shape


def merged(shapes: Iterable[Shape]) -> Shape:
    """A new shape that allows what any of ``shapes`` allows; they stay as they are."""
    result = Shape()
    for shape in shapes:
        result.absorb(shape)
    return result


class Items(Part):
    """Lists, sets, deques: every item is at the same place."""

    __slots__ = ("item",)

    def __init__(self) -> None:
        self.item = Shape()

    def see(self, value: Iterable[object], observer: Observer) -> None:
        observer.see_all(self.item, value)

    def absorb(self, other: Items) -> None:
        self.item.absorb(other.item)


class Positions(Part):
    """Tuples: a place for each position while all are short and equally long, else one for all items."""

    __slots__ = ("_item", "positions")

    def __init__(self) -> None:
        self.positions: list[Shape] | None = None
        self._item: Shape | None = None

    @property
    def item(self) -> Shape:
        return self._item if self._item is not None else merged(self.positions or ())

    def see(self, value: Sequence[object], observer: Observer) -> None:
        if self._fits(len(value)):
            for shape, item in zip(self.positions or (), value):
                observer.see(shape, item)
        else:
            observer.see_all(self._dissolve(), value)

    def absorb(self, other: Positions) -> None:
        theirs = other.positions
        if theirs is not None and self._fits(len(theirs)):
            for mine, shape in zip(self.positions or (), theirs):
                mine.absorb(shape)
        else:
            self._dissolve().absorb(other.item)

    def _fits(self, length: int) -> bool:
        if self._item is None and self.positions is None and length <= MAX_POSITIONS:
            self.positions = [Shape() for _ in range(length)]
        return self.positions is not None and len(self.positions) == length

    def _dissolve(self) -> Shape:
        self._item = self.item
        self.positions = None
        return self._item


class Entries(Part):
    """Dicts: a place for each key while keys are strings and few, else one for keys and one for values."""

    __slots__ = ("_keys", "_values", "count", "empty", "fields")

    def __init__(self) -> None:
        self.count = 0
        self.empty = 0
        self.fields: dict[str, Shape] | None = {}
        self._keys = Shape()
        self._values = Shape()

    @property
    def keys(self) -> Shape:
        return self._keys if self.fields is None else observe(self.fields)

    @property
    def values(self) -> Shape:
        return self._values if self.fields is None else merged(self.fields.values())

    def is_required(self, key: str) -> bool:
        return self.fields is not None and self.fields[key].times == self.count

    def is_record(self) -> bool:
        """True where each key is a field with a meaning of its own, False where the keys are data."""
        return self.fields is not None and not (
            self._has_keys_like_data(self.fields) and _is_uniform(self.values)
        )

    def see(self, value: Mapping[object, object], observer: Observer) -> None:
        self.count += 1
        self.empty += not value
        if self.fields is not None and not self._see_fields(self.fields, value, observer):
            self._dissolve()
        if self.fields is None:
            observer.see_all(self._keys, value.keys())
            observer.see_all(self._values, value.values())

    def absorb(self, other: Entries) -> None:
        self.count += other.count
        self.empty += other.empty
        if self.fields is not None and other.fields is not None:
            self._absorb_fields(self.fields, other.fields)
        else:
            self._dissolve()
            self._keys.absorb(other.keys)
            self._values.absorb(other.values)

    def _see_fields(self, fields: dict[str, Shape], value: Mapping[Any, object], observer: Observer) -> bool:
        """False, perhaps half-way, where the keys turn out to be data: the caller then looks again."""
        previous = None
        for key, item in value.items():
            if type(key) is not str:
                return False
            shape = fields.get(key)
            if shape is None:
                if len(fields) == MAX_FIELDS:
                    return False
                shape = _insert(fields, key, previous)
                observer.discover(shape)
            shape.times += 1
            kind = type(item)
            if kind in CONTAINERS:
                observer.see(shape, item)
            elif kind not in shape.parts:
                shape.part(kind)
            previous = key
        return True

    def _absorb_fields(self, fields: dict[str, Shape], theirs: dict[str, Shape]) -> None:
        previous = None
        for key, shape in theirs.items():
            mine = fields.get(key) or _insert(fields, key, previous)
            mine.absorb(shape)
            mine.times += shape.times
            previous = key
        if len(fields) > MAX_FIELDS:
            self._dissolve()

    def _dissolve(self) -> None:
        if self.fields is not None:
            self._keys, self._values, self.fields = self.keys, self.values, None

    def _has_keys_like_data(self, fields: dict[str, Shape]) -> bool:
        if len(fields) > LONGEST_RECORD or not all(map(is_name, fields)):
            return True
        seen = sum(shape.times for shape in fields.values())
        return 2 * seen < len(fields) * (self.count - self.empty)


def is_name(key: str) -> bool:
    """True where ``key`` can stand as an annotated name in a class body and keeps its spelling there.

    Keywords cannot, ``__x`` would be mangled, and Python's parser normalises other alphabets.
    """
    return key.isascii() and key.isidentifier() and not keyword.iskeyword(key) and not key.startswith("__")


def _insert(fields: dict[str, Shape], key: str, previous: str | None) -> Shape:
    """A new field, right after the one it followed: a declared type writes its fields in declared order, so a
    key missing from the first row must not move to the end of all others."""
    shape = Shape()
    later = _keys_after(fields, previous)
    fields[key] = shape
    for moved in later:
        fields[moved] = fields.pop(moved)
    return shape


def _keys_after(fields: dict[str, Shape], previous: str | None) -> list[str]:
    if not fields or previous == next(reversed(fields)):
        return []
    keys = list(fields)
    return keys if previous is None else keys[keys.index(previous) + 1 :]


def _is_uniform(values: Shape) -> bool:
    kinds = set(values.named)
    return len(kinds) == 1 or kinds == {int, float}


_PARTS: dict[type, type[Part]] = {
    list: Items,
    set: Items,
    frozenset: Items,
    deque: Items,
    tuple: Positions,
    dict: Entries,
}
