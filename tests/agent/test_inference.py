"""Response types inferred from captured values: exact, open, Any, as source that says what it means."""

from __future__ import annotations

import collections
import datetime
import decimal
import json
import pathlib
import subprocess
import sys
import textwrap
import types
import typing
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.encoders import jsonable_encoder
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter

from wirespeed_agent import annotations, spelling
from wirespeed_agent.fixed_text import fixes_text
from wirespeed_agent.inference import Annotation, evaluate, infer

MODELS = """
    import dataclasses, enum, typing
    from typing import Any, Generic, List, Optional, TypeVar
    from pydantic import BaseModel

    T = TypeVar("T")

    class User(BaseModel):
        id: int
        name: str

    class Admin(User):
        level: int

    class Page(BaseModel, Generic[T]):
        items: List[T]

    class Outer:
        class Inner(BaseModel):
            x: int

    class Color(enum.Enum):
        RED = "red"

    @dataclasses.dataclass
    class Point:
        x: int

    class Thing:
        pass

    @dataclasses.dataclass
    class Opaque:
        handle: Thing

    class Pair(typing.NamedTuple):
        x: int
        y: str

"""

# The machine may be busy; how long an example takes says nothing.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

Namespace = typing.Dict[str, Any]  # noqa: UP006
MakeModule = Callable[..., Any]


@pytest.fixture
def make_module(monkeypatch: pytest.MonkeyPatch) -> MakeModule:
    """A module made of ``source`` that can be imported under ``name`` while the test runs."""

    def make(name: str, source: str = MODELS) -> Any:
        module = types.ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)
        exec(compile(textwrap.dedent(source), name, "exec", dont_inherit=True), vars(module))
        return module

    return make


@pytest.fixture
def models(make_module: MakeModule) -> Any:
    return make_module("shop_models")


def exact(*values: Any, namespace: Namespace | None = None, name: str = "rows") -> Annotation:
    return infer(values, namespace or {}, name)[0]


def expression(*values: Any, namespace: Namespace | None = None) -> str:
    return exact(*values, namespace=namespace).expression


def union(*members: str, namespace: Namespace | None = None) -> str:
    """As this interpreter writes it."""
    return spelling.Spelling(namespace or {}).union(members)


# -- JSON-like values ----------------------------------------------------------------------------------------


def test_rows_become_a_typed_dict_named_after_the_endpoint() -> None:
    found = exact([{"id": 1, "name": "a"}, {"id": 2, "name": "b"}], name="list_rows")
    assert found.expression == "list[RowsItem]"
    assert found.definitions == ["class RowsItem(TypedDict):\n    id: int\n    name: str"]


def test_candidates_come_best_first() -> None:
    assert [(each.kind, each.expression) for each in infer([[{"id": 1}]], {}, "rows")] == [
        ("exact", "list[RowsItem]"),
        ("open", "list[dict[str, Any]]"),
        ("any", "Any"),
    ]


@pytest.mark.parametrize(
    ("value", "expressions"),
    [
        ([1], ["list[int]", "Any"]),
        (object(), ["Any"]),
        ({}, ["dict[str, Any]", "Any"]),
        ([], ["list[Any]", "Any"]),
    ],
)
def test_candidates_that_say_the_same_are_offered_once(value: Any, expressions: list[str]) -> None:
    assert [each.expression for each in infer([value], {})] == expressions


def test_nothing_captured_allows_anything() -> None:
    assert [each.kind for each in infer([], {})] == ["any"]


def test_a_key_missing_once_in_a_thousand_rows_is_not_required() -> None:
    rows = [{"id": i, "note": "x"} for i in range(999)] + [{"id": 999}]
    assert "    note: NotRequired[str]" in exact(rows).definitions[0]


def test_a_field_that_is_none_once_may_be_none() -> None:
    rows = [{"a": i} for i in range(999)] + [{"a": None}]
    assert f"    a: {union('int', 'None')}" in exact(rows).definitions[0]


def test_a_field_that_was_only_ever_none_may_be_anything() -> None:
    assert exact([{"a": None}]).definitions == ["class RowsItem(TypedDict):\n    a: Any"]
    assert [each.kind for each in infer([None], {})] == ["any"]


