"""Whether this environment has what the suites' apps import, and what to install where it has not."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec

from wirespeed.errors import UsageError

from .suite import Suite


def require(suites: Iterable[Suite]) -> None:
    """Raises ``UsageError`` that names what is missing."""
    needed = sorted({name for suite in suites for name in suite.needs})
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"the suites need {', '.join(missing)}, which this environment does not have",
            advice="Install them: python -m pip install 'wirespeed[replicate]'",
        )
