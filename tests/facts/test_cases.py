"""Published cases of slow endpoints: each is diagnosed as its docstring says, with the remedy it expects."""

from __future__ import annotations

import pytest

from .conftest import CASES, Observe, fired, remedies

EXPECTED = {
    "01_dict_rows_no_annotation.py": ("/rows", "WS101", "-> Any"),
    "02_model_list_no_annotation.py": ("/readings", "WS101", "-> list[Reading]"),
    "03_orjson_default_response_class.py": ("/metrics", "WS102", "drop response_class"),
    "04_union_undiscriminated.py": ("/feed", "WS107", "discriminator kind"),
    "05_jsonresponse_of_jsonable_encoder.py": ("/tasks", "WS103", "return the value"),
    "06_model_dump_then_revalidate.py": ("/catalog", "WS104", "return instances"),
    "07_blocking_requests_in_async.py": ("/quote", "WS201", "def"),
    "09_base_http_middleware_stack.py": (
        "/health",
        "WS301",
        "pure ASGI count_calls, add_frame_policy, add_region",
    ),
    "10_sync_dependency_chain.py": (
        "/items?page=2",
        "WS203",
        "async def Paging, locale, settings, tenant, quota, feature_flags",
    ),
    "11_type_adapter_per_call.py": ("/orders", "WS106", "hoist TypeAdapter(list[Order])"),
}


@pytest.mark.parametrize("case", EXPECTED)
def test_a_published_case_is_diagnosed_as_expected(observe: Observe, case: str) -> None:
    path, code, remedy = EXPECTED[case]

    seen = observe(CASES / case, path)

    assert code in fired(seen)
    assert remedy in remedies(seen, code)


def test_instances_in_a_union_that_is_tried_in_turn_are_not_proposed(observe: Observe) -> None:
    assert "WS104" not in fired(observe(CASES / "04_union_undiscriminated.py", "/feed"))