@pytest.mark.parametrize("numbers", [[1, 2.5], [2.5, 1]])
def test_numbers_of_both_kinds_are_written_in_one_order(numbers: list[float]) -> None:
    assert expression(numbers) == f"list[{union('int', 'float')}]"


def test_a_bool_is_not_an_int() -> None:
    assert expression([True]) == "list[bool]"
    assert expression([True, 1]) == f"list[{union('int', 'bool')}]"


def test_captures_are_merged() -> None:
    assert expression([], [1], ["a"]) == f"list[{union('int', 'str')}]"
    tags = "class RowsResult(TypedDict):\n    tags: list[str]"
    assert exact({"tags": []}, {"tags": ["x"]}).definitions == [tags]


def test_a_key_missing_from_the_first_row_keeps_its_place_among_the_others() -> None:
    rows = [{"a": 1, "c": "x"}, {"a": 1, "b": 1, "c": "x"}, {"z": 1, "a": 1, "c": "x"}]
    body = exact(rows).definitions[0].splitlines()[1:]
    assert [line.split(":")[0].strip() for line in body] == ["z", "a", "b", "c"]


def test_nested_rows_get_names_of_their_own_and_equal_ones_share_one() -> None:
    address = {"city": "x", "zip": 1}
    found = exact({"home": address, "work": address, "tags": [{"id": 1, "name": "x"}]})
    assert [line.splitlines()[0] for line in found.definitions] == [
        "class RowsHome(TypedDict):",
        "class RowsTagsItem(TypedDict):",
        "class RowsResult(TypedDict):",
    ]
    assert "    work: RowsHome" in found.definitions[-1]


def test_a_new_class_never_takes_a_name_that_has_a_meaning() -> None:
    found = exact([{"id": 1}], namespace={"RowsItem": 1, "RowsItem2": 2})
    assert found.expression == "list[RowsItem3]"


@pytest.mark.parametrize("key", ["a-b", "class", "__x", "ﬁ", "", "a\nb", '"', "'", "2nd"])
def test_keys_that_are_no_names_are_kept_as_they_are(key: str) -> None:
    value = {key: 1, "other": "x"}
    adapter: Any = TypeAdapter(evaluate(exact(value), {}))
    assert adapter.dump_python(adapter.validate_python(value)) == value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"2026-01-01": 1, "2026-01-02": 2}, "dict[str, int]"),
        ({"2026-01-01": 1, "2026-01-02": 2.5}, f"dict[str, {union('int', 'float')}]"),
        ({f"k{i}": 1 for i in range(40)}, "dict[str, int]"),
        ([{f"k{i}": 1} for i in range(40)], "list[dict[str, int]]"),
        ({f"k{i}": i if i % 2 else "x" for i in range(300)}, f"dict[str, {union('int', 'str')}]"),
        ({1: "a", 2: "b"}, "dict[int, str]"),
        ({1: "a", "b": "b"}, f"dict[{union('int', 'str')}, str]"),
        (collections.OrderedDict({"a-b": 1}), "dict[str, int]"),
        (collections.Counter({1: 1}), "dict[int, int]"),
    ],
)
def test_a_dict_whose_keys_are_data_is_a_table(value: Any, expected: str) -> None:
    assert expression(value) == expected


def test_a_table_of_rows_names_its_rows() -> None:
    assert expression({"2026-01-01": {"a": 1}, "2026-01-02": {"a": 2}}) == "dict[str, RowsValue]"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ((1, 2, 3), "tuple[int, ...]"),
        ((1, "a"), "tuple[int, str]"),
        ([(1, "a"), (2, None)], f"list[tuple[int, {union('str', 'None')}]]"),
        ([(1, "a"), (2,)], f"list[tuple[{union('int', 'str')}, ...]]"),
        (tuple(range(9)), "tuple[int, ...]"),
        ((*range(8), "x"), f"tuple[{union('int', 'str')}, ...]"),
        ((), "tuple[Any, ...]"),
        ({1, 2}, "set[int]"),
        (frozenset("a"), "frozenset[str]"),
        (collections.deque([1]), "deque[int]"),
    ],
)
def test_containers_keep_their_kind(value: Any, expected: str) -> None:
    assert expression(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b"x", "bytes"),
        (decimal.Decimal(1), "Decimal"),
        (datetime.datetime(2026, 1, 1), "datetime"),
        (datetime.date(2026, 1, 1), "date"),
        (datetime.time(1), "time"),
        (datetime.timedelta(1), "timedelta"),
        (uuid.UUID(int=0), "UUID"),
        (pathlib.Path("a"), "Path"),
    ],
)
def test_scalars_are_named(value: Any, expected: str) -> None:
    found = exact(value)
    assert found.expression == expected
    adapter: Any = TypeAdapter(evaluate(found, {}))
    assert adapter.validate_python(value) == value


