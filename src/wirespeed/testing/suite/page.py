"""The HTML page: one file that loads nothing and runs nothing. What the app or a test named is escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from wirespeed.model.suite import SuiteAdvice, SuiteEndpoint, SuiteRemedy
from wirespeed.report.numbers import from_to, size, speed
from wirespeed.report.text import clean, clean_lines

from .terminal import endpoint_name, headline

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2.2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 5px 12px 5px 0; border-bottom: 1px solid #8884}
td.figure, th.figure { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; overflow-wrap: anywhere; }
pre { background: #8881; padding: .7rem; overflow-x: auto; }
.muted { opacity: .7; } .gain { font-weight: 600; color: #17803d; }
"""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"

_CONCLUSIONS = {
    "remedy": "slower than it needs to be",
    "other bytes": "faster, with another answer",
    "unmeasured": "found, not measured",
    "small": "less to gain than one process can show",
    "fast": "on the fast path",
    "nothing": "nothing that tests can show",
}
_FIDELITY = {"identical": "identical bytes", "equal": "equal JSON, other bytes", "different": "other values"}


def page(told: SuiteAdvice) -> str:
    return "\n".join(
        (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            # Nothing may be loaded or run, whatever slipped through.
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            f"<title>wirespeed: {_text(headline(told))}</title>\n<style>{_STYLE}</style>\n</head>\n<body>",
            f"<h1>{_text(headline(told))}</h1>",
            *_introduction(told),
            *(part for each in told.endpoints if each.remedies for part in _in_full(each)),
            *_table(told.endpoints),
            "</body>\n</html>\n",
        )
    )


def _introduction(told: SuiteAdvice) -> Iterator[str]:
    packages = " · ".join(f"{name} {number}" for name, number in told.packages.items())
    yield f'<p class="muted">Python {_text(told.python)} · {_text(packages)}</p>'
    for note in told.notes:
        yield f"<p>{_text(note)}</p>"
    yield (
        '<p class="muted">Estimates come from replays of answers that the tests got, in the process of the '
        "tests: one process, no interval. The whole request is the request as the tests made it. "
        "<code>wirespeed advise</code> measures in rounds of fresh processes.</p>"
    )


def _in_full(endpoint: SuiteEndpoint) -> Iterator[str]:
    yield f"<section><h2><code>{_text(endpoint_name(endpoint))}</code></h2>"
    seen = [endpoint.source or "", size(endpoint.body_bytes), f"called by {endpoint.tests} tests"]
    if endpoint.first_test:
        seen.append(f"first by {endpoint.first_test}")
    yield f'<p class="muted">{_text(" · ".join(filter(None, seen)))}</p>'
    for finding in endpoint.findings:
        yield f"<p><b>{_text(finding.code)}</b> {_text(finding.problem)}: {_text(finding.evidence)}</p>"
    for remedy in endpoint.remedies:
        yield from _remedy(remedy)
    yield "</section>"


def _remedy(remedy: SuiteRemedy) -> Iterator[str]:
    yield (
        f'<p><code>{_text(remedy.name)}</code> <span class="gain">{_text(speed(remedy.whole.ratio))}</span>, '
        f"response path {_text(from_to(remedy.before_ns, remedy.after_ns))}, {_FIDELITY[remedy.fidelity]}</p>"
    )
    source = [*remedy.imports, *(["", *remedy.definitions] if remedy.definitions else [])]
    if source:
        yield f"<pre>{_lines(source)}</pre>"
    if remedy.differences:
        yield "<table><tr><th>where</th><th>now</th><th>then</th></tr>"
        for each in remedy.differences:
            cells = (each.at, repr(each.baseline), repr(each.arm))
            yield "<tr>" + "".join(f"<td><code>{_text(cell)}</code></td>" for cell in cells) + "</tr>"
        yield "</table>"


def _table(endpoints: Sequence[SuiteEndpoint]) -> Iterator[str]:
    yield "<h2>All endpoints that tests called</h2>"
    heads = ("endpoint", "where", "what was found", "")
    yield "<table><tr>" + "".join(f"<th>{head}</th>" for head in heads) + '<th class="figure">tests</th></tr>'
    for each in endpoints:
        codes = " ".join(finding.code for finding in each.findings)
        cells = (
            endpoint_name(each),
            each.source or "",
            f"{_CONCLUSIONS[each.conclusion]} {codes}",
            each.note or "",
        )
        row = "".join(f"<td>{_text(cell)}</td>" for cell in cells)
        yield f'<tr>{row}<td class="figure">{each.tests}</td></tr>'
    yield "</table>"


def _text(text: str) -> str:
    return escape(clean(text))


def _lines(source: Sequence[str]) -> str:
    return escape("\n".join(line for each in source for line in clean_lines(each) or [""]))
