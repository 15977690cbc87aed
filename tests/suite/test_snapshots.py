"""What is kept of a value is data, and nothing that anything else hangs on."""

from __future__ import annotations

import datetime
import enum
from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel, PrivateAttr, RootModel, model_validator

from wirespeed.testing.suite.snapshots import MOST_NODES, NotKept, snapshot

MUCH = 8_000_000


def kept(value: Any) -> Any:
    return snapshot(value, MUCH).value


class Colour(enum.Enum):
    RED = "red"


class Line(BaseModel):
    model_config = {"extra": "allow"}

    sku: str
    tags: list[str] = []


class Order(BaseModel):
    id: int
    lines: list[Line]
    when: datetime.datetime | None = None


@dataclass(frozen=True)
class Frozen:
    names: list[str]


@dataclass(slots=True)
class Slotted:
    names: list[str]


Point = namedtuple("Point", "x y")


@pytest.mark.parametrize(
    "value",
    [
        {"a": [1, 2.5, None, True], "b": (1, "x"), 3: {4}},
        [Decimal("1.10"), UUID(int=5), datetime.timedelta(1), Colour.RED],
        OrderedDict(b=1, a=2),
        defaultdict(list, a=[1]),
        Point([1], 2),
        Frozen(["a"]),
        Slotted(["a"]),
        Order(id=1, lines=[Line(sku="a", tags=["x"], more=[1])]),  # type: ignore[call-arg]
        RootModel[list[int]]([1, 2]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_data_is_rebuilt_as_what_it_was(value: Any) -> None:
    made = kept(value)

    assert made == value
    assert type(made) is type(value)
    assert made is not value


def test_what_happens_to_the_value_later_does_not_reach_the_copy() -> None:
    order = Order(id=1, lines=[Line(sku="a", tags=["x"])])
    value = {"orders": [order]}
    made = kept(value)

    order.lines[0].tags.append("y")
    value["orders"].clear()

    assert made == {"orders": [Order(id=1, lines=[Line(sku="a", tags=["x"])])]}


def test_which_fields_of_a_model_were_set_is_kept() -> None:
    assert kept(Line(sku="a")).model_dump(exclude_unset=True) == {"sku": "a"}


def test_no_code_of_a_model_runs() -> None:
    class Loud(BaseModel):
        number: int

        def __copy__(self) -> Any:
            raise AssertionError

        def __deepcopy__(self, memo: Any = None) -> Any:
            raise AssertionError

        @model_validator(mode="after")
        def once(self) -> Any:
            assert "made" not in self.__dict__
            return self

        @property
        def loads(self) -> int:
            raise AssertionError

        @cached_property
        def loads_once(self) -> int:
            raise AssertionError

    assert kept(Loud(number=1)).number == 1


def test_what_is_shared_stays_shared_and_a_cycle_ends() -> None:
    row: dict[str, Any] = {"id": 1}
    row["itself"] = row
    made = kept([row, row])

    assert made[0] is made[1]
    assert made[0]["itself"] is made[0]


class Mapped:
    _sa_class_manager: Any = None


class Holder(BaseModel):
    _session: Any = PrivateAttr(default=None)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (iter([1]), "not plain data"),
        ((number for number in range(3)), "not plain data"),
        (object(), "builtins.object is not plain data"),
        ([{"deep": Mapped()}], "a row of an ORM"),
        (bytearray(b"x"), "not plain data"),
    ],
)
def test_what_is_no_data_is_not_kept(value: Any, reason: str) -> None:
    with pytest.raises(NotKept, match=reason):
        snapshot(value, MUCH)


def test_a_model_that_holds_a_session_is_not_kept() -> None:
    holder = Holder()
    holder._session = object()

    with pytest.raises(NotKept, match="not plain data"):
        snapshot(holder, MUCH)


def test_more_than_fits_is_not_kept() -> None:
    with pytest.raises(NotKept, match="larger than 1 MB"):
        snapshot(["x" * 2_000_000], 1_000_000)
    with pytest.raises(NotKept, match=f"more than {MOST_NODES} parts"):
        snapshot(list(range(MOST_NODES + 1)), MUCH)


def test_a_value_that_is_nested_without_end_is_not_kept() -> None:
    value: list[Any] = []
    for _ in range(1000):
        value = [value]

    with pytest.raises(NotKept, match="nested deeply"):
        snapshot(value, MUCH)


def test_its_size_is_about_that_of_the_data() -> None:
    assert 100_000 < snapshot(["x" * 100_000], MUCH).size_bytes < 110_000
