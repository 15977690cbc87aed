"""What finished requests leave behind: rows of integer nanoseconds in one flat array.

Lives here: the columns of a row, and where rows wait until somebody has time for them. Appending to an
``array`` makes no object that the garbage collector looks at.
"""

from __future__ import annotations

import struct
from array import array

import numpy as np

from wirespeed.stats.histogram import IntArray

DUE, SENT, WRITTEN, FIRST, END, STATUS, BYTES = range(7)
"""Columns: five times of the monotonic clock, the status, and the bytes of the answer.

DUE: when the request should have been sent. SENT, WRITTEN: before and after it was handed to the system.
FIRST, END: when the first and the last bytes of the answer arrived.
"""
CENSORED = 0
"""The status of a request that nobody answered: END is how long it was waited for."""

pack_row = struct.Struct("7q").pack


class Recorder:
    """Rows since they were last taken."""

    def __init__(self) -> None:
        self._rows = array("q")
        self.append = self._rows.frombytes
        """Takes what ``pack_row`` gives."""

    def __len__(self) -> int:
        return len(self._rows) // 7

    def take(self) -> IntArray:
        """All rows, one below the other, and start anew."""
        rows: IntArray = np.array(self._rows, dtype=np.int64).reshape(-1, 7)
        del self._rows[:]
        return rows
