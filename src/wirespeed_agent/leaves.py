"""Classes that a type names rather than looks into: which ones, and what they are called.

Everything else (ORM rows, proxies, plain objects) has no type that says what FastAPI makes of it. Classes are
judged, never their instances.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import ipaddress
import pathlib
import uuid

from .spelling import Spelling

SCALARS: dict[type, tuple[type, str]] = {
    int: (int, "builtins"),
    float: (float, "builtins"),
    bool: (bool, "builtins"),
    str: (str, "builtins"),
    bytes: (bytes, "builtins"),
    decimal.Decimal: (decimal.Decimal, "decimal"),
    datetime.datetime: (datetime.datetime, "datetime"),
    datetime.date: (datetime.date, "datetime"),
    datetime.time: (datetime.time, "datetime"),
    datetime.timedelta: (datetime.timedelta, "datetime"),
    uuid.UUID: (uuid.UUID, "uuid"),
    type(pathlib.Path()): (pathlib.Path, "pathlib"),
    type(pathlib.PurePath()): (pathlib.PurePath, "pathlib"),
    ipaddress.IPv4Address: (ipaddress.IPv4Address, "ipaddress"),
    ipaddress.IPv4Interface: (ipaddress.IPv4Interface, "ipaddress"),
    ipaddress.IPv4Network: (ipaddress.IPv4Network, "ipaddress"),
    ipaddress.IPv6Address: (ipaddress.IPv6Address, "ipaddress"),
    ipaddress.IPv6Interface: (ipaddress.IPv6Interface, "ipaddress"),
    ipaddress.IPv6Network: (ipaddress.IPv6Network, "ipaddress"),
}
"""Exact classes of values, the class that a type names for them, and where that is imported from."""


def spell_leaf(kind: type, spelling: Spelling) -> str | None:
    """Source for the class of a value; None where it cannot be named or says nothing about the JSON."""
    if kind is type(None):
        return "None"
    if kind in SCALARS:
        named, module = SCALARS[kind]
        return spelling.spell(named, module, named.__qualname__)
    return spelling.spell_class(kind) if _describes_json(kind) else None


def is_model(kind: type) -> bool:
    from pydantic import BaseModel

    return issubclass(kind, BaseModel)


def is_plain_dataclass(kind: type) -> bool:
    """True for dataclasses, but not for mapped ones: reading their fields may call the database."""
    return dataclasses.is_dataclass(kind) and not hasattr(kind, "_sa_class_manager")


def _describes_json(kind: type) -> bool:
    if is_model(kind) or issubclass(kind, enum.Enum):
        return True
    if is_plain_dataclass(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields")):
        return _has_schema(kind)
    return kind.__module__.split(".")[0] == "pydantic" and _has_schema(kind)


def _has_schema(kind: type) -> bool:
    """A dataclass may have fields that Pydantic knows nothing of; FastAPI would refuse the route."""
    try:
        from pydantic import TypeAdapter

        TypeAdapter(kind)
    except Exception:  # whatever a user's schema hook raises
        return False
    return True
