"""The ASGI lifespan protocol, from the server's side, with the leniency that uvicorn has by default.

An app that raises before it has answered ``lifespan.startup`` does not support the protocol and is served
without it; one that answers ``lifespan.startup.failed`` refuses to start. The deadline is the
conductor's.
"""

from __future__ import annotations

import asyncio
from typing import Any, Dict, Optional

from .errors import OperationError
from .tracebacks import app_traceback, last_line

_AFTERMATH_S = 1.0


class Lifespan:
    """One app's lifespan, run in a task of its own as task groups and cancel scopes need it."""

    def __init__(self, app: Any) -> None:
        self.state: Dict[str, Any] = {}
        self.unsupported: Optional[str] = None
        """What the app raised instead of taking part."""
        self._app = app
        self._to_app: asyncio.Queue[Dict[str, Any]] = asyncio.Queue()
        self._from_app: asyncio.Queue[Dict[str, Any]] = asyncio.Queue()
        self._error: Optional[BaseException] = None
        self._task: Optional[asyncio.Task[None]] = None

    async def startup(self) -> None:
        """Raises OperationError("startup") with the app's traceback where the app refuses to start."""
        self._task = asyncio.ensure_future(self._run())
        answer = await self._exchange("startup")
        if answer["type"] == "lifespan.startup.failed":
            raise await self._failure("startup", answer)
        if answer["type"] == _ENDED and self._error is not None:
            self.unsupported = last_line(self._error)

    async def shutdown(self) -> None:
        """Raises OperationError("shutdown") where the app fails to; one that is over already is fine."""
        if self._task is None or self._task.done():
            return
        answer = await self._exchange("shutdown")
        if answer["type"] != "lifespan.shutdown.complete" and not self._ended_well(answer):
            raise await self._failure("shutdown", answer)
        await asyncio.wait([self._task], timeout=_AFTERMATH_S)

    async def _exchange(self, step: str) -> Dict[str, Any]:
        self._to_app.put_nowait({"type": "lifespan." + step})
        return await self._from_app.get()

    async def _run(self) -> None:
        scope = {
            "type": "lifespan",
            "asgi": {"version": "3.0", "spec_version": "2.0"},
            "state": self.state,
        }
        try:
            await self._app(scope, self._to_app.get, self._from_app.put)
        # Also SystemExit: out of a task it would end the event loop, and with it the explanation.
        except BaseException as error:
            self._error = error
        finally:
            self._from_app.put_nowait({"type": _ENDED})

    def _ended_well(self, answer: Dict[str, Any]) -> bool:
        return answer["type"] == _ENDED and self._error is None

    async def _failure(self, step: str, answer: Dict[str, Any]) -> OperationError:
        """From the exception, where the app raises one after its answer (Starlette does), or its message."""
        if self._task is not None:
            await asyncio.wait([self._task], timeout=_AFTERMATH_S)
        if self._error is not None:
            message = f"The app's {step} failed: {last_line(self._error)}"
            return OperationError(step, message, traceback=app_traceback(self._error))
        reason = str(answer.get("message") or "it gave no reason")
        return OperationError(
            step, f"The app's {step} failed: {reason.strip().splitlines()[-1]}", traceback=reason
        )


_ENDED = "ended"
