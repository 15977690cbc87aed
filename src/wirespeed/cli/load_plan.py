"""The options of ``wirespeed load`` to a target, a plan and an objective that leave nothing open."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from wirespeed.cli.request_options import NO_WISHES, parse_wishes, read_body, saying_its_type
from wirespeed.cli.subject_options import app_subject, server_settings
from wirespeed.cli.values import at_least, chosen_seed, duration_s, is_url
from wirespeed.errors import UsageError
from wirespeed.http.objective import Objective, parse_objective
from wirespeed.http.plan import LoadPlan
from wirespeed.http.target import Target, parse_target
from wirespeed.model.plan import RequestWishes
from wirespeed.model.request import Request
from wirespeed.model.subject import AppSubject, ServerSettings

DEFAULT_DURATION = "10s"
LONGEST_TIMEOUT_S = 3600.0
MOST_PER_S = 1_000_000.0
"""No process sends more, and every request that is due and cannot be sent takes memory all the same."""
MOST_WEIGHT = 10_000
"""Every request of a cycle is an entry of a list."""
_ANY_URL = "http://127.0.0.1/"


@dataclass(frozen=True)
class LoadOptions:
    """What stood on the command line."""

    target: str
    connections: int = 50
    requests: int | None = None
    duration: str | None = None
    rate: str | None = None
    poisson: bool = False
    slo: str | None = None
    timeout: str = "30s"
    connect_timeout: str = "10s"
    processes: int = 1
    seed: int | None = None
    gets: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    bodies: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    unix: str | None = None
    insecure: bool = False
    remote: bool = False
    server: str | None = None
    workers: int | None = None
    python: str | None = None
    folder: str = "."
    env: tuple[str, ...] = ()
    prepare: str | None = None
    ready: RequestWishes = NO_WISHES
    """Requests and headers that no option said."""


@dataclass(frozen=True)
class ServedSubject:
    app: AppSubject
    server: ServerSettings


@dataclass(frozen=True)
class LoadOrder:
    """One ``load``, complete but for the address of an app that is yet to be started."""

    app: ServedSubject | None
    """To be started first; None where ``url`` names a server that is running."""
    url: str
    requests: tuple[tuple[Request, int], ...]
    headers: tuple[tuple[str, str], ...]
    unix_path: str | None
    verify: bool
    plan: LoadPlan
    objective: Objective | None
    rates: tuple[float, float] | None
    """The range to search; then ``plan`` has no rate."""

    def target(self, base_url: str | None = None) -> Target:
        """What to put load on, once the app is served at ``base_url``."""
        return parse_target(
            base_url or self.url,
            requests=self.requests,
            headers=self.headers,
            unix_path=self.unix_path,
            verify=self.verify,
        )


def load_order(options: LoadOptions, read: Callable[[str], bytes] = read_body) -> LoadOrder:
    """The order behind the options; raises ``UsageError`` for the first that cannot be."""
    rates = None if options.rate is None else parse_rate(options.rate)
    objective = None if options.slo is None else parse_objective(options.slo)
    _check_together(options, rates)
    requests, headers = _requests(options, read)
    order = LoadOrder(
        app=None if is_url(options.target) else _served(options),
        url=options.target,
        requests=requests,
        headers=headers,
        unix_path=options.unix,
        verify=not options.insecure,
        plan=_plan(options, None if rates is None or len(rates) > 1 else rates[0]),
        objective=objective,
        rates=None if rates is None or len(rates) == 1 else (rates[0], rates[1]),
    )
    # Refuses what could not be sent before anything is started.
    order.target(None if order.app is None else _ANY_URL)
    return order


def parse_rate(text: str) -> tuple[float, ...]:
    """``500`` or ``100..2000``, requests a second."""
    rates = tuple(_rate(part) for part in text.split("..", 1))
    if rates != tuple(sorted(rates)):
        raise UsageError(f"--rate {text!r} goes down", advice="Write the lower rate first: --rate 100..2000.")
    return rates


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = math.nan
    if not 0 < rate < math.inf:
        raise UsageError(
            f"--rate {text!r} is no number of requests a second",
            advice="Write --rate 500, or --rate 100..2000 to search. Without --rate, answers set the pace.",
        )
    if rate > MOST_PER_S:
        raise UsageError(
            f"--rate {text} is more than any load generator sends",
            advice=f"Use {MOST_PER_S:,.0f} or less. Without --rate, answers set the pace.",
        )
    return rate


def _check_together(options: LoadOptions, rates: tuple[float, ...] | None) -> None:
    if is_url(options.target) and (said := _said_of_apps(options)):
        raise UsageError(
            f"{said} says how to start an app, and {options.target} is running already",
            advice="Leave it out, or name an app: wirespeed load main:app --get '/users'.",
        )
    if options.requests is not None and options.duration is not None:
        raise UsageError("-n and -d both say when to end", advice="Leave out one of them.")
    if options.poisson and rates is None:
        raise UsageError("--poisson needs a rate", advice="Add --rate 500, or leave it out.")
    if rates is not None and len(rates) > 1:
        if options.slo is None:
            raise UsageError("a range of rates needs an objective", advice="Add --slo 'p99<50ms'.")
        if options.requests is not None:
            raise UsageError("a search tries each rate for a time", advice="Use -d instead of -n.")


def _plan(options: LoadOptions, rate: float | None) -> LoadPlan:
    connections = at_least(options.connections, 1, "-c", "each request needs a connection")
    requests = options.requests
    if requests is not None:
        at_least(requests, 1, "-n", "nothing would be measured")
        # More would be opened and never used.
        connections = min(connections, requests)
    processes = at_least(options.processes, 1, "--processes", "somebody has to send")
    if processes > connections:
        raise UsageError(
            f"{processes} processes cannot share {connections} connections",
            advice=f"Use --processes {connections}.",
        )
    return LoadPlan(
        connections=connections,
        requests=requests,
        duration_s=None if requests is not None else duration_s(options.duration or DEFAULT_DURATION, "-d"),
        rate=rate,
        poisson=options.poisson,
        timeout_s=_timeout(options.timeout, "--timeout"),
        connect_timeout_s=_timeout(options.connect_timeout, "--connect-timeout"),
        processes=processes,
        seed=chosen_seed(options.seed),
        remote=options.remote,
    )


def _timeout(text: str, option: str) -> float:
    seconds = duration_s(text, option)
    if seconds > LONGEST_TIMEOUT_S:
        raise UsageError(f"{option} {text} is longer than an hour", advice=f"Use {option} 1h or less.")
    return seconds


def _requests(
    options: LoadOptions, read: Callable[[str], bytes]
) -> tuple[tuple[tuple[Request, int], ...], tuple[tuple[str, str], ...]]:
    """Requests with their weights, and headers for all of them."""
    gets, get_weights = _weighted(options.gets)
    named, named_weights = _weighted(options.named)
    if options.bodies and not named:
        raise UsageError("--body without a --request", advice="Say which: --request 'POST /orders' --body …")
    wishes = parse_wishes(
        gets, named, options.bodies, options.headers, only=False, read=read, ready=options.ready
    )
    typed = [saying_its_type(request, wishes.headers) for request in wishes.named]
    weights = [*get_weights, *named_weights] or [1] * len(typed)
    return tuple(zip(typed, weights, strict=True)), wishes.headers


def _said_of_apps(options: LoadOptions) -> str | None:
    said = {
        "--server": options.server,
        "--workers": options.workers,
        "--python": options.python,
        "--env": options.env or None,
        "--prepare": options.prepare,
    }
    return next((option for option, value in said.items() if value is not None), None)


def _served(options: LoadOptions) -> ServedSubject:
    if not options.gets and not options.named and not options.ready.named:
        raise UsageError(
            f"nothing says what to send to {options.target}",
            advice=f"Name it: wirespeed load {options.target} --get '/users'.",
        )
    if options.unix is not None:
        raise UsageError("--unix is for servers that are running", advice="Leave it out, or give a URL.")
    app = app_subject(
        options.target,
        python=options.python,
        folder=options.folder,
        env=options.env,
        prepare=options.prepare,
    )
    return ServedSubject(app, server_settings(options.server, options.workers))


def _weighted(texts: tuple[str, ...]) -> tuple[list[str], list[int]]:
    """``/a x3`` to ``/a`` and 3."""
    matches = [re.fullmatch(r"(.*\S)\s+x(\d+)", text.strip()) for text in texts]
    weights = [1 if match is None else int(match[2]) for match in matches]
    if 0 in weights:
        text = texts[weights.index(0)]
        raise UsageError(
            f"{text!r} would never be sent", advice="Leave it out, or give it a weight of x1 or more."
        )
    if max(weights, default=1) > MOST_WEIGHT:
        text = texts[weights.index(max(weights))]
        raise UsageError(
            f"{text!r} weighs too much", advice=f"Weights are relative: use x{MOST_WEIGHT} or less."
        )
    return [text if match is None else match[1] for text, match in zip(texts, matches, strict=True)], weights
