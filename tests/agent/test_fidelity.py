"""What a client would see: identical, equal or different, and where."""

from __future__ import annotations

import datetime
import gzip
import importlib.util
import json
import math
import sys
import zlib
from decimal import Decimal
from typing import Any

import pytest
from fastapi.encoders import jsonable_encoder
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter

from wirespeed_agent.fidelity import Answer, Masks, compare, decoded, unstable
from wirespeed_agent.inference import evaluate, infer

# The machine may be busy; how long an example takes says nothing.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

JSON = [(b"content-type", b"application/json")]


def answer(body: bytes | str, *more: tuple[bytes, bytes], status: int = 200) -> Answer:
    return Answer(status, [*JSON, *more], body.encode() if isinstance(body, str) else body)


def document(value: Any) -> Answer:
    return answer(json.dumps(value))


# -- identical -----------------------------------------------------------------------------------------------


def test_the_same_bytes_are_identical() -> None:
    assert compare(answer('{"a":1}'), answer('{"a":1}')).fidelity == "identical"


def test_bytes_that_are_no_json_can_be_identical_too() -> None:
    assert compare(answer(b"\xff{"), answer(b"\xff{")).fidelity == "identical"


@pytest.mark.parametrize("name", [b"date", b"Server", b"content-length"])
def test_headers_that_say_nothing_about_the_content_do_not_count(name: bytes) -> None:
    assert compare(answer("1", (name, b"7")), answer("1")).fidelity == "identical"


def test_names_of_headers_differ_only_in_case() -> None:
    assert compare(answer("1", (b"X-A", b"1")), answer("1", (b"x-a", b"1"))).fidelity == "identical"


# -- equal ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("baseline", "arm"),
    [
        ('{"a": 1, "b": 2}', '{"b":2,"a":1}'),
        ("1", "1.0"),
        ("1e-05", "0.00001"),
        ("0", "-0.0"),
        ("[1e400]", "[10e399]"),
        ('"\\u00e9"', '"é"'),
        ("[NaN]", "[ NaN]"),
        ("1" * 5000, " " + "1" * 5000),
        ("[" * 400 + "1" + "]" * 400, "[" * 400 + "1.0" + "]" * 400),
    ],
)
def test_the_same_json_in_other_words_is_equal(baseline: str, arm: str) -> None:
    seen = compare(answer(baseline), answer(arm))
    assert (seen.fidelity, seen.differences, seen.count) == ("equal", [], 0)


@pytest.mark.parametrize(
    ("baseline", "arm"),
    [
        ("1", "true"),
        ("0", "false"),
        ("null", "false"),
        ("1", '"1"'),
        ("NaN", "null"),
        ("NaN", '"NaN"'),
        ("Infinity", "-Infinity"),
        ("[]", "{}"),
        ("[]", "[null]"),
        ("{}", '{"a":null}'),
        ("9007199254740993", "9007199254740992"),
        ("0.1", "0.1000000000000000055511151231257827"),
        ("1e400", "1e401"),
        ("1e9999999999999999999", "1e9999999999999999998"),
        ("1" * 5000, "1" * 4999 + "2"),
    ],
)
def test_other_json_is_different(baseline: str, arm: str) -> None:
    seen = compare(answer(baseline), answer(arm))
    assert (seen.fidelity, seen.count, len(seen.differences)) == ("different", 1, 1)


def test_only_an_answer_that_claims_to_be_json_is_read_as_json() -> None:
    text = [(b"content-type", b"text/plain; charset=utf-8")]
    assert compare(Answer(200, text, b"1"), Answer(200, text, b"1.0")).fidelity == "different"
    problem = [(b"content-type", b"application/problem+json")]
    assert compare(Answer(200, problem, b"1"), Answer(200, problem, b"1.0")).fidelity == "equal"


def test_documents_with_a_key_twice_are_compared_byte_by_byte() -> None:
    seen = compare(answer('{"a":1,"a":2}'), answer('{"a":0,"a":2}'))
    assert (seen.fidelity, seen.differences[0]["at"]) == ("different", "body")


