"""Edited functions in the place of the old ones, in all that a copy of a route runs.

FastAPI reads a function's parameters once, when the route is made, into a tree of dependants. The copy gets a
tree of its own in which only ``call`` differs, so that every ``Depends`` stays the object it was; where the
parameters themselves change, FastAPI reads them again. The same function in two places of the tree stays one
function, or FastAPI would no longer call it once a request. ``dependency_overrides`` go on meaning what they
meant.
"""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any, Dict, FrozenSet, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from .dependants import body_names, read_again, with_call
from .edited_functions import EditedFile
from .routes import closed_over
from .source_changes import FunctionChange, NotInProcess

_READ_FROM_PARAMETERS = ("dependant", "body_field", "_embed_body_fields", "_flat_dependant", "flat_dependant")
_READ_ON_IMPORT = {"decorators": "a decorator", "returns": "the return annotation"}
_DEEPEST_WRAPPING = 5


def apply_edits(clone: Any, change: Mapping[str, Any]) -> None:
    """Let the copied route run what ``change["edited"]`` makes of its functions.

    Raises NotInProcess where that is not all that the edit does.
    """
    texts = change.get("edited") or ()
    if not texts:
        return
    overrides = getattr(clone.dependency_overrides_provider, "dependency_overrides", None) or {}
    edits = _Edits([EditedFile(each["file"], each["text"]) for each in texts], overrides)
    endpoint = edits.of(clone.dependant.call)
    if endpoint.has_other_parameters:
        _read_parameters_again(clone, endpoint.call)
    before = body_names(clone.dependant)
    clone.dependant = edits.dependant(clone.dependant)
    if body_names(clone.dependant) != before:
        raise NotInProcess("what is read from the request's body changes")
    if overrides:
        clone.dependency_overrides_provider = types.SimpleNamespace(dependency_overrides=edits.overrides())
    is_declared = change["annotation"] is not None or change["response_class"] != "keep"
    edits.require_all_reached(endpoint, is_declared)


class _Edited(NamedTuple):
    """What becomes of a callable; without ``change`` it is not the edit's business."""

    call: Any
    change: Optional[FunctionChange] = None

    @property
    def has_other_parameters(self) -> bool:
        return self.change is not None and "parameters" in self.change.parts


