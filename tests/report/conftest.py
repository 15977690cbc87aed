"""Advice documents for report tests: one of each kind, and builders for what a test wants to vary."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wirespeed.model.advice import Advice, Arm, Difference, Endpoint, Finding, HotFrame, ParallelEstimate
from wirespeed.model.request import Skipped
from wirespeed.model.verdict import Estimate, Verdict

SAMPLE = Advice.model_validate_json((Path(__file__).parents[1] / "data" / "advice.json").read_bytes())

EDIT = """\
--- a/users.py
+++ b/users.py
@@ -29,5 +29,5 @@

 @app.get("/untyped")
-def untyped():
+def untyped() -> list[User]:
     return USERS

"""

PROBLEMS = {
    "WS101": "no response type, so every value goes through jsonable_encoder and json.dumps",
    "WS102": "response_class=JSONResponse keeps the route off the fast path",
    "WS203": "a small def endpoint waits for a thread on every request",
    "WS301": "TimingMiddleware is built on BaseHTTPMiddleware, which starts a task group for every request",
    "WS405": "31 SQL statements a request, 30 of them alike",
}


def arm(
    name: str,
    ratio: float | None,
    *,
    interval: tuple[float, float] | None = None,
    verdict: str = "faster",
    **more: Any,
) -> Arm:
    estimate = ratio and Estimate(ratio=ratio, interval=interval or (ratio * 0.97, ratio * 1.03))
    fields: dict[str, Any] = {
        "code": "WS101",
        "kind": "annotation",
        "edit": None,
        "whole": estimate,
        "response_path": None,
        "parallel": None,
        "fidelity": "identical",
        "safe_by": "type",
        "differences": (),
        "openapi": None,
        "confirmed_by": None,
        "recommended": False,
        "reason": None,
    }
    return Arm(**fields | {"name": name, "verdict": Verdict(verdict)} | more)


def endpoint(request: str, whole_ns: int | None = 340_000, *arms: Arm, **more: Any) -> Endpoint:
    method, path = request.split(" ", 1)
    codes = dict.fromkeys(arm.code for arm in arms)
    fields: dict[str, Any] = {
        "method": method,
        "path": path,
        "request": request,
        "source": None,
        "status": 200,
        "body_bytes": 75_171,
        "fast_path": False,
        "whole_ns": whole_ns,
        "response_path_ns": None,
        "floor_ns": None,
        "gc_share": None,
        "unstable": (),
        "phases_ns": None,
        "hot_frame": None,
        "conclusion": "remedy" if any(arm.recommended for arm in arms) else "elsewhere",
        "findings": tuple(finding(code) for code in codes),
        "arms": arms,
    }
    return Endpoint(**fields | more)


def finding(code: str, evidence: str = "98 % of the request is the response path") -> Finding:
    return Finding(code=code, problem=PROBLEMS[code], evidence=evidence)


def advice(*endpoints: Endpoint, **more: Any) -> Advice:
    fields = {"endpoints": endpoints, "skipped": (), "elapsed_s": 12.2}
    return SAMPLE.model_copy(update=fields | more)


def design() -> Advice:
    """The sample on which the report was designed."""
    untyped = endpoint(
        "GET /untyped",
        6_310_000,
        arm(
            "-> list[User]",
            0.0538,
            interval=(0.0519, 0.0558),
            edit=EDIT,
            openapi="response gains the schema list[User]",
            confirmed_by="edit",
            recommended=True,
        ),
        arm("-> Any", 0.0702, interval=(0.0671, 0.0732), openapi="response gains a title"),
        source="users.py:31",
        floor_ns=48_000,
    )
    typed = endpoint("GET /typed", 340_000, floor_ns=48_000, fast_path=True, conclusion="fast")
    prices = endpoint(
        "GET /prices",
        133_000_000,
        body_bytes=2100,
        hot_frame=HotFrame(share=0.96, where="prices.py:40 load_prices"),
    )
    return advice(typed, prices, untyped)


def catches() -> Advice:
    """Arms that are faster, but that clients would notice or that harm in another way."""
    reports = endpoint(
        "GET /reports/{year}",
        9_400_000,
        arm(
            "-> list[Report]",
            0.081,
            fidelity="different",
            reason="clients would see different values",
            differences=(
                Difference(at="$[0].price", baseline=12.5, arm="12.5"),
                Difference(at="$[0].when", baseline="2026-01-01T00:00:00+00:00", arm="2026-01-01T00:00:00Z"),
                Difference(at="$[1].price", baseline=99.0, arm="99"),
                Difference(at="$[1].owner", baseline={"id": 7, "email": "a" * 60}, arm=None),
                Difference(at="$[2].price", baseline=1, arm="1"),
            ),
            openapi="response gains the schema list[Report]",
        ),
        arm("-> Any", 0.11, fidelity="equal", safe_by="values", reason="float spelling differs"),
        arm("-> list[dict]", 1.57, verdict="slower"),
        arm(
            "-> list[dict[str, Any]]",
            None,
            verdict="invalid",
            fidelity="different",
            reason="not measured: clients would see different values",
            differences=(Difference(at="$[0].owner.password", baseline="…", arm=None),),
        ),
        *(
            arm(
                f"-> Any + without exclude_{what}",
                None,
                verdict="invalid",
                reason="not measured: others were faster at first look",
            )
            for what in ("none", "unset", "defaults")
        ),
        source="app/reports.py:88",
        floor_ns=210_000,
        unstable=("$[*].generated_at", "$.request_id"),
    )
    sleepy = endpoint(
        "GET /sleepy",
        1_180_000,
        arm(
            "async def",
            0.914,
            interval=(0.902, 0.926),
            code="WS203",
            kind="code",
            parallel=ParallelEstimate(n=20, ratio=6.1, interval=(5.9, 6.3)),
            reason="slower with 20 at once",
        ),
        source="app/main.py:12",
        body_bytes=17,
    )
    blocking = endpoint(
        "GET /weather",
        48_000_000,
        arm(
            "def",
            0.998,
            interval=(0.991, 1.005),
            code="WS203",
            kind="code",
            parallel=ParallelEstimate(n=20, ratio=0.0561, interval=(0.0540, 0.0580)),
            edit="def weather():\n\treturn fetch()\n",
            recommended=True,
            confirmed_by="edit",
        ),
        source="app/main.py:31",
        body_bytes=412,
        response_path_ns=90_000,
    )
    orders = endpoint(
        "GET /orders",
        52_300_000,
        arm(
            "-> list[Order] + drop response_class",
            0.827,
            interval=(0.811, 0.843),
            response_path=Estimate(ratio=0.0641, interval=(0.0630, 0.0652)),
            recommended=True,
            safe_by="values",
            confirmed_by="variant",
            openapi="response gains the schema list[Order]",
        ),
        source="app/orders.py:140",
        response_path_ns=9_400_000,
        gc_share=0.14,
    )
    return advice(reports, sleepy, blocking, orders)


def uncertain() -> Advice:
    """What was not decided, not measured, not answered or not called again."""
    return advice(
        endpoint(
            "GET /search?q=a",
            2_410_000,
            arm("-> list[Hit]", 0.991, interval=(0.969, 1.014), verdict="inconclusive"),
            arm("-> Any", 1.001, interval=(0.99, 1.01), verdict="equivalent"),
            arm("drop response_class", None, verdict="invalid", reason="answered above the route"),
            source="search.py:18",
            conclusion="undecided",
            note="about 14 more rounds would decide: --budget 3m",
        ),
        endpoint("GET /slow", 4_000_000_000, conclusion="undecided", note="one call takes 4 s"),
        endpoint(
            "GET /registry",
            88_000,
            conclusion="unsafe",
            note="it wrote a file (data/registry.json)",
            findings=(),
        ),
        endpoint("GET /me", None, status=401, conclusion="failed", note="needs an Authorization header"),
        endpoint("GET /broken", None, status=500, conclusion="failed", note="KeyError: 'owner' (app.py:7)"),
        endpoint("GET /dead", None, status=None, conclusion="failed", note="no answer within 10 s"),
        endpoint(
            "GET /n-plus-one",
            31_000_000,
            source="shop.py:55",
            findings=(finding("WS405", "30 × SELECT … FROM item"),),
        ),
        complete=False,
        notes=("Sentry is active and adds its own time to every request.",),
        environment=SAMPLE.environment.model_copy(update={"steal": 0.062}),
        skipped=(
            *(
                Skipped(
                    method="POST",
                    path=f"/users/{n}",
                    reason="may change something",
                    option=f"--request 'POST /users/{n}'",
                )
                for n in range(9)
            ),
            Skipped(
                method="GET",
                path="/files/{token}",
                reason="no value for 'token'",
                option="--get /files/TOKEN",
            ),
            Skipped(method="GET", path="/events", reason="streams its answer", option=None),
        ),
    )


def hostile() -> Advice:
    """Text from the app that tries to take over the terminal."""
    return advice(
        endpoint(
            "GET /\x1b[31mred\x1b[0m\x07/\x1b]0;owned\x07title",
            6_310_000,
            arm(
                "-> [bold]Evil[/bold]",
                0.5,
                fidelity="different",
                differences=(
                    Difference(at="$.\x1b[2Jname", baseline="\x1b[1A\u202eevil", arm="[red]:smile:[/red]"),
                ),
                reason="line one\nline two\r\x9b31mline three",
            ),
            source="\x1b]8;;http://evil\x1b\\evil.py\x1b]8;;\x1b\\:1",
        ),
        endpoint(
            "GET /boom",
            None,
            status=500,
            conclusion="failed",
            note="\x1b[?1049hTraceback\x00\ud800 [link=x]y[/link]",
        ),
        subject=SAMPLE.subject.model_copy(update={"app": "main:app\x1b[2J; rm"}),
        notes=("\x1bPq#0\x1b\\note \x1b(0",),
        skipped=(Skipped(method="POST", path="/\x1b[7mx", reason="\x1b[5mblinks", option="--get \x1b[1mx"),),
    )


def big() -> Advice:
    """An app of 200 endpoints."""
    remedied = [
        endpoint(
            f"GET /v1/catalog/items{n}",
            9_000_000 - n * 110_000,
            arm(
                "-> list[Item]",
                0.1 + n / 60,
                edit=EDIT.replace("untyped", f"items{n}"),
                recommended=True,
                openapi="response gains the schema list[Item]",
            ),
            arm("-> Any", 0.15 + n / 60),
            source=f"catalog/items.py:{20 + 11 * n}",
            floor_ns=51_000,
        )
        for n in range(46)
    ]
    behind_middleware = [
        endpoint(
            f"GET /v1/health/{n}",
            120_000 + n * 1000,
            arm("without TimingMiddleware", 0.43 + n / 200, code="WS301", kind="app", recommended=True),
            body_bytes=17,
        )
        for n in range(30)
    ]
    elsewhere = [
        endpoint(
            f"GET /v1/analytics/series/{n}?window=30d",
            52_000_000 - n * 600_000,
            hot_frame=HotFrame(share=0.9 - n / 200, where=f"analytics/queries.py:{40 + n} load_series"),
        )
        for n in range(64)
    ]
    locked = [
        endpoint(
            f"GET /v1/admin/{n}", None, status=401, conclusion="failed", note="needs an Authorization header"
        )
        for n in range(22)
    ]
    fast = [
        endpoint(f"GET /v1/tags/{n}", 90_000 + n * 700, fast_path=True, conclusion="fast") for n in range(38)
    ]
    skipped = tuple(
        Skipped(
            method="POST",
            path=f"/v1/catalog/items{n}",
            reason="may change something",
            option=f"--request 'POST /v1/catalog/items{n}' --body @item.json",
        )
        for n in range(57)
    )
    return advice(*fast, *locked, *elsewhere, *behind_middleware, *remedied, skipped=skipped, elapsed_s=187.4)


def empty() -> Advice:
    return advice(elapsed_s=0.9)


DOCUMENTS: dict[str, Callable[[], Advice]] = {
    "design": design,
    "catches": catches,
    "uncertain": uncertain,
    "hostile": hostile,
    "big": big,
    "empty": empty,
}


@pytest.fixture(params=DOCUMENTS)
def document_name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def document(document_name: str) -> Advice:
    return DOCUMENTS[document_name]()


@pytest.fixture(name="design")
def design_fixture() -> Advice:
    return design()


@pytest.fixture(name="big")
def big_fixture() -> Advice:
    return big()


@pytest.fixture(name="hostile")
def hostile_fixture() -> Advice:
    return hostile()


@pytest.fixture
def make_arm() -> Callable[..., Arm]:
    return arm


@pytest.fixture
def make_endpoint() -> Callable[..., Endpoint]:
    return endpoint


@pytest.fixture
def make_finding() -> Callable[..., Finding]:
    return finding


@pytest.fixture
def make_advice() -> Callable[..., Advice]:
    return advice
