"""Variants: a route once more, with another response type, class or options, answering beside the original.

A variant is a detached copy of the route with its *effective* settings, so that prefixes, dependencies and
options of the routers above it hold. ``unchanged`` copies are the baseline: a copy alone can shift a fast
route by a per cent.

A change is data that came from the conductor:

``{"annotation": {…} | None, "response_class": "keep" | "drop" | "bytes", "options": "keep" | "reset",
"edited": [{"file", "text"}], "bypass": number | None}``; the last two may be missing.

- ``drop``: FastAPI's default class, which the fast path needs.
- ``bytes``: the endpoint's value is validated and dumped by the response field and sent as ready bytes under
  the media type of the class, for classes that have one of their own.
- ``reset``: ``response_model_exclude_none`` and its siblings back to their defaults, for routes where they
  lay dormant for want of a response type.
- ``edited``: whole files, whose changed functions run in the place of the old ones (``edited_routes``).
- ``bypass``: a layer above the route, and no business of this file (``bypass``).
"""

from __future__ import annotations

import copy
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

from .asgi import ASGIApp
from .dependants import is_awaited, with_call
from .edited_routes import apply_edits
from .inference import Annotation, evaluate
from .routes import FoundRoute, function_of, has_explicit_response_class, response_class

OPTION_DEFAULTS: Dict[str, Any] = {
    "response_model_include": None,
    "response_model_exclude": None,
    "response_model_by_alias": True,
    "response_model_exclude_unset": False,
    "response_model_exclude_defaults": False,
    "response_model_exclude_none": False,
}

UNCHANGED: Mapping[str, Any] = {"annotation": None, "response_class": "keep", "options": "keep"}


def copy_route(found: FoundRoute) -> Any:
    """A detached copy of the route that carries its effective settings, with a handler of its own."""
    clone = copy.copy(found.route)
    # The copy must not share the shadow: it would read the ticket again.
    for name in ("handle", "_wirespeed_shadowed"):
        vars(clone).pop(name, None)
    if found.effective is not found.route:
        for name, value in vars(found.effective).items():
            if name in vars(clone) and name not in ("app", "original_route"):
                setattr(clone, name, value)
    return clone


def rebuild(clone: Any) -> ASGIApp:
    """The ASGI app of the copied route; to be called after its last change."""
    from fastapi import routing

    app: ASGIApp = routing.request_response(clone.get_route_handler())
    limit = getattr(routing, "wrap_app_with_body_limit", None)
    clone.app = limit(app, clone.max_body_size) if limit is not None else app
    return clone.app  # type: ignore[no-any-return]


def build(found: FoundRoute, change: Mapping[str, Any]) -> Any:
    """The route with ``change`` made.

    Raises what FastAPI or Pydantic raise when the type cannot be used, and NotInProcess.
    """
    clone = copy_route(found)
    if change["options"] == "reset":
        for name, default in OPTION_DEFAULTS.items():
            setattr(clone, name, default)
    if change["annotation"] is not None:
        annotation = Annotation.from_json(change["annotation"])
        set_response_type(clone, evaluate(annotation, namespace_of(found.endpoint)))
    if change["response_class"] != "keep":
        make_class_default(clone)
    apply_edits(clone, change)
    return clone


def is_live(change: Mapping[str, Any]) -> bool:
    """Whether a change shows only when the user's code, or the layers above the route, run."""
    return bool(change.get("edited")) or change.get("bypass") is not None


def namespace_of(endpoint: Any) -> Dict[str, Any]:
    """The globals that the endpoint's own module gives its names."""
    namespace: Dict[str, Any] = getattr(function_of(endpoint), "__globals__", {})
    return namespace


def set_response_type(clone: Any, response_type: Any) -> None:
    """Give the copy a response field for ``response_type``, made by FastAPI itself."""
    from fastapi.routing import APIRoute

    async def nothing() -> None:
        """Carries no parameters, so that only the response is analysed."""

    donor = APIRoute(
        clone.path_format, nothing, response_model=response_type, name=clone.name, methods=["GET"]
    )
    for name in ("response_model", "response_field", "secure_cloned_response_field"):
        if hasattr(donor, name):
            setattr(clone, name, getattr(donor, name))


