"""The pytest plugin: a fixture, a marker, and the door to ``pytest --wirespeed``.

It is loaded by every pytest run of whoever installed wirespeed, so loading it imports pytest and little else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from .suite import options

if TYPE_CHECKING:
    from .comparing import Comparison, Contestant

MARKER = "wirespeed_measuring"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("wirespeed", "speed of FastAPI endpoints (wirespeed)")
    group.addoption(
        "--wirespeed",
        action="store_true",
        help="Watch the requests of the tests, and tell at the end what would make their answers faster.",
    )
    options.add_options(group)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", f"{MARKER}: uses the fixture wirespeed, and must run alone (automatic)"
    )
    if options.is_wanted(config):
        from .suite import plugin as suite

        config.pluginmanager.register(suite, "wirespeed-suite")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what measures before ``-m`` selects."""
    for item in items:
        if "wirespeed" in getattr(item, "fixturenames", ()):
            item.add_marker(MARKER)


@pytest.fixture(scope="session")
def wirespeed() -> Measuring:
    """Compares the speed of two callables, or of two requests to an app: ``wirespeed.compare(a, b)``.

    Skips the test where figures would mean nothing: beside other workers of pytest-xdist, and under coverage,
    debuggers and profilers.
    """
    from .refusal import reason_to_refuse

    reason = reason_to_refuse()
    if reason is not None:
        pytest.skip(reason)
    return Measuring()


class Measuring:
    """What the fixture ``wirespeed`` gives."""

    def compare(self, baseline: Contestant, arm: Contestant, /, **options: Any) -> Comparison:
        """``wirespeed.testing.compare``."""
        __tracebackhide__ = True
        from .comparing import compare

        return compare(baseline, arm, **options)

    async def compare_async(self, baseline: Contestant, arm: Contestant, /, **options: Any) -> Comparison:
        """``wirespeed.testing.compare_async``."""
        __tracebackhide__ = True
        from .comparing import compare_async

        return await compare_async(baseline, arm, **options)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was not measured even where pytest does not tell why tests were skipped."""
    skipped = terminalreporter.stats.get("skipped", ())
    if not skipped:
        return
    from .refusal import NOTHING_MEASURED

    reasons = [_reason(report) for report in skipped]
    unmeasured = [reason for reason in reasons if reason.startswith(NOTHING_MEASURED)]
    if unmeasured:
        terminalreporter.write_line(f"{len(unmeasured)} × {unmeasured[0]}", yellow=True)


def _reason(report: Any) -> str:
    """Of a skipped test; pytest gives (file, line, ``Skipped: reason``)."""
    told = report.longrepr
    return str(told[2]).removeprefix("Skipped: ") if isinstance(told, tuple) else ""
