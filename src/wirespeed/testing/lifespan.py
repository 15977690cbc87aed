"""The lifespan of an app around one piece of work, on whichever event loop runs.

Exceptions come out as they were raised, not in groups: whoever tests an app looks for its own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, TypeVar

from wirespeed.errors import UsageError

if TYPE_CHECKING:
    from wirespeed_agent.asgi import ASGIApp

T = TypeVar("T")


async def within_lifespan(app: ASGIApp, work: Callable[[Mapping[str, Any]], Awaitable[T]]) -> T:
    """What ``work`` gives, which gets the state that the started app left; then the app is shut down.

    Raises what the app or ``work`` raise, and UsageError where the app takes no part in the protocol.
    """
    import anyio

    lifespan = _Lifespan(app, started=anyio.Event(), leaving=anyio.Event())
    errors: list[BaseException] = []
    results: list[T] = []
    async with anyio.create_task_group() as group:
        group.start_soon(lifespan.run)
        await lifespan.started.wait()
        if lifespan.is_up:
            try:
                results.append(await work(lifespan.state))
            except Exception as error:
                errors.append(error)
        lifespan.leaving.set()
    errors += lifespan.errors
    if errors:
        raise errors[0]
    if lifespan.refusal is not None:
        raise RuntimeError(lifespan.refusal)
    if not results:
        raise UsageError("lifespan=True, but the app takes no part in the lifespan protocol.")
    return results[0]


class _Lifespan:
    def __init__(self, app: ASGIApp, started: Any, leaving: Any) -> None:
        self.state: dict[str, Any] = {}
        self.is_up = False
        self.errors: list[BaseException] = []
        self.refusal: str | None = None
        """What an app says that fails to start or to stop, and does not raise."""
        self.started = started
        self.leaving = leaving
        self._app = app
        self._messages = ["lifespan.shutdown", "lifespan.startup"]

    async def run(self) -> None:
        scope = {
            "type": "lifespan",
            "asgi": {"version": "3.0", "spec_version": "2.0"},
            "state": self.state,
        }
        try:
            await self._app(scope, self._receive, self._send)
        except Exception as error:
            self.errors.append(error)
        finally:
            self.started.set()

    async def _receive(self) -> MutableMapping[str, Any]:
        message = self._messages.pop()
        if message == "lifespan.shutdown":
            await self.leaving.wait()
        return {"type": message}

    async def _send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "lifespan.startup.complete":
            self.is_up = True
            self.started.set()
        elif message["type"].endswith(".failed"):
            self.refusal = f"{message['type']}: {message.get('message') or 'no reason given'}"
