"""WS203: a trivial def endpoint or dependency takes a thread hop for nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wirespeed.diagnosis.observation import Change, CodeEdit, Observation, Work

from ._rule import Rule
from ._shares import is_worth, share

PAGE = """\
# WS203: a thread hop for nothing

FastAPI runs every `def` endpoint and every `def` dependency in a worker thread, a class used as a dependency
too: 50 to 130 µs each, from a pool of 40. For code that blocks that is right. For code that reads a header
and returns, the hop costs a hundred times the work.

**Fires when** such callables did, in every observed call, at most 50 µs of work inside their thread, at most
20 µs of it off the CPU, and hops of 60 µs each make 3 % of the request or more. A generator never counts, nor
does a callable that was seen to open a file or socket, start a process, talk to a database, use a lock or a
thread-local, or set a context variable: by Python's audit events, by comparing the context, and by one call
under a profiler.

**Remedies measured**: `async def` for all trivial dependencies of the request as one change (a class gets an
async factory), the same without the classes, and `async def` for the endpoint; alone and with 20 requests at
once. Harm in either forbids it. What several endpoints depend on is measured once, and credited to all.

**What can go wrong**

- Code on the event loop must not wait, ever: a callable that is trivial for this request may not be for
  another. One that was seen to do more elsewhere is left out; what no observed request did cannot be seen.
- Direct callers of the function get a coroutine; the edit is only made where there are none.
- A decorator around the function must expect a coroutine (`functools.lru_cache` does not).
- Threads of their own give `def` endpoints some parallelism in C code that releases the interpreter lock.
"""

WORK_NS: Final = 50_000
OFF_CPU_NS: Final = 20_000
HOP_NS: Final = 60_000

ADVICE = "make it an async def, or an async def around it that FastAPI calls instead"


def is_trivial(work: Work) -> bool:
    """Whether nothing that was seen of a callable needs a thread."""
    return (
        work.in_thread
        and not work.generator
        and work.wall_ns <= WORK_NS
        and work.off_cpu_ns <= OFF_CPU_NS
        and not work.actions
    )


def trivial_hops(seen: Observation) -> list[Work]:
    return [work for work in seen.works if is_trivial(work) and work.key not in seen.heavy_elsewhere]


def hops_ns(seen: Observation) -> int:
    """What the trivial hops cost about: a typed ``def`` endpoint has another hop, to validate its answer."""
    hops = 0
    for work in trivial_hops(seen):
        is_typed = seen.route is not None and seen.route.has_response_type
        hops += work.calls + (work.role == "endpoint" and is_typed)
    return hops * HOP_NS


def evidence(seen: Observation) -> str | None:
    trivial = trivial_hops(seen)
    if not trivial or not is_worth(seen, hops_ns(seen)):
        return None
    names = ", ".join(work.name for work in trivial)
    longest_us = max(work.wall_ns for work in trivial) / 1000
    return (
        f"{names}: at most {longest_us:.0f} µs of work each, in a worker thread; "
        f"about {share(seen, hops_ns(seen)):.0%} of the request are hops"
    )


def remedies(seen: Observation) -> Sequence[Change]:
    trivial = trivial_hops(seen)
    ours = [work for work in trivial if work.source is not None and work.kind in ("def", "class")]
    endpoint = [work for work in ours if work.role == "endpoint"]
    dependencies = [work for work in ours if work.role == "dependency"]
    functions = [work for work in dependencies if work.kind == "def"]
    # Apart from the endpoint: other endpoints have the same dependencies, which are measured once.
    wanted = [dependencies, functions if len(functions) < len(dependencies) else [], endpoint]
    changes = [_to_async(works) for works in wanted if works]
    others = [work.name for work in trivial if work not in ours]
    if others:
        advice = f"{', '.join(others)}: {ADVICE}"
        changes.append(Change(name="async def by hand", code="WS203", kind="code", advice=advice))
    return changes


def _to_async(works: Sequence[Work]) -> Change:
    only_endpoint = [work.role for work in works] == ["endpoint"]
    return Change(
        name="async def" if only_endpoint else "async def " + ", ".join(work.name for work in works),
        code="WS203",
        kind="code",
        edits=tuple(CodeEdit(what="async def", source=str(work.source), name=work.name) for work in works),
        in_parallel=True,
    )


RULE = Rule(
    code="WS203",
    problem="trivial def endpoints or dependencies run in a worker thread, a hop for nothing",
    page=PAGE,
    evidence=evidence,
    remedies=remedies,
)
