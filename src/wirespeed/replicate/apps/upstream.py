"""The upstream that ``upstream_client`` asks: a small JSON after a set delay, or whatever else goes wrong.

``GET /uuid?delay_ms=20&status=200&body=…``: each part may be left out. Plain ASGI, for it should never be
what an arm waits for longer than the delay.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final
from urllib.parse import parse_qs
from uuid import UUID

Message = MutableMapping[str, Any]

ANSWER: Final = json.dumps({"uuid": str(UUID(int=0x6F3A_52C1_9B7E_4D08_8E15_C0DE_CAFE_F00D))})
"""Always the same, so that the answers of arms can be compared."""


async def app(
    scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
) -> None:
    if scope["type"] != "http":
        await _live(receive, send)
        return
    wanted = {name: values[-1] for name, values in parse_qs(scope["query_string"].decode()).items()}
    body = wanted.get("body", ANSWER).encode()
    await asyncio.sleep(float(wanted.get("delay_ms", 0)) / 1000)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": int(wanted.get("status", 200)), "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _live(
    receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
) -> None:
    """The lifespan: nothing to start, nothing to end."""
    for done in ("startup", "shutdown"):
        await receive()
        await send({"type": f"lifespan.{done}.complete"})
