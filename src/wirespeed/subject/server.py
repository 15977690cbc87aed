"""An app behind its own server, on loopback: started, watched and ended.

What lives here: one life of a server, from ``served`` to the end of its block, come what may. An agent in the
app's interpreter runs the server, whose workers load the app and report through a logbook. What is sent to it
over HTTP is not known here.
"""

from __future__ import annotations

import math
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from wirespeed import interruption
from wirespeed.errors import SubjectDied, SubjectError, SubjectHung, WirespeedError
from wirespeed.model.subject import AppSubject, Booted, RouteVariant, ServerSettings

from . import process_tree
from .booting import as_error, boot_args
from .bundle import LOGBOOK, serving_folder
from .exits import explain_exit
from .logbook import Logbook
from .port import HOST, accepts, reserved_port
from .process import RunningAgent, start_agent
from .process_tree import tree_of
from .variant_header import VariantHeader

START_DEADLINE_S = 60.0
SHUTDOWN_DEADLINE_S = 5.0
"""How long a server, and the app's shutdown with it, may take to end before it is killed."""

_WHEREABOUTS_S = 1.0
_LAST_BREATH_S = 0.5
_POLL_S = 0.01


@contextmanager
def served(
    subject: AppSubject,
    server: ServerSettings,
    *,
    deadline_s: float = START_DEADLINE_S,
    variants: Sequence[RouteVariant] = (),
) -> Iterator[ServedApp]:
    """The app behind its server while the block runs; when it begins, every worker has started.

    Raises UsageError (the app is not there, the server not installed), SubjectError with the app's own
    traceback, SubjectHung when starting takes longer than ``deadline_s``, and SubjectDied where the server
    ends by itself: also from the block, in place of what its requests then failed with.
    """
    deadline = time.monotonic() + deadline_s
    header = VariantHeader()
    with reserved_port() as port:
        plan = {
            **boot_args(subject),
            "server": server.name,
            "workers": server.workers,
            "port": port,
            "deadline": deadline,
            "variants": header.for_agent(variants),
        }
        with serving_folder(plan) as folder:
            running = start_agent(subject, str(folder))
            logbook = Logbook(folder / LOGBOOK)
            with closing(ServedApp(subject, server, running, logbook, port, header)) as app:
                app.await_start(deadline, deadline_s)
                yield from _blaming_its_death(app)


def _blaming_its_death(app: ServedApp) -> Iterator[ServedApp]:
    try:
        yield app
    except SubjectDied:
        raise
    except Exception as error:
        app.check(because=error)
        raise
    app.check()


