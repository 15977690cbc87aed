"""When nothing is measured: where the figures would be those of something else."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Final

from wirespeed.errors import WirespeedError

NOTHING_MEASURED: Final = "wirespeed measures nothing"
"""How every reason begins."""


class MeasuringRefused(WirespeedError):
    """Measuring was asked for where no figure would mean anything; the message says why, and what to do."""


def refuse_if_disturbed() -> None:
    """Raises MeasuringRefused."""
    reason = reason_to_refuse()
    if reason is not None:
        raise MeasuringRefused(reason)


def reason_to_refuse() -> str | None:
    """Why nothing is measured in this thread now; None where it can be."""
    return _in_parallel(os.environ) or _traced()


def _in_parallel(environ: Mapping[str, str]) -> str | None:
    """What pytest-xdist tells its workers in their environment."""
    workers = environ.get("PYTEST_XDIST_WORKER_COUNT", "1")
    if "PYTEST_XDIST_WORKER" not in environ or workers == "1":
        return None
    return (
        f"{NOTHING_MEASURED} while {workers} workers run tests in parallel, since they slow each other down: "
        "run these tests by themselves, pytest -n0 -m wirespeed_measuring"
    )


def _traced() -> str | None:
    who = _tracer()
    if who is None:
        return None
    return (
        f"{NOTHING_MEASURED} under {who}, which takes a time of its own for every line: "
        "run these tests without it, pytest -m wirespeed_measuring"
    )


def _tracer() -> str | None:
    trace = sys.gettrace()
    if trace is not None:
        return f"a tracer ({_module_of(trace)})"
    profile = sys.getprofile()
    if profile is not None:
        return f"a profiler ({_module_of(profile)})"
    monitoring = getattr(sys, "monitoring", None)  # since Python 3.12
    tools = [] if monitoring is None else [monitoring.get_tool(number) for number in range(6)]
    return next((f"a monitoring tool ({tool})" for tool in tools if tool), None)


def _module_of(hook: object) -> str:
    return getattr(hook, "__module__", None) or type(hook).__module__
