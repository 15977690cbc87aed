"""``--report FORMAT=FILE``: views of a document beside the one on the terminal.

``chosen_reports`` refuses what cannot work before anything is measured; ``write_reports`` comes last.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wirespeed.cli.output import print_bytes
from wirespeed.errors import UsageError
from wirespeed.model._base import Document
from wirespeed.report.formats import Checkout, Format, Setting, View, all_formats

STDOUT = "-"


@dataclass(frozen=True, slots=True)
class Report:
    format: Format
    file: str | None
    summary: str | None = None
    """Where the CI system wants more of it appended; then there is no file, and the text goes to stdout."""


@dataclass(frozen=True, slots=True)
class Reports:
    setting: Setting
    wanted: tuple[Report, ...] = ()

    @property
    def fill_stdout(self) -> bool:
        """Whether one takes the place of what is printed for people."""
        return any(report.file == STDOUT for report in self.wanted)


def chosen_reports(
    texts: Sequence[str] | None,
    kind: type[Document],
    folder: Path,
    *,
    as_json: bool,
    failing: Iterable[str] = (),
    environ: Mapping[str, str] = os.environ,
) -> Reports:
    """The reports behind the options, of a document of this kind about an app in ``folder``.

    Raises ``UsageError`` for the first that cannot be.
    """
    wanted = tuple(_report(text, kind, environ) for text in texts or ())
    _check_places(wanted, as_json=as_json)
    return Reports(Setting(checkout_of(folder), tuple(failing)), wanted)


def write_reports(document: Document, reports: Reports) -> None:
    """Write all of them; raises ``UsageError`` for those that could not be written, once the others are."""
    failures = []
    for report in reports.wanted:
        text = view_of(report.format, type(document))(document, reports.setting)
        try:
            _write(report, text, document, reports.setting)
        except BrokenPipeError:
            raise
        except OSError as error:
            failures.append(f"{error.filename or report.file}: {error.strerror or error}")
    if failures:
        raise UsageError(
            f"a report could not be written ({'; '.join(failures)})",
            advice="`wirespeed report latest` makes it from the record.",
        )


def format_named(name: str, option: str) -> Format:
    formats = all_formats()
    if name not in formats:
        raise UsageError(
            f"{option} names no format: {name!r}",
            advice="\n".join(
                ["Formats are:", *(f"{each.name}: {each.describes}" for each in formats.values())]
            ),
        )
    return formats[name]


def view_of(format_: Format, kind: type[Document]) -> View:
    """Raises ``UsageError`` where the format has none for such documents."""
    if kind in format_.views:
        return format_.views[kind]
    able = [each.name for each in all_formats().values() if kind in each.views]
    called = kind.__name__.lower()
    raise UsageError(
        f"{format_.name} has no form for a document of the kind {called}",
        advice=f"These have: {', '.join(able)}." if able else "It can be read on the terminal, or as JSON.",
    )


def checkout_of(folder: Path) -> Checkout:
    """The repository around the app's folder; where there is none, that folder alone."""
    folder = folder.resolve()
    root = next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder)
    return Checkout(str(root), str(folder))


def _report(text: str, kind: type[Document], environ: Mapping[str, str]) -> Report:
    name, equals, file = text.partition("=")
    format_ = format_named(name, "--report")
    view_of(format_, kind)
    if equals and file:
        return Report(format_, file)
    if equals or format_.host is None:
        raise UsageError(
            f"--report {text} names no file", advice=f"Write --report {name}=FILE, or {name}=- for stdout."
        )
    summary = environ.get(format_.host.variable)
    if not summary:
        raise UsageError(
            f"--report {name} needs the environment variable {format_.host.variable}, which is not set",
            advice=f"Its CI system sets it; elsewhere write --report {name}=FILE.",
        )
    return Report(format_, None, summary)


def _check_places(wanted: Sequence[Report], *, as_json: bool) -> None:
    printed = [report for report in wanted if report.file in (None, STDOUT)]
    if printed and as_json:
        raise UsageError(
            f"--json and --report {printed[0].format.name} both print on stdout", advice="Give one a file."
        )
    if len(printed) > 1:
        names = " and ".join(report.format.name for report in printed)
        raise UsageError(f"the reports {names} would both be on stdout", advice="Give one of them a file.")
    files = [report.file for report in wanted if report not in printed]
    for file in files:
        if file is not None and Path(file).is_dir():
            raise UsageError(f"{file} is a folder", advice="Name a file in it.")
        if files.count(file) > 1:
            raise UsageError(f"two reports would be written to {file}", advice="Give each a file of its own.")


def _write(report: Report, text: str, document: Document, setting: Setting) -> None:
    content = text.encode("utf-8", errors="replace")
    if report.summary is not None:
        _append(report, document, setting)
    if report.file in (None, STDOUT):
        print_bytes(content)
    else:
        assert report.file is not None
        path = Path(report.file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _append(report: Report, document: Document, setting: Setting) -> None:
    assert report.summary is not None and report.format.host is not None
    text = report.format.host.views[type(document)](document, setting)
    with Path(report.summary).open("ab") as file:
        file.write(text.encode("utf-8", errors="replace"))
