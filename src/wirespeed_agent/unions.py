"""Unions of models in a response type that Pydantic tells apart by trying, and what else could tell them."""

from __future__ import annotations

import types
from typing import (
    Any,
    Dict,
    Iterator,
    List,
    Literal,
    Mapping,
    Optional,
    Sequence,
    Set,
    Union,
    get_args,
    get_origin,
)

from .annotations import Annotation
from .spelling import Spelling

_UNIONS = (Union, getattr(types, "UnionType", Union))
MAX_DEPTH = 8


class FoundUnion:
    """A union whose members are all models, without a discriminator."""

    def __init__(self, kind: Any, members: Sequence[type], inside: Optional[str]) -> None:
        self.kind = kind
        self.members = members
        self.inside = inside

    @property
    def field(self) -> Optional[str]:
        """The first field in which every member pins literals that no other member has."""
        return next((name for name in _fields(self.members[0]) if _discriminates(name, self.members)), None)


def find_unions(response_type: Any) -> List[FoundUnion]:
    return list(_walk(response_type, None, set(), 0))


def describe_unions(response_type: Any, namespace: Mapping[str, object]) -> List[Dict[str, Any]]:
    """``observation.UnionFact`` for each."""
    return [
        {
            "members": [member.__name__ for member in found.members],
            "field": found.field,
            "inside": found.inside,
            "annotation": _annotation(response_type, found, namespace),
        }
        for found in find_unions(response_type)
    ]


def _walk(kind: Any, inside: Optional[str], seen: Set[type], depth: int) -> Iterator[FoundUnion]:
    if depth > MAX_DEPTH:
        return
    if _is_model(kind):
        if kind not in seen:
            seen.add(kind)
            for name, field in _fields(kind).items():
                if getattr(field, "discriminator", None) is None:
                    yield from _walk(field.annotation, f"{kind.__name__}.{name}", seen, depth + 1)
        return
    if _is_discriminated(kind):
        return
    members = _members(kind)
    if members is not None:
        yield FoundUnion(kind, members, inside)
    for arg in get_args(kind):
        yield from _walk(arg, inside, seen, depth + 1)


def _is_model(kind: Any) -> bool:
    from pydantic import BaseModel

    return isinstance(kind, type) and get_origin(kind) is None and issubclass(kind, BaseModel)


def _fields(model: type) -> Mapping[str, Any]:
    fields: Mapping[str, Any] = getattr(model, "model_fields", {})
    return fields


def _is_discriminated(kind: Any) -> bool:
    """``Annotated`` with a ``Field(discriminator=…)`` or a ``Discriminator``."""
    return any(getattr(each, "discriminator", None) is not None for each in getattr(kind, "__metadata__", ()))


def _members(kind: Any) -> Optional[List[type]]:
    if get_origin(kind) not in _UNIONS:
        return None
    members = [each for each in get_args(kind) if each is not type(None)]
    return members if len(members) > 1 and all(_is_model(each) for each in members) else None


def _discriminates(name: str, members: Sequence[type]) -> bool:
    taken: Set[Any] = set()
    for member in members:
        field = _fields(member).get(name)
        values = get_args(field.annotation) if field and get_origin(field.annotation) is Literal else ()
        if not values or taken.intersection(values):
            return False
        taken.update(values)
    return True


# -- the type with a discriminator, as source ----------------------------------------------------------------


def _annotation(
    response_type: Any, found: FoundUnion, namespace: Mapping[str, object]
) -> Optional[Dict[str, Any]]:
    """None where the union stands in a model, or the type holds what cannot be spelled."""
    if found.inside is not None or found.field is None:
        return None
    spelling = Spelling(namespace)
    expression = _Writer(spelling, found).write(response_type)
    if expression is None:
        return None
    written = Annotation(expression, spelling.imports, [], kind="exact", by_type=False)
    return written.to_json()


class _Writer:
    def __init__(self, spelling: Spelling, found: FoundUnion) -> None:
        self._spelling = spelling
        self._found = found

    def write(self, kind: Any) -> Optional[str]:
        if kind is None or kind is type(None):
            return "None"
        if kind is Any:
            return self._spelling.spell_typing("Any")
        if get_origin(kind) in _UNIONS:
            return self._union(kind)
        origin, args = get_origin(kind), get_args(kind)
        if origin is None:
            return self._spelling.spell_class(kind) if isinstance(kind, type) else None
        if not isinstance(origin, type) or hasattr(kind, "__metadata__"):
            return None
        parts = [self._spelling.spell_class(origin), *map(self._argument, args)]
        return None if None in parts else f"{parts[0]}[{', '.join(map(str, parts[1:]))}]"

    def _argument(self, arg: Any) -> Optional[str]:
        return "..." if arg is Ellipsis else self.write(arg)

    def _union(self, kind: Any) -> Optional[str]:
        members = [self.write(each) for each in get_args(kind)]
        if None in members:
            return None
        named = [str(member) for member in members if member != "None"]
        if kind != self._found.kind:
            return self._spelling.union(map(str, members))
        field = self._spelling.spell(_pydantic_field(), "pydantic", "Field")
        if field is None:
            return None
        annotated = self._spelling.spell_typing("Annotated")
        told_apart = (
            f'{annotated}[{self._spelling.union(named)}, {field}(discriminator="{self._found.field}")]'
        )
        return self._spelling.union([told_apart, "None"] if len(named) < len(members) else [told_apart])


def _pydantic_field() -> Any:
    from pydantic import Field

    return Field
