"""An endpoint that asks another HTTP API: does it matter which client it has, and whether it is async?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wirespeed.replicate.notes import gain_notes
from wirespeed.replicate.results import Inspected, InspectionResult, SuiteResults
from wirespeed.replicate.suite import (
    APPS,
    FASTER,
    Arm,
    Claim,
    Companion,
    Experiment,
    Inspection,
    Ratio,
    SingleRuns,
    Source,
    Suite,
    within,
)

DELAYS_MS = (0, 20, 250)
QUICK_DELAY_MS = 20
USUAL = 50
"""Connections of the load tool, where nothing else is said: the write-up's."""
HARDLY = 0.13
"""How far the two clients of the write-up lay apart in requests/s."""

EACH, GET = "httpx.AsyncClient per request", "requests.get"
SHARED, SESSION = "one httpx.AsyncClient", "one requests.Session"
HTTPX2, AIOHTTP = "one httpx2.AsyncClient", "one aiohttp.ClientSession"
PATHS = {
    EACH: "httpx-each",
    GET: "requests-get",
    SHARED: "httpx-shared",
    SESSION: "requests-session",
    HTTPX2: "httpx2-shared",
    AIOHTTP: "aiohttp-shared",
}
ORIGINAL, THREADS, MAKING = "as in the write-up", "threads in use", "making a client"

UPSTREAM = Companion(app=APPS / "upstream.py", variable="UPSTREAM_URL")
ENV = {
    # What waits long for its turn is an answer all the same: only the app's own tests are about time-outs.
    "UPSTREAM_TIMEOUT_S": "120",
    # httpx and requests would ask a proxy for an address on loopback too.
    "NO_PROXY": "127.0.0.1",
    "no_proxy": "127.0.0.1",
}


def arms(delay_ms: int, names: tuple[str, ...] = tuple(PATHS)) -> tuple[Arm, ...]:
    return tuple(Arm(name=name, path=f"/{PATHS[name]}?delay_ms={delay_ms}", env=ENV) for name in names)


# -- steps ---------------------------------------------------------------------------------------------------


def few(delay_ms: int) -> Experiment:
    """Fewer callers than threads."""
    return Experiment(
        name=f"upstream takes {delay_ms} ms, few callers",
        arms=arms(delay_ms),
        connections=10,
        budget_s=40,
        companion=UPSTREAM,
        in_quick=False,
    )


def usual(delay_ms: int) -> Experiment:
    """A few more callers than threads: what claims are judged by."""
    return Experiment(
        name=f"upstream takes {delay_ms} ms",
        arms=arms(delay_ms),
        connections=USUAL,
        quick_connections=5,
        budget_s=120,
        quick_budget_s=15,
        quick_slice=0.5,
        timeout_s=120,
        companion=UPSTREAM,
        in_quick=delay_ms == QUICK_DELAY_MS,
    )


def many(delay_ms: int) -> SingleRuns:
    """Five times as many callers as threads. Rounds would take hours with a client per request."""
    return SingleRuns(
        name=f"upstream takes {delay_ms} ms, many callers",
        arms=arms(delay_ms),
        connections=200,
        requests=400,
        repeats=2,
        timeout_s=180,
        companion=UPSTREAM,
        in_quick=False,
    )


def asking_for_threads(arm: str, callers: int) -> Arm:
    path = f"/thread-tokens?arm={PATHS[arm]}&callers={callers}&delay_ms={QUICK_DELAY_MS}"
    return Arm(name=f"{arm}, {callers} callers", path=path, env=ENV)


THREAD_ARMS = (
    *(asking_for_threads(GET, callers) for callers in (10, 50, 200)),
    asking_for_threads(AIOHTTP, 200),
)

# -- claims --------------------------------------------------------------------------------------------------


def hardly_any_difference(delay_ms: int) -> Claim:
    return Claim(
        statement=f"httpx and requests hardly differ when the upstream takes {delay_ms} ms",
        source='the write-up ("hardly any difference"), requests/s of httpx and requests',
        original=1.127,
        evidence=(Ratio(usual(delay_ms).name, GET, EACH, within(HARDLY)),),
    )


