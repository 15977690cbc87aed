"""FastAPI's trees of dependants: what a route calls, and what each callable needs.

They were plain objects, then dataclasses with cached properties, then ones with slots. What holds for all:
``call`` and ``dependencies`` are attributes, and what is derived from ``call`` may be kept somewhere.
"""

from __future__ import annotations

import asyncio
import copy
import functools
import inspect
from typing import Any, Callable, List


def with_call(dependant: Any, call: Callable[..., Any]) -> Any:
    """A copy that runs ``call`` for the same parameters; what FastAPI derived from the old is forgotten."""
    copied = copy.copy(dependant)
    kept = getattr(copied, "__dict__", {})
    for name in [name for name in kept if _is_cached_property(copied, name)]:
        del kept[name]
    copied.call = call
    if "cache_key" in kept:
        # Worked out once by the constructors of older versions; the rest of it is about security scopes.
        copied.cache_key = (call, *copied.cache_key[1:])
    return copied


def read_again(dependant: Any, call: Callable[..., Any]) -> Any:
    """The dependant that FastAPI makes of ``call`` in the same place, from the parameters it has now."""
    from fastapi.dependencies.utils import get_dependant

    names = [name for name in inspect.signature(get_dependant).parameters if name != "call"]
    options = {name: getattr(dependant, name) for name in names if hasattr(dependant, name)}
    return get_dependant(call=call, **options)


def is_awaited(dependant: Any) -> bool:
    """Whether FastAPI awaits the call; its newer versions look behind partials, decorators and objects."""
    from fastapi.dependencies import models

    known = getattr(dependant, "is_coroutine_callable", None)
    if known is None:
        looks = getattr(models, "_is_coroutine_callable", asyncio.iscoroutinefunction)
        known = looks(dependant.call)
    return bool(known)


def body_names(dependant: Any) -> List[str]:
    """Parameters that are read from the request's body, in all of the tree."""
    own = [field.name for field in dependant.body_params]
    return own + [name for each in dependant.dependencies for name in body_names(each)]


def _is_cached_property(instance: Any, name: str) -> bool:
    return isinstance(getattr(type(instance), name, None), functools.cached_property)
