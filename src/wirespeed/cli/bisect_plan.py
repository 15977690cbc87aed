"""The options of ``wirespeed bisect`` to a plan that leaves nothing open."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from wirespeed.cli.request_options import NO_WISHES, parse_wishes, read_body, saying_its_type
from wirespeed.cli.subject_options import app_subject, server_settings
from wirespeed.cli.values import chosen_seed, duration_s, fraction, is_url
from wirespeed.diagnosis.request_building import merge_headers
from wirespeed.errors import UsageError
from wirespeed.model.bisection_plan import BisectionPlan, PackageRange, RevisionRange
from wirespeed.model.plan import RequestWishes
from wirespeed.model.request import Request
from wirespeed.store.machine_check import pairings_of
from wirespeed.subject.machine import environment
from wirespeed.subject.uv import name_of

ALPHA = 0.05
AS_IN = "As in --with fastapi==0.129.0..0.165.0, or --revision v1.4..HEAD."


@dataclass(frozen=True)
class BisectOptions:
    """What stood on the command line."""

    app: str
    gets: tuple[str, ...] = ()
    requests: tuple[str, ...] = ()
    bodies: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()
    revisions: tuple[str, ...] = ()
    prepare: str | None = None
    python: str | None = None
    folder: str = "."
    env: tuple[str, ...] = ()
    lens: str = "direct"
    server: str | None = None
    margin: str = "2%"
    budget: str = "15m"
    max_errors: str = "0.1%"
    allow_different: bool = False
    timeout: str = "30s"
    seed: int | None = None
    ready: RequestWishes = NO_WISHES
    """Requests and headers that no option said."""


def bisection_plan(options: BisectOptions, read: Callable[[str], bytes] = read_body) -> BisectionPlan:
    """The plan behind the options; raises ``UsageError`` for the first that cannot be."""
    if is_url(options.app):
        raise UsageError(
            f"{options.app} is a server that is running, and releases have to be started",
            advice="Name the app instead: main:app, or main.py.",
        )
    requirements = [part.strip() for text in options.requirements for part in _parts(text)]
    lens = _lens(options)
    return BisectionPlan(
        range=_range(requirements, options.revisions),
        requirements=tuple(each for each in requirements if not _is_range(each)),
        request=_request(options, read),
        app=app_subject(
            options.app,
            python=options.python,
            folder=options.folder,
            env=options.env,
            prepare=options.prepare,
        ),
        lens=lens,
        server=server_settings(options.server, None),
        margin=fraction(options.margin, "--margin"),
        alpha=ALPHA,
        budget_s=duration_s(options.budget, "--budget"),
        max_errors=_max_errors(options.max_errors),
        allow_different=options.allow_different,
        timeout_s=duration_s(options.timeout, "--timeout"),
        seed=chosen_seed(options.seed),
        pairings=pairings_of(environment(None), os.environ),
    )


def _parts(text: str) -> list[str]:
    """Of ``fastapi==0.129.0..0.165.0, starlette==1.0``; commas between a package's extras part nothing."""
    parts: list[str] = []
    for piece in text.split(","):
        if parts and parts[-1].count("[") > parts[-1].count("]"):
            parts[-1] += f",{piece}"
        else:
            parts.append(piece)
    return parts


def _is_range(requirement: str) -> bool:
    return ".." in requirement


def _range(requirements: Sequence[str], revisions: Sequence[str]) -> PackageRange | RevisionRange:
    """The one that is named."""
    packages = [each for each in requirements if _is_range(each)]
    named = [f"--with {each}" for each in packages] + [f"--revision {each}" for each in revisions]
    if not named:
        raise UsageError("no range is named, and so there is nothing to search", advice=AS_IN)
    if len(named) > 1:
        raise UsageError(
            f"{' and '.join(named)}: two things that change at once cannot be told apart",
            advice="Give one range; fix the other package to one version, as in --with pydantic==2.12.0.",
        )
    return _package_range(packages[0]) if packages else _revision_range(revisions[0])


def _package_range(text: str) -> PackageRange:
    package, equals, ends = text.partition("==")
    first, _, last = (part.strip() for part in ends.partition(".."))
    if not equals or not name_of(package) or not first or not last or ".." in last:
        raise UsageError(f"--with {text!r} is not a range of releases", advice=AS_IN)
    return PackageRange(package=package.strip(), first=first, last=last)


def _revision_range(text: str) -> RevisionRange:
    if "..." in text:
        raise UsageError(
            f"--revision {text!r} has three dots, which name no range from one commit to another",
            advice=f"Write --revision {text.replace('...', '..')}.",
        )
    first, dots, last = (part.strip() for part in text.partition(".."))
    if not dots or not first or not last or ".." in last:
        raise UsageError(f"--revision {text!r} is not a range of revisions", advice=AS_IN)
    return RevisionRange(first=first, last=last)


def _request(options: BisectOptions, read: Callable[[str], bytes]) -> Request:
    if options.bodies and not options.requests:
        raise UsageError("--body without a --request", advice="Say which: --request 'POST /orders' --body …")
    wishes = parse_wishes(
        options.gets,
        options.requests,
        options.bodies,
        options.headers,
        only=False,
        read=read,
        ready=options.ready,
    )
    if not wishes.named:
        raise UsageError(
            "no request is named", advice="Say what to send: --get /users, or --request 'POST /orders'."
        )
    if len(wishes.named) > 1:
        names = ", ".join(each.name for each in wishes.named)
        raise UsageError(f"{names}: one search follows one request", advice="Search once for each.")
    request = saying_its_type(wishes.named[0], wishes.headers)
    return request.model_copy(update={"headers": merge_headers(wishes.headers, request.headers)})


def _lens(options: BisectOptions) -> Literal["direct", "service"]:
    match options.lens:
        case "direct":
            if options.server is not None:
                raise UsageError(
                    f"--server {options.server} answers over HTTP, and --lens direct does without",
                    advice="Add --lens service, or leave --server out.",
                )
            return "direct"
        case "service":
            return "service"
    raise UsageError(f"--lens {options.lens!r} is not known", advice="Lenses are direct and service.")


def _max_errors(text: str) -> float:
    """Zero is a share that makes sense here."""
    return 0.0 if text.strip() in ("0", "0%") else fraction(text, "--max-errors")
