"""Lanes: places for one request at a time, each with a connection that is made again whenever it is gone.

Lives here: what follows from the way a connection ended: count it, send the request again, rest, dial. This
file must never know when requests are due: whoever knows is told which lane is ready, and sends.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
from array import array
from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter_ns as clock

import numpy as np

from wirespeed.http.connection import NOW, Call, Connection
from wirespeed.http.dialing import Dialer, DialFailed, DialTimes
from wirespeed.http.outcomes import Failure, Tally
from wirespeed.http.recording import Recorder

REST_S = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2)
"""How long a lane pauses after so many failed dials in a row; the last one for all that follow."""
_DIALS_AT_ONCE = 16
"""More would mostly wait for each other, and their times would say so."""

_HAS_SOCKET_TIMEOUTS = sys.platform == "linux"
"""SO_RCVTIMEO as a struct timeval."""


def _receive_nothing() -> bool:
    return False


class Lane:
    """Sends what it is given, one request at a time, and says when it is ready for the next."""

    __slots__ = (
        "_connection",
        "_failed_dials",
        "_lanes",
        "_pending",
        "_task",
        "exchange",
        "ready",
        "receive",
        "send",
    )

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes
        self._connection: Connection | None = None
        self._pending: tuple[Call, int] | None = None
        self._task: asyncio.Task[None] | None = None
        self._failed_dials = 0
        self.ready: Callable[[], None] = partial(lanes.on_ready, self)
        self.send: Callable[[Call, int], None] = self._dial_and_send
        """Send a request that was due at a time, or is ``NOW``. The lane must be ready."""
        self.exchange: Callable[[Iterator[Call], int, int], int] = self._send_one
        """Send at most so many requests, until a time, and wait in place for each answer; tells how many."""
        self.receive: Callable[[], bool] = _receive_nothing
        """Wait in place for more of the answer; False where there is none soon."""

    async def connect(self) -> None:
        """Dial. Raises ``DialFailed``."""
        self._connection = None
        self._lanes.count_dial(await self._lanes.dialer.dial(self._new_connection))
        self.send = self._send_first

    def in_flight(self) -> tuple[int, int | None] | None:
        """When the request under way was due, and when it was sent; None when there is none."""
        if self._pending is not None:
            return self._pending[1], None
        return None if self._connection is None else self._connection.in_flight()

    @property
    def can_wait_in_place(self) -> bool:
        """Whether ``receive`` can bring the answer: what goes through TLS needs the event loop."""
        return _HAS_SOCKET_TIMEOUTS and self._lanes.dialer.in_the_clear

    def wait_in_place(self, patience_ns: int) -> None:
        """Let ``exchange`` and ``receive`` wait so long for an answer from now on; 0 ends that."""
        if self._connection is not None:
            self._connection.wait_in_place(patience_ns)

    @property
    def is_connected(self) -> bool:
        return self._connection is not None and self._connection.ended is None

    @property
    def is_waiting(self) -> bool:
        """Whether a request was sent and its answer has not come."""
        return self._connection is not None and self._connection.in_flight() is not None

    def time_out(self, sent_before_ns: int, timeout_ns: int) -> None:
        if self._connection is not None:
            self._connection.time_out(sent_before_ns, timeout_ns)

    def abandon(self) -> asyncio.Task[None] | None:
        """Close without telling anybody; returns what is left to wait for."""
        if self._task is not None:
            self._task.cancel()
        if self._connection is not None:
            self._connection.abandon()
        return self._task

    # What connections tell

    def closed(self) -> None:
        self.send = self._dial_and_send
        self.exchange = self._send_one
        self.receive = _receive_nothing

    def stale(self, call: Call, due_ns: int) -> None:
        # Only a request that was not the first on its connection can be stale, so this never happens twice to
        # one.
        self.closed()
        if call.is_idempotent:
            self._lanes.tally.retried += 1
            self._dial_and_send(call, due_ns)
        else:
            self.failed(Failure.STALE)

    def failed(self, failure: Failure) -> None:
        self.closed()
        self._lanes.tally.errors[failure] += 1
        self.ready()

    def _new_connection(self, sock: socket.socket) -> Connection:
        lanes = self._lanes
        self._connection = Connection(self, lanes.recorder, sock, in_the_clear=lanes.dialer.in_the_clear)
        return self._connection

    def _send_one(self, calls: Iterator[Call], most: int, until_ns: int) -> int:
        self.send(next(calls), NOW)
        return 1

    def _send_first(self, call: Call, due_ns: int) -> None:
        assert self._connection is not None
        if self._connection.ended is not None:
            self.failed(self._connection.ended)
            return
        self.send, self.receive = self._connection.send, self._connection.receive
        self.exchange = self._connection.exchange
        self._connection.send_first(call, due_ns)

    def _dial_and_send(self, call: Call, due_ns: int) -> None:
        due_ns = due_ns or clock()
        self._pending = call, due_ns
        self._task = asyncio.get_running_loop().create_task(self._dial_for(call, due_ns))

    async def _dial_for(self, call: Call, due_ns: int) -> None:
        try:
            await self.connect()
        except DialFailed as error:
            self._pending = None
            self._lanes.tally.errors[error.failure] += 1
            self._rest()
        except Exception as error:
            self._lanes.crashed(error)
        else:
            self._pending = None
            self._failed_dials = 0
            self._send_first(call, due_ns)

    def _rest(self) -> None:
        self._failed_dials += 1
        pause_s = REST_S[min(self._failed_dials, len(REST_S) - 1)]
        asyncio.get_running_loop().call_later(pause_s, self.ready)


class Lanes:
    """All lanes to one address. ``on_ready`` is called with each lane that can take the next request."""

    def __init__(self, number: int, dialer: Dialer, on_ready: Callable[[Lane], None]) -> None:
        self.dialer = dialer
        self.on_ready = on_ready
        self.recorder = Recorder()
        self.tally = Tally()
        self.crash: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Gets an exception that nobody foresaw."""
        self._connect_ns, self._tls_ns = array("q"), array("q")
        self._lanes = [Lane(self) for _ in range(number)]

    def __iter__(self) -> Iterator[Lane]:
        return iter(self._lanes)

    async def connect(self) -> None:
        """Connect all lanes. Raises ``DialFailed`` where not even the first succeeds."""
        first, *others = self._lanes
        await first.connect()
        slots = asyncio.Semaphore(_DIALS_AT_ONCE)
        await asyncio.gather(*(self._connect_if_possible(lane, slots) for lane in others))

    def count_dial(self, times: DialTimes) -> None:
        self._connect_ns.append(times.connect_ns)
        if times.tls_ns is not None:
            self._tls_ns.append(times.tls_ns)

    def count_up(self) -> None:
        """Move what was recorded into the tally."""
        self.tally.take(self.recorder.take())
        self.tally.steps.connect.record(np.array(self._connect_ns, dtype=np.int64))
        self.tally.steps.tls.record(np.array(self._tls_ns, dtype=np.int64))
        del self._connect_ns[:], self._tls_ns[:]

    def time_out(self, timeout_ns: int) -> None:
        """Give up requests that were sent longer ago than this."""
        sent_before_ns = clock() - timeout_ns
        for lane in self._lanes:
            lane.time_out(sent_before_ns, timeout_ns)

    def in_flight(self) -> list[tuple[int, int | None]]:
        return [times for lane in self._lanes if (times := lane.in_flight()) is not None]

    def crashed(self, error: Exception) -> None:
        if not self.crash.done():
            self.crash.set_exception(error)

    async def close(self) -> None:
        """Close every connection; what is still under way is abandoned."""
        waiting = [task for lane in self._lanes if (task := lane.abandon()) is not None]
        await asyncio.gather(*waiting, return_exceptions=True)

    async def _connect_if_possible(self, lane: Lane, slots: asyncio.Semaphore) -> None:
        async with slots:
            # A lane that cannot connect now dials for its first request, which then counts the failure.
            with contextlib.suppress(DialFailed):
                await lane.connect()
