"""The options of ``wirespeed advise`` to a plan that leaves nothing open."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wirespeed.cli.request_options import NO_WISHES, parse_wishes, read_body
from wirespeed.cli.subject_options import app_subject, server_settings
from wirespeed.cli.values import at_least, chosen_seed, duration_s, enough_rounds, fraction, rule_codes
from wirespeed.diagnosis.rules import all_rules
from wirespeed.diagnosis.selecting import is_asked
from wirespeed.errors import UsageError
from wirespeed.model.plan import AdvicePlan, RequestWishes
from wirespeed.model.subject import ServerSettings
from wirespeed.store.baseline_file import read_baseline
from wirespeed.store.machine_check import pairings_of
from wirespeed.subject.machine import environment

ALPHA = 0.05
EVERY_RULE = ("WS",)


@dataclass(frozen=True)
class AdviseOptions:
    """What stood on the command line."""

    app: str
    gets: tuple[str, ...]
    requests: tuple[str, ...]
    bodies: tuple[str, ...]
    headers: tuple[str, ...]
    only: bool
    prepare: str | None
    python: str | None
    folder: str
    env: tuple[str, ...]
    budget: str
    margin: str
    live: int
    rounds: int | None
    seed: int | None
    deadline: str
    http: bool = False
    server: str | None = None
    workers: int | None = None
    rules: tuple[str, ...] = ()
    ignored_rules: tuple[str, ...] = ()
    allow_equal: bool = False
    baseline: str | None = None
    """The file with the findings that are known."""
    ready: RequestWishes = NO_WISHES
    """Requests and headers that no option said."""


def advice_plan(options: AdviseOptions, read: Callable[[str], bytes] = read_body) -> AdvicePlan:
    """The plan behind the options; raises ``UsageError`` for the first that cannot be."""
    return AdvicePlan(
        subject=app_subject(
            options.app,
            python=options.python,
            folder=options.folder,
            env=options.env,
            prepare=options.prepare,
        ),
        wishes=parse_wishes(
            options.gets,
            options.requests,
            options.bodies,
            options.headers,
            only=options.only,
            read=read,
            ready=options.ready,
        ),
        budget_s=duration_s(options.budget, "--budget"),
        margin=fraction(options.margin, "--margin"),
        alpha=ALPHA,
        live_calls=at_least(options.live, 1, "--live", "each round calls the endpoint itself"),
        rounds=None if options.rounds is None else enough_rounds(options.rounds),
        seed=chosen_seed(options.seed),
        deadline_s=duration_s(options.deadline, "--deadline"),
        pairings=pairings_of(environment(None), os.environ),
        server=_server(options),
        **_rules(options),
        baseline=None if options.baseline is None else read_baseline(Path(options.baseline).expanduser()),
        allow_equal=options.allow_equal,
    )


def _rules(options: AdviseOptions) -> dict[str, tuple[str, ...]]:
    """Which rules are asked; raises ``UsageError`` where none is left."""
    known = list(all_rules())
    select = rule_codes(options.rules, "--select", known) or EVERY_RULE
    ignore = rule_codes(options.ignored_rules, "--ignore", known)
    if not any(is_asked(code, select=select, ignore=ignore) for code in known):
        raise UsageError("--select and --ignore leave no rule", advice="Ignore fewer, or select more.")
    return {"rules": select, "ignored_rules": ignore}


def _server(options: AdviseOptions) -> ServerSettings | None:
    if options.http:
        return server_settings(options.server, options.workers)
    for option, value in (("--server", options.server), ("--workers", options.workers)):
        if value is not None:
            raise UsageError(f"{option} is for --http", advice="Add --http, or leave it out.")
    return None