class ServedApp:
    """A running server and what it costs; ``served`` makes it and ends it. Not safe for several threads."""

    def __init__(
        self,
        subject: AppSubject,
        server: ServerSettings,
        running: RunningAgent[subprocess.Popen[bytes]],
        logbook: Logbook,
        port: int,
        header: VariantHeader,
    ) -> None:
        self.subject = subject
        self.server = server
        self.base_url = f"http://{HOST}:{port}"
        self._running = running
        self._ended = False
        self._logbook = logbook
        self._port = port
        self._header = header
        self._workers: set[int] = set()

    @property
    def booted(self) -> Booted:
        """As one of the workers reported it."""
        assert self._logbook.booted is not None
        return self._logbook.booted

    @property
    def output(self) -> str:
        """The end of what server and app have printed, until now."""
        return self._running.output.text()

    def variant_header(self, index: int) -> tuple[str, str]:
        """Name and value of the header that lets the variant with this index answer a request."""
        return self._header.name, self._header.value(index)

    def variant_misses(self, index: int) -> int:
        """How many requests that asked for this variant were answered without it, so far.

        A first one is no mistake where an app makes its routes only with its first request.
        """
        self._logbook.refresh()
        return self._logbook.missed[index]

    def alive(self) -> bool:
        return not self._ended and self._running.process.poll() is None

    def check(self, *, because: Exception | None = None) -> None:
        """Raises SubjectDied if the server has ended by itself.

        ``because``: an error that may come of it. A process closes its connections before it is gone, so it
        is then given a moment to end.
        """
        if because is not None and self.alive():
            self._running.ends_within(_LAST_BREATH_S)
        if not self.alive():
            raise self._died(f"serving {self.subject.app}") from because

    def restarts(self) -> bool:
        """Whether a worker has ended, or was started, since all of them had started."""
        self._logbook.refresh()
        same = set(self._logbook.started) == self._workers
        return not (same and all(map(process_tree.is_alive, self._workers)))

    def cpu_seconds(self) -> float:
        """CPU time of the server and everything below it since it was started; differences are what counts.

        ``process_tree`` says how exact it is. NaN where the system has no such clocks (macOS). Raises
        SubjectDied.
        """
        self.check()
        return process_tree.cpu_seconds(self._tree()) if process_tree.is_supported() else math.nan

    def peak_memory_bytes(self) -> int | None:
        """An upper bound of what the server and everything below it held in memory at once, since it was
        started; None where the system does not tell (macOS). Raises SubjectDied.
        """
        self.check()
        return process_tree.peak_memory_bytes(self._tree()) if process_tree.is_supported() else None

    def await_start(self, deadline: float, deadline_s: float) -> None:
        """Until every worker has started and the port is open.

        ``deadline``, a reading of ``time.monotonic()``, is ``deadline_s`` after the beginning.
        """
        while not self._has_started():
            if self._is_broken() and not self._has_started():
                raise self._died(self._starting())
            if time.monotonic() > deadline:
                raise self._hung(deadline_s)
            interruption.check()
            time.sleep(_POLL_S)
        self._workers = set(self._logbook.started)

    def close(self) -> None:
        """Ask the server to end, then kill whatever is left of it."""
        if self._ended:
            return
        below = self._tree()
        try:
            self._running.process.terminate()
            self._running.ends_within(SHUTDOWN_DEADLINE_S)
        finally:
            self._kill(below)

    def _kill(self, below: Sequence[process_tree.Process]) -> None:
        """``below``: what was in the tree; its group alone would miss what has left that."""
        if self._ended:
            return
        self._ended = True
        try:
            process_tree.kill([*below, *self._tree()])
        finally:
            self._running.end()

    def _tree(self) -> list[process_tree.Process]:
        return tree_of(self._running.process.pid)

    def _has_started(self) -> bool:
        """Raises what a process has reported instead."""
        self._logbook.refresh()
        if self._logbook.error is not None:
            raise self._refused(self._logbook.error)
        return len(self._logbook.started) >= self.server.workers and accepts(self._port)

    def _is_broken(self) -> bool:
        return not self.alive() or not all(map(process_tree.is_alive, self._logbook.doing))

    def _starting(self) -> str:
        *_, doing = ["", *(f" ({what})" for what in self._logbook.doing.values())]
        return f"starting {self.subject.app}{doing}"

    def _refused(self, error: dict[str, Any]) -> WirespeedError:
        self._kill(())
        return as_error(error, self.output)

    def _died(self, during: str) -> SubjectError:
        returncode = self._running.process.poll()
        self._kill(())
        how = "lost a worker" if returncode is None else explain_exit(returncode)
        return SubjectDied(f"{self.server.name} {how} while {during}.", during=during, output=self.output)

    def _hung(self, deadline_s: float) -> SubjectError:
        during = self._starting()
        gives_up = time.monotonic() + _WHEREABOUTS_S
        while self._logbook.stuck is None and time.monotonic() < gives_up:
            self._logbook.refresh()
            time.sleep(_POLL_S)
        where = self._logbook.stuck or None
        self._kill(())
        return SubjectHung(
            f"Gave up {during} after {deadline_s:g} s.",
            during=during,
            advice="The traceback shows where it was waiting." if where else None,
            app_traceback=where,
            output=self.output,
        )
