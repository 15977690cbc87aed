"""Room for connections: each needs a file descriptor, and systems allow a process only so many."""

from __future__ import annotations

from wirespeed.errors import UsageError

_OTHER_DESCRIPTORS = 64
"""Standard streams, the event loop's own, pipes between processes, modules still to be imported."""


def make_room(connections: int) -> None:
    """Raise the soft limit of file descriptors as needed; ``UsageError`` where the hard one is in the way."""
    try:
        import resource
    except ImportError:  # Windows has no such limit.
        return
    needed = connections + _OTHER_DESCRIPTORS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise UsageError(
            f"-c {connections} needs {needed} file descriptors, and this system allows a process {hard}",
            advice=f"Raise the limit (ulimit -Hn {needed}, as root), spread the connections over "
            f"--processes, or use -c {hard - _OTHER_DESCRIPTORS}.",
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
