"""Telling an ASGI app from a factory of one by how it can be called, without calling it.

``isinstance`` would not do: apps come wrapped in middleware, as plain functions and as lazy proxies.
"""

from __future__ import annotations

import inspect
from enum import Enum
from typing import Any, Optional


class Shape(Enum):
    APP = "takes scope, receive and send"
    FACTORY = "takes no arguments"
    UNCLEAR = "takes any arguments, or does not say"
    NEITHER = "takes other arguments, or none can be given"


def shape_of(value: Any) -> Shape:
    if not callable(value):
        return Shape.NEITHER
    signature = _signature(value)
    if signature is None:
        return Shape.UNCLEAR
    takes_three, takes_none = _binds(signature, 3), _binds(signature, 0)
    if takes_three and takes_none:
        return Shape.APP if _is_coroutine_function(value) else Shape.UNCLEAR
    if takes_three:
        return Shape.APP
    return Shape.FACTORY if takes_none else Shape.NEITHER


def may_be_app(value: Any) -> bool:
    """Whether a server could call it; an instance that takes any arguments gets the benefit of the doubt."""
    shape = shape_of(value)
    return shape is Shape.APP or (shape is Shape.UNCLEAR and not _is_function_or_class(value))


def may_be_factory(value: Any) -> bool:
    shape = shape_of(value)
    return shape is Shape.FACTORY or (shape is Shape.UNCLEAR and _is_function_or_class(value))


def _signature(value: Any) -> Optional[inspect.Signature]:
    try:
        return inspect.signature(value)
    except (TypeError, ValueError):
        return None


def _binds(signature: inspect.Signature, count: int) -> bool:
    try:
        signature.bind(*[None] * count)
    except TypeError:
        return False
    return True


def _is_coroutine_function(value: Any) -> bool:
    return inspect.iscoroutinefunction(value) or inspect.iscoroutinefunction(type(value).__call__)


def _is_function_or_class(value: Any) -> bool:
    return inspect.isroutine(value) or inspect.isclass(value)
