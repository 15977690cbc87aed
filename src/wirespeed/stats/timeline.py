"""Events counted by time since the start, in memory that no length of run makes larger.

One count a second at first; whenever there would be too many, neighbours are added up, and each count stands
for twice as long.
"""

from __future__ import annotations

import numpy as np

from wirespeed.stats.histogram import IntArray

MAX_SLOTS = 1024


class Timeline:
    """How many events fell into each slot of ``slot_s`` seconds."""

    __slots__ = ("_counts", "slot_s")

    def __init__(self) -> None:
        self._counts: IntArray = np.zeros(MAX_SLOTS, dtype=np.int64)
        self.slot_s = 1

    def record(self, since_start_ns: IntArray) -> None:
        if not len(since_start_ns):
            return
        seconds = np.maximum(since_start_ns, 0) // 1_000_000_000
        while int(seconds.max()) >= self.slot_s * MAX_SLOTS:
            self._double()
        self._counts += np.bincount(seconds // self.slot_s, minlength=MAX_SLOTS)

    def add(self, other: Timeline) -> None:
        """Merge; ``other`` becomes as coarse as this one where it is finer."""
        while self.slot_s < other.slot_s:
            self._double()
        while other.slot_s < self.slot_s:
            other._double()
        self._counts += other._counts

    def counts(self) -> list[int]:
        """Up to the last slot that has any."""
        used = np.flatnonzero(self._counts)
        counts: list[int] = self._counts[: used[-1] + 1].tolist() if len(used) else []
        return counts

    def _double(self) -> None:
        self._counts = np.concatenate(
            [self._counts[0::2] + self._counts[1::2], np.zeros(MAX_SLOTS // 2, dtype=np.int64)]
        )
        self.slot_s *= 2
