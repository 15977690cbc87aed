"""``compare``: which of two callables, or of two requests to an app, is faster, and how sure that is.

One process is all the evidence there is. Processes differ by one or two per cent, for the layout of their
memory alone, and no number of rounds in one of them can average that out: an interval says how well the ratio
is known *here*. So no margin is accepted that such differences could pass, and nothing is ever called
equivalent.
"""

from __future__ import annotations

import functools
import inspect
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from wirespeed.errors import MeasurementInvalid, UsageError

from .calls import Call, body_of, call_of, scope_of
from .refusal import refuse_if_disturbed
from .sending import Wire, as_app, in_a_loop, is_client

if TYPE_CHECKING:
    from wirespeed.model.verdict import Verdict
    from wirespeed_agent.asgi import ASGIApp

    from .timing import Arm

SMALLEST_MARGIN: Final = 0.02

Contestant = Callable[[], Any] | str | tuple[Any, ...]
"""Something to call without arguments, or a request to an app."""


@dataclass(frozen=True, repr=False)
class Comparison:
    """What was measured of ``arm`` beside ``baseline``.

    ``ratio`` is arm/baseline in time, below 1 where the arm is faster, with its 95 % ``interval`` over the
    rounds of this process. ``verdict``: ``faster`` or ``slower`` where the whole interval lies beyond
    ``margin``, else ``inconclusive``. ``times_ns``: a call of the baseline and one of the arm.
    """

    baseline: str
    arm: str
    verdict: Verdict
    ratio: float
    interval: tuple[float, float]
    rounds: int
    margin: float
    times_ns: tuple[float, float]

    def __repr__(self) -> str:
        from wirespeed.report.numbers import from_to, share

        facts = [
            f"{self.verdict}: {self._told()}",
            from_to(*self.times_ns),
            f"margin {share(self.margin)}",
            f"{self.rounds} rounds",
            "one process",
        ]
        return f"<{' · '.join(facts)}>"

    def _told(self) -> str:
        from wirespeed.report.numbers import speed, speed_interval, spread

        if self.verdict == "inconclusive":
            return f"{self.arm} is {spread(self.interval)} than {self.baseline}"
        interval = speed_interval(self.ratio, self.interval)
        return f"{self.arm} is {speed(self.ratio)} {interval} than {self.baseline}"


def compare(
    baseline: Contestant,
    arm: Contestant,
    /,
    *,
    app: object = None,
    margin: float = 0.05,
    seconds: float = 2.0,
    lifespan: bool = False,
    seed: int = 0,
) -> Comparison:
    """Measure two callables, or two requests to ``app``, in turns, for about ``seconds``.

    Callables take no arguments; what they return is awaited where that is awaitable. Requests are paths or
    tuples, as in ``assert_fast_path``, and both must succeed. Plain functions are called in this thread,
    anything that awaits in an event loop in a thread of its own; inside a coroutine ``await
    compare_async(...)``.

    ``margin`` is the smallest difference that is called one, at least 0.02. The verdict is ``faster``,
    ``slower`` or ``inconclusive``, never ``equivalent``: see ``Comparison``.

    Raises MeasuringRefused where tests run in parallel or are traced, MeasurementInvalid where a request
    fails, UsageError, and whatever is raised by what is called.
    """
    refuse_if_disturbed()
    plan = _Plan(margin, seconds, seed)
    if app is not None:
        asked = _Asked(app, baseline, arm)
        return in_a_loop(lambda: asked.measured(plan, lifespan))
    from .timing import finished

    arms = _called(baseline, "the first"), _called(arm, "the second")
    if any(each.is_async for each in arms):
        return in_a_loop(lambda: _measured(*arms, plan))
    return finished(_measured(*arms, plan))


async def compare_async(
    baseline: Contestant,
    arm: Contestant,
    /,
    *,
    app: object = None,
    margin: float = 0.05,
    seconds: float = 2.0,
    lifespan: bool = False,
    seed: int = 0,
) -> Comparison:
    """As ``compare``, in the event loop that runs, which it keeps busy."""
    refuse_if_disturbed()
    plan = _Plan(margin, seconds, seed)
    if app is not None:
        return await _Asked(app, baseline, arm).measured(plan, lifespan)
    return await _measured(_called(baseline, "the first"), _called(arm, "the second"), plan)


