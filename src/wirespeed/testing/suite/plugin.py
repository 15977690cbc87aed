"""The hooks of ``pytest --wirespeed``; registered by ``wirespeed.testing.plugin`` where it is asked for.

Until the last test nothing is measured and nothing printed. With xdist every worker watches, and the
controller shows one listing: processes beside each other cannot be timed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .options import Options, read_options
from .patching import Patches
from .watching import Watch

if TYPE_CHECKING:
    from wirespeed.model.suite import SuiteAdvice

_NAME = "wirespeed-suite-run"
_FROM_WORKER = "wirespeed_suite"
_ENDS = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)

IN_PARALLEL = "nothing was measured: processes beside each other (xdist) cannot be timed; run without -n"
CUT_SHORT = "nothing was measured: the tests did not come to their end"


def pytest_configure(config: pytest.Config) -> None:
    options = read_options(config)
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(_Worker(config, options), _NAME)
    elif _is_controller(config):
        if options.fail_on:
            raise pytest.UsageError(
                "--wirespeed-fail-on needs estimates, and xdist's workers cannot be timed"
            )
        config.pluginmanager.register(_Controller(config, options), _NAME)
    else:
        config.pluginmanager.register(_Alone(config, options), _NAME)


def _is_controller(config: pytest.Config) -> bool:
    return bool(config.getoption("tx", None))


class _Watching:
    """What every process that runs tests does until the last one is over."""

    def __init__(self, config: pytest.Config, options: Options) -> None:
        self.config = config
        self.options = options
        self.watch = Watch()
        self._patches = Patches(self.watch)
        self._patches.install()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.watch.test = item.nodeid
        try:
            return (yield)
        finally:
            self.watch.test = None

    def pytest_unconfigure(self) -> None:
        self._patches.remove()

    def told(self, unmeasured: str | None) -> SuiteAdvice:
        """Leave the tests' process as it was, then say what was seen: with estimates, or why without."""
        from .measuring import list_only, measure_all
        from .observing import placed_in
        from .telling import document

        self._patches.remove()
        endpoints = list(self.watch.kept.endpoints.values())
        if unmeasured is not None:
            outcome = list_only(endpoints, unmeasured)
        else:
            outcome = measure_all(endpoints, self.options.budget_s)
        told = document(self.watch, outcome, placed_in(str(self.config.rootpath)), self.options.budget_s)
        self.watch.kept.forget()
        return told


class _Worker(_Watching):
    """An xdist worker: what it saw goes to the controller."""

    def pytest_sessionfinish(self) -> None:
        output: dict[str, Any] = self.config.workeroutput  # type: ignore[attr-defined]
        output[_FROM_WORKER] = self.told(IN_PARALLEL).to_json()


class _Telling:
    """What the process with the terminal does in the end."""

    def __init__(self, config: pytest.Config, options: Options) -> None:
        self.config = config
        self.options = options
        self.advice: SuiteAdvice | None = None
        self.failures: list[str] = []
        """What makes the exit status 1 where the tests passed."""

    def tell(self, session: pytest.Session, advice: SuiteAdvice) -> None:
        from .page import page

        self.advice = advice
        self.failures += failed_checks(advice, self.options.fail_on)
        self._write(self.options.json, lambda: advice.to_json() + b"\n")
        self._write(self.options.html, lambda: page(advice).encode("utf-8", "replace"))
        if self.failures and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _write(self, path: Path | None, content: Any) -> None:
        if path is None:
            return
        try:
            path.write_bytes(content())
        except OSError as error:
            self.failures.append(f"{path} could not be written: {error.strerror}")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        from .terminal import section

        if self.advice is None:
            return
        terminalreporter.section("wirespeed")
        for line in section(self.advice):
            terminalreporter.write_line(line.text, bold=line.is_strong)
        for failure in self.failures:
            terminalreporter.write_line(failure, red=True)


class _Alone(_Watching, _Telling):
    """One process that runs the tests and tells of them."""

    def __init__(self, config: pytest.Config, options: Options) -> None:
        _Telling.__init__(self, config, options)
        _Watching.__init__(self, config, options)

    # First: what is measured here belongs to no other plugin's end of the session.
    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.config.option.collectonly:
            return
        was_cut_short = session.exitstatus not in _ENDS
        self.tell(session, self.told(CUT_SHORT if was_cut_short else None))


class _Controller(_Telling):
    """xdist's controller: it runs no test."""

    def __init__(self, config: pytest.Config, options: Options) -> None:
        super().__init__(config, options)
        self._from_workers: list[bytes] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        told = getattr(node, "workeroutput", {}).get(_FROM_WORKER)
        if told is not None:
            self._from_workers.append(told)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        from wirespeed.model.suite import SuiteAdvice

        from .telling import merged

        if self._from_workers:
            documents = [SuiteAdvice.model_validate_json(each) for each in self._from_workers]
            self.tell(session, merged(documents))


def failed_checks(advice: SuiteAdvice, codes: tuple[str, ...]) -> list[str]:
    """One sentence for every remedy of these rules that keeps the bytes and gains enough to be shown."""
    return [
        f"{remedy.code}: {remedy.name} would make {endpoint.method} {endpoint.path} faster"
        for endpoint in advice.endpoints
        for remedy in endpoint.remedies
        if codes and remedy.code.startswith(codes) and remedy.fidelity == "identical"
    ]
