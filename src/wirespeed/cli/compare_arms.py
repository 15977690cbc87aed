"""The forms of ``wirespeed compare``: what is repeated becomes arms, everything else is the same in all.

An *axis* is an option with the choices it was given, at least one. An arm takes one choice of every axis, and
is named after those that were repeated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import PurePath
from typing import Any
from urllib.parse import urlsplit

from wirespeed.cli.compare_options import CompareOptions
from wirespeed.cli.request_options import parse_wishes, saying_its_type
from wirespeed.cli.subject_options import app_subject, server_name
from wirespeed.cli.values import at_least
from wirespeed.diagnosis.request_building import merge_headers
from wirespeed.errors import UsageError
from wirespeed.http.target import parse_target
from wirespeed.model.comparison_plan import ArmPlan, HostedApp
from wirespeed.model.request import Request
from wirespeed.model.subject import BaseUrl, ServerName, ServerSettings


@dataclass(frozen=True)
class Choice:
    """What an arm is called for it, and the fields of its ``_Draft`` that it sets."""

    label: str
    sets: Mapping[str, Any]


@dataclass(frozen=True)
class Axis:
    option: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True)
class _Draft:
    app: str = ""
    url: str | None = None
    request: Request | None = None
    server: ServerName = "uvicorn"
    workers: int = 1
    python: str | None = None
    requirements: tuple[str, ...] = ()
    revision: str | None = None


def arms_of(options: CompareOptions, read: Callable[[str], bytes]) -> tuple[ArmPlan, ...]:
    """Two arms or more, the baseline first. ``read`` fetches what ``--body @name`` refers to.

    Raises ``UsageError`` where nothing is repeated, or more than one option without ``--cross``.
    """
    are_urls = ["://" in subject for subject in options.subjects]
    if any(are_urls) and not all(are_urls):
        raise UsageError(
            "an app and a URL cannot be compared: one is started anew for every round, the other is not",
            advice="Start both yourself and give two URLs, or give two apps.",
        )
    axes = _url_axes(options, read) if any(are_urls) else _app_axes(options, read)
    repeated = [axis for axis in axes if len(axis.choices) > 1]
    _check(repeated, cross=options.cross)
    arms = []
    for choices in product(*(axis.choices for axis in axes)):
        named = [choice.label for axis, choice in zip(axes, choices, strict=True) if len(axis.choices) > 1]
        arms.append(_arm(" · ".join(named), _drafted(choices), options))
    return _with_distinct_names(arms)


def _check(repeated: Sequence[Axis], *, cross: bool) -> None:
    if not repeated:
        raise UsageError(
            "there is only one arm, and nothing to compare it with",
            advice="Repeat what differs: two URLs, --get /a --get /b, --server uvicorn --server granian.",
        )
    if len(repeated) > 1 and not cross:
        names = " and ".join(axis.option for axis in repeated)
        raise UsageError(
            f"{names} are repeated, and one of them is compared",
            advice="Add --cross to compare all their combinations, or repeat only one.",
        )


def _drafted(choices: Sequence[Choice]) -> _Draft:
    draft = _Draft()
    for choice in choices:
        draft = replace(draft, **choice.sets)
    return draft


def _arm(name: str, draft: _Draft, options: CompareOptions) -> ArmPlan:
    assert draft.request is not None
    if draft.url is not None:
        subject: HostedApp | BaseUrl = BaseUrl(url=draft.url, remote=options.remote)
    else:
        app = app_subject(
            draft.app,
            python=draft.python,
            folder=options.folder,
            env=options.env,
            prepare=options.prepare,
        )
        settings = ServerSettings(name=draft.server, workers=draft.workers)
        subject = HostedApp(
            app=app, server=settings, requirements=draft.requirements, revision=draft.revision
        )
    return ArmPlan(name=name, subject=subject, request=draft.request)


def _with_distinct_names(arms: Sequence[ArmPlan]) -> tuple[ArmPlan, ...]:
    """``GET /a``, ``GET /a (2)``: the same twice is a fair thing to compare."""
    seen: Counter[str] = Counter()
    named = []
    for arm in arms:
        seen[arm.name] += 1
        number = seen[arm.name]
        named.append(arm if number == 1 else arm.model_copy(update={"name": f"{arm.name} ({number})"}))
    return tuple(named)


def _url_axes(options: CompareOptions, read: Callable[[str], bytes]) -> list[Axis]:
    _refuse_for_urls(options)
    requests = _requests(options, read)
    for url in options.subjects:
        parse_target(url)
    parts = [urlsplit(url) for url in options.subjects]
    if requests:
        for url, part in zip(options.subjects, parts, strict=True):
            if part.path.strip("/") or part.query:
                raise UsageError(
                    f"{url} has a path, and so has --get or --request",
                    advice=f"Give the server alone: {part.scheme}://{part.netloc}.",
                )
        servers = [Choice(part.netloc, {"url": f"{part.scheme}://{part.netloc}"}) for part in parts]
        return [Axis("the URL", tuple(servers)), _request_axis(requests)]
    own = [_own_request(part.path, part.query, options) for part in parts]
    is_one_server = len({part.netloc for part in parts}) == 1
    choices = [
        Choice(
            request.name if is_one_server else part.netloc + request.path,
            {"url": f"{part.scheme}://{part.netloc}", "request": request},
        )
        for part, request in zip(parts, own, strict=True)
    ]
    return [Axis("the URL", tuple(choices))]


def _refuse_for_urls(options: CompareOptions) -> None:
    of_apps = {
        "--server": options.servers,
        "--workers": options.workers,
        "--python": options.pythons,
        "--with": options.requirements,
        "--revision": options.revisions,
        "--prepare": options.prepare,
        "--env": options.env,
    }
    for option, given in of_apps.items():
        if given:
            raise UsageError(
                f"{option} says how to start an app, and a URL is a server that runs already",
                advice=f"Leave {option} out, or name the app instead of the URL.",
            )


def _own_request(path: str, query: str, options: CompareOptions) -> Request:
    target = (path or "/") + (f"?{query}" if query else "")
    return _named_requests((target,), (), (), options)[0]


def _app_axes(options: CompareOptions, read: Callable[[str], bytes]) -> list[Axis]:
    requests = _requests(options, read)
    if not requests:
        raise UsageError(
            "no request is named", advice="Say what to send: --get /users, or --request 'POST /orders'."
        )
    if options.remote or options.insecure:
        option = "--remote" if options.remote else "--insecure"
        raise UsageError(f"{option} is about URLs, and apps are started here", advice="Leave it out.")
    for workers in options.workers:
        at_least(workers, 1, "--workers", "somebody has to answer")
    return [
        Axis("the app", tuple(Choice(app, {"app": app}) for app in options.subjects)),
        _request_axis(requests),
        _axis("--server", "server", [(name, server_name(name)) for name in options.servers]),
        _axis("--workers", "workers", [(_workers(number), number) for number in options.workers]),
        _axis("--python", "python", [(_environment(name), name) for name in options.pythons]),
        _axis("--with", "requirements", [_requirements(text) for text in options.requirements]),
        _axis("--revision", "revision", [(name, name) for name in options.revisions]),
    ]


def _axis(option: str, field: str, given: Sequence[tuple[str, object]]) -> Axis:
    choices = [Choice(label, {field: value}) for label, value in given]
    return Axis(option, tuple(choices) or (Choice("", {}),))


def _request_axis(requests: Sequence[Request]) -> Axis:
    return _axis("--get or --request", "request", [(request.name, request) for request in requests])


def _requests(options: CompareOptions, read: Callable[[str], bytes]) -> list[Request]:
    if options.bodies and not options.requests:
        raise UsageError("--body without a --request", advice="Say which: --request 'POST /orders' --body …")
    return _named_requests(options.gets, options.requests, options.bodies, options, read)


def _named_requests(
    gets: Sequence[str],
    requests: Sequence[str],
    bodies: Sequence[str],
    options: CompareOptions,
    read: Callable[[str], bytes] = lambda name: b"",
) -> list[Request]:
    """With the headers that all of them have; their own win."""
    wishes = parse_wishes(gets, requests, bodies, options.headers, only=False, read=read, ready=options.ready)
    typed = [saying_its_type(request, wishes.headers) for request in wishes.named]
    return [
        request.model_copy(update={"headers": merge_headers(wishes.headers, request.headers)})
        for request in typed
    ]


def _workers(number: int) -> str:
    return "1 worker" if number == 1 else f"{number} workers"


def _environment(name: str) -> str:
    """``.venv-a`` for ``.venv-a/bin/python``."""
    path = PurePath(name)
    return str(path.parents[1]) if path.parent.name == "bin" and len(path.parents) > 2 else name


def _requirements(text: str) -> tuple[str, tuple[str, ...]]:
    parts = tuple(part.strip() for part in text.split(","))
    if not all(parts):
        raise UsageError(f"--with {text!r} names no package", advice="As in --with fastapi==0.129.0.")
    return ", ".join(parts), parts
