"""Finding a server and connecting to it: name look-up, TCP or Unix socket, TLS handshake, each timed.

Lives here: every way in which a connection can fail to come about, as a ``Failure``. This file must never
know what is sent over it.
"""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import os
import socket
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter_ns as clock
from typing import Any, cast

from wirespeed.errors import SubjectError, UsageError
from wirespeed.http.outcomes import Failure
from wirespeed.http.target import Origin, Tls

MakeProtocol = Callable[[socket.socket], asyncio.Protocol]

_HANDSHAKE_S = 1.0
"""Enough for a handshake that only answers a question."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a socket can connect to."""

    family: int
    sockaddr: Any

    @property
    def host(self) -> str | None:
        return self.sockaddr[0] if self.is_tcp else None

    @property
    def is_tcp(self) -> bool:
        return self.family in (socket.AF_INET, socket.AF_INET6)

    @property
    def is_local(self) -> bool:
        """Whether the other end is surely on this machine."""
        if not self.is_tcp:
            return True
        ip = ipaddress.ip_address(self.sockaddr[0].partition("%")[0])
        mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
        ip = mapped or ip
        return ip.is_loopback or ip.is_unspecified

    def __str__(self) -> str:
        if not self.is_tcp:
            return str(self.sockaddr)
        host, port = self.sockaddr[:2]
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


@dataclass(frozen=True, slots=True)
class Addresses:
    """What an origin's name stands for, in the order to try them, and how long the look-up took."""

    found: tuple[Address, ...]
    lookup_ns: int | None


class DialFailed(Exception):
    """No connection; ``failure`` says how it is counted."""

    def __init__(self, failure: Failure, message: str) -> None:
        super().__init__(message)
        self.failure = failure


async def look_up(origin: Origin) -> Addresses:
    """The addresses of an origin. Raises ``SubjectError`` where its name means nothing."""
    if origin.unix_path is not None:
        return Addresses((Address(socket.AF_UNIX, origin.unix_path),), None)
    started_ns = clock()
    try:
        infos = await asyncio.get_running_loop().getaddrinfo(
            origin.host, origin.port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP
        )
    except OSError as error:
        raise SubjectError(
            f"the host {origin.host} is not known: {error.strerror or error}",
            advice="Check the URL's spelling.",
        ) from error
    took_ns = None if _is_address(origin.host) else clock() - started_ns
    return Addresses(tuple(Address(info[0], info[4]) for info in infos), took_ns)


def require_local(origin: Origin, addresses: Sequence[Address]) -> None:
    """Refuse to put load on what may be somebody else's machine."""
    for address in addresses:
        if not address.is_local:
            raise UsageError(
                f"{origin.host} ({address}) is not on this machine",
                advice="Add --remote if you may put load on it.",
            )


def tls_context(tls: Tls) -> ssl.SSLContext:
    """Certificates are verified against the system's authorities, unless the target says not to."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    if not tls.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


async def speaks_tls(address: Address, server_name: str) -> bool:
    """Whether a TLS handshake succeeds there, whatever the certificate says."""
    dialer = Dialer(address, Tls(server_name, verify=False), _HANDSHAKE_S)
    try:
        await dialer.dial(lambda _: _HangUp())
    except DialFailed:
        return False
    return True


class _HangUp(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast("asyncio.Transport", transport).abort()


@dataclass(frozen=True, slots=True)
class DialTimes:
    connect_ns: int
    tls_ns: int | None


class Dialer:
    """Makes connections to one address."""

    def __init__(self, address: Address, tls: Tls | None, timeout_s: float) -> None:
        self._address = address
        self._timeout_s = timeout_s
        self._context = None if tls is None else tls_context(tls)
        self._server_name = None if tls is None else tls.server_name

    @property
    def address(self) -> Address:
        return self._address

    @property
    def in_the_clear(self) -> bool:
        return self._context is None

    async def dial(self, make: MakeProtocol) -> DialTimes:
        """Connect, and hand the connection to the protocol that ``make`` gives. Raises ``DialFailed``."""
        sock = self._socket()
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._dial(sock, make)
        except TimeoutError as error:
            sock.close()
            kind = "connection" if self.in_the_clear else "TLS connection"
            raise DialFailed(Failure.CONNECT_TIMEOUT, f"no {kind} within {self._timeout_s:g} s") from error
        except BaseException:
            sock.close()
            raise

    async def _dial(self, sock: socket.socket, make: MakeProtocol) -> DialTimes:
        started_ns = clock()
        try:
            await self._connect(sock)
        except OSError as error:
            failure = Failure.CONNECT_TIMEOUT if error.errno == errno.ETIMEDOUT else Failure.CONNECT_REFUSED
            # asyncio puts words of its own, with the address, in the place of the system's.
            reason = str(error) if error.errno is None else os.strerror(error.errno)
            raise DialFailed(failure, reason) from error
        connected_ns = clock()
        try:
            await self._attach(sock, make)
        except OSError as error:
            raise DialFailed(Failure.TLS, _tls_reason(error)) from error
        return DialTimes(connected_ns - started_ns, None if self._context is None else clock() - connected_ns)

    def _socket(self) -> socket.socket:
        sock = socket.socket(self._address.family, socket.SOCK_STREAM)
        sock.setblocking(False)
        if self._address.is_tcp:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return sock

    async def _connect(self, sock: socket.socket) -> None:
        if self._address.is_tcp:
            await asyncio.get_running_loop().sock_connect(sock, self._address.sockaddr)
        else:
            # A Unix socket connects at once or not at all; event loops would take EAGAIN (its queue is full)
            # for "soon".
            sock.connect(self._address.sockaddr)

    async def _attach(self, sock: socket.socket, make: MakeProtocol) -> None:
        loop = asyncio.get_running_loop()
        if self._context is None:
            await loop.create_connection(lambda: make(sock), sock=sock)
            return
        await loop.create_connection(
            lambda: make(sock),
            sock=sock,
            ssl=self._context,
            server_hostname=self._server_name,
            # The time-out around all of dialing comes first.
            ssl_handshake_timeout=self._timeout_s + 60,
        )


def _tls_reason(error: OSError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate is not valid: {error.verify_message}"
    if isinstance(error, ssl.SSLError) and error.reason:
        return error.reason.replace("_", " ").lower()
    return "the server closed the connection during the TLS handshake"


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
