"""What an operation answers when it cannot be done."""

from __future__ import annotations

from typing import Any, Dict, Optional


class OperationError(Exception):
    """An operation failed in a way the conductor can explain.

    ``kind`` says whose fault it is: ``usage`` (what the user asked for cannot be), ``environment`` (the
    subject's packages), ``import``, ``prepare``, ``startup``, ``endpoint`` and ``shutdown`` (the app),
    ``internal`` (us).
    ``advice`` is one sentence on what to do next; ``traceback`` is the app's own.
    """

    def __init__(
        self, kind: str, message: str, *, advice: Optional[str] = None, traceback: Optional[str] = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.advice = advice
        self.traceback = traceback

    def as_message(self) -> Dict[str, Any]:
        return {
            "kind": self.kind,
            "message": self.message,
            "advice": self.advice,
            "traceback": self.traceback,
        }