# -- what cannot be said -------------------------------------------------------------------------------------


def test_too_many_alternatives_are_anything() -> None:
    values = [1, 1.0, "a", True, b"", decimal.Decimal(1)]
    named = union("int", "float", "bool", "str", "bytes", "Decimal", "None")
    assert expression([*values, None]) == f"list[{named}]"
    assert expression([*values, uuid.UUID(int=0)]) == "list[Any]"


def test_a_value_that_contains_itself_is_anything_from_there_on() -> None:
    rows: list[Any] = [1]
    rows.append(rows)
    assert expression(rows) == "list[Any]"
    node: dict[str, Any] = {"id": 1}
    node["next"] = node
    assert exact(node).definitions == ["class RowsResult(TypedDict):\n    id: int\n    next: Any"]


def test_a_tree_of_like_rows_is_anything_below_its_first_level() -> None:
    def comment(depth: int) -> dict[str, Any]:
        return {"text": "x", "replies": [comment(depth - 1)] if depth else []}

    assert exact([comment(5)]).definitions == [
        "class RowsItem(TypedDict):\n    text: str\n    replies: list[Any]"
    ]


def test_no_end_of_nesting_is_followed() -> None:
    value: Any = 1
    for _ in range(5000):
        value = [value]
    assert expression(value).endswith("[Any" + "]" * 16)


def test_a_response_like_no_other_stays_readable() -> None:
    value = {f"part{i}": {f"field{i}_{j}": [j, "x"] for j in range(3)} for i in range(30)}
    nested = {f"group{g}": {**value, f"own{g}": 1} for g in range(3)}
    found = exact(nested)
    assert len(found.definitions) <= annotations.MAX_RECORDS
    adapter: Any = TypeAdapter(evaluate(found, {}))
    assert adapter.dump_python(adapter.validate_python(nested)) == nested


class Untouchable:
    """An ORM row, a lazy proxy: whoever asks it for anything has lost."""

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError(f"{name} was read")

    def __iter__(self) -> Any:
        raise AssertionError("was iterated")

    def __len__(self) -> int:
        raise AssertionError("was measured")


def test_objects_of_the_user_are_never_touched() -> None:
    assert expression([Untouchable()]) == "list[Any]"
    assert exact({"row": Untouchable()}).definitions == ["class RowsResult(TypedDict):\n    row: Any"]


def test_a_proxy_is_not_what_it_pretends_to_be() -> None:
    class Proxy:
        __class__ = dict

    assert expression([Proxy()]) == "list[Any]"


def test_a_one_shot_iterator_is_left_full() -> None:
    numbers = iter([1, 2])
    assert expression(numbers) == "Any"
    assert list(numbers) == [1, 2]


@pytest.mark.parametrize("base", [dict, list, str, int, float])
def test_subclasses_of_built_in_classes_may_do_anything(base: type) -> None:
    assert expression(type("Own", (base,), {})()) == "Any"


def test_mapped_dataclasses_are_anything(make_module: MakeModule) -> None:
    point = make_module("mapped").Point
    point._sa_class_manager = object()
    assert expression([point(1)]) == "list[Any]"


def test_dataclasses_that_pydantic_cannot_describe_are_anything(models: Any) -> None:
    assert expression([models.Opaque(models.Thing())], namespace=vars(models)) == "list[Any]"


def test_a_place_that_is_anything_brings_no_import_it_does_not_need(models: Any) -> None:
    found = exact([models.User(id=1, name="a"), models.Thing()])
    assert (found.expression, found.imports) == ("list[Any]", ["from typing import Any"])


# -- classes of the user -------------------------------------------------------------------------------------


