"""How numbers are spelled. Nothing else in the project rounds.

Three significant digits with the unit that suits them; ratios as factors from 1.2 on (``18.6× faster``) and
as per cent of the baseline's time below (``7.2 % faster``), because small factors are hard to read.
"""

from __future__ import annotations

import math

Interval = tuple[float, float]

_TIME_UNITS = (("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9))
_SIZE_UNITS = (("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9))
_FACTOR_FROM = 1.2


def duration(ns: float) -> str:
    """``48.0 µs``, ``6.31 ms``."""
    return _with_unit(ns, _TIME_UNITS)


def size(count: int) -> str:
    """``87 B``, ``75.2 kB``."""
    return f"{count} B" if count < 1000 else _with_unit(count, _SIZE_UNITS)


def from_to(before_ns: float, after_ns: float) -> str:
    """``137 → 215 µs``: both in the unit of the larger, unless the smaller would vanish in it."""
    unit, scale = _unit(max(before_ns, after_ns), _TIME_UNITS)
    if min(before_ns, after_ns) / scale < 0.1:
        return f"{duration(before_ns)} → {duration(after_ns)}"
    return f"{_digits(before_ns / scale)} → {_digits(after_ns / scale)} {unit}"


def share(fraction: float) -> str:
    """``96 %``, ``0.6 %``, ``2 %``; what would round to nothing is ``<0.1 %``."""
    percent = fraction * 100
    if 0 < percent < 0.05:
        return "<0.1 %"
    digits = f"{percent:.1f}" if percent < 9.95 else f"{percent:.0f}"
    return f"{digits.removesuffix('.0')} %"


def elapsed(seconds: float) -> str:
    """``12 s``, ``2 min 5 s``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def speed(ratio: float, words: tuple[str, str] = ("faster", "slower")) -> str:
    """An arm/baseline time ratio in words: ``18.6× faster``, ``7.2 % slower``, ``unchanged``.

    ``words`` are those for below and above 1, of amounts that are no times: ``7.2 % less``.
    """
    spelled = _spelled(ratio, ratio)
    return "unchanged" if spelled in ("0.0 %", "-0.0 %") else f"{spelled} {words[ratio >= 1]}"


def speed_interval(ratio: float, interval: Interval) -> str:
    """The interval of ``speed(ratio)``, in the same unit and direction: ``[17.9, 19.3]``."""
    low, high = sorted(_in_terms_of(ratio, bound) for bound in interval)
    spell = _factor if _is_factor(ratio) else _percent
    return f"[{spell(low)}, {spell(high)}]"


def spread(interval: Interval, words: tuple[str, str] = ("faster", "slower")) -> str:
    """What an undecided interval leaves open, naming no winner: ``between 3.1 % slower and 1.4 % faster``."""
    low, high = interval
    return f"between {speed(high, words)} and {speed(low, words)}"


def _is_factor(ratio: float) -> bool:
    return ratio <= 0 or max(ratio, 1 / ratio) >= _FACTOR_FROM


def _spelled(ratio: float, bound: float) -> str:
    value = _in_terms_of(ratio, bound)
    return f"{_factor(value)}×" if _is_factor(ratio) else f"{_percent(value)} %"


def _in_terms_of(ratio: float, bound: float) -> float:
    """``bound`` as a factor or per cent, of gain where ``ratio`` is a gain, of loss where it is a loss."""
    if not _is_factor(ratio):
        return (1 - bound) * 100 if ratio < 1 else (bound - 1) * 100
    if ratio >= 1:
        return bound
    return 1 / bound if bound > 0 else math.inf


def _factor(value: float) -> str:
    if math.isinf(value):
        return "∞"
    return f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def _percent(value: float) -> str:
    return f"{value:.1f}"


def _with_unit(value: float, units: tuple[tuple[str, float], ...]) -> str:
    unit, scale = _unit(value, units)
    return f"{_digits(value / scale)} {unit}"


def _unit(value: float, units: tuple[tuple[str, float], ...]) -> tuple[str, float]:
    """The largest unit that leaves at least 1, judged after rounding: 999.6 µs is 1.00 ms."""
    fitting = [unit for unit in units if value / unit[1] >= 0.9995]
    return fitting[-1] if fitting else units[0]


def _digits(value: float) -> str:
    if value >= 99.95:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"
