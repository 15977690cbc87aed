"""Servers on loopback, from raw sockets up: each does exactly what a test says, and counts for itself."""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

CERTIFICATE = Path(__file__).with_name("certificate.pem")
"""Self-signed, for localhost and 127.0.0.1, with its key; it secures nothing."""

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Exchange:
    """One request that a server has read, and the means to answer it well or badly."""

    def __init__(self, connection: socket.socket, request: bytes, number: int) -> None:
        self.connection = connection
        self.request = request
        self.number = number
        """Requests of the whole server before this one."""

    @property
    def path(self) -> str:
        return self.request.split(b" ", 2)[1].decode()

    def send(self, content: bytes) -> None:
        self.connection.sendall(content)

    def reset(self) -> None:
        """Close with RST instead of FIN."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def finish(self) -> None:
        """Send FIN, and stay until the other side has closed: what it sent meanwhile is never answered."""
        self.connection.shutdown(socket.SHUT_WR)
        while self.connection.recv(65536):
            pass


Behaviour = Callable[[Exchange], None]


class Server:
    """A thread for each connection; ``behave`` answers, and closes the connection where it wants that."""

    def __init__(self, behave: Behaviour, listener: socket.socket, tls: ssl.SSLContext | None = None) -> None:
        self._behave = behave
        self._listener = listener
        self.tls = tls
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self.connections = 0
        self.requests = 0
        self.paths: Counter[str] = Counter()
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    @property
    def url(self) -> str:
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}/"

    def refuse(self) -> None:
        """Refuse connections from now on."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def stop(self) -> None:
        """Refuse connections, and close those that are open."""
        self.refuse()
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        self._thread.join()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        # What clients do to connections in these tests is their business; the tests look at the outcomes.
        with contextlib.suppress(OSError):
            if self.tls is not None:
                connection = self.tls.wrap_socket(connection, server_side=True)
            with self._lock:
                self._open.add(connection)
            with connection, contextlib.suppress(EOFError):
                while True:
                    self._exchange(connection)

    def _exchange(self, connection: socket.socket) -> None:
        request = read_request(connection)
        with self._lock:
            number, self.requests = self.requests, self.requests + 1
            exchange = Exchange(connection, request, number)
            self.paths[exchange.path] += 1
        self._behave(exchange)


def read_request(connection: socket.socket) -> bytes:
    """Head and body. Raises ``EOFError`` where there is none."""
    received = b""
    while (end := received.find(b"\r\n\r\n")) < 0:
        received += _more(connection)
    length = 0
    for line in received[:end].split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    while len(received) < end + 4 + length:
        received += _more(connection)
    return received


def _more(connection: socket.socket) -> bytes:
    piece = connection.recv(65536)
    if not piece:
        raise EOFError
    return piece


def answering(content: bytes) -> Behaviour:
    return lambda exchange: exchange.send(content)


def say_ok(exchange: Exchange) -> None:
    exchange.send(OK)


def taking(delay_s: float) -> Behaviour:
    """Answers after a delay."""

    def behave(exchange: Exchange) -> None:
        time.sleep(delay_s)
        exchange.send(OK)

    return behave


def start(behave: Behaviour, *, tls: bool = False, unix: Path | None = None) -> Server:
    """A server on a free port of 127.0.0.1, or on a Unix socket."""
    listener = socket.socket(socket.AF_INET if unix is None else socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", 0) if unix is None else str(unix))
    listener.listen(1024)
    context = None
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
    return Server(behave, listener, context)