def test_nesting_beyond_the_parser_is_compared_byte_by_byte() -> None:
    deep = "[" * 200_000 + "]" * 200_000
    seen = compare(answer(deep), answer(" " + deep))
    assert (seen.fidelity, seen.differences[0]["at"]) == ("different", "body")


# -- differences ---------------------------------------------------------------------------------------------


def test_a_difference_names_its_place_and_both_values() -> None:
    baseline = document([{"when": "2026-01-01T00:00:00+00:00"}])
    arm = document([{"when": "2026-01-01T00:00:00Z"}])
    assert compare(baseline, arm).differences == [
        {"at": "$[0].when", "baseline": "2026-01-01T00:00:00+00:00", "arm": "2026-01-01T00:00:00Z"}
    ]


def test_places_of_awkward_keys_can_be_told_apart() -> None:
    seen = compare(document({"a.b": 1, "c": {'"': 1}}), document({"a.b": 2, "c": {'"': 2}}))
    assert [each["at"] for each in seen.differences] == ['$["a.b"]', '$.c["\\""]']


def test_what_one_side_lacks_is_absent() -> None:
    seen = compare(document({"a": 1, "list": [1]}), document({"list": [1, 2], "b": None}))
    assert seen.differences == [
        {"at": "$.a", "baseline": 1, "arm": "(absent)"},
        {"at": "$.list[1]", "baseline": "(absent)", "arm": 2},
        {"at": "$.b", "baseline": "(absent)", "arm": None},
    ]


def test_at_most_five_differences_are_shown_and_all_are_counted() -> None:
    seen = compare(document(list(range(100))), document(list(range(1, 101))))
    assert (len(seen.differences), seen.count) == (5, 100)


def test_a_difference_of_another_kind_is_shown_before_the_same_one_again() -> None:
    baseline = document([{"a": i, "b": 0} for i in range(50)] + [{"a": 50, "b": 1}])
    arm = document([{"a": -i - 1, "b": 0} for i in range(50)] + [{"a": 50, "b": 2}])
    assert [each["at"] for each in compare(baseline, arm).differences[:2]] == ["$[0].a", "$[50].b"]


def test_long_values_are_cut() -> None:
    seen = compare(document(["x" * 500, list(range(500))]), document([1, 2]))
    assert all(len(each["baseline"]) == 80 for each in seen.differences)


def test_differences_can_be_sent_as_json_whatever_stood_in_the_body() -> None:
    baseline = '[1e9999, NaN, "\\ud800", {"a": [0.1, 1e-7]}, 0.10000000000000000001]'
    seen = compare(answer(baseline), answer("[1, 2, 3, 4, 5]"))
    shown = json.loads(json.dumps(seen.differences, allow_nan=False).encode())
    assert [each["baseline"] for each in shown] == [
        "1E+9999",
        "NaN",
        "\\ud800",
        {"a": [0.1, 1e-7]},
        "0.10000000000000000001",
    ]


def test_other_bodies_show_where_they_part() -> None:
    html = [(b"content-type", b"text/html")]
    seen = compare(
        Answer(200, html, b"<p>" + b"a" * 500 + b"1"), Answer(200, html, b"<p>" + b"a" * 500 + b"2")
    )
    assert (seen.differences[0]["baseline"][-1], seen.differences[0]["arm"][-1]) == ("1", "2")


def test_status_and_content_type_are_named_before_the_body_and_other_headers_after_it() -> None:
    baseline = answer("1", (b"x-a", b"1"), (b"x-a", b"2"))
    arm = Answer(404, [(b"content-type", b"text/plain")], b"2")
    assert compare(baseline, arm).differences == [
        {"at": "status", "baseline": 200, "arm": 404},
        {"at": "header content-type", "baseline": "application/json", "arm": "text/plain"},
        {"at": "body", "baseline": "1", "arm": "2"},
        {"at": "header x-a", "baseline": "1, 2", "arm": "(absent)"},
    ]


