"""What the conductor can ask for, by name."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Dict

from .answering import answer, compare_answers, openapi
from .measuring import contest, measure
from .probing import probe, profile, routes
from .screening import screen
from .session import Session, boot, shutdown
from .witnessing import witness

Operation = Callable[[Session, Dict[str, Any]], Awaitable[Any]]

OPERATIONS: Dict[str, Operation] = {
    "boot": boot,
    "routes": routes,
    "probe": probe,
    "screen": screen,
    "profile": profile,
    "measure": measure,
    "contest": contest,
    "answer": answer,
    "compare": compare_answers,
    "openapi": openapi,
    "witness": witness,
    "shutdown": shutdown,
}
