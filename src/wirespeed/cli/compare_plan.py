"""The options of ``wirespeed compare`` to a plan that leaves nothing open."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import get_args

from wirespeed.cli.compare_arms import arms_of
from wirespeed.cli.compare_options import CompareOptions
from wirespeed.cli.request_options import read_body
from wirespeed.cli.values import at_least, chosen_seed, duration_s, fraction
from wirespeed.errors import UsageError
from wirespeed.experiment.figures import ONE_NUMBER_A_ROUND, metrics_of
from wirespeed.model.comparison import LensName, Metric
from wirespeed.model.comparison_plan import ArmPlan, ComparisonPlan
from wirespeed.model.subject import BaseUrl
from wirespeed.model.verdict import Verdict
from wirespeed.store.machine_check import pairings_of
from wirespeed.subject.machine import environment

ALPHA = 0.05
DEFAULT_BUDGET = "60s"
DEFAULT_CONNECTIONS = 50
LENSES: tuple[LensName, ...] = get_args(LensName)
DEMANDS = {
    "slower": (Verdict.SLOWER,),
    "faster": (Verdict.FASTER,),
    "different": (Verdict.SLOWER, Verdict.FASTER),
    "equivalent": (Verdict.EQUIVALENT,),
}


def comparison_plan(options: CompareOptions, read: Callable[[str], bytes] = read_body) -> ComparisonPlan:
    """The plan behind the options; raises ``UsageError`` for the first that cannot be."""
    lens = _lens(options)
    arms = arms_of(options, read)
    are_urls = isinstance(arms[0].subject, BaseUrl)
    if are_urls and lens == "direct":
        raise UsageError(
            "--lens direct calls an app in its own process, and a URL is a server",
            advice="Name the app instead, or leave --lens out.",
        )
    return ComparisonPlan(
        arms=arms,
        lens=lens,
        connections=_connections(options, lens),
        metric=_metric(options.metric, lens, arms),
        margin=fraction(options.margin, "--margin"),
        alpha=ALPHA,
        budget_s=_budget_s(options),
        max_errors=_max_errors(options.max_errors),
        allow_different=options.allow_different,
        timeout_s=duration_s(options.timeout, "--timeout"),
        verify_tls=not options.insecure,
        seed=chosen_seed(options.seed),
        folder=Path.cwd() if are_urls else Path(options.folder).expanduser().absolute(),
        pairings=pairings_of(environment(None), os.environ),
    )


def demanded_verdicts(text: str | None) -> tuple[Verdict, ...]:
    """What ``--fail-on`` names, separated by commas; empty without it."""
    found: list[Verdict] = []
    for word in [] if text is None else text.split(","):
        if word.strip() not in DEMANDS:
            raise UsageError(
                f"--fail-on {text!r} names no verdict", advice=f"Verdicts are {', '.join(DEMANDS)}."
            )
        found += DEMANDS[word.strip()]
    return tuple(dict.fromkeys(found))


def _lens(options: CompareOptions) -> LensName:
    if options.lens not in LENSES:
        raise UsageError(f"--lens {options.lens!r} is not known", advice=f"Lenses are {', '.join(LENSES)}.")
    if options.lens == "direct":
        for option, given in (("--server", options.servers), ("--workers", options.workers)):
            if given:
                raise UsageError(f"--lens direct has no server for {option}", advice="Leave one of them out.")
    return options.lens


def _connections(options: CompareOptions, lens: LensName) -> int:
    if lens != "load":
        if options.connections is not None:
            raise UsageError(
                f"-c {options.connections} sends many requests at once, and --lens {lens} one at a time",
                advice=f"Use --lens load -c {options.connections}.",
            )
        return 1
    connections = DEFAULT_CONNECTIONS if options.connections is None else options.connections
    return at_least(connections, 1, "-c", "each request needs a connection")


def _metric(named: str | None, lens: LensName, arms: Sequence[ArmPlan]) -> Metric:
    possible = [metric for metric in metrics_of(lens) if metric in ONE_NUMBER_A_ROUND]
    subjects = [arm.subject for arm in arms]
    if any(isinstance(subject, BaseUrl) for subject in subjects):
        possible = possible[:1]
    elif any(subjects.count(subject) > 1 for subject in subjects):
        possible = [metric for metric in possible if metric != "peak_memory"]
    if named is None:
        return possible[0]
    for metric in possible:
        if metric == named:
            return metric
    raise UsageError(
        f"--metric {named!r} cannot be told for these arms", advice=f"There is {', '.join(possible)}."
    )


def _budget_s(options: CompareOptions) -> float | None:
    if options.until_decided:
        if options.budget is not None:
            raise UsageError(
                "--budget and --until-decided both say when to end", advice="Leave out one of them."
            )
        return None
    return duration_s(options.budget or DEFAULT_BUDGET, "--budget")


def _max_errors(text: str) -> float:
    """Zero is a share that makes sense here."""
    return 0.0 if text.strip() in ("0", "0%") else fraction(text, "--max-errors")