@pytest.mark.parametrize(
    "arm",
    [answer("1", status=201), answer("1", (b"x-a", b"1")), Answer(200, [], b"1")],
    ids=["status", "x", "type"],
)
def test_the_same_body_under_another_status_or_header_is_different(arm: Answer) -> None:
    assert compare(answer("1"), arm).fidelity == "different"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@unhurried
@given(json_values)
def test_a_document_equals_itself_however_it_is_laid_out(value: Any) -> None:
    assert compare(document(value), answer(json.dumps(value, indent=1, ensure_ascii=False))).count == 0


@unhurried
@given(json_values, json_values)
def test_two_documents_are_equal_exactly_when_their_values_are(one: Any, other: Any) -> None:
    def typed(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: typed(item) for key, item in value.items()}
        if isinstance(value, list):
            return [typed(item) for item in value]
        return (isinstance(value, bool), value)

    seen = compare(answer(json.dumps(one) + " "), document(other))
    assert (seen.fidelity == "equal") is (typed(one) == typed(other))


# -- content codings -----------------------------------------------------------------------------------------


def coded(body: bytes, coding: bytes) -> Answer:
    return answer(body, (b"Content-Encoding", coding))


def test_compressed_bodies_are_compared_as_clients_read_them() -> None:
    one, other = gzip.compress(b"[1]" * 99, 1, mtime=1), gzip.compress(b"[1]" * 99, 9, mtime=2)
    assert one != other
    assert compare(coded(one, b"gzip"), coded(other, b"gzip")).fidelity == "identical"


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        (b"deflate", zlib.compress(b"abc")),
        (b"deflate", zlib.compress(b"abc")[2:-4]),
        (b"gzip, identity", gzip.compress(b"abc", mtime=0)),
        (b"deflate, gzip", gzip.compress(zlib.compress(b"abc"), mtime=0)),
    ],
)
def test_what_the_standard_library_can_decode_is_decoded(coding: bytes, body: bytes) -> None:
    assert decoded(coded(body, coding)) == (b"abc", None)


