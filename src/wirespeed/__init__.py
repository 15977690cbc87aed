"""How fast does your API put bytes on the wire, what would make it faster, and can you prove it?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import aio as aio
    from .api import Advice as Advice
    from .api import Comparison as Comparison
    from .api import Event as Event
    from .api import Guard as Guard
    from .api import Listener as Listener
    from .api import Load as Load
    from .api import LoadListener as LoadListener
    from .api import MeasurementInvalid as MeasurementInvalid
    from .api import Request as Request
    from .api import SubjectDied as SubjectDied
    from .api import SubjectError as SubjectError
    from .api import SubjectHung as SubjectHung
    from .api import UsageError as UsageError
    from .api import WirespeedError as WirespeedError
    from .api import advise as advise
    from .api import compare as compare
    from .api import guard as guard
    from .api import load as load

__version__ = "0.1.0"

_API = (
    *("Advice", "Comparison", "Event", "Guard", "Listener", "Load", "LoadListener", "Request"),
    *("MeasurementInvalid", "SubjectDied", "SubjectError", "SubjectHung", "UsageError", "WirespeedError"),
    *("advise", "compare", "guard", "load"),
)
"""Loaded when one of them is used: commands start faster than all of that imports."""


def __getattr__(name: str) -> Any:
    import importlib

    if name == "aio":
        return importlib.import_module("wirespeed.aio")
    if name in _API:
        return getattr(importlib.import_module("wirespeed.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_API, "aio"})
