"""When a step's result may be used again: only where measuring it anew would mean the very same thing."""

from __future__ import annotations

import hashlib
import sys
from importlib import metadata
from pathlib import Path

from wirespeed import __version__
from wirespeed.subject.machine import available_cores, cpu_model

from .experiments import Effort
from .suite import Step, Suite

SHOWN = ("pydantic", "pydantic-core", "starlette")
"""Packages that matter to every app, besides those it names itself."""


def fingerprint(suite: Suite, step: Step, python: Path, effort: Effort) -> str:
    """Changes with the step, the claims that decide when it ends, the apps, the packages, the machine."""
    files = [suite.app, *([step.companion.app] if step.companion else [])]
    parts = [
        *(__version__, sys.version, cpu_model(), str(available_cores()), str(python)),
        *(repr(step), repr(suite.claims), str(effort.quick), str(effort.pairings)),
        *(file.read_text(encoding="utf-8") for file in files),
        *(f"{name}=={version}" for name, version in packages_of(suite).items()),
    ]
    return f"{suite.name}/{step.name}/{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:16]}"


def packages_of(suite: Suite) -> dict[str, str]:
    """What the suite's apps import, with versions, as far as it is installed."""
    found = {}
    for name in sorted({*suite.needs, *SHOWN}):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