@pytest.mark.parametrize("coding", [b"br", b"zstd", b"unheard-of"])
def test_what_nothing_here_decodes_is_compared_as_sent_and_the_report_says_so(
    coding: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    for library in ("brotli", "brotlicffi", "compression.zstd", "zstandard"):
        monkeypatch.setitem(sys.modules, library, None)
    seen = compare(coded(b"1", coding), coded(b"1", coding))
    assert seen.fidelity == "identical"
    assert seen.notes == [f"nothing here decodes {coding.decode()}; its bytes were compared as sent"]


@pytest.mark.skipif(importlib.util.find_spec("brotli") is None, reason="brotli is not installed")
def test_brotli_is_decoded_where_it_is_installed() -> None:
    brotli = importlib.import_module("brotli")
    assert decoded(coded(brotli.compress(b"abc"), b"br")) == (b"abc", None)


@pytest.mark.skipif(importlib.util.find_spec("zstandard") is None, reason="zstandard is not installed")
def test_streamed_zstd_is_decoded_where_it_is_installed() -> None:
    stream = importlib.import_module("zstandard").ZstdCompressor().compressobj()
    body = stream.compress(b"abc") + stream.flush()
    assert decoded(coded(body, b"zstd")) == (b"abc", None)


def test_a_broken_body_is_compared_as_sent_and_the_report_says_so() -> None:
    seen = compare(coded(b"junk", b"gzip"), coded(b"junk", b"gzip"))
    assert (seen.fidelity, len(seen.notes)) == ("identical", 1)


def test_the_missing_body_of_a_head_answer_needs_no_decoding() -> None:
    assert decoded(coded(b"", b"deflate")) == (b"", None)


# -- what the baseline does not agree with itself about ------------------------------------------------------


def test_a_place_that_changes_from_call_to_call_is_named() -> None:
    masks = unstable([document({"now": i, "name": "x"}) for i in range(3)])
    assert (masks.paths, masks.names()) == (["$.now"], ["$.now"])


def test_the_same_key_of_several_items_is_one_place() -> None:
    first = [{"id": i, "age": 1.0, "tags": [1, 2]} for i in range(5)]
    second = [{"id": i, "age": 2.0, "tags": [1, 3]} for i in range(5)]
    assert unstable([document(first), document(second)]).paths == ["$[*].age", "$[*].tags[1]"]


def test_the_key_of_one_item_stays_the_key_of_that_item() -> None:
    assert unstable([document([{"a": 1}, {"a": 1}]), document([{"a": 1}, {"a": 2}])]).paths == ["$[1].a"]


def test_a_list_that_grows_is_unstable_from_its_shortest_length_on() -> None:
    masks = unstable([document({"log": [1] * n}) for n in (4, 3, 5)])
    assert masks.paths == ["$.log[3:]"]
    assert compare(document({"log": [1] * 3}), document({"log": [1] * 9}), masks).fidelity == "equal"
    assert compare(document({"log": [1] * 3}), document({"log": [1, 2, 1]}), masks).fidelity == "different"


def test_headers_that_change_from_call_to_call_are_named_and_masked() -> None:
    answers = [answer("1", (b"x-id", str(i).encode())) for i in range(3)]
    masks = unstable(answers)
    assert masks.names() == ["header x-id"]
    assert compare(answers[0], answers[1], masks).fidelity == "identical"


def test_an_unstable_body_that_is_no_json_is_masked_as_a_whole_and_the_report_says_so() -> None:
    html = [(b"content-type", b"text/html")]
    one, other = Answer(200, html, b"<p>1"), Answer(200, html, b"<p>2")
    masks = unstable([one, other])
    assert masks.paths == ["body"]
    seen = compare(one, other, masks)
    assert (seen.fidelity, seen.notes) == (
        "equal",
        ["the body changes from call to call and was not compared"],
    )


def test_a_body_that_changes_everywhere_is_masked_as_a_whole() -> None:
    one, other = ({f"{prefix}{i}": i for i in range(30)} for prefix in "ab")
    assert unstable([document(one), document(other)]).paths == ["body"]


def test_masked_places_do_not_count_and_others_still_do() -> None:
    masks = unstable([document({"now": 1, "a": 1}), document({"now": 2, "a": 1})])
    same = compare(document({"now": 3, "a": 1}), document({"now": 4, "a": 1}), masks)
    assert (same.fidelity, same.notes) == ("equal", ["changes from call to call, not compared: $.now"])
    other = compare(document({"now": 3, "a": 1}), document({"now": 4, "a": 2}), masks)
    assert [each["at"] for each in other.differences] == ["$.a"]


def test_a_masked_place_covers_what_is_inside_of_it() -> None:
    masks = unstable([document({"user": None}), document({"user": {"id": 1}})])
    assert compare(document({"user": {"id": 1}}), document({"user": {"id": 2}}), masks).fidelity == "equal"


def test_a_failing_arm_does_not_hide_behind_a_baseline_that_fails_now_and_then() -> None:
    failed = answer('{"detail":"no"}', status=500)
    masks = unstable([document({"a": 1}), document({"a": 1}), failed])
    assert masks.names() == ["status"]
    assert compare(document({"a": 1}), failed, masks).fidelity == "different"


@pytest.mark.parametrize("answers", [[], [document(1)], [document(1), document(1)]])
def test_a_baseline_that_agrees_with_itself_masks_nothing(answers: list[Answer]) -> None:
    assert unstable(answers) == Masks()


# -- the byte traps: what FastAPI sends without a return type, and with one ----------------------------------


def untyped(value: Any) -> Answer:
    try:
        text = json.dumps(
            jsonable_encoder(value), ensure_ascii=False, allow_nan=False, indent=None, separators=(",", ":")
        )
    except ValueError:
        return answer("Internal Server Error", status=500)
    return answer(text)


def typed(value: Any, annotation: Any, **options: Any) -> Answer:
    adapter = TypeAdapter(annotation)
    try:
        return answer(adapter.dump_json(adapter.validate_python(value), by_alias=True, **options))
    except ValueError:
        return answer("Internal Server Error", status=500)


class Point(BaseModel):
    x: int
    note: str = "none"


class Point3(Point):
    z: int


class Event(BaseModel):
    when: datetime.datetime
    took: datetime.timedelta
    price: Decimal


class Plain:
    def __init__(self) -> None:
        self.x = 1


UTC_NOON = datetime.datetime(2026, 1, 1, 12, tzinfo=datetime.timezone.utc)  # noqa: UP017
SECONDS = datetime.timedelta(seconds=5)


@pytest.mark.parametrize(
    ("value", "annotation", "fidelity", "baseline", "arm"),
    [
        ({"p": Decimal("1.50")}, Any, "different", 1.5, "1.50"),
        ({"p": SECONDS}, Any, "different", 5.0, "PT5S"),
        ({"p": UTC_NOON}, Any, "different", "2026-01-01T12:00:00+00:00", "2026-01-01T12:00:00Z"),
        ({"p": UTC_NOON.replace(tzinfo=None)}, Any, "identical", None, None),
        ({"p": 1e-05}, Any, "equal", None, None),
        ({"p": 1e16}, Any, "identical", None, None),
        ({"_sa_state": 1, "p": 1}, Any, "different", "(absent)", 1),
        ({None: 1}, Any, "different", 1, "(absent)"),
        (Event(when=UTC_NOON, took=SECONDS, price=Decimal("1.50")), Event, "identical", None, None),
        ([Point(x=1)], list, "identical", None, None),
        ([Point3(x=1, z=2)], list, "identical", None, None),
    ],
)
def test_byte_traps_in_values(value: Any, annotation: Any, fidelity: str, baseline: Any, arm: Any) -> None:
    seen = compare(untyped(value), typed(value, annotation))
    assert seen.fidelity == fidelity
    if fidelity == "different":
        assert (seen.differences[0]["baseline"], seen.differences[0]["arm"]) == (baseline, arm)


def test_a_nan_that_failed_becomes_null() -> None:
    seen = compare(untyped({"p": math.nan}), typed({"p": math.nan}, Any))
    assert seen.differences[0] == {"at": "status", "baseline": 500, "arm": 200}


def test_a_plain_object_that_was_written_out_fails() -> None:
    seen = compare(untyped(Plain()), typed(Plain(), Any))
    assert seen.differences[0] == {"at": "status", "baseline": 200, "arm": 500}


def test_fields_of_a_subclass_are_dropped_where_the_type_names_its_parent() -> None:
    seen = compare(untyped([Point3(x=1, z=2)]), typed([Point3(x=1, z=2)], list[Point]))
    assert seen.differences == [{"at": "$[0].z", "baseline": 2, "arm": "(absent)"}]


def test_a_dict_that_is_validated_takes_the_order_and_the_defaults_of_the_model() -> None:
    assert compare(untyped({"note": "a", "x": 1}), typed({"note": "a", "x": 1}, Point)).fidelity == "equal"
    seen = compare(untyped({"x": 1}), typed({"x": 1}, Point))
    assert seen.differences == [{"at": "$.note", "baseline": "(absent)", "arm": "none"}]


def test_options_of_the_route_that_lay_dormant_wake_up_where_dicts_have_fields() -> None:
    exact = evaluate(infer([{"a": None}], {})[0], {})
    assert compare(untyped({"a": None}), typed({"a": None}, Any, exclude_none=True)).fidelity == "identical"
    seen = compare(untyped({"a": None}), typed({"a": None}, exact, exclude_none=True))
    assert seen.differences == [{"at": "$.a", "baseline": None, "arm": "(absent)"}]
