"""What ``wirespeed bisect`` makes of its options, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from wirespeed.cli.bisect_plan import BisectOptions, bisection_plan
from wirespeed.errors import UsageError
from wirespeed.model.bisection_plan import BisectionPlan, PackageRange, RevisionRange

RANGE = "fastapi==0.129.0..0.165.0"


def plan_of(**options: Any) -> BisectionPlan:
    known: dict[str, Any] = {"app": "main:app", "gets": ("/users",), "requirements": (RANGE,)}
    return bisection_plan(BisectOptions(**{**known, **options}), read=lambda name: b"{}")


def test_a_range_of_releases_is_read() -> None:
    assert plan_of().range == PackageRange(package="fastapi", first="0.129.0", last="0.165.0")
    assert plan_of(requirements=("fastapi[standard]==0.1..0.2",)).range == PackageRange(
        package="fastapi[standard]", first="0.1", last="0.2"
    )


def test_what_has_no_range_is_installed_for_all_releases() -> None:
    plan = plan_of(requirements=(f"{RANGE}, pydantic==2.12.0", "uvicorn[a,b]==0.30"))
    assert plan.requirements == ("pydantic==2.12.0", "uvicorn[a,b]==0.30")


def test_a_range_of_revisions_is_read() -> None:
    plan = plan_of(requirements=(), revisions=("v1.4..HEAD",))
    assert plan.range == RevisionRange(first="v1.4", last="HEAD")


def test_the_request_is_the_one_that_compare_would_send() -> None:
    plan = plan_of(
        gets=(), requests=("POST /orders",), bodies=("@order.json",), headers=("Authorization: Bearer x",)
    )
    assert (plan.request.name, plan.request.body) == ("POST /orders", b"{}")
    assert set(plan.request.headers) == {
        ("Authorization", "Bearer x"),
        ("content-type", "application/json"),
    }


@pytest.mark.parametrize(
    ("options", "message", "advice"),
    [
        ({"requirements": ()}, "no range is named", "fastapi==0.129.0..0.165.0"),
        ({"requirements": ("fastapi==0.129.0",)}, "no range is named", "0.129.0..0.165.0"),
        ({"requirements": ("fastapi==0.129.0..",)}, "not a range of releases", "As in"),
        ({"requirements": ("fastapi>=0.129.0..0.130.0",)}, "not a range of releases", "As in"),
        ({"requirements": ("==1..2",)}, "not a range of releases", "As in"),
        ({"requirements": ("fastapi==1..2..3",)}, "not a range of releases", "As in"),
        ({"requirements": (RANGE, "pydantic==2.0..2.12")}, "two things that change at once", "one range"),
        ({"revisions": ("a..b",)}, "two things that change at once", "one range"),
        ({"requirements": (), "revisions": ("a..b", "c..d")}, "two things", "one range"),
        ({"requirements": (), "revisions": ("main",)}, "'main' is not a range", "v1.4..HEAD"),
        ({"requirements": (), "revisions": ("a...b",)}, "three dots", "a..b"),
        ({"requirements": (), "revisions": ("a..",)}, "not a range", "v1.4..HEAD"),
        ({"gets": ()}, "no request is named", "--get /users"),
        ({"gets": ("/a", "/b")}, "GET /a, GET /b: one search follows one request", "once for each"),
        ({"bodies": ("x",)}, "--body without a --request", "--request"),
        ({"app": "http://127.0.0.1:8000"}, "a server that is running", "main:app"),
        ({"lens": "load"}, "--lens 'load' is not known", "direct and service"),
        ({"server": "uvicorn"}, "--lens direct does without", "--lens service"),
        ({"margin": "2"}, "--margin", "2%"),
        ({"budget": "soon"}, "--budget", "60s"),
    ],
)
def test_what_cannot_be_is_refused_with_what_could_be(
    options: dict[str, Any], message: str, advice: str
) -> None:
    with pytest.raises(UsageError) as refused:
        plan_of(**options)
    assert message in refused.value.message
    assert advice in str(refused.value.advice)