def async_is_slower(delay_ms: int) -> Claim:
    return Claim(
        statement=f"the async version is the slower one when the upstream takes {delay_ms} ms",
        source='the write-up ("even slower at times"), mean latency of httpx and requests',
        original=1.055,
        evidence=(Ratio(usual(delay_ms).name, EACH, GET, FASTER, metric="mean_latency"),),
    )


# -- what the original method could not know -----------------------------------------------------------------


def notes(results: SuiteResults) -> Iterator[str]:
    yield (
        "the load tool's options stood after the address and were ignored: 200 requests at its default of "
        f"{USUAL} connections ran, 4 a connection, not 1,000; and the upstream was on the internet: it took "
        "about 0.8 s of every answer, whatever the client"
    )
    if (made := results.inspection(MAKING)) is not None:
        yield from making_notes(made.arms[0].json_value)
    if (seen := results.inspection(THREADS)) is not None:
        yield from thread_notes(seen)
    for delay_ms in DELAYS_MS:
        if results.experiment(usual(delay_ms).name) is not None:
            yield from client_notes(results, delay_ms)


def making_notes(taken_ns: object) -> Iterator[str]:
    """A client made for each request reads the certificates of all authorities anew, for http too."""
    if isinstance(taken_ns, Mapping):
        told = ", ".join(f"{way} {ns / 1e6:.2f} ms" for way, ns in taken_ns.items())
        yield f"making a client, before it has asked anything, takes: {told}"


def thread_notes(seen: InspectionResult) -> Iterator[str]:
    """What caps ``def`` endpoints: the threads that all of them share."""
    for each in seen.arms:
        if (counts := _counts(each)) is not None:
            yield (
                f"{each.name}: {counts['taken']:g} of {counts['threads']:g} threads were taken at once, "
                f"{counts['waiting']:g} callers waited for one"
            )


def _counts(seen: Inspected) -> Mapping[str, float] | None:
    return seen.json_value if seen.status == 200 and isinstance(seen.json_value, Mapping) else None


def client_notes(results: SuiteResults, delay_ms: int) -> Iterator[str]:
    by_name = {arm.name: arm for arm in arms(delay_ms)}
    pairs = {
        "keeping one httpx.AsyncClient": (EACH, SHARED),
        "keeping one requests.Session": (GET, SESSION),
        "httpx2 instead of httpx, one client each": (SHARED, HTTPX2),
        "aiohttp instead of httpx, one client each": (SHARED, AIOHTTP),
        "aiohttp instead of requests, one client each": (SESSION, AIOHTTP),
    }
    step = usual(delay_ms).name
    named = {f"{step}, {what}": (by_name[slow], by_name[fast]) for what, (slow, fast) in pairs.items()}
    yield from gain_notes(results, step, named)


SUITE = Suite(
    name="upstream-client",
    summary="httpx, requests, httpx2 and aiohttp in an endpoint that asks another API",
    source=Source(
        title="A write-up that calls an HTTP API from FastAPI with httpx and with requests",
        published=None,
        versions={"fastapi": "0.75", "python": "3.10"},
    ),
    app=APPS / "upstream_client.py",
    needs=("fastapi", "uvicorn", "httpx", "httpx2", "requests", "aiohttp"),
    steps=(
        *map(few, DELAYS_MS),
        *map(usual, DELAYS_MS),
        *map(many, DELAYS_MS),
        SingleRuns(
            name=ORIGINAL,
            arms=arms(250, (EACH, GET)),
            connections=USUAL,
            requests=200,
            quick_requests=50,
            warm_up=1,
            timeout_s=120,
            companion=UPSTREAM,
        ),
        Inspection(name=THREADS, arms=THREAD_ARMS, companion=UPSTREAM),
        Inspection(
            name=MAKING, arms=(Arm(name=MAKING, path="/making-a-client", env=ENV),), companion=UPSTREAM
        ),
    ),
    claims=(
        *map(hardly_any_difference, DELAYS_MS),
        *map(async_is_slower, DELAYS_MS),
    ),
    notes=notes,
    original_table={
        f"{ORIGINAL}, run 1": {
            EACH: {"mean_ns": 1.0300e9, "median_ns": 0.9557e9, "requests_per_s": 40.9016},
            GET: {"mean_ns": 0.9763e9, "median_ns": 0.8162e9, "requests_per_s": 36.2963},
        },
    },
)
