"""The keys of ``[tool.wirespeed]`` as data: which parameter of a command each speaks for, and how it reads.

Keys of the table itself reach every command that has such a parameter. A command's own table,
``[tool.wirespeed.load]``, may have the same keys, which then win for that command, and the command's options
by their names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from wirespeed.cli import configuration_kinds as kinds
from wirespeed.cli.configuration_kinds import Reader
from wirespeed.cli.options import APP_PARAMETERS


@dataclass(frozen=True)
class Key:
    name: str
    read: Reader
    parameters: tuple[str, ...] = ()
    """Of commands; the first that a command has is meant. None for what no option can say."""
    beside: str | None = None
    """For what no option can say: a parameter of the commands that it is for."""
    yields_to: tuple[str, ...] = ()
    """Parameters that speak for it too: where the command line has one of them, the key is not used."""
    of_apps: bool = False
    """Says how to start an app or what to send to it, and so nothing about a server that runs already."""
    adds_up: bool = False
    """What the command line gives is added to it, instead of replacing it."""


KEYS = (
    Key("app", kinds.text, APP_PARAMETERS, of_apps=True),
    Key("python", kinds.interpreter, ("python",), of_apps=True),
    Key("folder", kinds.path, ("folder",)),
    Key("env", kinds.assignments, ("env",), of_apps=True, adds_up=True),
    Key("prepare", kinds.text, ("prepare",), of_apps=True),
    Key("margin", kinds.share, ("margin",)),
    Key("budget", kinds.duration, ("budget",), yields_to=("until_decided",)),
    Key("live", kinds.whole_number, ("live",)),
    Key("rules.select", kinds.listed(kinds.text), ("select",)),
    Key("rules.ignore", kinds.listed(kinds.text), ("ignore",), yields_to=("select",)),
    Key("requests", kinds.requests, beside="request", of_apps=True),
    Key("headers", kinds.headers, beside="header", of_apps=True),
)
_ONLY_ON_THE_COMMAND_LINE = {
    # What they say is said by keys, and there with more detail.
    *("get", "request", "requests_file", "body", "header", "select", "ignore"),
    # Consent that a file from somebody else must not give: to change files, or to load other machines.
    *("write", "write_baseline", "remote"),
    # What a run is for.
    *("dry_run", "config", "no_config", "help"),
}
_OF_APPS = {"server", "workers", "with_", "revision"}
_RIVALS = (("duration", "requests"), ("budget", "until_decided"), ("json", "output"))
"""Options that exclude each other: one on the command line is not contradicted by the other in the file."""
_READERS: Mapping[str, Reader] = {
    "N": kinds.whole_number,
    "DURATION": kinds.duration,
    "SHARE": kinds.share,
    "FILE": kinds.path,
}


class Parameter(Protocol):
    """What is asked of Typer's parameters."""

    @property
    def name(self) -> str: ...
    @property
    def param_type_name(self) -> str: ...
    @property
    def opts(self) -> list[str]: ...
    @property
    def metavar(self) -> str | None: ...


def keys_of(parameters: Iterable[Parameter]) -> dict[str, Key]:
    """By name, everything that the table of a command with these parameters may have."""
    own = list(parameters)
    names = {each.name for each in own}
    common = [key for key in KEYS if names.intersection({*key.parameters, key.beside})]
    taken = {parameter for key in common for parameter in key.parameters}
    options = [
        _option_key(each)
        for each in own
        if each.param_type_name == "option" and each.name not in taken | _ONLY_ON_THE_COMMAND_LINE
    ]
    return {key.name: key for key in (*common, *options)}


def _option_key(option: Parameter) -> Key:
    long = max(option.opts, key=len).removeprefix("--")
    rivals = {name for pair in _RIVALS if option.name in pair for name in pair} - {option.name}
    return Key(
        long,
        _reader_of(option),
        (option.name,),
        yields_to=tuple(sorted(rivals)),
        of_apps=option.name in _OF_APPS,
    )


def _reader_of(option: Parameter) -> Reader:
    if getattr(option, "is_flag", False):
        return kinds.flag
    reader = _READERS.get(option.metavar or "", kinds.text_or_number)
    return kinds.listed(reader) if takes_several(option) else reader


def takes_several(parameter: object) -> bool:
    return bool(getattr(parameter, "multiple", False)) or getattr(parameter, "nargs", 1) == -1


def nested(keys: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Of ``rules.select`` the table and the key in it."""
    for key in keys:
        table, dot, inside = key.partition(".")
        if dot:
            yield table, inside