def test_a_class_the_module_has_is_named_bare(models: Any) -> None:
    found = exact([models.User(id=1, name="a")], namespace=vars(models))
    assert (found.expression, found.imports) == ("list[User]", [])


def test_a_class_the_module_calls_otherwise_is_named_so(models: Any) -> None:
    assert expression(models.User(id=1, name="a"), namespace={"UserOut": models.User}) == "UserOut"


def test_a_class_is_named_through_a_module_at_hand(models: Any) -> None:
    found = exact(models.User(id=1, name="a"), namespace={"m": models})
    assert (found.expression, found.imports) == ("m.User", [])


def test_a_class_is_named_through_a_package_at_hand(make_module: MakeModule) -> None:
    package, module = make_module("store", ""), make_module("store.models")
    package.models = module
    assert expression(module.User(id=1, name="a"), namespace={"store": package}) == "store.models.User"


def test_any_other_class_is_imported(models: Any) -> None:
    found = exact([models.User(id=1, name="a")])
    assert (found.expression, found.imports) == ("list[User]", ["from shop_models import User"])


def test_an_import_never_takes_a_name_that_has_a_meaning(models: Any) -> None:
    namespace = {"User": object(), "Any": 1, "list": print}
    found = exact([models.User(id=1, name="a")], namespace=namespace)
    assert (found.expression, found.imports) == (
        "BuiltinsList[ShopModelsUser]",
        ["from shop_models import User as ShopModelsUser", "from builtins import list as BuiltinsList"],
    )
    assert evaluate(found, namespace) == list[models.User]


def test_a_class_that_an_import_would_not_give_is_anything(models: Any) -> None:
    user = models.User(id=1, name="a")
    del models.User
    assert expression(user) == "Any"


def test_a_class_of_the_main_module_cannot_be_imported(make_module: MakeModule) -> None:
    main = make_module("__main__")
    assert expression(main.User(id=1, name="a")) == "Any"
    assert expression(main.User(id=1, name="a"), namespace=vars(main)) == "User"


def test_a_class_made_inside_of_a_function_is_anything() -> None:
    class Local(BaseModel):
        x: int

    assert expression([Local(x=1)]) == "list[Any]"


def test_nested_classes_are_named_through_the_outer_one(models: Any) -> None:
    found = exact([models.Outer.Inner(x=1)])
    assert (found.expression, found.imports) == ("list[Outer.Inner]", ["from shop_models import Outer"])


def test_instances_are_named_by_their_exact_class(models: Any) -> None:
    user, admin = models.User(id=1, name="a"), models.Admin(id=1, name="a", level=1)
    assert expression([admin], namespace=vars(models)) == "list[Admin]"
    assert (
        expression([user, admin], namespace=vars(models))
        == f"list[{union('User', 'Admin', namespace=vars(models))}]"
    )


def test_generic_models_are_named_with_what_they_hold(models: Any) -> None:
    namespace = vars(models)
    for kind, expected in [
        (models.Page[models.User], "Page[User]"),
        (models.Page[int], "Page[int]"),
        (models.Page[list[models.User]], "Page[list[User]]"),
        (models.Page[models.Page[int]], "Page[Page[int]]"),
        (models.Page[typing.Optional[int]], "Page[typing.Union[int, None]]"),  # noqa: UP045
        (models.Page[Any], "Page[Any]"),
    ]:
        found = exact(kind(items=[]), namespace=namespace)
        assert found.expression == expected
        assert evaluate(found, namespace) is kind


def test_a_generic_model_that_cannot_be_written_back_is_anything(models: Any) -> None:
    page = models.Page[typing.List[int]](items=[])  # noqa: UP006
    assert expression(page, namespace=vars(models)) == "Any"


def test_dataclasses_enums_and_named_tuples_are_named(models: Any) -> None:
    values = [models.Point(1), models.Color.RED, models.Pair(1, "a")]
    expected = union("Point", "Color", "Pair", namespace=vars(models))
    assert expression(values, namespace=vars(models)) == f"list[{expected}]"


# -- source --------------------------------------------------------------------------------------------------


def test_an_annotation_survives_the_way_through_json() -> None:
    for found in infer([[{"a": 1}]], {}):
        assert Annotation.from_json(json.loads(json.dumps(found.to_json()))) == found


