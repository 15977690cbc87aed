"""What the settings of a file come to for one command, beside what its command line has. Pure but for
environment variables, which are given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wirespeed.cli.configuration import Configuration, Setting
from wirespeed.cli.configuration_keys import Parameter, keys_of, takes_several
from wirespeed.cli.configuration_kinds import HeaderSetting, RequestSetting
from wirespeed.cli.options import APP_PARAMETERS
from wirespeed.cli.request_options import NO_WISHES, parse_request, require_header
from wirespeed.cli.values import is_url
from wirespeed.errors import UsageError
from wirespeed.model.plan import RequestWishes
from wirespeed.model.request import Request


@dataclass(frozen=True)
class Defaults:
    values: Mapping[str, Any] = field(default_factory=dict)
    """By parameter, what it is where the command line does not say."""
    before: Sequence[str] = ()
    """Arguments to stand before those of the command line, which thereby win one by one."""
    origins: Mapping[str, Setting] = field(default_factory=dict)
    """By parameter, the setting behind it."""
    wishes: RequestWishes = NO_WISHES
    secrets: tuple[str, ...] = ()


def defaults_of(
    configuration: Configuration,
    command: str,
    parameters: Sequence[Parameter],
    given: Mapping[str, Any],
    environ: Mapping[str, str],
) -> Defaults:
    """``given`` has what stands on the command line, by parameter.

    Raises ``UsageError`` where a header's value should come from a variable that is not set, or a request or
    header is none that can be sent.
    """
    known = keys_of(parameters)
    settings = [
        setting
        for setting in configuration.settings_for(command)
        if setting.key.name in known
        and not (setting.key.of_apps and _names_a_server(given))
        and not any(given.get(rival) is not None for rival in setting.key.yields_to)
    ]
    headers = [header for each in settings if each.key.name == "headers" for header in each.value]
    requests = [request for each in settings if each.key.name == "requests" for request in each.value]
    sent = [*headers, *(header for request in requests for header in request.headers)]
    values, before, origins = _of_parameters(settings, parameters, given)
    if configuration.file is not None and "folder" not in values and origins.keys() & set(APP_PARAMETERS):
        # The app is named as seen from the file.
        values["folder"] = str(configuration.file.parent)
    return Defaults(
        values,
        before,
        origins,
        RequestWishes(
            named=tuple(_request(each, environ) for each in requests), headers=_pairs(headers, environ)
        ),
        tuple(secret for each in sent if (secret := each.secret(environ))),
    )


def _names_a_server(given: Mapping[str, Any]) -> bool:
    return any(is_url(target) for target in [*(given.get("subjects") or ()), given.get("target") or ""])


def _of_parameters(
    settings: Iterable[Setting], parameters: Sequence[Parameter], given: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str], dict[str, Setting]]:
    by_name = {each.name: each for each in parameters}
    values: dict[str, Any] = {}
    before: list[str] = []
    origins: dict[str, Setting] = {}
    for setting in settings:
        name = next((each for each in setting.key.parameters if each in by_name), None)
        if name is None:
            continue
        if setting.key.adds_up:
            option = max(by_name[name].opts, key=len)
            before += [part for text in setting.value for part in (option, text)]
            origins[name] = setting
        elif given.get(name) is None:
            several = takes_several(by_name[name]) and not isinstance(setting.value, tuple)
            values[name] = [setting.value] if several else _as_given(setting.value)
            origins[name] = setting
    return values, before, origins


def _as_given(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _request(setting: RequestSetting, environ: Mapping[str, str]) -> Request:
    try:
        request = parse_request(setting.method, setting.path, f"{setting.node.name}:")
    except UsageError as error:
        raise setting.node.complaint(error.message, error.advice) from error
    return request.model_copy(update={"body": setting.body, "headers": _pairs(setting.headers, environ)})


def _pairs(headers: Iterable[HeaderSetting], environ: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The last of each name."""
    pairs = {each.name.lower(): _pair(each, environ) for each in headers}
    return tuple(pairs.values())


def _pair(header: HeaderSetting, environ: Mapping[str, str]) -> tuple[str, str]:
    name, value = header.resolved(environ)
    try:
        require_header(name, value)
    except UsageError as error:
        raise header.node.complaint(error.message, error.advice) from error
    return name, value.strip()
