"""``wirespeed config``: the settings of a command, each with its origin. Looks up no environment variable."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import typer
from rich.text import Text

from wirespeed.cli.commands import COMMANDS
from wirespeed.cli.configuration import Configuration, Setting, read_configuration
from wirespeed.cli.configuration_keys import Key, keys_of
from wirespeed.cli.configuration_kinds import HeaderSetting, RequestSetting
from wirespeed.cli.configuration_node import shown
from wirespeed.errors import UsageError
from wirespeed.hidden import STANDS_FOR_IT
from wirespeed.report.terminal import make_console
from wirespeed.report.text import clean, listed

DEFAULT = "default"


class Row(NamedTuple):
    key: str
    value: str
    origin: str
    """``pyproject.toml:12:1``, or ``default``."""


def show(command: str, folder: str, named: str | None) -> int:
    """Print the settings of a command, and return the exit code."""
    configuration = read_configuration(Path(folder).expanduser().absolute(), named)
    rows = list(effective(command, configuration))
    console = make_console(sys.stdout)
    file = "no file" if configuration.file is None else shown(configuration.file)
    console.print(Text(f"wirespeed {command} goes by {file}"), soft_wrap=True)
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for row in rows:
        line = f"  {row.key:<{widths[0]}}  {row.value:<{widths[1]}}  {row.origin}"
        console.print(Text(line.rstrip()), soft_wrap=True)
    return 0


def effective(command: str, configuration: Configuration) -> Iterator[Row]:
    """What the file says, then the defaults of what it does not say."""
    parameters = _parameters(command)
    keys = keys_of(parameters)
    said = [setting for setting in configuration.settings_for(command) if setting.key.name in keys]
    for setting in said:
        yield from _rows(setting)
    defaults = {each.name: each.default for each in parameters}
    for key in keys.values():
        value = _default_of(key, defaults)
        if value is not None and all(setting.key.name != key.name for setting in said):
            yield Row(key.name, value, DEFAULT)


def _parameters(command: str) -> list[Any]:
    modules = {each.name: each.module for each in COMMANDS}
    parser = None
    if command in modules:
        parser = typer.main.get_command(importlib.import_module(modules[command]).COMMAND)
    if parser is None or not any(each.name == "no_config" for each in parser.params):
        raise UsageError(
            f"there are no settings for a command {command}", advice="As in wirespeed config advise."
        )
    return list(parser.params)


def _rows(setting: Setting) -> Iterator[Row]:
    name, place = setting.key.name, setting.node.place
    match setting.value:
        case [HeaderSetting(), *_] as headers:
            for header in headers:
                yield Row(f"{name}.{header.name}", _header(header), header.node.place)
        case [RequestSetting(), *_] as requests:
            for request in requests:
                yield Row(request.node.name, clean(f"{request.method} {request.path}"), request.node.place)
        case value:
            yield Row(name, _told(value), place)


def _header(header: HeaderSetting) -> str:
    if header.variable is None:
        return STANDS_FOR_IT
    return f"{STANDS_FOR_IT} (from the environment: {clean(header.variable)})"


def _default_of(key: Key, defaults: Mapping[str, Any]) -> str | None:
    """None where that is nothing."""
    value = next((defaults[name] for name in key.parameters if name in defaults), None)
    return _told(value) if value not in (None, (), []) else None


def _told(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return clean(listed(map(str, value)) if isinstance(value, list | tuple) else str(value))
