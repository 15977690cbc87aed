"""The options of ``wirespeed guard`` to a plan that leaves nothing open."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wirespeed.cli.request_options import NO_WISHES, parse_wishes, read_body
from wirespeed.cli.subject_options import app_subject
from wirespeed.cli.values import chosen_seed, duration_s, fraction
from wirespeed.errors import UsageError
from wirespeed.model.guard_plan import GuardPlan
from wirespeed.model.plan import RequestWishes
from wirespeed.model.subject import AppSubject
from wirespeed.store.machine_check import pairings_of
from wirespeed.subject.machine import environment

ALPHA = 0.05


@dataclass(frozen=True)
class GuardOptions:
    """What stood on the command line."""

    app: str
    base: str
    head: str | None = None
    gets: tuple[str, ...] = ()
    requests: tuple[str, ...] = ()
    bodies: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    allow_body_change: tuple[str, ...] = ()
    prepare: str | None = None
    python: str | None = None
    folder: str = "."
    env: tuple[str, ...] = ()
    same_env: bool = False
    requirements: tuple[str, ...] = ()
    base_requirements: tuple[str, ...] = ()
    head_requirements: tuple[str, ...] = ()
    max_slowdown: str = "5%"
    budget: str = "30s"
    seed: int | None = None
    deadline: str = "10s"
    ready: RequestWishes = NO_WISHES
    """Requests and headers that no option said."""


def guard_plan(options: GuardOptions, read: Callable[[str], bytes] = read_body) -> GuardPlan:
    """The plan behind the options; raises ``UsageError`` for the first that cannot be."""
    for path in options.allow_body_change:
        if not path.startswith("/"):
            raise UsageError(
                f"--allow-body-change {path!r} does not start with a slash",
                advice="Give the path of a request or of a route: /orders/7, /orders/{id}.",
            )
    common = _packages(options.requirements, "--with")
    subject = app_subject(
        options.app, python=options.python, folder=options.folder, env=options.env, prepare=options.prepare
    )
    is_named = bool(options.gets or options.requests or options.ready.named)
    return GuardPlan(
        subject=_seen_from_its_folder(subject),
        base=options.base,
        head=options.head,
        same_env=options.same_env,
        base_with=(*common, *_packages(options.base_requirements, "--base-with")),
        head_with=(*common, *_packages(options.head_requirements, "--head-with")),
        wishes=parse_wishes(
            options.gets,
            options.requests,
            options.bodies,
            options.headers,
            only=is_named,
            read=read,
            ready=options.ready,
        ),
        allowed_paths=options.allow_body_change,
        max_slowdown=fraction(options.max_slowdown, "--max-slowdown"),
        alpha=ALPHA,
        budget_s=duration_s(options.budget, "--budget"),
        seed=chosen_seed(options.seed),
        deadline_s=duration_s(options.deadline, "--deadline"),
        pairings=pairings_of(environment(None), os.environ),
    )


def _packages(texts: Sequence[str], option: str) -> tuple[str, ...]:
    """Each may name several, separated by commas."""
    packages = tuple(part.strip() for text in texts for part in text.split(","))
    if not all(packages):
        raise UsageError(f"{option} names no package", advice=f"As in {option} fastapi==0.129.0.")
    return packages


def _seen_from_its_folder(subject: AppSubject) -> AppSubject:
    """A file that is named by its whole path would be the same one at every revision."""
    path, colon, name = subject.app.partition(":")
    if not Path(path).is_absolute():
        return subject
    try:
        relative = Path(path).resolve().relative_to(subject.folder.resolve())
    except ValueError as error:
        raise UsageError(
            f"{path} lies outside of {subject.folder}, whose repository is looked at",
            advice="Name its folder with --folder.",
        ) from error
    return subject.model_copy(update={"app": f"{relative.as_posix()}{colon}{name}"})
