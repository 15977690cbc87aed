"""For tests: how an answer is made, what it weighs, what holds the event loop, and what is faster.

Everything here works without pytest as well. Nothing is imported before it is used, because pytest imports
this package in every run.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .blocking import assert_no_blocking, assert_no_blocking_async
    from .comparing import Comparison, compare, compare_async
    from .fast_path import assert_fast_path, assert_fast_path_async
    from .refusal import MeasuringRefused
    from .sameness import (
        assert_same_bytes,
        assert_same_bytes_async,
        assert_same_json,
        assert_same_json_async,
    )
    from .sizes import assert_body_size, assert_body_size_async

__all__ = [
    "Comparison",
    "MeasuringRefused",
    "assert_body_size",
    "assert_body_size_async",
    "assert_fast_path",
    "assert_fast_path_async",
    "assert_no_blocking",
    "assert_no_blocking_async",
    "assert_same_bytes",
    "assert_same_bytes_async",
    "assert_same_json",
    "assert_same_json_async",
    "compare",
    "compare_async",
]

_MODULES = {
    "Comparison": "comparing",
    "MeasuringRefused": "refusal",
    "assert_body_size": "sizes",
    "assert_fast_path": "fast_path",
    "assert_no_blocking": "blocking",
    "assert_same_bytes": "sameness",
    "assert_same_json": "sameness",
    "compare": "comparing",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULES[name.removesuffix('_async')]}", __name__), name)


def __dir__() -> list[str]:
    return __all__
