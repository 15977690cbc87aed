"""Which requests are sent to an app, and what is said of the others."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from wirespeed.diagnosis.requests import plan_requests, route_of
from wirespeed.model.plan import RequestPlan, RequestWishes
from wirespeed.model.request import Request, Route, RouteKind, Skipped

_ids = itertools.count(1)


def route(
    methods: str,
    path: str,
    *parameters: dict[str, Any],
    kind: RouteKind = "api",
    reason: str | None = None,
    body: dict[str, Any] | None = None,
) -> Route:
    operation: dict[str, Any] = {"parameters": list(parameters)}
    if body is not None:
        operation["requestBody"] = body
    return Route(
        id=next(_ids),
        methods=methods.split(),
        path=path,
        name="",
        kind=kind,
        reason=reason,
        operation=operation,
    )


def parameter(name: str, place: str, *, required: bool = True, **more: Any) -> dict[str, Any]:
    return {"name": name, "in": place, "required": required, "schema": {"type": "string"}, **more}


def plan(*routes: Route, **wishes: Any) -> RequestPlan:
    return plan_requests(routes, RequestWishes(**wishes))


def names(made: RequestPlan) -> list[str]:
    return [planned.request.name for planned in made.planned]


def only_skipped(made: RequestPlan) -> Skipped:
    assert made.planned == ()
    (skipped,) = made.skipped
    return skipped


def get(path: str, **more: Any) -> Request:
    return Request(method="GET", path=path, **more)


# What runs by itself


def test_a_get_runs_by_itself() -> None:
    users = route("GET", "/users")

    (planned,) = plan(users).planned

    assert (planned.request, planned.route_id, planned.named) == (get("/users"), users.id, False)


def test_a_route_of_several_methods_runs_its_get_and_lists_the_rest() -> None:
    made = plan(route("GET HEAD POST", "/users"))

    assert names(made) == ["GET /users"]
    assert [skipped.method for skipped in made.skipped] == ["POST"]


def test_a_head_runs_only_where_no_get_answers_the_same_path() -> None:
    made = plan(route("HEAD", "/alone"), route("HEAD", "/both"), route("GET", "/both"))

    assert names(made) == ["HEAD /alone", "GET /both"]
    assert made.skipped[0].option == "--request 'HEAD /both'"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_method_that_may_change_something_waits_to_be_named(method: str) -> None:
    skipped = only_skipped(plan(route(method, "/orders/{order_id}")))

    assert skipped.reason == "may change something"
    assert skipped.option == f"--request '{method} /orders/1'"


def test_the_option_of_a_post_names_the_file_of_its_body() -> None:
    skipped = only_skipped(plan(route("POST", "/shop/orders", body={"required": True})))

    assert skipped.option == "--request 'POST /shop/orders' --body @order.json"


@pytest.mark.parametrize(
    ("path", "media_type", "file"),
    [
        ("/", "application/json", "body.json"),
        ("/{name}", "application/json", "body.json"),
        ("/status", "application/json", "status.json"),
        ("/address", "application/vnd.api+json", "address.json"),
        ("/login", "application/x-www-form-urlencoded", "form.txt"),
        ("/upload", "multipart/form-data", "body.bin"),
    ],
)
def test_the_file_of_a_body_is_called_after_what_belongs_in_it(path: str, media_type: str, file: str) -> None:
    skipped = only_skipped(plan(route("POST", path, body={"content": {media_type: {}}})))

    assert skipped.option is not None
    assert skipped.option.endswith(f"--body @{file}")


@pytest.mark.parametrize(
    "path",
    [
        "/jobs/restart",
        "/jobs/{job_id}/abort",
        "/auth/logout",
        "/auth/refresh",
        "/oauth/callback",
        "/oauth/authorize",
        "/sync",
        "/jobs/run",
        "/jobs/run-now",
        "/cache/clear_all",
        "/cache/clearAll/",
        "/delete/{item_id}",
    ],
)
def test_a_get_whose_name_says_that_it_acts_waits_to_be_named(path: str) -> None:
    skipped = only_skipped(plan(route("GET", path)))

    assert "acts" in skipped.reason
    assert skipped.option == f"--get '{path.replace('{job_id}', '1').replace('{item_id}', '1')}'"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/runs",
        "/test-results",
        "/run/{run_id}",
        "/jobs/run-history",
        "/sync/status",
        "/refresh-interval",
        "/deleted",
        "/latest-run",
        "/users/{user_id}",
        "/{name}",
    ],
)
def test_a_get_with_an_innocent_name_runs(path: str) -> None:
    assert len(plan(route("GET", path)).planned) == 1


@pytest.mark.parametrize("kind", ["streaming", "websocket", "starlette", "mount"])
def test_what_cannot_be_advised_is_listed_with_its_reason_and_no_option(kind: RouteKind) -> None:
    skipped = only_skipped(plan(route("", "/live", kind=kind, reason="has no single value")))

    assert (skipped.reason, skipped.option) == ("has no single value", None)


# How a request is built


def test_required_parameters_are_sent_and_optional_ones_left_out() -> None:
    made = plan(
        route(
            "GET",
            "/users/{user_id}",
            parameter("user_id", "path", schema={"type": "integer", "minimum": 100}),
            parameter("sort", "query", schema={"enum": ["name", "age"]}),
            parameter("page", "query", required=False, schema={"type": "integer", "default": 1}),
        )
    )

    assert names(made) == ["GET /users/100?sort=name"]


def test_an_optional_parameter_with_an_example_is_sent() -> None:
    made = plan(
        route(
            "GET",
            "/users",
            parameter("q", "query", required=False, example="müller & co"),
            parameter("x-region", "header", required=False, schema={"examples": ["eu"]}),
        )
    )

    assert names(made) == ["GET /users?q=m%C3%BCller%20%26%20co"]
    assert made.planned[0].request.headers == (("x-region", "eu"),)


def test_a_path_parameter_that_no_operation_describes_gets_a_value() -> None:
    assert names(plan(route("GET", "/tenants/{tenant}/n/{n:int}"))) == ["GET /tenants/1/n/1"]


@pytest.mark.parametrize("described", [[], [parameter("key", "path")], [parameter("key", "path", schema={})]])
def test_a_path_parameter_fits_its_converter(described: list[dict[str, Any]]) -> None:
    made = plan(route("GET", "/files/{key:uuid}", *described))

    assert names(made) == ["GET /files/00000000-0000-4000-8000-000000000000"]


@pytest.mark.parametrize(
    ("template", "example", "path"),
    [
        ("/f/{name}", "a/b c%", "/f/a%2Fb%20c%25"),
        ("/f/{name:path}", "a/b ü", "/f/a/b%20%C3%BC"),
        ("/f/{name}.json", "x?y#z", "/f/x%3Fy%23z.json"),
        ("/prix en €/{name}", "1", "/prix%20en%20%E2%82%AC/1"),
        ("/f/{name}", [3, 4], "/f/3,4"),
    ],
)
def test_paths_are_percent_encoded(template: str, example: object, path: str) -> None:
    assert names(plan(route("GET", template, parameter("name", "path", example=example)))) == [f"GET {path}"]


def test_lists_repeat_their_parameter_unless_told_otherwise() -> None:
    made = plan(
        route(
            "GET",
            "/a",
            parameter("tag", "query", example=["x", "y&z"]),
            parameter("box", "query", example=[1, 2], explode=False),
        )
    )

    assert names(made) == ["GET /a?tag=x&tag=y%26z&box=1%2C2"]


def test_a_required_header_is_sent_when_the_documentation_names_a_value() -> None:
    made = plan(
        route(
            "GET",
            "/a",
            parameter("x-version", "header", schema={"enum": ["2", "3"]}),
            parameter("session", "cookie", example="s1"),
            parameter("theme", "cookie", schema={"const": "dark"}),
        )
    )

    assert made.planned[0].request.headers == (("x-version", "2"), ("cookie", "session=s1; theme=dark"))


def test_a_required_header_without_a_value_is_asked_for() -> None:
    skipped = only_skipped(plan(route("GET", "/a", parameter("x-token", "header"))))

    assert skipped.reason == "no value is known for header parameter x-token"
    assert skipped.option == "--header 'X-Token: …'"


def test_required_cookies_without_a_value_are_asked_for_in_one_header() -> None:
    skipped = only_skipped(plan(route("GET", "/a", parameter("sid", "cookie"), parameter("csrf", "cookie"))))

    assert skipped.option == "--header 'Cookie: sid=…; csrf=…'"


def test_a_header_the_user_gives_is_not_asked_for_again() -> None:
    made = plan(
        route("GET", "/a", parameter("x-token", "header"), parameter("sid", "cookie")),
        headers=(("X-Token", "secret"), ("Cookie", "other=1; sid=2")),
    )

    assert made.planned[0].request.headers == (("X-Token", "secret"), ("Cookie", "other=1; sid=2"))


def test_a_parameter_that_cannot_be_built_is_named_with_the_option_that_supplies_it() -> None:
    skipped = only_skipped(
        plan(
            route(
                "GET",
                "/proxy/{host}",
                parameter("host", "path", schema={"type": "string", "format": "hostname"}),
                parameter("where", "query", schema={"type": "object"}),
                parameter("x-token", "header"),
            )
        )
    )

    assert "path parameter host, query parameter where, header parameter x-token" in skipped.reason
    assert skipped.option == "--get '/proxy/{host}?where=…' --header 'X-Token: …'"


def test_a_get_that_requires_a_body_waits_for_one() -> None:
    skipped = only_skipped(plan(route("GET", "/search", body={"required": True})))

    assert skipped.reason == "no value is known for a body"
    assert skipped.option == "--request 'GET /search' --body @search.json"


def test_a_quote_in_a_path_does_not_break_out_of_the_option() -> None:
    skipped = only_skipped(plan(route("DELETE", "/users/o'neil")))

    assert skipped.option == r"--request 'DELETE /users/o'\''neil'"


# Which route answers


def test_a_route_that_another_one_hides_is_planned_once_and_said_to_be_hidden() -> None:
    made = plan(route("GET", "/users/{name}"), route("GET", "/users/{user_id}"), route("GET", "/users/me"))

    assert names(made) == ["GET /users/1"]
    assert [skipped.option for skipped in made.skipped] == [None, None]
    assert made.skipped[1].reason == "GET /users/{name} comes first and answers /users/me"


def test_a_sample_that_another_route_answers_is_asked_for() -> None:
    made = plan(route("GET", "/items/1"), route("GET", "/items/{item}"))

    assert names(made) == ["GET /items/1"]
    assert made.skipped[0].option == "--get '/items/{item}'"


def test_routes_of_other_methods_hide_nothing() -> None:
    made = plan(route("POST", "/users/{name}"), route("GET", "/users/{name}"))

    assert names(made) == ["GET /users/1"]


@pytest.mark.parametrize(
    ("template", "target", "taken"),
    [
        ("/orders/{order}", "/orders/42?page=2", True),
        ("/orders/{order}", "/orders/4/2", False),
        ("/orders/{order}", "/orders/4%202", True),
        ("/orders/{order}", "/orders/", False),
        ("/files/{name:path}", "/files/a/b/c", True),
        ("/n/{n:int}", "/n/12", True),
        ("/n/{n:int}", "/n/x", False),
        ("/n/{n:float}", "/n/1.5", True),
        ("/n/{n:uuid}", "/n/00000000-0000-4000-8000-000000000000", True),
        ("/n/{n:own}", "/n/anything", True),
        ("/a.b", "/axb", False),
    ],
)
def test_a_target_finds_its_route_by_the_template(template: str, target: str, taken: bool) -> None:
    found = route("GET", template)

    assert route_of([found], "GET", target) == (found if taken else None)


# What the user names


def test_a_named_request_comes_first_and_replaces_the_automatic_one() -> None:
    users, order = route("GET", "/users"), route("GET", "/orders/{order}")

    made = plan(users, order, named=(get("/orders/42?page=2"),))

    assert names(made) == ["GET /orders/42?page=2", "GET /users"]
    assert [(planned.route_id, planned.named) for planned in made.planned] == [
        (order.id, True),
        (users.id, False),
    ]


def test_two_named_requests_of_one_route_are_both_kept_and_a_repeated_one_is_not() -> None:
    made = plan(route("GET", "/orders/{order}"), named=(get("/orders/1"), get("/orders/2"), get("/orders/1")))

    assert names(made) == ["GET /orders/1", "GET /orders/2"]


def test_naming_what_would_be_skipped_plans_it() -> None:
    made = plan(
        route("GET", "/jobs/restart"),
        route("POST", "/jobs"),
        route("GET", "/live", kind="streaming"),
        named=(get("/jobs/restart"), Request(method="POST", path="/jobs"), get("/live")),
    )

    assert len(made.planned) == 3
    assert made.skipped == ()


def test_a_path_that_no_route_is_known_for_is_still_sent() -> None:
    (planned,) = plan(named=(get("/answered/above"),)).planned

    assert planned.route_id is None


def test_with_only_nothing_else_runs_and_nothing_counts_as_skipped() -> None:
    made = plan(route("GET", "/users"), route("POST", "/users"), named=(get("/users?page=2"),), only=True)

    assert names(made) == ["GET /users?page=2"]
    assert made.skipped == ()


def test_headers_for_all_go_to_all_and_a_request_s_own_win() -> None:
    made = plan(
        route("GET", "/a"),
        route("GET", "/b"),
        named=(get("/b", headers=(("authorization", "Bearer mine"),)),),
        headers=(("Authorization", "Bearer all"), ("X-A", "1")),
    )

    assert made.planned[0].request.headers == (("X-A", "1"), ("authorization", "Bearer mine"))
    assert made.planned[1].request.headers == (("Authorization", "Bearer all"), ("X-A", "1"))


@pytest.mark.parametrize(
    ("declared", "body", "content_type"),
    [
        ({}, b'{"a": 1}', "application/json"),
        ({}, b"a=1", None),
        ({"application/json": {}}, b"17", "application/json"),
        ({"application/x-www-form-urlencoded": {}}, b"a=1", "application/x-www-form-urlencoded"),
        ({"application/json": {}, "text/csv": {}}, b"17", "application/json"),
    ],
)
def test_a_body_gets_the_content_type_its_route_declares(
    declared: dict[str, Any], body: bytes, content_type: str | None
) -> None:
    made = plan(
        route("POST", "/a", body={"content": declared}), named=(Request(method="POST", path="/a", body=body),)
    )

    assert dict(made.planned[0].request.headers).get("content-type") == content_type


def test_a_content_type_the_user_gives_is_kept() -> None:
    named = Request(method="POST", path="/a", body=b"{}", headers=(("Content-Type", "text/plain"),))

    assert plan(route("POST", "/a"), named=(named,)).planned[0].request == named
