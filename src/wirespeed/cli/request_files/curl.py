"""Commands for curl, one after the other: as a shell's history has them, or a browser's "copy as cURL"."""

from __future__ import annotations

import re
import shlex
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from urllib.parse import quote_plus, urlsplit

from wirespeed.cli.request_options import parse_header
from wirespeed.diagnosis.request_building import body_type
from wirespeed.errors import UsageError

from .sent import Read, Sent

_FLAGS = {
    *("-s", "--silent", "-S", "--show-error", "-i", "--include", "--show-headers", "-v", "--verbose"),
    *("-k", "--insecure", "-L", "--location", "-f", "--fail", "--compressed", "-g", "--globoff"),
    *("-#", "--progress-bar", "-N", "--no-buffer", "--http1.1", "--http2", "-4", "-6"),
}
"""About the connection or what curl prints."""
_IGNORED = {
    *("-o", "--output", "-w", "--write-out", "-m", "--max-time", "--connect-timeout", "--retry"),
    *("--cacert", "-E", "--cert", "--key", "-x", "--proxy", "--resolve"),
}
"""The same, with a value."""
_DATA = ("-d", "--data", "--data-ascii", "--data-raw", "--data-binary", "--data-urlencode", "--json")
_HEADERS = {"-A": "User-Agent", "--user-agent": "User-Agent", "-e": "Referer", "--referer": "Referer"}
_SEPARATORS = ";&|\n"
_ANSI_C = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)


@dataclass
class _Command:
    method: str | None = None
    urls: list[str] = field(default_factory=list)
    headers: list[tuple[str, str]] = field(default_factory=list)
    data: list[bytes] = field(default_factory=list)
    in_query: bool = False
    is_json: bool = False


def read(text: str, name: str) -> Read:
    """Raises UsageError for what a request here cannot have, naming the option."""
    where = f"--requests-file {name}"
    return Read(tuple(sent for words in _commands(text, where) for sent in _sent(words, where)))


def _commands(text: str, where: str) -> Iterator[list[str]]:
    """The words of each command, without ``curl``."""
    joined = re.sub(r"[\\^]\r?\n", " ", re.sub(r"(?m)^[ \t]*#.*$", "", text))
    lexer = shlex.shlex(_ANSI_C.sub(_plainly_quoted, joined), posix=True, punctuation_chars=_SEPARATORS)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    try:
        words = list(lexer)
    except ValueError as error:
        raise UsageError(f"{where} has a command that does not end: {error}") from error
    for is_between, each in groupby(words, lambda word: set(word) <= set(_SEPARATORS)):
        if not is_between:
            program, *arguments = each
            if Path(program).name != "curl":
                raise UsageError(
                    f"{where} has the command {program!r}, which is not curl",
                    advice="A request file is a browser's HAR file, or has curl commands and nothing else.",
                )
            yield arguments


def _plainly_quoted(found: re.Match[str]) -> str:
    """bash's ``$'…'``, which browsers write where a body has quotes of its own."""
    return shlex.quote(found[1].encode("raw_unicode_escape").decode("unicode_escape"))


def _sent(words: list[str], where: str) -> Iterator[Sent]:
    command = _Command()
    waiting = iter(words)
    for word in waiting:
        if not word.startswith("-") or word == "-":
            command.urls.append(word)
            continue
        option, attached = _apart(word)
        if option not in _FLAGS:
            _take(command, option, iter([attached]) if attached else waiting, where)
    if not command.urls:
        raise UsageError(f"{where} has a curl command without a URL")
    body = (b"" if command.is_json else b"&").join(command.data)
    for url in command.urls:
        yield _one(command, url if "://" in url else f"http://{url}", body)


def _apart(word: str) -> tuple[str, str]:
    """An option and the value in its word, if there is one: ``--request=POST``, ``-XPOST``, ``-sSXPOST``."""
    if word.startswith("--"):
        option, _, value = word.partition("=")
        return option, value
    while len(word) > 2 and word[:2] in _FLAGS:
        word = f"-{word[2:]}"
    return word[:2], word[2:]


def _take(command: _Command, option: str, waiting: Iterator[str], where: str) -> None:
    if option in ("-I", "--head"):
        command.method = "HEAD"
        return
    if option in ("-G", "--get"):
        command.in_query = True
        return
    value = next(waiting, None)
    if value is None:
        raise UsageError(f"{where} has a curl command with a {option} and nothing after it")
    if option in ("-X", "--request"):
        command.method = value
    elif option == "--url":
        command.urls.append(value)
    elif option in ("-H", "--header"):
        command.headers.append(parse_header(value))
    elif option in ("-u", "--user"):
        command.headers.append(("Authorization", f"Basic {b64encode(value.encode()).decode()}"))
    elif option in ("-b", "--cookie") and "=" in value:
        command.headers.append(("Cookie", value))
    elif option in _HEADERS:
        command.headers.append((_HEADERS[option], value))
    elif option in _DATA:
        command.data.append(_data(option, value, where))
        command.is_json |= option == "--json"
    elif option not in _IGNORED:
        raise UsageError(
            f"{where} has curl's {option}, which is not known here",
            advice="Write the request with --get, or with --request, --header and --body.",
        )


def _data(option: str, value: str, where: str) -> bytes:
    if option == "--data-urlencode":
        name, equals, content = value.partition("=")
        return f"{name}{equals}{quote_plus(content)}".encode() if equals else quote_plus(value).encode()
    if not value.startswith("@") or option == "--data-raw":
        return value.encode()
    try:
        whole = Path(value[1:]).read_bytes()
    except OSError as error:
        raise UsageError(f"{where}: {option} {value} cannot be read: {error.strerror or error}") from error
    # As curl does it: of a file, only --data-binary and --json keep the line ends.
    return whole if option in ("--data-binary", "--json") else whole.translate(None, b"\r\n")


def _one(command: _Command, url: str, body: bytes) -> Sent:
    if command.in_query:
        query = body.decode("utf-8", "replace")
        joined = f"{url}{'&' if urlsplit(url).query else '?'}{query}" if query else url
        return Sent(command.method or "GET", joined, tuple(command.headers), b"")
    headers = list(command.headers)
    named = {name.lower() for name, _ in headers}
    if command.data and "content-type" not in named:
        headers.append(("Content-Type", _content_type(command, body)))
    return Sent(command.method or ("POST" if command.data else "GET"), url, tuple(headers), body)


def _content_type(command: _Command, body: bytes) -> str:
    """curl says that every body is a form; of one that looks like JSON, that was hardly meant."""
    looks = "application/json" if command.is_json else body_type(None, body)
    return looks or "application/x-www-form-urlencoded"
