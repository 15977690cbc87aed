"""A free port on loopback that stays free until the server takes it.

A socket that is bound but does not listen keeps the port from everyone who asks for any free one, and from
outgoing connections; a server that names the port, and sets SO_REUSEADDR as all servers do, may listen on it
all the same (Linux). Elsewhere that is refused, so the port is let go just before; should another program be
faster, the server says that it is in use.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager

HOST = "127.0.0.1"
_PROBE_S = 1.0


@contextmanager
def reserved_port() -> Iterator[int]:
    with socket.socket() as reservation:
        reservation.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reservation.bind((HOST, 0))
        port: int = reservation.getsockname()[1]
        if sys.platform != "linux":
            reservation.close()
        yield port


def accepts(port: int) -> bool:
    """Whether somebody listens."""
    try:
        socket.create_connection((HOST, port), timeout=_PROBE_S).close()
    except OSError:
        return False
    return True
