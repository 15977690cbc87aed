"""A response type as source text: what is shown to the user is what is evaluated and measured.

What was seen is ``value_shapes``' business, how names are found is ``spelling``'s; here they become source.
"""

from __future__ import annotations

import dataclasses
import importlib
import re
import sys
from typing import Any, Dict, FrozenSet, Literal, Mapping, NamedTuple, Sequence, Tuple

from .fixed_text import fixes_text
from .leaves import SCALARS, spell_leaf
from .spelling import Spelling, camel
from .value_shapes import CONTAINERS, Entries, Items, Part, Positions, Shape, is_name

Kind = Literal["exact", "open", "any"]

# Pydantic refuses typing's own before.
TYPED_DICT_MODULE = "typing" if sys.version_info >= (3, 12) else "typing_extensions"
MAX_RECORDS = 40
"""More classes than this nobody would put into a module; further records stay ``dict[str, Any]``."""
_VERBS = ("fetch", "get", "list", "load", "read", "show")
_SCALAR_RANKS = {kind: rank for rank, kind in enumerate(SCALARS, 1)}


@dataclasses.dataclass(frozen=True)
class Annotation:
    """``expression`` means what it says once ``imports`` and ``definitions`` stand in the endpoint's module.

    ``kind``: ``exact`` (rows are TypedDicts), ``open`` (rows are ``dict[str, Any]``) or ``any``.
    ``by_type``: the type alone fixes the bytes of every value it admits.
    """

    expression: str
    imports: list[str]
    definitions: list[str]
    kind: Kind
    by_type: bool

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Annotation:
        return cls(**{field.name: document[field.name] for field in dataclasses.fields(cls)})


def evaluate(annotation: Annotation, namespace: Mapping[str, object]) -> object:
    """The type itself, as the endpoint's module would see it; ``namespace`` stays as it is.

    Raises whatever the source raises.
    """
    scope = dict(namespace)
    for source in annotation.imports + annotation.definitions:
        exec(compile(source, "<response type>", "exec", dont_inherit=True), scope)
    return eval(compile(annotation.expression, "<response type>", "eval", dont_inherit=True), scope)


def annotate(shape: Shape, namespace: Mapping[str, object], kind: Kind, name_hint: str) -> Annotation:
    """The type that ``shape`` allows, as source for the module with this ``namespace``.

    Raises ImportError where the TypedDict that this Pydantic wants is not installed.
    """
    writer = _Writer(Spelling(namespace), _root_name(name_hint), relaxed=kind == "open")
    written = writer.place(Shape() if kind == "any" else shape, _Place("", "Result"), ())
    used = set(re.findall(r"\w+", "\n".join([written.text, *writer.definitions])))
    return Annotation(
        expression=written.text,
        imports=[line for line in writer.spelling.imports if line.split()[-1] in used],
        definitions=writer.definitions,
        kind=kind,
        by_type=written.is_fixed,
    )


class _Written(NamedTuple):
    text: str
    is_fixed: bool


class _Place(NamedTuple):
    """Where a dict was seen, for its name: under which field, and as what."""

    field: str
    role: str


_Body = Dict[str, str]
_Around = Tuple[FrozenSet[str], ...]
"""The keys of every record that a place is in; meeting them again means a recursive type."""


class _UnsayableError(Exception):
    """No type says what was seen here."""


