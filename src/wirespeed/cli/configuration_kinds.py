"""How values of the configuration file read: each kind takes a node, and gives what an option would be given.

Every refusal points at the value. What is read here is complete but for values from the environment, which
are looked up only when they are to be sent.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from wirespeed.cli.configuration_node import Node
from wirespeed.cli.values import duration_s, fraction
from wirespeed.errors import UsageError

Reader = Callable[[Node], Any]


def text(node: Node) -> str:
    read = node.text("a text")
    if not read.strip():
        raise node.complaint(f"{node.name} is empty", "Leave the key out, or give it a value.")
    return read


def text_or_number(node: Node) -> str:
    return str(node.raw) if _is_number(node.raw) else node.text("a text or a number")


def duration(node: Node) -> str:
    """A text with its unit, or a number of seconds."""
    read = str(node.raw) if _is_number(node.raw) else node.text('a duration, such as "60s"')
    return _checked(node, read, duration_s)


def share(node: Node) -> str:
    """``"2%"`` or ``0.02``."""
    read = f"{Decimal(str(node.raw)):f}" if _is_number(node.raw) else node.text('a share, such as "2%"')
    return _checked(node, read, fraction)


def whole_number(node: Node) -> int:
    if isinstance(node.raw, bool) or not isinstance(node.raw, int):
        raise node.refuse("a whole number")
    return node.raw


def flag(node: Node) -> bool:
    if not isinstance(node.raw, bool):
        raise node.refuse("true or false")
    return node.raw


def listed(reader: Reader) -> Reader:
    def read(node: Node) -> tuple[Any, ...]:
        return tuple(reader(each) for each in node.elements("an array, even of one"))

    return read


def path(node: Node) -> str:
    """Absolute: paths in the file are seen from its folder."""
    return str(node.source.file.parent / Path(text(node)).expanduser())


def interpreter(node: Node) -> str:
    """A path as above, or a command such as ``python3.13``."""
    named = text(node)
    return path(node) if os.sep in named or Path(path(node)).exists() else named


def assignments(node: Node) -> tuple[str, ...]:
    """A table of texts, as ``--env`` takes them."""
    values = node.table('a table, such as { DB_URL = "sqlite://" }')
    return tuple(f"{name}={each.text('a text')}" for name, each in values.items())


@dataclass(frozen=True)
class HeaderSetting:
    """A header as the file has it. ``variable`` names where its value comes from, if not from the file."""

    name: str
    node: Node
    value: str = ""
    """Stands before the variable's, where there is one."""
    variable: str | None = None

    def resolved(self, environ: Mapping[str, str]) -> tuple[str, str]:
        """Name and value. Raises ``UsageError`` where the variable is not set."""
        return self.name, self.value + self.secret(environ)

    def secret(self, environ: Mapping[str, str]) -> str:
        if self.variable is None:
            return ""
        if not environ.get(self.variable):
            raise self.node.complaint(
                f"{self.node.name} comes from the environment variable {self.variable}, which is not set",
                f"Set {self.variable}, or use --no-config.",
            )
        return environ[self.variable]


def headers(node: Node) -> tuple[HeaderSetting, ...]:
    return tuple(_header(name, each) for name, each in node.table("a table of headers").items())


def _header(name: str, node: Node) -> HeaderSetting:
    if isinstance(node.raw, str):
        return HeaderSetting(name, node, value=node.raw)
    parts = node.table('a text, or { env = "NAME" }')
    for key, each in parts.items():
        if key not in ("env", "prefix"):
            raise each.unknown(("env", "prefix"))
    if "env" not in parts:
        raise node.complaint(f"{node.name} says no variable", 'Write { env = "API_TOKEN" }.')
    prefix = parts["prefix"].text('a text, such as "Bearer "') if "prefix" in parts else ""
    return HeaderSetting(name, node, value=prefix, variable=text(parts["env"]))


@dataclass(frozen=True)
class RequestSetting:
    """A request as the file has it; method and path are yet to be checked."""

    node: Node
    method: str
    path: str
    body: bytes
    headers: tuple[HeaderSetting, ...]


_REQUEST_KEYS = ("get", "method", "path", "body", "headers")


def requests(node: Node) -> tuple[RequestSetting, ...]:
    return tuple(_request(each) for each in node.elements('an array, such as [{ get = "/orders/42" }]'))


def _request(node: Node) -> RequestSetting:
    parts = node.table('a table, such as { get = "/orders/42" }')
    for key, each in parts.items():
        if key not in _REQUEST_KEYS:
            raise each.unknown(_REQUEST_KEYS)
    if ("get" in parts) == ("path" in parts) or ("get" in parts and "method" in parts):
        raise node.complaint(
            f"{node.name} is not one request",
            'Write either get = "/path", or method = "POST" and path = "/path".',
        )
    return RequestSetting(
        node,
        method=text(parts["method"]).upper() if "method" in parts else "GET",
        path=text(parts["get"] if "get" in parts else parts["path"]),
        body=_body(parts["body"]) if "body" in parts else b"",
        headers=headers(parts["headers"]) if "headers" in parts else (),
    )


def _body(node: Node) -> bytes:
    """A text as it is, ``"@file"`` for a file's content, and of everything else its JSON."""
    if not isinstance(node.raw, str):
        return json.dumps(_plain(node), ensure_ascii=False).encode()
    if not node.raw.startswith("@"):
        return node.raw.encode()
    file = node.source.file.parent / node.raw[1:]
    try:
        return file.read_bytes()
    except OSError as error:
        raise node.complaint(f"{file} cannot be read: {error.strerror or error}") from error


def _plain(node: Node) -> Any:
    """What JSON can hold; TOML's dates and its ``inf`` are not among it."""
    try:
        json.dumps(node.raw, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise node.complaint(
            f"{node.name} has a value that JSON does not know", "Write it as a text."
        ) from error
    return node.raw


def _checked(node: Node, read: str, check: Callable[[str, str], object]) -> str:
    try:
        check(read, f"{node.name} =")
    except UsageError as error:
        raise node.complaint(error.message, error.advice) from error
    return read


def _is_number(raw: object) -> bool:
    return isinstance(raw, int | float) and not isinstance(raw, bool)
