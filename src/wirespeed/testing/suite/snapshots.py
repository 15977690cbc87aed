"""A copy of what an endpoint returned, taken at once, of data alone.

What a test leaves behind changes: lists are emptied, sessions closed, databases dropped. And whoever holds an
ORM row, a generator or a response holds what hangs on it. So a value is either rebuilt here from containers,
models and dataclasses of immutable parts, or it is not kept. No code of the user's runs: no ``__copy__``,
no property, no validator, no ``__getattr__``.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import fractions
import ipaddress
import pathlib
import re
import sys
import uuid
import zoneinfo
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Any

MOST_NODES = 50_000
"""About a tenth of a second."""
DEEPEST = 60

_SHARED = (
    *(str, bytes, int, float, complex, bool, type(None), type(Ellipsis)),
    *(datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo, zoneinfo.ZoneInfo),
    *(decimal.Decimal, fractions.Fraction, uuid.UUID, pathlib.PurePath, re.Pattern, enum.Enum),
    *(ipaddress.IPv4Address, ipaddress.IPv4Network, ipaddress.IPv6Address, ipaddress.IPv6Network),
)
"""Immutable, subclasses included: the copy shares them."""

_SHARED_FROM = ("pydantic", "pydantic_core", "pydantic_extra_types")
"""Their types that are no models, such as URLs and secrets, cannot be changed either."""

_FROZEN_TIME = "freezegun.api"


class NotKept(Exception):
    """The value is not data, or too much of it; ``reason`` continues "its value was not kept: "."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclasses.dataclass(frozen=True)
class Snapshot:
    value: Any
    size_bytes: int
    """About what it holds alone."""


def snapshot(value: Any, most_bytes: int) -> Snapshot:
    """Raises NotKept. Linear in the size of the value, and over by ``MOST_NODES`` at the latest."""
    copier = _Copier(most_bytes)
    return Snapshot(copier.copy(value, 0), copier.size_bytes)


class _Copier:
    def __init__(self, most_bytes: int) -> None:
        self.size_bytes = 0
        self._most_bytes = most_bytes
        self._nodes = 0
        self._copies: dict[int, tuple[Any, Any]] = {}
        """(original, copy) by the original's id, so that cycles end and what is shared stays shared."""

    def copy(self, value: Any, depth: int) -> Any:
        kind = type(value)
        self._count(value, depth)
        if issubclass(kind, _SHARED):
            return _thawed(value) if kind.__module__ == _FROZEN_TIME else value
        known = self._copies.get(id(value))
        if known is not None:
            return known[1]
        rebuild = _REBUILDERS.get(kind) or _rebuilder_of(kind)
        return rebuild(self, value, depth + 1)

    def remember(self, original: Any, made: Any) -> None:
        self._copies[id(original)] = (original, made)

    def fields(self, target: dict[str, Any], source: dict[str, Any], depth: int) -> None:
        for name, value in source.items():
            target[name] = self.copy(value, depth)

    def _count(self, value: Any, depth: int) -> None:
        self._nodes += 1
        if self._nodes > MOST_NODES or depth > DEEPEST:
            raise NotKept(
                f"it has more than {MOST_NODES} parts" if depth <= DEEPEST else "it is nested deeply"
            )
        self.size_bytes += sys.getsizeof(value) if type(value).__module__ == "builtins" else 64
        if self.size_bytes > self._most_bytes:
            raise NotKept(f"it is larger than {self._most_bytes // 1_000_000} MB")


Rebuild = Callable[[_Copier, Any, int], Any]


def _list(copier: _Copier, value: list[Any], depth: int) -> list[Any]:
    made: list[Any] = []
    copier.remember(value, made)
    made.extend(copier.copy(item, depth) for item in value)
    return made


def _dict(copier: _Copier, value: dict[Any, Any], depth: int) -> dict[Any, Any]:
    made: dict[Any, Any] = type(value)()
    copier.remember(value, made)
    for key, item in value.items():
        made[copier.copy(key, depth)] = copier.copy(item, depth)
    return made


def _items(copier: _Copier, value: Iterable[Any], depth: int) -> Any:
    made: Any = type(value)(copier.copy(item, depth) for item in value)  # type: ignore[call-arg]
    copier.remember(value, made)
    return made


def _named_tuple(copier: _Copier, value: Any, depth: int) -> Any:
    return tuple.__new__(type(value), [copier.copy(item, depth) for item in tuple.__iter__(value)])


def _model(copier: _Copier, value: Any, depth: int) -> Any:
    """As Pydantic's own ``__copy__`` does it, which a user's class may have replaced."""
    kind = type(value)
    made = object.__new__(kind)
    copier.remember(value, made)
    values: dict[str, Any] = {}
    copier.fields(values, object.__getattribute__(value, "__dict__"), depth)
    object.__setattr__(made, "__dict__", values)
    object.__setattr__(
        made, "__pydantic_fields_set__", set(object.__getattribute__(value, "__pydantic_fields_set__"))
    )
    for name in ("__pydantic_extra__", "__pydantic_private__"):
        held = object.__getattribute__(value, name)
        object.__setattr__(made, name, None if held is None else copier.copy(held, depth))
    return made


def _dataclass(copier: _Copier, value: Any, depth: int) -> Any:
    kind = type(value)
    made = object.__new__(kind)
    copier.remember(value, made)
    held = dict(getattr(value, "__dict__", {}))
    slots = [field.name for field in dataclasses.fields(kind) if field.name not in held]
    for name in slots:
        held[name] = object.__getattribute__(value, name)
    for name, item in held.items():
        object.__setattr__(made, name, copier.copy(item, depth))
    return made


def _share(copier: _Copier, value: Any, depth: int) -> Any:
    return value


def _refuse(copier: _Copier, value: Any, depth: int) -> Any:
    kind = type(value)
    if _is_mapped(kind):
        raise NotKept(f"{kind.__name__} is a row of an ORM, whose session may be gone by the end")
    raise NotKept(f"{kind.__module__}.{kind.__qualname__} is not plain data")


_REBUILDERS: dict[type, Rebuild] = {
    list: _list,
    dict: _dict,
    OrderedDict: _dict,
    Counter: _dict,
    tuple: _items,
    set: _items,
    frozenset: _items,
    deque: _items,
    # Without its factory: nobody who serializes it asks for what is missing.
    defaultdict: _dict,
}


def _rebuilder_of(kind: type) -> Rebuild:
    from pydantic import BaseModel

    if _is_mapped(kind):
        return _refuse
    if issubclass(kind, BaseModel):
        return _model
    if dataclasses.is_dataclass(kind):
        return _dataclass
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return _named_tuple
    return _share if kind.__module__.partition(".")[0] in _SHARED_FROM else _refuse


def _is_mapped(kind: type) -> bool:
    """SQLAlchemy's mark on classes whose attributes may load from a database; SQLModel's tables have it."""
    return hasattr(kind, "_sa_class_manager")


def _thawed(value: Any) -> Any:
    """A date of freezegun's as the real class it derives from."""
    real = next(base for base in type(value).__mro__ if base.__module__ == "datetime")
    if hasattr(value, "hour"):
        parts = (value.hour, value.minute, value.second, value.microsecond, value.tzinfo)
        return real(value.year, value.month, value.day, *parts, fold=value.fold)
    return real(value.year, value.month, value.day)
