"""Nanoseconds counted with three significant digits, in memory that no length of run makes larger.

Lives here: HdrHistogram's layout of counts, for whole arrays at once, and its V2 encoding. This file must
never know what was timed.

The idea (Gil Tene, HdrHistogram): values below 2048 have a slot each. From there on every doubling of the
value has 1024 slots, each twice as wide as those before, so that no value moves by more than 0.1 %. With
``bucket = bits(value) - 11``, the slot of a value is ``bucket * 1024 + (value >> bucket)``.
"""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]

SIGNIFICANT_DIGITS = 3
HIGHEST_NS = 24 * 3600 * 10**9
"""Longer times are counted as this one."""

_SUB_BUCKET_BITS = 11
_SUB_BUCKETS = 1 << _SUB_BUCKET_BITS
_HALF_BITS = _SUB_BUCKET_BITS - 1
_HALF = 1 << _HALF_BITS
_SLOTS = (HIGHEST_NS.bit_length() - _SUB_BUCKET_BITS + 2) * _HALF

_V2_COOKIE, _V2_COMPRESSED_COOKIE = 0x1C849313, 0x1C849314
_V2_HEADER = struct.Struct(">iiiiqqd")
_V2_COMPRESSED_HEADER = struct.Struct(">ii")


class Histogram:
    """Counts of integer nanoseconds; smallest, largest and mean are exact, percentiles to 0.1 %."""

    __slots__ = ("_counts", "_max", "_min", "_sum", "total")

    def __init__(self) -> None:
        self._counts = np.zeros(_SLOTS, dtype=np.int64)
        self._sum = 0
        self._min: int | None = None
        self._max: int | None = None
        self.total = 0

    def record(self, values_ns: IntArray) -> None:
        """Count every value of an array; below 0 counts as 0."""
        if not len(values_ns):
            return
        low, high = int(values_ns.min()), int(values_ns.max())
        values = values_ns if low >= 0 and high <= HIGHEST_NS else np.clip(values_ns, 0, HIGHEST_NS)
        # Only up to the largest value: most of the slots are for times that never occur.
        counts = np.bincount(_slots(values))
        self._counts[: len(counts)] += counts
        self._sum += int(values.sum())
        self._widen(min(max(low, 0), HIGHEST_NS), min(max(high, 0), HIGHEST_NS))
        self.total += len(values)

    def add(self, other: Histogram) -> None:
        """Merge: the counts of both. (Percentiles of parts cannot be averaged, counts can be added.)"""
        if other._min is None or other._max is None:
            return
        self._counts += other._counts
        self._sum += other._sum
        self._widen(other._min, other._max)
        self.total += other.total

    @property
    def min_ns(self) -> int | None:
        return self._min

    @property
    def max_ns(self) -> int | None:
        return self._max

    @property
    def mean_ns(self) -> float | None:
        return self._sum / self.total if self.total else None

    @property
    def stdev_ns(self) -> float | None:
        """Standard deviation; None below two values."""
        if self.total < 2:
            return None
        used = np.flatnonzero(self._counts)
        middles = _lowest_ns()[used] + _widths_ns()[used] / 2
        deviations = self._counts[used] * (middles - self._sum / self.total) ** 2
        return math.sqrt(float(deviations.sum()) / (self.total - 1))

    def percentile_ns(self, share: float) -> int | None:
        """The value that ``share`` of all values do not exceed (0 < share < 1); None when there are none."""
        if self._max is None:
            return None
        rank = max(1, math.ceil(share * self.total - 1e-9))
        slot = int(np.searchsorted(np.cumsum(self._counts), rank))
        return min(int(_lowest_ns()[slot] + _widths_ns()[slot] - 1), self._max)

    def supports(self, share: float) -> bool:
        """Whether there are enough values to show a percentile: 10/(1 - share) of them."""
        return self.total * (1 - share) >= 10 - 1e-9

    def slots(self) -> Iterator[tuple[int, int]]:
        """The lowest nanoseconds and the count of every slot that has one, in order."""
        for slot in np.flatnonzero(self._counts):
            yield int(_lowest_ns()[slot]), int(self._counts[slot])

    def counts_between(self, edges_ns: Sequence[float]) -> list[int]:
        """How many values lie between neighbouring edges, to 0.1 % of the edges."""
        used = np.flatnonzero(self._counts)
        middles = _lowest_ns()[used] + (_widths_ns()[used] - 1) / 2
        counted, _ = np.histogram(middles, bins=edges_ns, weights=self._counts[used])
        return [round(count) for count in counted]

    def encode(self) -> str:
        """HdrHistogram's V2 compressed encoding in base64, as it stands in its logs."""
        counts = b"".join(map(_zigzag_leb128, _runs(self._counts)))
        header = _V2_HEADER.pack(_V2_COOKIE, len(counts), 0, SIGNIFICANT_DIGITS, 1, HIGHEST_NS, 1.0)
        packed = zlib.compress(header + counts)
        return base64.b64encode(
            _V2_COMPRESSED_HEADER.pack(_V2_COMPRESSED_COOKIE, len(packed)) + packed
        ).decode()

    @classmethod
    def decode(cls, text: str) -> Histogram:
        """What ``encode`` gave. Extremes and mean are then as exact as the slots. Raises ``ValueError``."""
        try:
            return cls._decode(base64.b64decode(text, validate=True))
        except (struct.error, zlib.error, IndexError) as error:
            raise ValueError(f"not a V2 compressed histogram: {error}") from error

    @classmethod
    def _decode(cls, content: bytes) -> Histogram:
        cookie, length = _V2_COMPRESSED_HEADER.unpack_from(content)
        if cookie != _V2_COMPRESSED_COOKIE:
            raise ValueError("not a V2 compressed histogram")
        start = _V2_COMPRESSED_HEADER.size
        unpacked = zlib.decompress(content[start : start + length])
        _, _, _, digits, lowest, _, _ = _V2_HEADER.unpack_from(unpacked)
        if (digits, lowest) != (SIGNIFICANT_DIGITS, 1):
            raise ValueError("a histogram with other digits or units than ours")
        histogram = cls()
        slot = 0
        for run in _read_zigzag_leb128(unpacked[_V2_HEADER.size :]):
            if run > 0:
                histogram._counts[slot] = run
            slot += max(1, -run)
        histogram._infer()
        return histogram

    def _infer(self) -> None:
        used = np.flatnonzero(self._counts)
        if not len(used):
            return
        lowest, widths, counts = _lowest_ns()[used], _widths_ns()[used], self._counts[used]
        self.total = int(counts.sum())
        self._sum = int((counts * (lowest + widths // 2)).sum())
        self._widen(int(lowest[0]), int(lowest[-1] + widths[-1] - 1))

    def _widen(self, low: int, high: int) -> None:
        self._min = low if self._min is None else min(self._min, low)
        self._max = high if self._max is None else max(self._max, high)

    def __getstate__(self) -> tuple[IntArray, IntArray, int, int | None, int | None, int]:
        """Between processes go only the slots in use: a few kilobytes instead of 300."""
        used = np.flatnonzero(self._counts)
        return used, self._counts[used], self._sum, self._min, self._max, self.total

    def __setstate__(self, state: tuple[IntArray, IntArray, int, int | None, int | None, int]) -> None:
        used, counts, self._sum, self._min, self._max, self.total = state
        self._counts = np.zeros(_SLOTS, dtype=np.int64)
        self._counts[used] = counts


def _slots(values: IntArray) -> IntArray:
    # float64 holds every value up to a day of nanoseconds exactly. Its exponent (IEEE 754: from the 52nd bit
    # on, biased by 1023) is one less than the number of bits.
    exponents = (values | (_SUB_BUCKETS - 1)).astype(np.float64).view(np.int64) >> 52
    bucket = exponents - (1022 + _SUB_BUCKET_BITS)
    slots: IntArray = (bucket << _HALF_BITS) + (values >> bucket)
    return slots


@cache
def _buckets() -> IntArray:
    buckets: IntArray = np.maximum((np.arange(_SLOTS, dtype=np.int64) >> _HALF_BITS) - 1, 0)
    return buckets


@cache
def _lowest_ns() -> IntArray:
    lowest: IntArray = (np.arange(_SLOTS, dtype=np.int64) - (_buckets() << _HALF_BITS)) << _buckets()
    return lowest


@cache
def _widths_ns() -> IntArray:
    widths: IntArray = np.left_shift(np.ones(_SLOTS, dtype=np.int64), _buckets())
    return widths


def _runs(counts: IntArray) -> Iterator[int]:
    """The counts up to the last one above zero; several zeros in a row as one negative length."""
    previous = -1
    for slot in np.flatnonzero(counts):
        zeros = int(slot) - previous - 1
        if zeros:
            yield -zeros if zeros > 1 else 0
        yield int(counts[slot])
        previous = int(slot)


def _zigzag_leb128(value: int) -> bytes:
    """HdrHistogram's ZigZagEncoding: seven bits a byte, small magnitudes short."""
    rest = (value << 1) ^ (value >> 63)
    encoded = bytearray()
    while rest >= 0x80:
        encoded.append(rest & 0x7F | 0x80)
        rest >>= 7
    encoded.append(rest)
    return bytes(encoded)


def _read_zigzag_leb128(content: bytes) -> Iterator[int]:
    position = 0
    while position < len(content):
        rest = shift = 0
        while True:
            byte = content[position]
            position += 1
            rest |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        yield (rest >> 1) ^ -(rest & 1)
