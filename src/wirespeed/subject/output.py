"""What the app prints, drained so that it never blocks; only the end is kept."""

from __future__ import annotations

import os
import selectors
import threading

_KEPT_BYTES = 1 << 16
_READ_BYTES = 1 << 16
_DRAIN_S = 0.5


class OutputTail:
    """Reads ``fd`` on a thread of its own until ``close``; owns it from then on."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._stop_fd, self._stopper_fd = os.pipe()
        self._kept = bytearray()
        self._thread = threading.Thread(target=self._drain, name="wirespeed-output", daemon=True)
        self._thread.start()

    def text(self) -> str:
        """The last 64 KiB printed so far, in whole lines where there are any."""
        kept = bytes(self._kept)
        if len(kept) == _KEPT_BYTES:
            kept = kept.partition(b"\n")[2] or kept
        return kept.decode(errors="replace")

    def close(self) -> None:
        """Take what has been printed already, then stop reading.

        The end of the output is not waited for long: a daemon the app left behind may hold it open for ever.
        """
        self._thread.join(_DRAIN_S)
        os.close(self._stopper_fd)
        self._thread.join()

    def _drain(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._fd, selectors.EVENT_READ)
            selector.register(self._stop_fd, selectors.EVENT_READ)
            while self._stop_fd not in [key.fd for key, _ in selector.select()]:
                read = os.read(self._fd, _READ_BYTES)
                if not read:
                    break
                self._keep(read)
        os.close(self._fd)
        os.close(self._stop_fd)

    def _keep(self, read: bytes) -> None:
        self._kept += read
        del self._kept[:-_KEPT_BYTES]
