"""How findings spell their figures. The document keeps them unrounded beside the sentence."""

from __future__ import annotations

from collections.abc import Mapping


def grouped(number: int) -> str:
    return f"{number:,}"


def rate(per_s: float) -> str:
    return f"{per_s:,.0f}/s" if per_s >= 100 else f"{per_s:.3g}/s"


def seconds(value_s: float) -> str:
    if value_s >= 1:
        return f"{value_s:.3g} s"
    return f"{value_s * 1e3:.3g} ms" if value_s >= 1e-3 else f"{value_s * 1e6:.3g} µs"


def share(fraction: float) -> str:
    percent = fraction * 100
    return f"{percent:.0f} %" if percent >= 9.95 else f"{percent:.2g} %"


def percentile(fraction: float) -> str:
    """``p50``, ``p99.9``."""
    return f"p{fraction * 100:.6g}"


def timeout(told_s: float | None, default_s: float | None) -> str:
    """The tool's time-out, and whether it was told or is what the tool does by itself."""
    if told_s is not None:
        return f"the time-out of {seconds(told_s)}"
    return f"the time-out ({seconds(default_s)} unless told otherwise)" if default_s else "the time-out"


def kinds(counts: Mapping[str, int]) -> str:
    """``25,036 read, 34 write``."""
    return ", ".join(f"{grouped(number)} {kind}" for kind, number in counts.items())
