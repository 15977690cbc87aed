"""The rules whose remedies are edits of the app's code: when they fire, and what they would have tried."""

from __future__ import annotations

from typing import Any

import pytest

from wirespeed.diagnosis.observation import Annotation, Observation
from wirespeed.diagnosis.rules import all_rules

MS = 1_000_000
ANY = Annotation(expression="Any", kind="any", by_type=False)
ITEMS = Annotation(expression="list[Item]", kind="exact", by_type=False)


def seen(**fields: Any) -> Observation:
    """A request of 10 ms whose endpoint is at main.py:10."""
    route = {
        "has_response_type": True,
        "explicit_class": False,
        "response_class": "JSONResponse",
        "media_type": "application/json",
        "dormant_options": [],
    }
    return Observation.model_validate(
        {
            "failed": None,
            "actions": [],
            "content_type": "application/json",
            "whole_ns": 10 * MS,
            "response_path_ns": MS,
            "source": "main.py:10",
            **fields,
            "route": {**route, **fields.get("route", {})},
        }
    )


def phases(**nanoseconds: int) -> dict[str, Any]:
    names = ("routing", "dependencies", "endpoint", "validation", "serialization", "rendering")
    return {"layers": {}, **dict.fromkeys(names, 0), **nanoseconds}


def work(name: str = "settings", **fields: Any) -> dict[str, Any]:
    trivial = {
        "key": f"main:{name}",
        "name": name,
        "source": "main.py:3",
        "role": "dependency",
        "kind": "def",
        "generator": False,
        "in_thread": True,
        "calls": 1,
        "wall_ns": 4_000,
        "off_cpu_ns": 0,
    }
    return {**trivial, **fields}


def evidence(code: str, observed: Observation) -> str | None:
    return all_rules()[code].evidence(observed)


def changes(code: str, observed: Observation) -> list[Any]:
    return list(all_rules()[code].remedies(observed))


def names(code: str, observed: Observation) -> list[str]:
    return [change.name for change in changes(code, observed)]


# -- WS103 ---------------------------------------------------------------------------------------------------


def hand_built(encode_ns: int = 5 * MS, **fields: Any) -> dict[str, Any]:
    made = {"response_class": "JSONResponse", "encoders": ["jsonable_encoder"], "encode_ns": encode_ns}
    return {**made, **fields}


def test_ws103_says_what_encoding_takes_and_what_encodes() -> None:
    assert evidence("WS103", seen(hand_built=hand_built())) == (
        "5 ms of every request (50%) go into encoding a JSONResponse in the endpoint: jsonable_encoder"
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"hand_built": None},
        {"hand_built": hand_built(encode_ns=MS // 5)},
        {"hand_built": hand_built(), "content_type": "text/html"},
    ],
)
def test_ws103_is_silent_where_nothing_is_encoded_by_hand_or_it_costs_nothing(fields: Any) -> None:
    assert evidence("WS103", seen(**fields)) is None


def test_ws103_leaves_the_declared_type_to_do_its_work() -> None:
    (change,) = changes("WS103", seen(hand_built=hand_built()))

    assert change.name == "return the value"
    assert change.annotation is None
    assert [(edit.what, edit.source) for edit in change.edits] == [("return the value", "main.py:10")]


def test_ws103_declares_a_type_where_there_is_none_and_drops_the_class() -> None:
    found = seen(
        hand_built=hand_built(annotations=[ITEMS, ANY]),
        route={"has_response_type": False, "explicit_class": True},
    )

    assert names("WS103", found) == [
        "return the value + -> list[Item] + drop response_class",
        "return the value + -> Any + drop response_class",
    ]
    assert {change.response_class for change in changes("WS103", found)} == {"drop"}


# -- WS104 and WS105 -----------------------------------------------------------------------------------------


def rebuilt(**fields: Any) -> dict[str, Any]:
    return {"model": "Item", "from_dicts": True, "count": 40, **fields}


def test_ws104_returns_the_instances_that_the_endpoint_had_dumped() -> None:
    found = seen(revalidated=[rebuilt(dumped=40, dump_ns=MS)], phases=phases(validation=MS))

    assert evidence("WS104", found) == (
        "2 ms of every request (20%): 40 Item built from dicts, after 40 were dumped to dicts"
    )
    (change,) = changes("WS104", found)
    assert [edit.what for edit in change.edits] == ["return instances"]


def test_ws104_gives_advice_only_for_values_from_elsewhere_and_never_loosens_a_type() -> None:
    found = seen(revalidated=[rebuilt(from_dicts=False)], phases=phases(validation=MS))

    (change,) = changes("WS104", found)
    assert change.is_advice_only
    assert change.annotation is None


def test_ws104_leaves_members_of_a_union_without_discriminator_to_ws107() -> None:
    union = {"members": ["Item", "Note"], "field": "kind"}

    found = seen(revalidated=[rebuilt(dumped=40)], unions=[union], phases=phases(validation=MS))

    assert evidence("WS104", found) is None


