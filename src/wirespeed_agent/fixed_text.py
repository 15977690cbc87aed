"""Does a class alone fix the JSON text of its values?

``jsonable_encoder`` with ``json.dumps`` on one side, Pydantic's ``dump_json`` on the other: where both must
write the same bytes for every value of a class, declaring the class as return type cannot change what clients
see. Floats break it (1e-05 against 0.00001, NaN), as do aware datetimes outside of models (``+00:00`` against
``Z``), dicts (``_sa…`` keys are dropped), and whatever may run again or differently when an instance is
validated. In doubt the answer is no.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import pathlib
import types
import typing
import uuid
from typing import Annotated, Any, Callable, Literal, Union, get_args, get_origin

from .leaves import is_model, is_plain_dataclass

_PLAIN = frozenset({int, str, bool, type(None)})
_BARE = _PLAIN | {datetime.date, uuid.UUID}
_IN_MODELS = _BARE | {bytes, decimal.Decimal, datetime.datetime, datetime.time, pathlib.Path}
"""A model turns these into text itself, whoever asks."""
_UNIONS = (Union, getattr(types, "UnionType", Union))
_DECORATORS = ("field_serializers", "model_serializers", "model_validators")
_CONFIGURED = ("json_encoders", "ser_json_bytes", "ser_json_temporal", "ser_json_timedelta")


def fixes_text(kind: type) -> bool:
    """True where every instance of exactly this class has the same JSON bytes on both sides."""
    return _Reader().leaf(kind)


class _Reader:
    """Walks declared fields; a class that contains itself is judged once."""

    def __init__(self) -> None:
        self._seen: set[type] = set()

    def leaf(self, kind: type) -> bool:
        """A value outside of any model. A subclass would be cut down to its parent on one side only."""
        if kind in _BARE:
            return True
        if issubclass(kind, enum.Enum):
            return _has_plain_members(kind)
        if type.__subclasses__(kind):
            return False
        if is_model(kind):
            return self._model(kind)
        return is_plain_dataclass(kind) and self._dataclass(kind)

    def _in_model(self, kind: type) -> bool:
        if issubclass(kind, enum.Enum):
            return _has_plain_members(kind)
        return kind in _IN_MODELS or (is_model(kind) and self._model(kind))

    def _model(self, kind: Any) -> bool:
        if kind in self._seen:
            return True
        self._seen.add(kind)
        # Pydantic 1 has no decorators to look at, and no ``dump_json`` either.
        if not hasattr(kind, "__pydantic_decorators__") or _has_ways_of_its_own(kind):
            return False
        fields = list(kind.model_fields.values())
        declared = [field.annotation for field in fields]
        computed = [each.info.return_type for each in kind.__pydantic_decorators__.computed_fields.values()]
        return not any(_may_serialize(each) for field in fields for each in field.metadata) and all(
            _reads(annotation, self._in_model) for annotation in declared + computed
        )

    def _dataclass(self, kind: Any) -> bool:
        """``asdict`` knows neither aliases nor configuration, so what Pydantic decorates is left out."""
        if kind in self._seen:
            return True
        self._seen.add(kind)
        if hasattr(kind, "__pydantic_decorators__") or hasattr(kind, "__pydantic_config__"):
            return False
        try:
            hints = typing.get_type_hints(kind, include_extras=True)
        except Exception:  # names that exist only while type checking
            return False
        return all(
            field.init
            and get_origin(hints[field.name]) is not Annotated
            and _reads(hints[field.name], self.leaf)
            for field in dataclasses.fields(kind)
        )


def _reads(annotation: Any, judge: Callable[[type], bool]) -> bool:
    """True where ``judge`` says yes to every class that values of the annotation can have."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return not any(map(_may_serialize, args[1:])) and _reads(args[0], judge)
    if origin is Literal:
        return all(type(value) in _PLAIN for value in args)
    if origin in _UNIONS or origin in (list, tuple):
        return all(_reads(arg, judge) for arg in args if arg is not Ellipsis)
    return annotation is None or (origin is None and isinstance(annotation, type) and judge(annotation))


def _has_plain_members(kind: type[enum.Enum]) -> bool:
    return all(type(member.value) in _PLAIN for member in kind)


def _has_ways_of_its_own(kind: Any) -> bool:
    """Methods or settings of a model by which the two sides, or two calls, may differ."""
    from pydantic import BaseModel

    if any(
        getattr(getattr(kind, name), "__func__", getattr(kind, name))
        is not getattr(getattr(BaseModel, name), "__func__", getattr(BaseModel, name))
        for name in ("model_dump", "__get_pydantic_core_schema__")
    ):
        return True
    decorators, config = kind.__pydantic_decorators__, kind.model_config
    return (
        any(getattr(decorators, name) for name in _DECORATORS)
        or any(name in config for name in _CONFIGURED)
        or config.get("extra") == "allow"
        or config.get("revalidate_instances", "never") != "never"
    )


def _may_serialize(metadata: object) -> bool:
    kind = type(metadata)
    if kind.__module__ == "pydantic.functional_serializers":
        return True
    return hasattr(kind, "__get_pydantic_core_schema__") and not kind.__module__.startswith("pydantic.")
