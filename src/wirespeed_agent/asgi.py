"""Calling an ASGI app in its own process, without a socket.

What lives here: building a scope as a server would, and one call with everything it sent back. This file
must never know what is being measured or why.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any, Awaitable, Callable, Dict, List, MutableMapping, Optional, Tuple
from urllib.parse import unquote_to_bytes

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

RawHeaders = List[Tuple[bytes, bytes]]

MAX_BODY_BYTES = 256 * 1024 * 1024


class AnswerTooLong(Exception):
    """The app kept sending beyond the deadline or the size limit: an endless stream."""


class Request:
    """One HTTP request, ready to be turned into scopes. ``path`` carries its query string."""

    def __init__(self, method: str, path: str, headers: RawHeaders, body: bytes) -> None:
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"

    def scope(self, state: Dict[str, Any]) -> Dict[str, Any]:
        """A fresh scope; ``state`` is what the lifespan left, copied as servers do."""
        raw_path, _, query = self.path.partition("?")
        scope: Dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": self.method,
            "scheme": "http",
            "path": unquote_to_bytes(raw_path).decode("utf-8", "replace"),
            "raw_path": raw_path.encode("latin-1", "replace"),
            "query_string": query.encode("latin-1", "replace"),
            "root_path": "",
            "headers": self._all_headers(),
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", 8000),
            "extensions": {},
        }
        scope["state"] = dict(state)
        return scope

    def _all_headers(self) -> RawHeaders:
        """The user's headers, and those that every client sends, where the user gave none."""
        given = {name for name, _ in self.headers}
        implied: RawHeaders = [
            (b"host", b"127.0.0.1:8000"),
            (b"accept", b"*/*"),
            (b"user-agent", b"wirespeed"),
        ]
        if self.body:
            implied.append((b"content-length", str(len(self.body)).encode()))
            implied.append((b"content-type", b"application/json"))
        return [pair for pair in implied if pair[0] not in given] + self.headers


class Sink:
    """The two callables of one call, and what came through them.

    ``receive`` gives the whole body once. Then it waits until the answer is complete, to say that the client
    is gone, as servers do.
    """

    __slots__ = (
        "_body",
        "_completed",
        "_deadline",
        "_size",
        "_taken",
        "_waiting",
        "chunks",
        "headers",
        "status",
    )

    def __init__(self, body: bytes = b"", deadline: Optional[float] = None) -> None:
        self._body = body
        self._taken = False
        self._completed = False
        self._waiting: Optional[asyncio.Event] = None
        self._deadline = deadline
        self._size = 0
        self.status = 0
        self.headers: RawHeaders = []
        self.chunks: List[bytes] = []

    async def receive(self) -> MutableMapping[str, Any]:
        if not self._taken:
            self._taken = True
            return {"type": "http.request", "body": self._body, "more_body": False}
        if not self._completed:
            self._waiting = self._waiting or asyncio.Event()
            await self._waiting.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.body":
            chunk = message.get("body", b"")
            self.chunks.append(chunk)
            self._size += len(chunk)
            if not message.get("more_body", False):
                self._complete()
            elif self._deadline is not None and self._is_endless():
                raise AnswerTooLong(f"still sending after {self._size} bytes")
        elif message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = [(bytes(name).lower(), bytes(value)) for name, value in message.get("headers", ())]

    def _complete(self) -> None:
        self._completed = True
        if self._waiting is not None:
            self._waiting.set()

    def _is_endless(self) -> bool:
        # A stream whose generator never really waits starves every timer of the loop: look at the clock here.
        assert self._deadline is not None
        return time.monotonic() > self._deadline or self._size > MAX_BODY_BYTES

    @property
    def body(self) -> bytes:
        return b"".join(self.chunks)