@dataclass(frozen=True)
class _Plan:
    margin: float
    seconds: float
    seed: int

    def __post_init__(self) -> None:
        if self.margin < SMALLEST_MARGIN:
            raise UsageError(
                f"A margin of {self.margin:g} is less than processes differ among themselves, and this is "
                f"one process: give at least {SMALLEST_MARGIN:g}, or use `wirespeed compare`, which starts "
                "many."
            )
        if not self.seconds > 0:
            raise UsageError(f"Measuring for {self.seconds:g} seconds measures nothing.")


async def _measured(baseline: Arm, arm: Arm, plan: _Plan) -> Comparison:
    import numpy as np

    from wirespeed.experiment.design import round_log_ratios, round_ns
    from wirespeed.experiment.stopping import ConfirmPlan, estimate_of

    from .timing import measure_rounds

    rounds = await measure_rounds((baseline, arm), plan.seconds, random.Random(plan.seed))
    blocks_ns = np.asarray(rounds)
    log_ratios = round_log_ratios(blocks_ns)[:, 0]
    estimate = estimate_of(log_ratios.tolist(), ConfirmPlan(margin=plan.margin), 1)
    assert estimate is not None, "there are enough rounds for a spread"
    before_ns, after_ns = np.median(round_ns(blocks_ns), axis=0).tolist()
    return Comparison(
        baseline=baseline.name,
        arm=arm.name,
        verdict=verdict_of(estimate.interval, plan.margin),
        ratio=estimate.ratio,
        interval=estimate.interval,
        rounds=len(rounds),
        margin=plan.margin,
        times_ns=(before_ns, after_ns),
    )


def verdict_of(interval: tuple[float, float], margin: float) -> Verdict:
    """A difference is called one only where the whole interval lies beyond the margin."""
    from wirespeed.model.verdict import Verdict

    low, high = interval
    if high < 1 / (1 + margin):
        return Verdict.FASTER
    return Verdict.SLOWER if low > 1 + margin else Verdict.INCONCLUSIVE


# -- what is called ------------------------------------------------------------------------------------------


def _called(contestant: Contestant, otherwise: str) -> Arm:
    """Calls it once, to see whether it gives something to await."""
    from .timing import Arm

    if not callable(contestant):
        raise UsageError(
            f"{contestant!r} cannot be called. To compare requests, say whose: compare('/a', '/b', app=app)."
        )
    is_async = inspect.iscoroutinefunction(contestant)
    if not is_async:
        first = contestant()
        is_async = inspect.isawaitable(first)
        if inspect.iscoroutine(first):
            first.close()
    function = contestant.func if isinstance(contestant, functools.partial) else contestant
    name = getattr(function, "__name__", type(function).__name__)
    return Arm(otherwise if name == "<lambda>" else name, is_async, lambda: contestant)


class _Asked:
    """Two requests to one app."""

    def __init__(self, app: object, baseline: Contestant, arm: Contestant) -> None:
        if is_client(app):
            raise UsageError(
                "A client takes time of its own, more than some endpoints: give the app itself, or compare "
                "two functions that use the client."
            )
        self._app = as_app(app)
        self._calls = [_request(contestant) for contestant in (baseline, arm)]
        self._statuses: list[set[int]] = [set(), set()]

    async def measured(self, plan: _Plan, lifespan: bool) -> Comparison:
        if not lifespan:
            return await self._measured({}, plan)
        from .lifespan import within_lifespan

        return await within_lifespan(self._app, lambda state: self._measured(state, plan))

    async def _measured(self, state: Mapping[str, Any], plan: _Plan) -> Comparison:
        pairs = zip(self._calls, self._statuses, strict=True)
        baseline, arm = (_asking(self._app, call, state, statuses) for call, statuses in pairs)
        comparison = await _measured(baseline, arm, plan)
        for call, statuses in zip(self._calls, self._statuses, strict=True):
            failed = [status for status in statuses if not 200 <= status < 300]
            if failed:
                told = " and ".join(map(str, sorted(failed)))
                raise MeasurementInvalid(f"{call.name} answered {told}: how fast it fails says nothing.")
        return comparison


def _request(contestant: Contestant) -> Call:
    if not isinstance(contestant, str | tuple):
        raise UsageError(f"{contestant!r} is no request to an app: give a path, or (method, path, body).")
    return call_of(contestant, {})


def _asking(app: ASGIApp, call: Call, state: Mapping[str, Any], statuses: set[int]) -> Arm:
    from .timing import Arm

    body, content_type = body_of(call)

    def ready() -> Callable[[], Any]:
        scope, wire = {**scope_of(call, body, content_type), "state": dict(state)}, Wire(body)

        async def ask() -> None:
            await app(scope, wire.receive, wire.send)
            statuses.add(wire.status)

        return ask

    return Arm(call.name, True, ready)