class _Writer:
    """Turns shapes into source; collects the definitions and imports that the source needs."""

    def __init__(self, spelling: Spelling, root: str, *, relaxed: bool) -> None:
        self.spelling = spelling
        self.definitions: list[str] = []
        self._root = root
        self._relaxed = relaxed
        self._records = 0
        self._names: dict[tuple[tuple[str, str], ...], str] = {}

    def place(self, shape: Shape, place: _Place, around: _Around) -> _Written:
        try:
            return self._alternatives(shape, place, around)
        except _UnsayableError:
            return _Written(self.spelling.spell_typing("Any"), False)

    def _alternatives(self, shape: Shape, place: _Place, around: _Around) -> _Written:
        # Only ever None says as little as nothing: a type of ``None`` would refuse what comes another time.
        if not shape.named:
            raise _UnsayableError
        # What can be unsayable comes first, so that no definition is written in vain.
        kinds = sorted(shape.parts, key=_rank)
        members = [self._alternative(kind, shape.parts[kind], place, around) for kind in kinds]
        return _Written(
            self.spelling.union(each.text for each in members), all(each.is_fixed for each in members)
        )

    def _alternative(self, kind: type, part: Part, place: _Place, around: _Around) -> _Written:
        if isinstance(part, Entries):
            return self._dict(part, place, around)
        if isinstance(part, Positions):
            return self._tuple(part, place, around)
        if isinstance(part, Items):
            item = self.place(part.item, place._replace(role="Item"), around)
            # A set may change its order when it is validated.
            return self._generic(kind, [item.text], item.is_fixed and kind is list)
        text = spell_leaf(kind, self.spelling)
        if text is None:
            raise _UnsayableError
        return _Written(text, fixes_text(kind))

    def _tuple(self, part: Positions, place: _Place, around: _Around) -> _Written:
        inner = place._replace(role="Item")
        positions = [self.place(shape, inner, around) for shape in part.positions or [part.item]]
        is_fixed = all(each.is_fixed for each in positions)
        texts = [each.text for each in positions]
        return self._generic(tuple, texts if len(set(texts)) > 1 else [texts[0], "..."], is_fixed)

    def _dict(self, part: Entries, place: _Place, around: _Around) -> _Written:
        if part.is_record():
            if part.fields and not self._relaxed and self._records < MAX_RECORDS:
                return self._record(part, part.fields, place, around)
            return self._generic(dict, [self._builtin(str), self.spelling.spell_typing("Any")], False)
        key = self.place(part.keys, place._replace(role="Key"), around)
        value = self.place(part.values, place._replace(role="Value"), around)
        return self._generic(dict, [key.text, value.text], False)

    def _record(self, part: Entries, fields: Mapping[str, Shape], place: _Place, around: _Around) -> _Written:
        keys = frozenset(fields)
        if len(keys) > 1 and keys in around:
            raise _UnsayableError
        importlib.import_module(TYPED_DICT_MODULE)
        self._records += 1
        body = {key: self._field(part, key, shape, (*around, keys)) for key, shape in fields.items()}
        known = tuple(body.items())
        if known not in self._names:
            self._names[known] = self.spelling.claim(self._root + camel(place.field) + place.role)
            self.definitions.append(_define(self._names[known], body, self._typed("TypedDict")))
        return _Written(self._names[known], False)

    def _field(self, part: Entries, key: str, shape: Shape, around: _Around) -> str:
        text = self.place(shape, _Place(key, ""), around).text
        return text if part.is_required(key) else f"{self._typed('NotRequired')}[{text}]"

    def _typed(self, name: str) -> str:
        return self.spelling.spell_typing(name, TYPED_DICT_MODULE)

    def _generic(self, kind: type, parameters: Sequence[str], is_fixed: bool) -> _Written:
        return _Written(f"{self._builtin(kind)}[{', '.join(parameters)}]", is_fixed)

    def _builtin(self, kind: type) -> str:
        """Its bare name, unless the module has given that another meaning."""
        text = self.spelling.spell(kind, kind.__module__, kind.__qualname__)
        assert text is not None, f"{kind} can be imported under a free name"
        return text


def _define(name: str, body: _Body, typed_dict: str) -> str:
    if all(map(is_name, body)):
        return "\n".join(
            [f"class {name}({typed_dict}):", *(f"    {key}: {text}" for key, text in body.items())]
        )
    fields = [f"        {_quoted(key)}: {text}," for key, text in body.items()]
    return "\n".join([f"{name} = {typed_dict}(", f"    {_quoted(name)},", "    {", *fields, "    },", ")"])


def _quoted(text: str) -> str:
    literal = repr(text)
    return f'"{literal[1:-1]}"' if '"' not in text and "'" not in text else literal


def _rank(kind: type) -> int:
    """User's classes as they came, scalars in an order of their own, dicts, other containers."""
    if kind in CONTAINERS:
        return len(_SCALAR_RANKS) + (1 if kind is dict else 2)
    return _SCALAR_RANKS.get(kind, 0)


def _root_name(hint: str) -> str:
    """``list_rows`` → ``Rows``."""
    verb, _, rest = hint.partition("_")
    name = camel(rest if rest and verb in _VERBS else hint)
    return name if name[:1].isalpha() else f"Answer{name}"
