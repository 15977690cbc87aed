"""What ``upstream-client`` serves, claims and tells; whatever becomes of the upstream, all arms say alike."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, build_opener

import pytest

from wirespeed.model.replication import ClaimVerdict
from wirespeed.model.subject import AppSubject, ServerSettings
from wirespeed.replicate.casting import stand_of
from wirespeed.replicate.results import SuiteResults
from wirespeed.replicate.suite import APPS, Experiment, Inspection
from wirespeed.replicate.suites.upstream_client import (
    EACH,
    GET,
    MAKING,
    PATHS,
    SUITE,
    THREADS,
    UPSTREAM,
    arms,
    notes,
    usual,
)
from wirespeed.subject.port import reserved_port
from wirespeed.subject.server import ServedApp, served

from .planting import PYTHON, planted, results_of, tiny, verdicts

pytestmark = pytest.mark.slow

ARMS = tuple(PATHS.values())
SHORT_S, LONGER_MS = "0.3", 3000


@contextmanager
def running(app: str, **env: str) -> Iterator[ServedApp]:
    local = {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    subject = AppSubject(app=app, python=Path(sys.executable), folder=APPS, env={**local, **env})
    with served(subject, ServerSettings()) as app_running:
        yield app_running


@pytest.fixture(scope="module")
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture(scope="module")
def replica(stack: ExitStack) -> str:
    upstream = stack.enter_context(running("upstream.py"))
    env = {"UPSTREAM_URL": upstream.base_url, "UPSTREAM_TIMEOUT_S": SHORT_S}
    return stack.enter_context(running("upstream_client.py", **env)).base_url


@pytest.fixture(scope="module")
def orphan(stack: ExitStack) -> str:
    """An app whose upstream is down: nobody listens at its port, nor can anybody come to."""
    port = stack.enter_context(reserved_port())
    env = {"UPSTREAM_URL": f"http://127.0.0.1:{port}", "UPSTREAM_TIMEOUT_S": SHORT_S}
    return stack.enter_context(running("upstream_client.py", **env)).base_url


def ask(url: str) -> tuple[int, object]:
    try:
        with build_opener(ProxyHandler({})).open(url, timeout=10) as answer:
            return answer.status, json.load(answer)
    except HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_every_arm_relays_the_same_answer(replica: str) -> None:
    answers = [ask(f"{replica}/{arm}?delay_ms=1") for arm in ARMS]

    assert answers[0] == (200, {"uuid": "6f3a52c1-9b7e-4d08-8e15-c0decafef00d"})
    assert answers.count(answers[0]) == len(ARMS)


@pytest.mark.parametrize("arm", ARMS)
def test_an_upstream_that_answers_an_error_is_a_503_that_names_it(replica: str, arm: str) -> None:
    assert ask(f"{replica}/{arm}?status=500") == (503, {"detail": "the upstream answered 500"})


@pytest.mark.parametrize("arm", ARMS)
def test_an_upstream_that_gives_no_json_is_a_503(replica: str, arm: str) -> None:
    assert ask(f"{replica}/{arm}?body=oops") == (503, {"detail": "the upstream's answer is no JSON"})


@pytest.mark.parametrize("arm", ARMS)
def test_an_upstream_that_takes_too_long_is_a_504_that_says_how_long(replica: str, arm: str) -> None:
    assert ask(f"{replica}/{arm}?delay_ms={LONGER_MS}") == (
        504,
        {"detail": "the upstream gave no answer within 0.3 s"},
    )


@pytest.mark.parametrize("arm", ARMS)
def test_an_upstream_that_is_down_is_a_503(orphan: str, arm: str) -> None:
    status, body = ask(f"{orphan}/{arm}")

    assert status == 503
    assert isinstance(body, dict)
    assert body["detail"].startswith("the upstream cannot be reached (")


def test_def_arms_have_forty_threads_however_many_callers_there_are(replica: str) -> None:
    seen = ask(f"{replica}/thread-tokens?arm=requests-get&callers=60&delay_ms=50")

    assert seen == (200, {"threads": 40, "taken": 40, "waiting": 20, "answered": 60})


def test_async_arms_take_no_thread(replica: str) -> None:
    seen = ask(f"{replica}/thread-tokens?arm=aiohttp-shared&callers=60&delay_ms=50")

    assert seen == (200, {"threads": 40, "taken": 0, "waiting": 0, "answered": 60})


def test_it_is_told_what_making_a_client_takes(replica: str) -> None:
    status, taken_ns = ask(f"{replica}/making-a-client")

    assert status == 200
    assert isinstance(taken_ns, dict)
    assert min(taken_ns.values()) > 0


# -- the suite -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def measured() -> SuiteResults:
    """The real app and upstream: what the claims need at one delay, and what explains it."""
    steps = [tiny(usual(20)), *(each for each in SUITE.steps if isinstance(each, Inspection))]
    return results_of(replace(SUITE, steps=tuple(steps)))


def test_every_arm_answers_all_its_requests_alike(measured: SuiteResults) -> None:
    seen = measured.experiment(usual(20).name)

    assert seen is not None, measured.why_not(usual(20).name)
    assert [each.name for each in seen.arms] == list(PATHS)
    assert not any(each.errors for each in seen.arms)
    assert len(set(seen.bodies.values())) == 1


def test_the_threads_in_use_are_told_for_every_number_of_callers(measured: SuiteResults) -> None:
    told = list(notes(measured))

    assert "requests.get, 10 callers: 10 of 40 threads were taken at once, 0 callers waited for one" in told
    assert (
        "requests.get, 200 callers: 40 of 40 threads were taken at once, 160 callers waited for one" in told
    )
    assert any(each.startswith("one aiohttp.ClientSession, 200 callers: 0 of 40 threads") for each in told)


def test_it_is_told_what_making_a_client_costs_and_what_keeping_one_gains(measured: SuiteResults) -> None:
    told = list(notes(measured))

    assert any(each.startswith("making a client, before it has asked anything, takes: ") for each in told)
    assert any(f"{usual(20).name}, keeping one httpx.AsyncClient: " in each for each in told)


def test_the_upstream_is_there_for_its_step_and_not_a_moment_longer() -> None:
    with stand_of(SUITE.app, PYTHON, UPSTREAM) as stand:
        url = stand.env[UPSTREAM.variable]
        assert ask(f"{url}/uuid")[0] == 200
    with pytest.raises(URLError):
        ask(f"{url}/uuid")


def test_no_claim_holds_where_threads_are_many_times_slower() -> None:
    suite = planted(SUITE, "upstream_client")
    claimed = (
        replace(each, arms=arms(delay_ms=0, names=(EACH, GET)), companion=None) for each in suite.steps
    )

    told = verdicts(replace(suite, steps=tuple(claimed)))

    assert set(told.values()) == {ClaimVerdict.DOES_NOT_HOLD}


def test_delays_and_connections_are_all_there_and_a_quick_run_takes_one_of_them() -> None:
    loads = [each for each in SUITE.steps if not isinstance(each, Inspection)]

    for connections in (10, 50, 200):
        names = {each.name for each in loads if each.connections == connections}
        for delay_ms in (0, 20, 250):
            assert any(name.startswith(f"upstream takes {delay_ms} ms") for name in names)
    quick = [each for each in loads if each.in_quick and isinstance(each, Experiment)]
    assert [each.name for each in quick] == [usual(20).name]
    assert all(each.in_quick for each in SUITE.steps if each.name in (THREADS, MAKING))