def test_evaluating_leaves_the_module_as_it_is() -> None:
    namespace: Namespace = {"__name__": "main"}
    evaluate(exact([{"a": 1}]), namespace)
    assert namespace == {"__name__": "main"}


def test_older_interpreters_get_the_notation_they_can_evaluate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spelling, "HAS_UNION_OPERATOR", False)
    found = exact([1, "a", None])
    assert found.expression == "list[Optional[Union[int, str]]]"
    assert expression([1, None]) == "list[Optional[int]]"
    assert TypeAdapter(evaluate(found, {})).validate_python([1, "a", None]) == [1, "a", None]


def test_without_a_typed_dict_to_import_there_is_no_exact_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annotations, "TYPED_DICT_MODULE", "no_such_module")
    assert [each.kind for each in infer([[{"a": 1}]], {})] == ["open", "any"]
    assert [each.kind for each in infer([[1]], {})] == ["exact", "any"]


def test_the_source_stands_in_a_module_that_postpones_annotations(tmp_path: pathlib.Path) -> None:
    value = [{"id": 1, "a-b": [1, None], "when": datetime.date(2026, 1, 1)}, {"id": 2}]
    found = exact(value)
    lines = [
        "from __future__ import annotations",
        "from fastapi import FastAPI",
        *found.imports,
        *found.definitions,
        "app = FastAPI()",
        "@app.get('/')",
        f"def rows() -> {found.expression}:",
        "    return []",
        "print(app.openapi()['paths']['/']['get']['responses']['200']['content'])",
    ]
    script = tmp_path / "main.py"
    script.write_text("\n".join(lines))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "#/components/schemas/RowsItem" in done.stdout


# -- bytes fixed by the type ---------------------------------------------------------------------------------


def test_models_of_plain_fields_fix_the_bytes(models: Any) -> None:
    admin = models.Admin(id=1, name="a", level=1)
    found = infer([[admin, None]], vars(models))
    assert [(each.kind, each.by_type) for each in found] == [("exact", True), ("any", False)]


@pytest.mark.parametrize(
    ("value", "by_type"),
    [
        ([1, "a", True, None], True),
        ((1, "a"), True),
        ([1.5], False),
        ([datetime.datetime(2026, 1, 1)], False),
        ({"a": 1}, False),
        ({"2026-01-01": 1}, False),
        ({1, 2}, False),
        ([], False),
    ],
)
def test_only_classes_with_one_text_fix_the_bytes(value: Any, by_type: bool) -> None:
    assert exact(value).by_type is by_type


def test_a_parent_does_not_fix_the_bytes_of_its_children(models: Any) -> None:
    assert not exact(models.User(id=1, name="a"), namespace=vars(models)).by_type


CLASSES = """
    import dataclasses, datetime, decimal, enum, uuid
    from typing import Annotated, Any, Dict, List, Literal, Optional, Tuple
    from pydantic import BaseModel, ConfigDict, Field, PlainSerializer
    from pydantic import computed_field, field_serializer, model_validator

    class Level(enum.IntEnum):
        LOW = 1

    class Ratio(enum.Enum):
        TINY = 1e-05

    class Fixed(BaseModel):
        id: int = Field(ge=0, alias="ID", default=1)
        ok: Optional[bool] = None
        price: decimal.Decimal = decimal.Decimal("1.50")
        when: datetime.datetime = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
        key: uuid.UUID = uuid.UUID(int=0)
        level: Level = Level.LOW
        kind: Literal["a", "b"] = "a"
        pairs: List[Tuple[int, Annotated[str, Field(max_length=9)]]] = [(1, "a")]
        inner: List["Fixed"] = []

        @computed_field
        @property
        def double(self) -> int:
            return self.id * 2

    class Float(BaseModel):
        x: float = 1e-05

    class Holder(BaseModel):
        inner: List[Float] = [Float()]

    class Anything(BaseModel):
        x: Any = 1e-05

    class Extra(BaseModel):
        model_config = ConfigDict(extra="allow")

    class Table(BaseModel):
        x: Dict[str, int] = {"_sa_x": 1}

    class Serialized(BaseModel):
        x: int = 1
        @field_serializer("x")
        def ser(self, value): return value / 100_000

    class Annotation(BaseModel):
        x: Annotated[int, PlainSerializer(lambda x: x / 100_000)] = 1

    class Counting(BaseModel):
        x: int = 1
        @model_validator(mode="after")
        def count(self):
            self.x += 1
            return self

    class Dumping(BaseModel):
        x: int = 1
        def model_dump(self, **options): return {"y": 1}

    class Rated(BaseModel):
        x: Ratio = Ratio.TINY

    @dataclasses.dataclass
    class Row:
        id: int = 1
        day: datetime.date = datetime.date(2026, 1, 1)
        tags: List[str] = dataclasses.field(default_factory=list)

    @dataclasses.dataclass
    class Aware:
        when: datetime.datetime = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)

    @dataclasses.dataclass
    class Renamed:
        x: Annotated[int, Field(serialization_alias="y")] = 1

    class Base(BaseModel):
        x: int = 1

    class Derived(Base):
        y: int = 2

    @dataclasses.dataclass
    class Holding:
        base: Base = dataclasses.field(default_factory=Derived)

    @dataclasses.dataclass
    class Late:
        x: int = dataclasses.field(init=False)
        def __post_init__(self): self.x = 1
"""


