"""The options of ``pytest --wirespeed``. Every pytest run reads them, so pytest alone is imported."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

RULES = ("WS101", "WS102", "WS103")
"""What replay can measure: everything else needs the endpoint to run again, which is not ours to do here."""

DEFAULT_BUDGET_S = 20.0


@dataclass(frozen=True)
class Options:
    json: Path | None
    html: Path | None
    fail_on: tuple[str, ...]
    """Codes, or what codes begin with."""
    budget_s: float


def add_options(group: pytest.OptionGroup) -> None:
    """All but ``--wirespeed`` itself; each of those that ask for a result implies it."""
    group.addoption("--wirespeed-json", metavar="FILE", help="Write what --wirespeed found as JSON.")
    group.addoption("--wirespeed-html", metavar="FILE", help="Write it as one HTML page.")
    group.addoption(
        "--wirespeed-fail-on",
        metavar="CODES",
        help="End with exit status 1 where the tests pass but an endpoint has a remedy by one of these "
        f"rules: {', '.join(RULES)}.",
    )
    group.addoption(
        "--wirespeed-budget",
        metavar="SECONDS",
        default=f"{DEFAULT_BUDGET_S:g}",
        help="Time for measuring after the last test (default: %(default)s).",
    )


def is_wanted(config: pytest.Config) -> bool:
    asked = ("wirespeed", "wirespeed_json", "wirespeed_html", "wirespeed_fail_on")
    return any(config.getoption(name) for name in asked)


def read_options(config: pytest.Config) -> Options:
    """Raises pytest.UsageError where an option cannot be meant."""
    return Options(
        json=_file(config, "--wirespeed-json"),
        html=_file(config, "--wirespeed-html"),
        fail_on=_codes(config.getoption("wirespeed_fail_on")),
        budget_s=_seconds(config.getoption("wirespeed_budget")),
    )


def _file(config: pytest.Config, option: str) -> Path | None:
    given = config.getoption(option)
    if not given:
        return None
    path = Path(config.invocation_params.dir, given)
    if path.is_dir() or not path.parent.is_dir():
        raise pytest.UsageError(f"{option} {given}: this is no file in a folder that exists")
    return path


def _codes(given: str | None) -> tuple[str, ...]:
    codes = tuple(code.strip().upper() for code in (given or "").split(",") if code.strip())
    if given and not codes:
        raise pytest.UsageError("--wirespeed-fail-on names no rule")
    for code in codes:
        if not any(rule.startswith(code) for rule in RULES):
            raise pytest.UsageError(
                f"--wirespeed-fail-on {code}: tests can show {', '.join(RULES)}; "
                "`wirespeed advise --fail-on` knows the others"
            )
    return codes


def _seconds(given: str) -> float:
    try:
        seconds = float(given.removesuffix("s"))
    except ValueError:
        seconds = -1.0
    # Not NaN, nor infinite: whoever waits for the tests must not wait for ever.
    if not 0 < seconds < 86_400:
        raise pytest.UsageError(f"--wirespeed-budget {given}: this is no number of seconds")
    return seconds