def test_ws105_is_advice() -> None:
    again = {"model": "Item", "validator": "in_order", "mode": "after", "count": 40}
    found = seen(validators_again=[again], phases=phases(validation=MS))

    assert evidence("WS105", found) == "1 ms of every request (10%): Item.in_order (after) 40 times"
    assert all(change.is_advice_only for change in changes("WS105", found))
    assert evidence("WS105", seen(validators_again=[again], phases=phases(validation=MS // 10))) is None


# -- WS106 ---------------------------------------------------------------------------------------------------


def built(**fields: Any) -> dict[str, Any]:
    adapter = {"what": "TypeAdapter", "name": "list[Item]", "source": "main.py:12", "calls": 1, "ns": MS}
    return {**adapter, **fields}


def test_ws106_hoists_what_is_built_from_where_it_is_asked_for() -> None:
    found = seen(built=[built()])

    assert evidence("WS106", found) == "1 ms of every request (10%): TypeAdapter(list[Item]) in main.py:12"
    (change,) = changes("WS106", found)
    assert change.name == "hoist TypeAdapter(list[Item])"
    assert [(edit.what, edit.source) for edit in change.edits] == [("hoist", "main.py:12")]


def test_ws106_also_tries_the_adapters_alone_where_a_model_is_built_as_well() -> None:
    model = built(what="model", name="Local", source="main.py:11")

    assert names("WS106", seen(built=[built(), model])) == [
        "hoist TypeAdapter(list[Item]), Local",
        "hoist TypeAdapter(list[Item])",
    ]


def test_ws106_has_advice_only_for_what_a_library_builds() -> None:
    (change,) = changes("WS106", seen(built=[built(source=None)]))

    assert change.is_advice_only


# -- WS107 ---------------------------------------------------------------------------------------------------


def union(**fields: Any) -> dict[str, Any]:
    return {"members": ["Cat", "Dog"], "field": "kind", "annotation": ITEMS, **fields}


def test_ws107_writes_the_discriminator_and_shows_the_type_that_it_makes() -> None:
    found = seen(unions=[union()], phases=phases(validation=2 * MS))

    assert evidence("WS107", found) == (
        "2 ms of every request (20%) go through a union of 2 models, which kind tells apart"
    )
    (change,) = changes("WS107", found)
    assert change.name == "discriminator kind"
    assert change.annotation == ITEMS
    assert [(edit.what, edit.name) for edit in change.edits] == [("discriminator", "kind")]


@pytest.mark.parametrize("fields", [{"field": None}, {"inside": "Pets.first"}])
def test_ws107_is_advice_where_no_field_tells_them_apart_or_a_model_holds_the_union(fields: Any) -> None:
    found = seen(unions=[union(**{"annotation": None, **fields})], phases=phases(validation=2 * MS))

    assert evidence("WS107", found) is not None
    assert all(change.is_advice_only for change in changes("WS107", found))


# -- WS201 ---------------------------------------------------------------------------------------------------


def hold(**fields: Any) -> dict[str, Any]:
    return {"wall_ns": 15 * MS, "cpu_ns": MS, "run_queue_ns": 0, "work": "main:quote", **fields}


QUOTE = work("quote", role="endpoint", kind="async def", in_thread=False, source="main.py:10")


def test_ws201_moves_what_blocks_to_a_thread_and_measures_it_in_parallel() -> None:
    found = seen(works=[QUOTE], holds=[hold()])

    assert evidence("WS201", found) == "quote holds the event loop for 15 ms, 14 ms of it waiting"
    (change,) = changes("WS201", found)
    assert (change.name, change.in_parallel) == ("def", True)
    assert [(edit.what, edit.source, edit.name) for edit in change.edits] == [("def", "main.py:10", "quote")]


@pytest.mark.parametrize(
    "fields",
    [
        {"cpu_ns": 14 * MS},
        {"run_queue_ns": 14 * MS},
        {"wall_ns": MS, "cpu_ns": MS // 2},
    ],
)
def test_ws201_takes_neither_computing_nor_waiting_for_a_core_for_blocking(fields: Any) -> None:
    assert evidence("WS201", seen(works=[QUOTE], holds=[hold(**fields)])) is None


def test_ws201_sees_blocking_beside_waits_for_a_core() -> None:
    busy = hold(run_queue_ns=11 * MS)

    assert evidence("WS201", seen(works=[QUOTE], holds=[busy])) is not None


def test_ws201_advises_where_the_function_awaits_or_no_callable_of_the_route_is_to_blame() -> None:
    awaiting = seen(works=[{**QUOTE, "awaits": True}], holds=[hold()])
    above = seen(works=[QUOTE], holds=[hold(work=None)])

    for found in (awaiting, above):
        (change,) = changes("WS201", found)
        assert change.is_advice_only
        assert "run_in_threadpool" in change.advice


@pytest.mark.parametrize(("computed_ms", "is_blamed"), [(20, False), (13, True)])
def test_ws201_blames_no_middleware_for_waiting_while_worker_threads_hold_the_interpreter(
    computed_ms: int, is_blamed: bool
) -> None:
    report = work(
        "report",
        role="endpoint",
        kind="def",
        in_thread=True,
        wall_ns=30 * MS,
        off_cpu_ns=(30 - computed_ms) * MS,
    )
    found = seen(works=[report], holds=[hold(work=None)])

    assert (evidence("WS201", found) is not None) is is_blamed


# -- WS203 ---------------------------------------------------------------------------------------------------


def hops(*works: dict[str, Any], **fields: Any) -> Observation:
    return seen(whole_ns=MS, works=list(works), **fields)


def test_ws203_makes_one_change_of_all_trivial_hops_and_one_without_classes() -> None:
    found = hops(work("Paging", kind="class"), work("settings"), work("tenant"))

    assert evidence("WS203", found) == (
        "Paging, settings, tenant: at most 4 µs of work each, in a worker thread; "
        "about 18% of the request are hops"
    )
    assert names("WS203", found) == ["async def Paging, settings, tenant", "async def settings, tenant"]
    assert all(change.in_parallel for change in changes("WS203", found))


@pytest.mark.parametrize(
    "fields",
    [
        {"wall_ns": 51_000},
        {"off_cpu_ns": 21_000},
        {"generator": True},
        {"in_thread": False},
        {"actions": ["open settings.toml"]},
    ],
)
def test_ws203_leaves_in_its_thread_what_may_need_one(fields: Any) -> None:
    assert evidence("WS203", hops(work(**fields))) is None


def test_ws203_leaves_out_what_was_not_trivial_for_another_request() -> None:
    found = hops(work("settings"), work("tenant"), heavy_elsewhere=["main:tenant"])

    assert names("WS203", found) == ["async def settings"]


def test_ws203_counts_the_second_hop_of_a_typed_def_endpoint() -> None:
    endpoint = work("items", role="endpoint")

    assert "12% of the request" in str(evidence("WS203", hops(endpoint)))
    assert names("WS203", hops(endpoint)) == ["async def"]


def test_ws203_is_silent_where_hops_are_a_small_part_of_the_request() -> None:
    assert evidence("WS203", seen(whole_ns=10 * MS, works=[work()])) is None


@pytest.mark.parametrize("fields", [{"kind": "other"}, {"source": None}])
def test_ws203_advises_where_an_edit_of_the_def_would_break_it(fields: Any) -> None:
    (change,) = changes("WS203", hops(work(**fields)))

    assert change.is_advice_only


# -- WS301 ---------------------------------------------------------------------------------------------------


def layer(number: int, name: str, own_ns: int, **fields: Any) -> dict[str, Any]:
    facts = {"number": number, "name": name, "is_base_http": True, "source": f"main.py:{number}"}
    return {**facts, "own_ns": own_ns, **fields}


def test_ws301_rewrites_all_and_each_and_shows_what_a_rewrite_can_gain_at_most() -> None:
    found = seen(layers=[layer(0, "count", MS), layer(1, "region", 2 * MS)])

    assert evidence("WS301", found) == "3 ms of every request (30%) are spent in region, count"
    assert names("WS301", found) == [
        "pure ASGI count, region",
        "pure ASGI region",
        "pure ASGI count",
        "without region",
        "without count",
    ]
    bounds = [change for change in changes("WS301", found) if change.kind == "app"]
    assert [change.bypass for change in bounds] == [1, 0]
    assert all(change.never_recommended for change in bounds)


def test_ws301_only_bounds_what_is_not_the_apps_own_code() -> None:
    assert names("WS301", seen(layers=[layer(0, "Metrics", MS, source=None)])) == ["without Metrics"]


@pytest.mark.parametrize("fields", [{"is_base_http": False}, {"own_ns": MS // 10}])
def test_ws301_is_silent_about_cheap_layers_and_pure_ones(fields: Any) -> None:
    assert evidence("WS301", seen(layers=[{**layer(0, "count", MS), **fields}])) is None


# -- WS403 ---------------------------------------------------------------------------------------------------


def test_ws403_shows_what_a_cache_would_gain_and_leaves_it_to_the_user() -> None:
    found = seen(same_every_time={"calls": 6, "encode_ns": 6 * MS}, body_bytes=75_171)

    assert evidence("WS403", found) == (
        "the same object and the same 75171 bytes in 6 calls, made anew each time: 6 ms, 60% of the request"
    )
    (change,) = changes("WS403", found)
    assert [edit.what for edit in change.edits] == ["cache bytes"]
    assert change.never_recommended


@pytest.mark.parametrize("fields", [{"whole_ns": 20 * MS}, {"whole_ns": MS // 2}])
def test_ws403_does_not_propose_a_cache_for_what_costs_little(fields: Any) -> None:
    same = {"calls": 6, "encode_ns": min(6 * MS, fields["whole_ns"])}

    assert evidence("WS403", seen(same_every_time=same, **fields)) is None


# -- all of them ---------------------------------------------------------------------------------------------


def test_every_page_says_when_it_fires_what_is_measured_and_what_can_go_wrong() -> None:
    for rule in all_rules().values():
        for part in ("**Fires when**", "**Remedies measured**", "**What can go wrong**"):
            assert part in rule.page, rule.code


def test_no_rule_fires_where_nothing_was_seen() -> None:
    assert [code for code in all_rules() if evidence(code, seen()) is not None] == []
