"""WS201: an async def holds the event loop while it waits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from wirespeed.diagnosis.observation import Change, CodeEdit, Hold, Observation, Work

from ._rule import Rule
from ._shares import milliseconds

PAGE = """\
# WS201: an async def blocks the event loop

An `async def` endpoint or dependency waits for something (a database, a file, a lock, another service) in a
call that is not awaited. One request alone does not notice. But while it waits, the event loop stands still:
of 20 requests at once, the last waits for all the others.

**Fires when** a callable held the event loop for 1 ms or more, at least half of it neither computing nor
waiting for a core. There is no list of blocking functions: every uninterrupted hold of the loop is measured
by the thread's own clocks, C code included, and time that the machine let it wait for a core is taken out.
Code around the callables, such as middleware, is not blamed where it waited no longer than worker threads
computed for the same request: they hold the interpreter meanwhile, for 5 ms at a time.

**Remedies measured**: `def`, so that it runs in a worker thread; alone, and with 20 requests at once, where
the gain is. Where the function awaits something it cannot become a `def`: then the advice is an async client,
or `await run_in_threadpool(…)` around the call that blocks.

**What can go wrong**

- In a worker thread the function runs beside others: what it shares with them must be safe for threads, and
  objects bound to a thread (SQLite connections, thread-locals) are another matter there.
- Context variables that the function sets are not seen by the endpoint any more.
- There are 40 worker threads: slower calls in larger numbers queue for them.
- One request alone takes a thread hop longer, 50 to 130 µs: its harm and the gain in parallel are both shown.
"""

BLOCKED_NS: Final = 1_000_000
BLOCKED_SHARE: Final = 0.5

ASYNC_ADVICE = (
    "await it: an async client for what it waits for, or await run_in_threadpool(…) around the call"
)


def evidence(seen: Observation) -> str | None:
    blocked = list(_blocked(seen))
    if not blocked:
        return None
    return "; ".join(
        f"{_who(work)} holds the event loop for {milliseconds(hold.wall_ns)}, "
        f"{milliseconds(hold.blocked_ns)} of it waiting"
        for hold, work in blocked
    )


def _who(work: Work | None) -> str:
    return "code around the endpoint" if work is None else work.name


def _blocked(seen: Observation) -> Iterator[tuple[Hold, Work | None]]:
    by_key = {work.key: work for work in seen.works}
    for hold in seen.holds:
        own_ns = hold.cpu_ns + hold.blocked_ns
        if hold.blocked_ns < BLOCKED_NS or hold.blocked_ns < BLOCKED_SHARE * own_ns:
            continue
        if hold.work is not None:
            yield hold, by_key.get(hold.work)
        elif hold.blocked_ns > _threads_computed_ns(seen):
            yield hold, None


def _threads_computed_ns(seen: Observation) -> int:
    return sum(max(0, work.wall_ns - work.off_cpu_ns) for work in seen.works if work.in_thread)


def remedies(seen: Observation) -> Sequence[Change]:
    works = [work for _, work in _blocked(seen)]
    movable = [work for work in works if work is not None and _is_movable(work)]
    others = [work for work in works if work not in movable]
    changes = [_to_def(movable)] if movable else []
    if others:
        names = ", ".join(dict.fromkeys(_who(work) for work in others))
        advice = f"{names}: {ASYNC_ADVICE}"
        changes.append(Change(name="await it", code="WS201", kind="code", advice=advice))
    return changes


def _is_movable(work: Work) -> bool:
    return work.kind == "async def" and work.source is not None and not (work.awaits or work.generator)


def _to_def(works: Sequence[Work]) -> Change:
    only_endpoint = [work.role for work in works] == ["endpoint"]
    return Change(
        name="def" if only_endpoint else "def " + ", ".join(work.name for work in works),
        code="WS201",
        kind="code",
        edits=tuple(CodeEdit(what="def", source=str(work.source), name=work.name) for work in works),
        in_parallel=True,
        advice=ASYNC_ADVICE,
    )


RULE = Rule(
    code="WS201",
    problem="an async def waits without awaiting, and the event loop with it",
    page=PAGE,
    evidence=evidence,
    remedies=remedies,
)