class _Edits:
    """Every callable of the route is asked about once, so that it stays one."""

    def __init__(self, files: Sequence[EditedFile], overrides: Mapping[Any, Any]) -> None:
        self._files = files
        self._user_overrides = overrides
        self._of_overrides: Dict[Any, Any] = {}
        self._known: Dict[Any, _Edited] = {}
        self._calls: List[Any] = []

    def of(self, call: Any) -> _Edited:
        key = _key(call)
        if key not in self._known:
            self._calls.append(call)
            self._known[key] = made = self._made_of(call)
            # A tree that was read again has the new ones in it already.
            self._known[_key(made.call)] = made
        return self._known[key]

    def dependant(self, dependant: Any) -> Any:
        """The tree with the edited functions in it."""
        edited = self.of(dependant.call)
        if edited.has_other_parameters and dependant.call is not edited.call:
            dependant = read_again(dependant, edited.call)
        copied = with_call(dependant, edited.call)
        copied.dependencies = [self._below(each) for each in dependant.dependencies]
        return copied

    def _below(self, dependant: Any) -> Any:
        """What is overridden is not run; what it is overridden with is."""
        call = dependant.call
        if call not in self._user_overrides:
            return self.dependant(dependant)
        if call not in self._of_overrides:
            self._of_overrides[call] = self._user_overrides[call]
            edited = self.dependant(read_again(dependant, self._user_overrides[call]))
            self._of_overrides[call] = edited.call
        return dependant

    def overrides(self) -> Dict[Any, Any]:
        """The user's own, and each edited function for its original.

        With any override FastAPI reads all parameters anew on every request, and finds the originals there.
        """
        edited = {call: self.of(call).call for call in self._calls if self.of(call).call is not call}
        return {**edited, **self._user_overrides, **self._of_overrides}

    def _made_of(self, call: Any) -> _Edited:
        if isinstance(call, types.FunctionType):
            return self._made_of_function(call)
        if type(call) is functools.partial:
            return self._made_of_partial(call)
        function, instance = _method_behind(call)
        if function is None:
            return _Edited(call)
        made = self._made_of_function(function)
        if made.call is function:
            return made._replace(call=call)
        if _is_security_scheme(call):
            raise NotInProcess(f"{function.__qualname__} belongs to a security scheme")
        return made._replace(call=types.MethodType(made.call, instance))

    def _made_of_partial(self, call: functools.partial[Any]) -> _Edited:
        inner = self._made_of(call.func)
        is_same = inner.call is call.func
        return inner._replace(
            call=call if is_same else functools.partial(inner.call, *call.args, **call.keywords)
        )

    def _made_of_function(self, function: types.FunctionType) -> _Edited:
        for file in self._files:
            made = file.replace(function)
            if made is not None:
                return _Edited(made.function or function, made.change)
        return _Edited(function)

    def require_all_reached(self, endpoint: _Edited, is_declared: bool) -> None:
        """``is_declared``: the change says by itself what the endpoint's decorators and annotation say.

        Raises NotInProcess where the edit does more than the tree shows.
        """
        for file in self._files:
            if not file.is_known:
                raise NotInProcess(f"nothing that FastAPI calls for this route is in {file.name}")
            for change in file.changes():
                is_endpoint = endpoint.change is not None and change.is_same(endpoint.change)
                parts = change.parts - _unseen(is_endpoint, is_declared)
                for part in sorted(parts & frozenset(_READ_ON_IMPORT)):
                    raise NotInProcess(f"{_READ_ON_IMPORT[part]} of {change.qualname} changes")
                if parts and not file.is_reached(change):
                    raise NotInProcess(self._why_not_reached(change))

    def _why_not_reached(self, change: FunctionChange) -> str:
        for call in self._calls:
            if inspect.isclass(call) and change.qualname.startswith(call.__qualname__ + "."):
                return f"{change.qualname} is part of making a {call.__name__}"
            if any(each.__code__.co_name == change.before.name for each in _inside(call, _DEEPEST_WRAPPING)):
                return f"{change.qualname} is wrapped by a decorator"
        return f"{change.qualname} is not called by FastAPI itself for this route"


def _unseen(is_endpoint: bool, is_declared: bool) -> FrozenSet[str]:
    """Parts of a function that make no difference to this route, or that the change has made already."""
    if not is_endpoint:
        return frozenset({"returns"})
    return frozenset({"decorators", "returns"}) if is_declared else frozenset()


def _read_parameters_again(clone: Any, endpoint: Any) -> None:
    """Let FastAPI read the edited endpoint's parameters; everything else of the route stays."""
    from fastapi.routing import APIRoute

    donor = APIRoute(
        clone.path_format,
        endpoint,
        dependencies=list(clone.dependencies),
        methods=list(clone.methods or ()),
        name=clone.name,
        response_model=None,
    )
    for name in _READ_FROM_PARAMETERS:
        if hasattr(donor, name):
            setattr(clone, name, getattr(donor, name))


def _method_behind(call: Any) -> Tuple[Optional[types.FunctionType], Any]:
    """The function that runs when a method or a callable object is called, and what it is bound to."""
    if isinstance(call, types.MethodType):
        return (
            (call.__func__, call.__self__) if isinstance(call.__func__, types.FunctionType) else (None, None)
        )
    called = None if inspect.isclass(call) else inspect.getattr_static(type(call), "__call__", None)
    return (called, call) if isinstance(called, types.FunctionType) else (None, None)


def _is_security_scheme(call: Any) -> bool:
    from fastapi.security.base import SecurityBase

    return issubclass(type(call), SecurityBase)


def _inside(call: Any, depth: int) -> Iterator[types.FunctionType]:
    """Functions that a wrapper holds."""
    held = [getattr(call, "__wrapped__", None), *closed_over(call)]
    for each in held if depth else ():
        if isinstance(each, types.FunctionType):
            yield each
        yield from _inside(each, depth - 1)


def _key(call: Any) -> Any:
    """By what FastAPI itself tells callables apart; only an endpoint may be one that cannot be hashed."""
    try:
        hash(call)
    except TypeError:
        return id(call)
    return call
