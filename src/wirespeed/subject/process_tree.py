"""A process and everything below it: their CPU time and memory, as Linux accounts for them.

CPU time of living processes comes from their CPU clocks (clock_getcpuclockid(3)), to the nanosecond. That of
children that have ended is in their parent's account, once it has waited for them; the kernel keeps it
exactly but shows it in ticks, so it is right to within two ticks (20 ms) a living process, however many
children there were. What a process that nobody waited for has used is lost: its parent ignores SIGCHLD, or
was gone before it.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_GONE = (FileNotFoundError, ProcessLookupError)
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_CPUCLOCK_SCHED = 2
_LONGEST_STAT = 4096
_KIB = 1024


@dataclass(frozen=True, slots=True)
class Process:
    """One reading of ``/proc/PID/stat`` (proc_pid_stat(5))."""

    pid: int
    state: str
    parent: int
    session: int
    reaped_ticks: int
    """CPU time of its children that it has waited for, and of theirs."""
    started_ticks: int
    """Together with ``pid`` it names a process for good: numbers are used again."""


def is_supported() -> bool:
    return sys.platform == "linux"


def tree_of(root: int) -> list[Process]:
    """``root``, its descendants, and the rest of its session; empty where the system has no ``/proc``."""
    everyone = {process.pid: process for process in _everyone()} if is_supported() else {}
    return [process for process in everyone.values() if _is_below(process, root, everyone)]


def cpu_seconds(tree: Iterable[Process]) -> float:
    """What its processes have used so far, with the children that they have waited for."""
    return sum(_own_cpu_s(process.pid) + process.reaped_ticks / _TICKS_PER_S for process in tree)


def peak_memory_bytes(tree: Iterable[Process]) -> int:
    """The sum of the largest resident sizes (VmHWM) of its living processes.

    An upper bound: the peaks need not have come together, and pages that processes share count once in each.
    """
    return sum(_peak_bytes(process.pid) for process in tree)


def is_alive(pid: int) -> bool:
    """A zombie is not."""
    if is_supported():
        process = _read(pid)
        return process is not None and process.state not in "ZX"
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def kill(processes: Iterable[Process]) -> None:
    """Those that are still the ones that were read."""
    for process in processes:
        now = _read(process.pid)
        if now is not None and now.started_ticks == process.started_ticks:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)


def _everyone() -> Iterator[Process]:
    with os.scandir(_PROC) as entries:
        for entry in entries:
            if entry.name.isdigit() and (process := _read(int(entry.name))) is not None:
                yield process


def _read(pid: int) -> Process | None:
    # Hundreds of these are read around every turn of requests: without the layers of ``open``, in a quarter
    # of the time.
    try:
        fd = os.open(f"{_PROC}/{pid}/stat", os.O_RDONLY)
        try:
            line = os.read(fd, _LONGEST_STAT)
        finally:
            os.close(fd)
    except _GONE:
        return None
    # The name comes second, in parentheses, and may itself hold spaces and parentheses.
    fields = line.rpartition(b")")[2].split()
    return Process(
        pid=pid,
        state=fields[0].decode(),
        parent=int(fields[1]),
        session=int(fields[3]),
        reaped_ticks=int(fields[13]) + int(fields[14]),
        started_ticks=int(fields[19]),
    )


def _is_below(process: Process, root: int, everyone: dict[int, Process]) -> bool:
    above: Process | None = process
    while above is not None:
        if root in (above.pid, above.session):
            return True
        above = everyone.get(above.parent)
    return False


def _own_cpu_s(pid: int) -> float:
    # As the macro MAKE_PROCESS_CPUCLOCK of the kernel's posix-timers.h makes it; Python has no name for it.
    try:
        return time.clock_gettime((~pid << 3) | _CPUCLOCK_SCHED)
    except OSError:
        return 0.0


def _peak_bytes(pid: int) -> int:
    try:
        status = (_PROC / str(pid) / "status").read_text(encoding="utf-8", errors="replace")
    except _GONE:
        return 0
    shown = re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)
    return int(shown[1]) * _KIB if shown else 0