def make_class_default(clone: Any) -> None:
    """FastAPI's own default class, as if none had been named on route, router or app."""
    from fastapi.datastructures import Default
    from fastapi.responses import JSONResponse

    clone.response_class = Default(JSONResponse)


def dormant_options(found: FoundRoute) -> Dict[str, Any]:
    """Serialization options that are set but have no effect, because the route has no response type."""
    if getattr(found.effective, "response_field", None) is not None:
        return {}
    return {
        name: getattr(found.effective, name)
        for name, default in OPTION_DEFAULTS.items()
        if getattr(found.effective, name, default) != default
    }


def set_call(clone: Any, call: Callable[..., Any], *, response_parameter: Optional[str]) -> None:
    """Let the copy run ``call`` instead of dependencies and endpoint."""
    from fastapi.dependencies.models import Dependant

    clone.dependant = Dependant(call=call, path=clone.path_format, response_param_name=response_parameter)
    clone.body_field = None


def wrap_call(clone: Any, wrapper: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Let the copy run its own endpoint inside ``wrapper``; parameters and dependencies stay."""
    clone.dependant = with_call(clone.dependant, wrapper(clone.dependant.call))


class ByteDumper:
    """Turns an endpoint's value into the bytes of its response field, as a response of the class's type."""

    def __init__(self, clone: Any, media_type: Optional[str]) -> None:
        self._field = clone.response_field
        self._media_type = media_type
        self._status = clone.status_code
        self._options = {
            name[len("response_model_") :]: getattr(clone, name)
            for name in OPTION_DEFAULTS
            if hasattr(clone, name)
        }

    def __call__(self, value: Any) -> Any:
        from starlette.responses import Response

        if issubclass(type(value), Response):
            return value
        checked, errors = self._field.validate(value, {}, loc=("response",))
        if errors:
            raise ValueError(f"the response does not validate: {errors}")
        content = self._field.serialize_json(checked, **self._options)
        return Response(content, status_code=self._status or 200, media_type=self._media_type)

    def around(self, call: Callable[..., Any], is_coroutine: bool) -> Callable[..., Any]:
        if is_coroutine:

            async def dump_async(**values: Any) -> Any:
                return self(await call(**values))

            return dump_async

        def dump(**values: Any) -> Any:
            return self(call(**values))

        return dump


def byte_dumper(found: FoundRoute, clone: Any, change: Mapping[str, Any]) -> Optional[ByteDumper]:
    """The dumper that a ``bytes`` change needs; raises ValueError where this FastAPI has none to offer."""
    if change["response_class"] != "bytes":
        return None
    if not hasattr(clone.response_field, "serialize_json"):
        raise ValueError("this FastAPI cannot dump a response field to bytes")
    return ByteDumper(clone, getattr(response_class(found.effective), "media_type", None))


def variant_app(found: FoundRoute, change: Mapping[str, Any]) -> ASGIApp:
    """What answers in the route's place, the user's own code included; raises as ``build`` does."""
    clone = build(found, change)
    dumper = byte_dumper(found, clone, change)
    if dumper is not None:
        is_coroutine = is_awaited(clone.dependant)
        wrap_call(clone, lambda call: dumper.around(call, is_coroutine))
    return rebuild(clone)


def route_facts(found: FoundRoute) -> Dict[str, Any]:
    """What the rules need to know about the route's settings."""
    chosen = response_class(found.effective)
    return {
        "has_response_type": getattr(found.effective, "response_field", None) is not None,
        "explicit_class": has_explicit_response_class(found.effective),
        "response_class": getattr(chosen, "__name__", str(chosen)),
        "media_type": getattr(chosen, "media_type", None),
        "dormant_options": sorted(dormant_options(found)),
    }


def openapi_of(clone: Any) -> Tuple[Any, ...]:
    """The 200-level response schemas that OpenAPI would show for this route."""
    field = getattr(clone, "response_field", None)
    if field is None:
        return ()
    adapter = getattr(field, "_type_adapter", None)
    return (adapter.json_schema(mode="serialization"),) if adapter is not None else ()
