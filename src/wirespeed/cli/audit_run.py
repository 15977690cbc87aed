"""``wirespeed audit`` behind its options: fetch the files within bounds, audit, print, and the exit code."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, get_args

from rich.markdown import Markdown

from wirespeed.audit.audit import Output, audit
from wirespeed.audit.checks import all_checks
from wirespeed.audit.reading import MOST_BYTES, too_large
from wirespeed.cli.commands import CHECK_FAILED
from wirespeed.cli.output import print_json
from wirespeed.cli.values import at_least, duration_s
from wirespeed.errors import UsageError
from wirespeed.model.audit import Asked, Audit, Severity
from wirespeed.report.audit import print_audit
from wirespeed.report.terminal import WIDEST, make_console

SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""The worst first."""
STDIN = "-"


@dataclass(frozen=True, slots=True)
class Source:
    """A file to fetch, or standard input."""

    path: str
    label: str | None

    @property
    def name(self) -> str:
        return "standard input" if self.path == STDIN else self.path


@dataclass(frozen=True, slots=True)
class AuditOrder:
    sources: tuple[Source, ...]
    format_name: str | None
    asked: Asked
    failing: tuple[Severity, ...]


def audit_order(
    files: Sequence[str],
    format_name: str | None,
    requests: int | None,
    connections: int | None,
    rate_per_s: float | None,
    timeout: str | None,
    fail_on: str | None,
) -> AuditOrder:
    """The order behind the options; raises ``UsageError`` for the first that cannot be."""
    if not files:
        raise UsageError("there is nothing to audit", advice="Name a file, or - for standard input.")
    sources = tuple(map(_source, files))
    if sum(source.path == STDIN for source in sources) > 1:
        raise UsageError("standard input can be read only once", advice="Name - once.")
    if rate_per_s is not None and not 0 < rate_per_s < float("inf"):
        raise UsageError(f"--rate {rate_per_s:g} is no rate", advice="Give requests a second, above 0.")
    return AuditOrder(
        sources=sources,
        format_name=format_name,
        asked=Asked(
            requests=_positive(requests, "--requests"),
            connections=_positive(connections, "--connections"),
            rate_per_s=rate_per_s,
            timeout_s=None if timeout is None else duration_s(timeout, "--timeout"),
        ),
        failing=_failing(fail_on),
    )


def run(order: AuditOrder, *, as_json: bool) -> int:
    """Audit, print, and return the exit code."""
    outputs = [Output(source.name, fetched(source), source.label) for source in order.sources]
    document = audit(outputs, order.asked, order.format_name)
    if as_json:
        print_json(document.to_json())
    else:
        print_audit(document, make_console(sys.stdout))
    return exit_code(document, order.failing)


def exit_code(document: Audit, failing: Sequence[Severity]) -> int:
    findings = [*document.findings, *(finding for file in document.files for finding in file.findings)]
    return CHECK_FAILED if any(finding.severity in failing for finding in findings) else 0


def explain(name: str) -> int:
    """Print the page of one check, or with ``all`` what each of them asks."""
    checks = all_checks()
    if name == "all":
        for check in checks.values():
            print(f"{check.name:<{max(map(len, checks))}}  {check.question}")
        return 0
    if name not in checks:
        raise UsageError(f"there is no check {name!r}", advice=f"There are {', '.join(checks)}.")
    console = make_console(sys.stdout)
    if console.is_terminal:
        console.print(Markdown(checks[name].page, hyperlinks=False), width=min(console.width, WIDEST))
    else:
        print(checks[name].page.strip())
    return 0


def fetched(source: Source) -> bytes:
    """At most ``MOST_BYTES``, whatever the file is: it may have no end. Raises ``UsageError``."""
    if source.path == STDIN:
        return _bounded(sys.stdin.buffer, source.name, None)
    try:
        with Path(source.path).open("rb") as file:
            status = os.fstat(file.fileno())
            return _bounded(file, source.name, status.st_size if stat.S_ISREG(status.st_mode) else None)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{source.name} cannot be read: {why}", advice="Name a file, or -.") from error


def _bounded(file: BinaryIO, name: str, size_bytes: int | None) -> bytes:
    if size_bytes is not None and size_bytes > MOST_BYTES:
        raise too_large(name, size_bytes)
    content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise too_large(name, None)
    return content


def _source(text: str) -> Source:
    """``LABEL=FILE``, unless a file of that very name exists."""
    label, equals, path = text.partition("=")
    if not equals or "/" in label or os.path.lexists(text):
        return Source(text, None)
    if not label or not path:
        raise UsageError(f"{text!r} names no file", advice="Write FILE or LABEL=FILE.")
    return Source(path, label)


def _positive(number: int | None, option: str) -> int | None:
    return None if number is None else at_least(number, 1, option, "say what the tool was told")


def _failing(fail_on: str | None) -> tuple[Severity, ...]:
    if fail_on is None:
        return ()
    for position, severity in enumerate(SEVERITIES):
        if severity == fail_on:
            return SEVERITIES[: position + 1]
    raise UsageError(
        f"--fail-on {fail_on!r} is no severity", advice=f"Severities are {', '.join(SEVERITIES)}."
    )
