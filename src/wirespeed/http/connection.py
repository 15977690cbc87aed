"""One connection: sends a request, times the answer, and tells its lane how it ended.

Lives here: the hot path. It runs once a request, so it makes no task, future or timer, and parses only heads
that it has not just seen. This file must never know when the next request is due, nor how connections are
made.

Requests go straight to the socket while the transport has nothing queued: a transport would write them only
at the end of the event loop's turn, and the times would say so.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from time import perf_counter_ns as clock
from typing import Protocol, cast

from wirespeed.http.answer import (
    NO_KNOWN_HEAD,
    AnswerReader,
    HeadAnswerReader,
    KnownHead,
    ProtocolViolation,
)
from wirespeed.http.outcomes import Failure
from wirespeed.http.recording import CENSORED, Recorder, pack_row
from wirespeed.http.target import PreparedRequest

NOW = 0
"""Given for when a request was due: when it is sent."""
_READ_AT_ONCE_BYTES = 64 * 1024
_TIMEVAL = struct.Struct("@ll")


class Call:
    """A request in use, and the head that answered it last."""

    __slots__ = ("bytes", "content", "is_idempotent", "known_head", "reader")

    def __init__(self, request: PreparedRequest) -> None:
        self.content = request.content
        self.bytes = len(request.content)
        self.is_idempotent = request.is_idempotent
        self.reader: Callable[[], AnswerReader] = HeadAnswerReader if request.is_head else AnswerReader
        self.known_head = NO_KNOWN_HEAD


class Lane(Protocol):
    """Whoever gave the connection a request hears exactly once how it ended: ``ready``, ``stale`` or
    ``failed``.
    """

    def ready(self) -> None:
        """Answered. (Where the connection cannot be kept, ``closed`` came before.)"""

    def closed(self) -> None:
        """The connection is gone while no request was under way."""

    def stale(self, call: Call, due_ns: int) -> None:
        """The server closed the kept connection before a byte of the answer; the connection is gone."""

    def failed(self, failure: Failure) -> None:
        """No answer; the connection is gone."""


class Connection(asyncio.Protocol):
    """Carries one request at a time."""

    __slots__ = (
        "_call",
        "_due_ns",
        "_first_ns",
        "_first_sent_ns",
        "_is_reset",
        "_known",
        "_lane",
        "_left",
        "_patience_ns",
        "_put",
        "_reader",
        "_ready",
        "_record",
        "_sent_ns",
        "_sock",
        "_transport",
        "_waits",
        "_written_ns",
        "ended",
    )

    def __init__(self, lane: Lane, recorder: Recorder, sock: socket.socket, *, in_the_clear: bool) -> None:
        """``sock`` is written to directly where the connection is ``in_the_clear``, through TLS otherwise."""
        self._lane = lane
        self._ready = lane.ready
        self._record = recorder.append
        self._sock = sock
        self._put: Callable[[bytes], int] = sock.send if in_the_clear else self._put_through_transport
        self._transport: asyncio.Transport | None = None
        self._call: Call | None = None
        self._reader: AnswerReader | None = None
        self._known: KnownHead | None = None
        self._left = self._due_ns = self._sent_ns = self._written_ns = self._first_ns = (
            self._first_sent_ns
        ) = 0
        self._patience_ns = 0
        self._is_reset = self._waits = False
        self.ended: Failure | None = None
        """How the connection ended, as a request on it would have to see it."""

    # Hot path. Callables are fetched before they are called: CPython 3.11 calls what a slot holds slowly.

    def send(self, call: Call, due_ns: int) -> None:
        """Send a request; the connection must be idle."""
        put = self._put
        self._call = call
        self._sent_ns = sent_ns = clock()
        self._due_ns = due_ns or sent_ns
        try:
            written = put(call.content)
        except BlockingIOError:
            written = 0
        except OSError:
            # The reading side will say how it ended; but whatever it says, there was a reset.
            self._is_reset = True
            written = call.bytes
        self._written_ns = clock()
        if written != call.bytes:
            self._open_transport.write(call.content[written:])

    def data_received(self, data: bytes) -> None:
        now_ns = clock()
        call = self._call
        if call is not None and self._known is None and self._reader is None:
            known = call.known_head
            if len(data) == known.answer_bytes and data.startswith(known.head):
                self._call = None
                record, ready = self._record, self._ready
                record(
                    pack_row(
                        self._due_ns,
                        self._sent_ns,
                        self._written_ns,
                        now_ns,
                        now_ns,
                        known.status,
                        known.answer_bytes,
                    )
                )
                ready()
                return
        self._piece_received(data, now_ns)

    def _piece_received(self, data: bytes, now_ns: int) -> None:
        """Of an answer that comes in several, or of one whose head is not known."""
        known = self._known
        if known is None:
            call = self._call
            if call is None or self._reader is not None or not data.startswith(call.known_head.head):
                self._read(data, now_ns)
                return
            self._known = known = call.known_head
            self._first_ns = now_ns
            self._left = known.answer_bytes
        self._left -= len(data)
        if self._left > 0:
            return
        if self._left < 0:
            self._end(Failure.PROTOCOL)
            return
        self._call = self._known = None
        self._record(
            pack_row(
                self._due_ns,
                self._sent_ns,
                self._written_ns,
                self._first_ns,
                now_ns,
                known.status,
                known.answer_bytes,
            )
        )
        self._ready()

    def exchange(self, calls: Iterator[Call], most: int, until_ns: int) -> int:
        """Send requests and wait for the answers here; returns how many were sent.

        Goes on while each answer is whole, known and there in time. Of all that were sent, the lane hears of
        the last one only. Only after ``wait_in_place``, and while no request is under way.
        """
        send, receive, record = self.send, self._sock.recv, self._record
        sent = 0
        while sent < most and clock() < until_ns:
            call = next(calls)
            sent += 1
            send(call, NOW)
            known = call.known_head
            expected = known.answer_bytes
            if not expected:
                return sent
            try:
                data = receive(expected + 1)
            except BlockingIOError:
                return sent
            except OSError as error:
                self.connection_lost(error)
                return sent
            if len(data) != expected or not data.startswith(known.head):
                self._received(data)
                return sent
            end_ns = clock()
            self._call = None
            record(
                pack_row(
                    self._due_ns,
                    self._sent_ns,
                    self._written_ns,
                    end_ns,
                    end_ns,
                    known.status,
                    expected,
                )
            )
        ready = self._ready
        ready()
        return sent

    def receive(self) -> bool:
        """Wait for more of the answer, here; False where nothing came in time, or the connection ended.

        Only after ``wait_in_place``, and while a request is under way.
        """
        receive, call = self._sock.recv, self._call
        if call is None:
            return False
        expected = call.known_head.answer_bytes if self._known is None else self._left
        try:
            # One byte more than there should be: it would be a violation.
            data = receive(expected + 1 if expected else _READ_AT_ONCE_BYTES)
        except BlockingIOError:
            return False
        except OSError as error:
            self.connection_lost(error)
            return False
        return self._received(data)

    def _received(self, data: bytes) -> bool:
        if not data:
            self.eof_received()
            return False
        self.data_received(data)
        return True

    # Everything else

    def wait_in_place(self, patience_ns: int) -> None:
        """Let sending and receiving take so long from now on, not fail at once; 0 ends that."""
        waits = patience_ns > 0
        if waits == self._waits and patience_ns in (0, self._patience_ns):
            return
        self._waits = waits
        with suppress(OSError):  # Closed by now: nothing will be sent or received on it.
            self._sock.setblocking(waits)
            if patience_ns not in (0, self._patience_ns):
                self._patience_ns = patience_ns
                limit = _TIMEVAL.pack(*divmod(patience_ns // 1000, 1_000_000))
                for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
                    self._sock.setsockopt(socket.SOL_SOCKET, option, limit)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def send_first(self, call: Call, due_ns: int) -> None:
        """Send the first request on this connection: should the server close it, that is not staleness."""
        self.send(call, due_ns)
        self._first_sent_ns = self._sent_ns

    def eof_received(self) -> bool:
        self._stream_ended()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        if exc is None:
            self._stream_ended()
        else:
            self._end(Failure.TLS if isinstance(exc, ssl.SSLError) else Failure.RESET)

    def time_out(self, sent_before_ns: int, timeout_ns: int) -> None:
        """Give up a request that was sent before a moment."""
        if self._call is not None and self._sent_ns < sent_before_ns:
            # Known is only that it takes longer than this. The sweep that noticed may be late.
            end_ns = self._sent_ns + timeout_ns
            self._record(pack_row(self._due_ns, self._sent_ns, self._written_ns, end_ns, end_ns, CENSORED, 0))
            self._end(Failure.TIMEOUT)

    def in_flight(self) -> tuple[int, int] | None:
        """When the request under way was due and sent, None when there is none."""
        return None if self._call is None else (self._due_ns, self._sent_ns)

    def abandon(self) -> None:
        """Close without telling the lane."""
        self._call = None
        self.ended = self.ended or Failure.RESET
        if self._transport is not None:
            self._transport.abort()

    @property
    def _open_transport(self) -> asyncio.Transport:
        assert self._transport is not None
        return self._transport

    def _put_through_transport(self, content: bytes) -> int:
        self._open_transport.write(content)
        return len(content)

    def _read(self, data: bytes, now_ns: int) -> None:
        """Read a head that is not known, or the body after one."""
        call = self._call
        if call is None:
            # Nobody asked. The connection is out of step from now on.
            self._end(Failure.PROTOCOL)
            return
        if self._reader is None:
            self._reader = call.reader()
            self._first_ns = now_ns
        try:
            complete = self._reader.feed(data)
        except ProtocolViolation:
            self._end(Failure.PROTOCOL)
            return
        if complete:
            self._answered(call, self._reader, now_ns)

    def _answered(self, call: Call, reader: AnswerReader, end_ns: int) -> None:
        self._call = self._reader = None
        self._record(
            pack_row(
                self._due_ns,
                self._sent_ns,
                self._written_ns,
                self._first_ns,
                end_ns,
                reader.status,
                reader.received_bytes,
            )
        )
        call.known_head = reader.known_head() or call.known_head
        # A server may answer before it has read the whole request; the rest of it cannot be taken back.
        if not reader.keep_alive or self._open_transport.get_write_buffer_size():
            self._end(Failure.TRUNCATED)
        self._ready()

    def _stream_ended(self) -> None:
        call, reader = self._call, self._reader
        self._is_reset = self._is_reset or self._has_error()
        if call is not None and reader is not None and reader.ends_with_stream and not self._is_reset:
            self._answered(call, reader, clock())
        else:
            self._end(Failure.STALE if self._is_stale else Failure.TRUNCATED)

    def _has_error(self) -> bool:
        """Whether the stream ended by RST. After data that came with it, libuv reports a plain end."""
        try:
            return self._sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0
        except OSError:
            # Closed by now: there was a chance to look when the end was read.
            return False

    @property
    def _is_stale(self) -> bool:
        """Whether the end of the stream means that the server had closed an idle connection."""
        is_first = self._sent_ns == self._first_sent_ns
        return self._reader is None and self._known is None and not is_first and not self._is_reset

    def _end(self, failure: Failure) -> None:
        """Close, and tell the lane, once."""
        if self.ended is not None:
            return
        call, self._call = self._call, None
        self._known = None
        self.ended = Failure.RESET if self._is_reset and failure is Failure.TRUNCATED else failure
        self._open_transport.abort()
        if call is None:
            self._lane.closed()
        elif failure is Failure.STALE:
            self._lane.stale(call, self._due_ns)
        else:
            self._lane.failed(self.ended)
