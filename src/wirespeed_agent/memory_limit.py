"""An endpoint that wants more memory than there is fails by itself, before the machine does.

Otherwise the kernel picks the process to end, and it may be the conductor or the user's editor.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Iterator, Optional

SHARE = 0.8
"""Of the memory that is free as the agent starts; the rest of the machine wants to go on."""

_MEMORY = Path("/proc/meminfo")
_CONTROL_GROUP = Path("/sys/fs/cgroup")
_EAGERNESS = Path("/proc/self/oom_score_adj")

_limit_bytes: Optional[int] = None


def limit_memory() -> None:
    """Let the app have most of what is free now; asking for more is then a MemoryError. Linux only.

    RLIMIT_DATA counts what may be written to, and not the address space that libraries reserve freely. It is
    the soft limit, which an app may raise. Where memory runs out all the same, because others want it too,
    this process is the first to be ended.
    """
    global _limit_bytes
    free = list(_free_bytes())
    if not free:
        return
    import resource

    with contextlib.suppress(OSError):
        _EAGERNESS.write_text("1000")
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    known = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    wanted = min([int(SHARE * min(free)), *known])
    # Some sandboxes do not let it be set; then the kernel's choice above is all there is.
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))
        _limit_bytes = wanted


def explain_shortage() -> str:
    """What a MemoryError does not say."""
    if _limit_bytes is None:
        return "it wants more memory than there is"
    return f"it wants more memory than the {_limit_bytes / 1e9:.1f} GB that it may take on this machine"


def _free_bytes() -> Iterator[int]:
    """Of the machine, and of the control group this process is in."""
    with contextlib.suppress(OSError, ValueError, StopIteration):
        lines = _MEMORY.read_text().splitlines()
        available = next(line for line in lines if line.startswith("MemAvailable:"))
        yield int(available.split()[1]) * 1024
    with contextlib.suppress(OSError, ValueError):
        # "max" where there is no limit; version 1 keeps its files elsewhere.
        most = int((_CONTROL_GROUP / "memory.max").read_text())
        yield max(0, most - int((_CONTROL_GROUP / "memory.current").read_text()))
