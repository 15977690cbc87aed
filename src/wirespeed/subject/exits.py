"""How a process ended, in words."""

from __future__ import annotations

import signal

_LIKELY_CAUSES = {
    signal.SIGKILL: "killed from outside, most often because memory ran out",
    signal.SIGSEGV: "a crash in C code",
    signal.SIGBUS: "a crash in C code",
    signal.SIGABRT: "it gave up, most often in C code",
}


def explain_exit(returncode: int) -> str:
    """For a return code as ``subprocess`` has it: the exit status, or the negative number of a signal."""
    if returncode >= 0:
        return f"ended by itself with exit status {returncode}"
    try:
        number = signal.Signals(-returncode)
    except ValueError:
        return f"was ended by signal {-returncode}"
    cause = _LIKELY_CAUSES.get(number)
    return f"was ended by {number.name}" + (f" ({cause})" if cause else "")
