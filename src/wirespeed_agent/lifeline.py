"""Dying with the conductor, however it ends and whatever the app is doing.

The conductor holds the writing ends of two pipes and never lets go of them while it lives. Their closing is
noticed twice:

- The kernel notices for us (Linux): the *lifeline* pipe carries no data, is owned by our process group and
  has SIGKILL as its signal, so the whole group dies the moment the conductor does, even while C code of the
  app keeps the interpreter locked.
- The thread that reads commands meets the end of its pipe (everywhere).

PR_SET_PDEATHSIG would be the obvious tool, and the wrong one. It kills this process but not the app's
children, and often before the reading thread can; and it fires when the *thread* that started us ends.

Children that left the process group (``setsid``) are out of reach of both.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
from typing import NoReturn


def die_with(lifeline_fd: int) -> None:
    """Have the kernel kill our process group when the other end of ``lifeline_fd`` closes."""
    if not hasattr(fcntl, "F_SETSIG"):
        return
    # Some sandboxes do not know these calls; there the reading thread is alone in noticing.
    with contextlib.suppress(OSError):
        fcntl.fcntl(lifeline_fd, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(lifeline_fd, fcntl.F_SETSIG, signal.SIGKILL)
        flags = fcntl.fcntl(lifeline_fd, fcntl.F_GETFL)
        fcntl.fcntl(lifeline_fd, fcntl.F_SETFL, flags | fcntl.FASYNC)


def die_now() -> NoReturn:
    """Kill this process and the app's children; never anyone else's group."""
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)
