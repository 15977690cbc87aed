"""What an endpoint encodes and builds itself, and what becomes of the value that it returns."""

from __future__ import annotations

from .conftest import APPS, Observe, fired

ANSWERS = APPS / "answers.py"


def test_encoding_by_hand_is_timed_and_its_encoders_named(observe: Observe) -> None:
    seen = observe(ANSWERS, "/encoded")

    assert seen.hand_built is not None
    assert seen.hand_built.encoders == ["jsonable_encoder", "JSONResponse"]
    assert seen.hand_built.encode_ns > 0
    assert "WS103" in fired(seen)


def test_the_types_proposed_are_those_of_the_value_before_encoding(observe: Observe) -> None:
    seen = observe(ANSWERS, "/encoded")

    assert seen.hand_built is not None
    assert [each.expression for each in seen.hand_built.annotations] == ["list[Item]", "Any"]


def test_every_way_to_dump_is_named(observe: Observe) -> None:
    seen = observe(ANSWERS, "/dumped_to_text")

    assert seen.hand_built is not None
    assert seen.hand_built.encoders == ["model_dump", "json.dumps", "Response"]


def test_what_is_no_json_and_what_is_a_value_is_not_built_by_hand(observe: Observe) -> None:
    assert "WS103" not in fired(observe(ANSWERS, "/plain_text"))
    assert observe(ANSWERS, "/value").hand_built is None


def test_models_built_again_from_dumps_of_the_same_models_are_counted(observe: Observe) -> None:
    seen = observe(ANSWERS, "/dumped_dicts")

    (again,) = seen.revalidated
    assert (again.model, again.from_dicts, again.count, again.dumped) == ("Item", True, 400, 400)
    assert "WS104" in fired(seen)


def test_dicts_and_rows_from_elsewhere_are_told_apart(observe: Observe) -> None:
    (dicts,) = observe(ANSWERS, "/other_dicts").revalidated
    (rows,) = observe(ANSWERS, "/rows").revalidated

    assert (dicts.from_dicts, dicts.dumped) == (True, 0)
    assert (rows.from_dicts, rows.count) == (False, 400)


def test_instances_are_not_built_again(observe: Observe) -> None:
    seen = observe(ANSWERS, "/value")

    assert seen.revalidated == []
    assert seen.validators_again == []


def test_validators_that_run_again_on_instances_are_named(observe: Observe) -> None:
    (again,) = observe(ANSWERS, "/checked_again").validators_again

    assert (again.model, again.validator, again.mode, again.count) == ("Checked", "in_order", "after", 400)


def test_what_is_built_in_every_request_is_found_where_it_is_asked_for(observe: Observe) -> None:
    seen = observe(ANSWERS, "/adapter")

    lines = ANSWERS.read_text().splitlines()
    places = {built.what: lines[int(str(built.source).split(":")[1]) - 1] for built in seen.built}
    assert "class Local" in places["model"]
    assert "TypeAdapter(" in places["TypeAdapter"]
    assert seen.status == 200, "names of the calling frame still resolve while it is watched"
    assert "WS106" in fired(seen)


def test_what_pydantic_builds_for_itself_is_nothing_that_anybody_could_keep(observe: Observe) -> None:
    assert observe(ANSWERS, "/schema").built == []


def test_a_model_made_by_a_call_is_found_too(observe: Observe) -> None:
    (built,) = observe(ANSWERS, "/created").built

    assert (built.what, built.name) == ("model", "Created")


def test_a_union_comes_with_the_field_that_tells_it_apart_and_the_type_that_says_so(observe: Observe) -> None:
    (union,) = observe(ANSWERS, "/union").unions

    assert (union.members, union.field, union.inside) == (["Cat", "Dog"], "kind", None)
    assert union.annotation is not None
    assert union.annotation.expression == (
        'dict[str, list[Annotated[Cat | Dog, Field(discriminator="kind")] | None]]'
    )


def test_a_union_that_is_told_apart_already_is_none_of_ours(observe: Observe) -> None:
    assert observe(ANSWERS, "/told_apart").unions == []


def test_a_union_that_nothing_tells_apart_says_so(observe: Observe) -> None:
    (union,) = observe(ANSWERS, "/nothing_tells_apart").unions

    assert (union.field, union.annotation) == (None, None)


def test_a_union_inside_a_model_names_the_field_that_holds_it(observe: Observe) -> None:
    (union,) = observe(ANSWERS, "/inside_a_model").unions

    assert (union.inside, union.field, union.annotation) == ("Pets.first", "kind", None)


def test_the_same_object_and_bytes_every_time_are_noticed(observe: Observe) -> None:
    same = observe(ANSWERS, "/same").same_every_time

    assert same is not None
    assert same.calls == 6


def test_what_takes_a_parameter_or_gives_a_new_object_is_not_the_same_every_time(observe: Observe) -> None:
    assert observe(ANSWERS, "/same_for_a_parameter").same_every_time is None
    assert observe(ANSWERS, "/equal_but_new").same_every_time is None
