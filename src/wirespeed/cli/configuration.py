"""Reading ``[tool.wirespeed]``: where the file is found, what it says, and what of that reaches a command.

Lives here: from a file to settings, each with the key it was read by and the place it stands at. What options
make of the values is not known here.
"""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wirespeed.cli import toml_places
from wirespeed.cli.commands import COMMANDS
from wirespeed.cli.configuration_keys import KEYS, Key, keys_of, nested
from wirespeed.cli.configuration_node import NAME, TABLE, Node, Source, shown
from wirespeed.cli.options import NAMED_ON_THE_SPOT
from wirespeed.errors import UsageError

FILENAME = "pyproject.toml"
MOST_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Setting:
    key: Key
    node: Node
    value: Any
    """As the key's reader gives it."""


@dataclass(frozen=True)
class Configuration:
    """What the file says; empty where there is none."""

    file: Path | None = None
    common: Mapping[str, Setting] = field(default_factory=dict)
    tables: Mapping[str, Mapping[str, Setting]] = field(default_factory=dict)
    """By command."""

    def settings_for(self, command: str) -> Iterator[Setting]:
        """The command's own win, key by key; tables that add up do so name by name, its own last."""
        own = self.tables.get(command, {})
        for name, setting in self.common.items():
            if name == "requests" and command in NAMED_ON_THE_SPOT:
                continue
            if name not in own or setting.key.adds_up or name == "headers":
                yield setting
        yield from own.values()


def read_configuration(start: Path, named: str | None = None) -> Configuration:
    """The configuration ``named``, or else the one found from ``start`` upwards.

    Raises ``UsageError`` that points at the first thing in the file that cannot be.
    """
    if named is None:
        return next(filter(None, map(_read, _candidates(start))), Configuration())
    file = Path(named).expanduser().absolute()
    if not file.is_file():
        raise UsageError(
            f"--config {named}: there is no such file", advice="Give a TOML file, or --no-config."
        )
    configuration = _read(file)
    if configuration is None:
        raise UsageError(
            f"--config {named} says nothing to wirespeed", advice="Write its settings below [tool.wirespeed]."
        )
    return configuration


def _candidates(start: Path) -> Iterator[Path]:
    """From the folder up to the root of its repository, or of the file system."""
    for folder in (start, *start.parents):
        if (folder / FILENAME).is_file():
            yield folder / FILENAME
        if (folder / ".git").exists():
            return


def _read(file: Path) -> Configuration | None:
    """None for a file without ``[tool.wirespeed]``."""
    content = _text(file)
    # Another tool's broken file is no business of ours.
    if NAME not in content:
        return None
    try:
        parsed = tomllib.loads(content)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(
            f"{shown(file)} is not TOML: {error}", advice="Mend it, or use --no-config."
        ) from error
    tool = parsed.get("tool")
    if not isinstance(tool, dict) or NAME not in tool:
        return None
    table = Node(Source(file, toml_places.places(content)), TABLE, tool[NAME])
    return _configuration(file, table)


def _text(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise UsageError(f"{shown(file)} is too large to be a configuration")
        return content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{shown(file)} is not UTF-8, and so no TOML", advice="Mend it, or use --no-config."
        ) from error
    except OSError as error:
        raise UsageError(f"{shown(file)} cannot be read: {error.strerror or error}") from error


def _configuration(file: Path, table: Node) -> Configuration:
    modules = {command.name: command.module for command in COMMANDS}
    own: dict[str, Node] = {}
    common: dict[str, Node] = {}
    for name, node in table.table("a table").items():
        (own if name in modules else common)[name] = node
    known = {key.name: key for key in KEYS}
    return Configuration(
        file,
        dict(_settings(common, known, {*known, *modules})),
        {
            name: dict(_settings(node.table("a table"), _keys_of_command(name, modules[name], node)))
            for name, node in own.items()
        },
    )


def _keys_of_command(name: str, module: str, node: Node) -> dict[str, Key]:
    import typer

    parser = typer.main.get_command(importlib.import_module(module).COMMAND)
    keys = keys_of(parser.params)
    if not any(each.name == "no_config" for each in parser.params):
        raise node.complaint(f"`wirespeed {name}` takes no settings", "Leave the table out.")
    return keys


def _settings(
    nodes: Mapping[str, Node], known: Mapping[str, Key], others: set[str] | None = None
) -> Iterator[tuple[str, Setting]]:
    """``others``: names that exist beside the known keys, worth suggesting."""
    tables = {table for table, _ in nested(known)}
    for name, node in nodes.items():
        if name in tables:
            inside = {key: known[f"{name}.{key}"] for table, key in nested(known) if table == name}
            yield from (
                (f"{name}.{key}", setting) for key, setting in _settings(node.table("a table"), inside)
            )
        elif name in known:
            yield name, Setting(known[name], node, known[name].read(node))
        else:
            raise node.unknown({each.partition(".")[0] for each in (*known, *(others or ()))})
