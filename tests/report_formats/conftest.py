"""Saved documents of every kind that formats render, some of them hostile, and the checkout they lie in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wirespeed.model._base import Document
from wirespeed.model.advice import Advice
from wirespeed.model.comparison import Comparison
from wirespeed.model.guard import Guard
from wirespeed.report.formats import Checkout, Setting

from ..report.conftest import (  # noqa: TID252  (tests are no package that could be named)
    DOCUMENTS as ADVICE,
)
from ..report.conftest import advice, arm, endpoint, finding  # noqa: TID252

DATA = Path(__file__).parents[1] / "data"
EVIL = 'x|y`z`<script>alert("1")</script> @octocat #12 [a](https://evil.example) ::error::%0A]]>&\\|'
"""What people plant: Markdown, HTML, mentions, links, workflow commands, the ends of XML sections."""


def nasty() -> Advice:
    """An app whose every text tries to act in the place where the report is shown."""
    return advice(
        endpoint(
            f"GET /{EVIL}",
            6_310_000,
            arm(
                f"-> {EVIL}",
                0.5,
                recommended=True,
                openapi=EVIL,
                edit=f"--- a/evil.py\n+++ b/evil.py\n@@ -1,2 +1,2 @@\n-```{EVIL}\n+````{EVIL}\n",
            ),
            source="sub dir/ev%il:é.py:7",
            findings=(finding("WS101", EVIL),),
            note=EVIL,
        ),
        endpoint(
            "GET /other", 800_000, arm(EVIL, 0.4, reason=EVIL), source="/etc/passwd:1", unstable=(EVIL,)
        ),
        endpoint(
            "GET /\x00\x0b\ufffe\ud800null", None, status=500, conclusion="failed", note="\x1b[31m\uffff"
        ),
        subject=ADVICE["design"]().subject.model_copy(update={"app": f"main:app--> {EVIL}"}),
        notes=(EVIL,),
    )


def comparison(**changed: Any) -> Comparison:
    sample = json.loads((DATA / "comparison.json").read_text())
    return Comparison.model_validate({**sample, **changed})


def nasty_comparison() -> Comparison:
    arms = comparison().arms
    named = [
        each.model_copy(update={"name": f"GET /{number} {EVIL}", "errors": {EVIL: 2}})
        for number, each in enumerate(arms)
    ]
    estimate = comparison().estimates[0]
    return comparison().model_copy(
        update={
            "arms": tuple(named),
            "estimates": (
                estimate.model_copy(
                    update={"arm": named[1].name, "baseline": named[0].name, "verdict": "invalid"}
                ),
            ),
            "validity": comparison().validity.model_copy(update={"valid": False, "reasons": (EVIL,)}),
            "notes": (EVIL,),
        }
    )


def guard(**changed: Any) -> Guard:
    """Of four endpoints one is slower, one answers differently, one is open and one passes."""
    known = {
        "created": "2026-11-30T12:00:00Z",
        "wirespeed": "0.1.0",
        "app": "main:app",
        "base": {"revision": "3f2c5a1d9e8b7c6f5a4b", "named": "main", "packages": {"fastapi": "0.164.0"}},
        "head": {"revision": "working tree", "changed_files": 2, "packages": {"fastapi": "0.165.0"}},
        "max_slowdown": 0.05,
        "certificate": {"ratio": 1.0008, "interval": [0.9971, 1.0046], "fit": True},
        "overall": {"ratio": 1.06, "interval": [0.99, 1.13], "decision": "inconclusive", "rounds": 20},
        "endpoints": [
            judged("GET /slow", 1.24, [1.21, 1.27], "fail", base_ns=1_000_000, head_ns=1_240_000),
            judged("GET /other", 0.5, [0.48, 0.52], None, behaviour="changed"),
            judged("GET /open", 1.04, [0.98, 1.10], "inconclusive", rounds_needed=48),
            judged("GET /same", 1.001, [0.995, 1.007], "pass"),
        ],
        "behaviour": [
            {
                "request": "GET /other",
                "change": "status",
                "differences": [{"at": "status", "baseline": 200, "arm": 500}],
            },
            {"request": "DELETE /gone", "change": "removed", "differences": []},
        ],
        "package_changes": [{"name": "fastapi", "base": "0.164.0", "head": "0.165.0"}],
        "decision": "fail",
        "elapsed_s": 28.4,
    }
    return Guard.model_validate({**known, **changed})


def judged(
    request: str, ratio: float | None, interval: list[float] | None, decision: str | None, **more: Any
) -> dict[str, Any]:
    fields = {"request": request, "ratio": ratio, "interval": interval, "decision": decision}
    return {"behaviour": "same", "source": "main.py:31", "rounds": 20, **fields, **more}


def nasty_guard() -> Guard:
    request = f"GET /{EVIL}"
    return guard(
        app=f"main:app--> {EVIL}",
        base={"revision": EVIL, "named": EVIL, "packages": {}},
        endpoints=[
            judged(request, 2.0, [1.9, 2.1], "fail", source="/etc/passwd:1", note=EVIL),
            judged(f"{request}\x0b\ufffe", 1.0, [0.99, 1.01], "pass"),
        ],
        behaviour=[
            {
                "request": request,
                "change": "body",
                "differences": [{"at": f"$.{EVIL}", "baseline": EVIL, "arm": {EVIL: [EVIL]}}],
                "note": EVIL,
            }
        ],
        package_changes=[{"name": EVIL, "base": EVIL, "head": None}],
        added=[EVIL],
        notes=[EVIL],
    )


DOCUMENTS: dict[str, Callable[[], Document]] = {
    **ADVICE,
    "nasty": nasty,
    "comparison": comparison,
    "nasty comparison": nasty_comparison,
    "guard": guard,
    "nasty guard": nasty_guard,
}


@pytest.fixture(params=DOCUMENTS)
def any_document(request: pytest.FixtureRequest) -> Document:
    return DOCUMENTS[request.param]()


@pytest.fixture
def setting() -> Setting:
    return Setting(Checkout(root="/repo", folder="/repo/shop"))


@pytest.fixture(name="design")
def design_fixture() -> Advice:
    return ADVICE["design"]()


@pytest.fixture
def catches() -> Advice:
    return ADVICE["catches"]()


@pytest.fixture
def uncertain() -> Advice:
    return ADVICE["uncertain"]()


@pytest.fixture(name="nasty")
def nasty_fixture() -> Advice:
    return nasty()


@pytest.fixture
def make_comparison() -> Callable[..., Comparison]:
    return comparison


@pytest.fixture
def make_guard() -> Callable[..., Guard]:
    return guard