def untyped(value: Any) -> str:
    return json.dumps(jsonable_encoder(value), ensure_ascii=False, separators=(",", ":"))


def typed(kind: Any, value: Any) -> str:
    adapter = TypeAdapter(kind)
    return adapter.dump_json(adapter.validate_python(value), by_alias=True).decode()


@pytest.mark.parametrize("name", ["Fixed", "Level", "Row", "Derived"])
def test_classes_said_to_fix_the_bytes_do(name: str, make_module: MakeModule) -> None:
    kind = getattr(make_module("classes", CLASSES), name)
    value = kind(1) if name == "Level" else kind()
    assert fixes_text(kind)
    assert typed(kind, value) == untyped(value)


@pytest.mark.parametrize(
    "name",
    [
        "Ratio", "Float", "Holder", "Anything", "Table", "Serialized", "Annotation", "Counting", "Dumping",
        "Rated", "Aware", "Renamed", "Holding",
    ],
)  # fmt: skip
def test_classes_that_can_break_the_bytes_are_found_out(name: str, make_module: MakeModule) -> None:
    kind = getattr(make_module("classes", CLASSES), name)
    value = kind(1e-05) if name == "Ratio" else kind()
    assert not fixes_text(kind)
    before = untyped(value)
    assert typed(kind, value) != before


def test_a_model_with_room_for_more_fixes_nothing(make_module: MakeModule) -> None:
    extra = make_module("classes", CLASSES).Extra
    assert not fixes_text(extra)
    assert typed(extra, extra(x=1e-05)) != untyped(extra(x=1e-05))


@unhurried
@given(st.integers() | st.booleans() | st.text() | st.dates() | st.uuids())
def test_the_text_of_plain_scalars_is_fixed(value: Any) -> None:
    assert fixes_text(type(value))
    assert typed(type(value), value) == untyped(value)


# -- any JSON ------------------------------------------------------------------------------------------------

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: x == 0 or abs(x) > 1e-300)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(
            st.sampled_from(["id", "name", "_id", "class", "a-b", "é"]) | st.text(), inner, max_size=5
        )
    ),
    max_leaves=30,
)


@unhurried
@given(st.lists(json_values, min_size=1, max_size=3))
def test_every_candidate_admits_the_values_it_came_from_and_writes_the_same_json(values: list[Any]) -> None:
    for found in infer(values, {}, "get_rows"):
        adapter: Any = TypeAdapter(evaluate(found, {}))
        for value in values:
            dumped = adapter.dump_json(adapter.validate_python(value, strict=False))
            assert json.loads(dumped) == value


@unhurried
@given(st.dictionaries(st.text(), json_values, max_size=5))
def test_a_single_value_keeps_the_order_of_its_keys(value: dict[str, Any]) -> None:
    flat = {key: item for key, item in value.items() if not isinstance(item, (dict, list))}
    adapter: Any = TypeAdapter(evaluate(infer([flat], {})[0], {}))
    assert list(json.loads(adapter.dump_json(adapter.validate_python(flat)))) == list(flat)
