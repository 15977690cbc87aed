"""The app as one worker of a server has it.

It is imported when the server imports it, and starts up when the server says so; on the way the conductor is
told how far it is. What can only be awaited, an asynchronous factory or ``--prepare``, is awaited at the head
of the lifespan, in the loop that the app will live in.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import sys
import threading
import time
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, MutableMapping, Optional

from .asgi import ASGIApp, Receive, Scope, Send
from .bytecode import cache_bytecode
from .edited_imports import EditedFiles
from .errors import OperationError
from .loading import find, finish
from .logbook import Logbook
from .preparing import finish_preparing, prepare
from .session import booted_report, lifespan_notes, output_by_line
from .tracebacks import full_traceback, last_line
from .variant_header import VariantSwitch
from .whereabouts import whereabouts


def load(plan: Mapping[str, Any]) -> Served:
    """The app for the server to call. Raises OperationError, of which the conductor knows by then."""
    served = Served(plan)
    served.load()
    return served


class Served:
    """Passes every call on to the app; requests pay for it with one coroutine more.

    ``__call__`` is a coroutine function because servers look at that to tell kinds of apps apart.
    """

    def __init__(self, plan: Mapping[str, Any]) -> None:
        self._plan = plan
        self._logbook = Logbook(plan["logbook"])
        self._starting = contextlib.ExitStack()
        self._ready = threading.Event()
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._began = time.perf_counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def load(self) -> None:
        """All that needs no event loop: servers differ in whether theirs runs by now."""
        threading.Thread(target=self._tell_if_stuck, name="wirespeed-watch", daemon=True).start()
        self._starting.enter_context(output_by_line())
        # A server that forks its workers has set this already.
        self._writes_none = cache_bytecode(self._plan["bytecode"]) or (
            sys.pycache_prefix == self._plan["bytecode"]
        )
        self._edited = EditedFiles(self._plan["edited"])
        self._edited.install()
        with self._telling():
            self._found = find(self._plan["app"], self._folder, self._logbook.doing)
            if not inspect.isawaitable(self._found.app):
                self._prepare()
        self._imported = time.perf_counter()

    async def _finish_loading(self) -> None:
        if inspect.isawaitable(self._found.app):
            self._found = await finish(self._found)
            self._prepare()
        await finish_preparing(self._plan["prepare"], self._prepared)

    def _prepare(self) -> None:
        spec, app = self._plan["prepare"], self._found.app
        self._prepared = prepare(spec, app, self._folder, self._logbook.doing) if spec else None
        wanted = self._plan["variants"]
        self._switch = VariantSwitch(app, wanted, self._logbook) if wanted else None
        self._app: ASGIApp = self._switch or app

    async def _live(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The app's lifespan, watched for how its start-up ends."""
        self._loop = asyncio.get_running_loop()
        with self._telling():
            await self._finish_loading()
        self._logbook.doing("starting the app up")
        startup = _Startup(self._is_up, self._refused)
        try:
            await self._app(scope, receive, startup.watched(send))
        except BaseException as error:
            # As servers do: an app that raises instead of taking part is served without a lifespan.
            startup.end(last_line(error))
            raise
        startup.end(None)

    def _is_up(self, unsupported: Optional[str]) -> None:
        if self._switch is not None:
            with self._telling():
                self._switch.install()
        assert self._loop is not None
        started = booted_report(
            self._found,
            self._loop,
            import_s=self._imported - self._began,
            lifespan_s=time.perf_counter() - self._imported,
            dont_write_bytecode=self._writes_none,
            notes=self._found.notes + lifespan_notes(unsupported),
            edited=self._edited.loaded,
        )
        self._logbook.write(started=started)
        self._ready.set()
        self._starting.close()

    def _refused(self, reason: str) -> None:
        """The reason is a traceback where Starlette gives it."""
        message = f"The app's startup failed: {reason.strip().splitlines()[-1]}"
        self._logbook.write(error=OperationError("startup", message, traceback=reason).as_message())

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except OperationError as failure:
            self._logbook.write(error=failure.as_message())
            raise
        except Exception as error:
            unforeseen = OperationError("internal", last_line(error), traceback=full_traceback(error))
            self._logbook.write(error=unforeseen.as_message())
            raise

    def _tell_if_stuck(self) -> None:
        if not self._ready.wait(max(0.0, self._plan["deadline"] - time.monotonic())):
            self._logbook.write(stuck=whereabouts(self._loop))

    @property
    def _folder(self) -> Path:
        return Path(self._plan["folder"])


class _Startup:
    """Tells once how the start-up ends: from what the app sends, or from how it leaves."""

    def __init__(self, is_up: Callable[[Optional[str]], None], refused: Callable[[str], None]) -> None:
        self._is_up = is_up
        self._refused = refused
        self._over = False

    def watched(self, send: Send) -> Send:
        async def watching_send(message: MutableMapping[str, Any]) -> None:
            # Told before it is passed on: after a refusal some servers end at once.
            self._take(message)
            await send(message)

        return watching_send

    def _take(self, message: Mapping[str, Any]) -> None:
        if message["type"] == "lifespan.startup.complete":
            self.end(None)
        elif message["type"] == "lifespan.startup.failed" and not self._over:
            self._over = True
            self._refused(str(message.get("message") or "it gave no reason"))

    def end(self, unsupported: Optional[str]) -> None:
        if not self._over:
            self._over = True
            self._is_up(unsupported)
