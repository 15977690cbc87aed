"""Where two JSON documents differ as values: key order and number notation do not count, types do."""

from __future__ import annotations

import json
from decimal import Decimal
from itertools import zip_longest
from typing import Any, Iterator, NamedTuple

from .json_places import Place, Step

LONGEST_SHOWN = 80
ABSENT = object()
_NUMBERS = (int, Decimal)
_MAX_DIGITS = 4000
"""Python refuses to read integers somewhat longer than this."""

_Pairs = Iterator["tuple[Step, object, object]"]


class Token(str):
    """A number that only its text can stand for: NaN, Infinity, exponents beyond all bounds."""


class Difference(NamedTuple):
    """Two values that differ at one place; ``ABSENT`` where one side has nothing there."""

    place: Place
    baseline: object
    arm: object

    @property
    def is_one_sided(self) -> bool:
        return self.baseline is ABSENT or self.arm is ABSENT


def read(body: bytes) -> object:
    """The document with every number exact. Raises ValueError for what is no JSON, or has a key twice."""
    try:
        return json.loads(
            body,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=Token,
            object_pairs_hook=_object,
        )
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def differences(baseline: object, arm: object) -> Iterator[Difference]:
    """Leaves that differ, in document order. Linear; any depth."""
    trail: list[Step] = []
    levels: list[_Pairs] = [iter([("", baseline, arm)])]
    while levels:
        pair = next(levels[-1], None)
        if pair is None:
            levels.pop()
            del trail[-1:]
            continue
        step, left, right = pair
        inside = _pairs(left, right)
        if inside is not None:
            trail.append(step)
            levels.append(inside)
        elif not _same(left, right):
            # The first step leads to the root itself.
            yield Difference((*trail, step)[1:], left, right)


def shown(value: object) -> Any:
    """A JSON value to show: the same, or the start of its text where that is long."""
    if value is ABSENT:
        return "(absent)"
    if isinstance(value, str):
        return _printable(value)
    text = json.dumps(value, ensure_ascii=False, default=_plain)
    return json.loads(text) if len(text) <= LONGEST_SHOWN else _printable(text)


def _printable(text: str) -> str:
    short = text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"
    return short.encode("utf-8", "backslashreplace").decode()


def _pairs(left: object, right: object) -> _Pairs | None:
    if isinstance(left, dict) and isinstance(right, dict):
        return _entry_pairs(left, right)
    if isinstance(left, list) and isinstance(right, list):
        return ((i, *pair) for i, pair in enumerate(zip_longest(left, right, fillvalue=ABSENT)))
    return None


def _entry_pairs(left: dict[str, object], right: dict[str, object]) -> _Pairs:
    for key, value in left.items():
        yield key, value, right.get(key, ABSENT)
    for key, value in right.items():
        if key not in left:
            yield key, ABSENT, value


def _same(left: object, right: object) -> bool:
    if type(left) in _NUMBERS and type(right) in _NUMBERS:
        return left == right
    return type(left) is type(right) and left == right


def _integer(text: str) -> int | Decimal:
    return int(text) if len(text) <= _MAX_DIGITS else Decimal(text)


def _number(text: str) -> Decimal | Token:
    try:
        return Decimal(text)
    except ArithmeticError:
        return Token(text)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        # Which of the two a client sees is up to its parser.
        raise ValueError("a key stands twice")
    return entries


def _plain(number: object) -> float | str:
    """A Decimal as the number it was, or as text where a float would round it."""
    assert isinstance(number, Decimal)
    rounded = float(number)
    return rounded if Decimal(repr(rounded)) == number else str(number)
