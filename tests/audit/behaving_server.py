"""A server of known behaviour: prints its port, and serves until its standard input closes.

| path | behaviour |
|---|---|
| `/clean` | the same 13 bytes after 5 ms, always |
| `/errors` | every 20th answer is a 500 |
| `/closes` | every 50th request is answered by a reset connection |
| `/stall` | every 150th answer comes after 2.5 s |
| `/lengths` | bodies of one to three digits |
| `/bursts` | answers are held back for 200 ms in every second |
"""

from __future__ import annotations

import asyncio
import socket
import struct
import sys
from collections import Counter

PAUSE_S = 0.005
RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class Behaving:
    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._answer(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the tool or the fixture is done
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; whether the connection stays open."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        path, version = head.split(maxsplit=3)[1:3]
        self._asked[path] += 1
        nth = self._asked[path]
        if path == "/closes" and nth % 50 == 0:
            sock = writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
            return False
        await asyncio.sleep(self._pause_s(path, nth))
        status = "500 Oops" if path == "/errors" and nth % 20 == 0 else "200 OK"
        body = str(nth % 150).encode() if path == "/lengths" else b"Hello, World!"
        stays = (version == "HTTP/1.1" and "onnection: close" not in head) or "Keep-Alive" in head
        connection = "keep-alive" if stays else "close"
        writer.write(
            f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: {connection}\r\n\r\n".encode()
            + body
        )
        await writer.drain()
        return stays

    def _pause_s(self, path: str, nth: int) -> float:
        if path == "/stall" and nth % 150 == 0:
            return 2.5
        if path == "/bursts":
            into_second = asyncio.get_running_loop().time() % 1
            return max(PAUSE_S, 0.2 - into_second)
        return PAUSE_S


async def main() -> None:
    server = await asyncio.start_server(Behaving().serve, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(main())
