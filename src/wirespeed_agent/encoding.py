"""Encoding that an endpoint does itself, and type adapters and models built while it answers.

Methods are replaced on their classes. ``jsonable_encoder`` and ``json.dumps`` are functions that modules
import by name, so it is their code that is replaced: every reference calls the same function object. All of
it only while ``encoding_watched()`` is active, and only for requests that are examined.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sys
import threading
import types
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from .gcmeter import clock_ns

Call = Callable[..., Any]

MOST_PRODUCED = 10_000
LONGEST_TYPE = 60
OWN_FOLDER = os.path.dirname(__file__)


class Building(NamedTuple):
    what: str
    name: Optional[str]
    filename: Optional[str]
    line: int


class Encoding:
    """What one request showed. Times are of the outermost call only, where encoders call each other."""

    def __init__(self) -> None:
        self.in_endpoint = False
        self.encode_ns = 0
        self.encoders: List[str] = []
        self.dumped: Dict[type, List[int]] = {}
        """For each model class: how many instances the endpoint dumped, and the nanoseconds."""
        self.built: Dict[Building, List[int]] = {}
        """How often, and the nanoseconds."""
        self.owns: Callable[[str], bool] = lambda filename: False
        self._depth = threading.local()
        self._produced: Dict[int, Tuple[Any, Any]] = {}
        """(result, what it was made from) by the id of the result."""

    def begin(self) -> bool:
        """Whether an encoder that starts now in the endpoint is the outermost; then ``end`` must follow."""
        if not self.in_endpoint or getattr(self._depth, "encoding", False):
            return False
        self._depth.encoding = True
        return True

    def end(self, label: str, nanoseconds: int) -> None:
        self.encode_ns += nanoseconds
        self._depth.encoding = False
        if label not in self.encoders:
            self.encoders.append(label)

    def produce(self, result: Any, source: Any) -> None:
        if len(self._produced) < MOST_PRODUCED:
            self._produced[id(result)] = (result, source)

    def origin_of(self, content: Any) -> Any:
        """The value that encoders made ``content`` from; itself where none did."""
        for _ in range(5):
            result, source = self._produced.get(id(content), (None, None))
            if result is not content:
                return content
            content = source
        return content

    @contextlib.contextmanager
    def building(self, what: str, name: Optional[str]) -> Iterator[None]:
        if getattr(self._depth, "building", False):
            yield
            return
        self._depth.building = True
        place = self._asked_from()
        start = clock_ns()
        try:
            yield
        finally:
            self._depth.building = False
            counts = self.built.setdefault(Building(what, name, *place), [0, 0])
            counts[0] += 1
            counts[1] += clock_ns() - start

    def _asked_from(self) -> Tuple[Optional[str], int]:
        """The nearest line of the app's own code before the agent's, which runs whatever FastAPI calls."""
        frame: Optional[types.FrameType] = sys._getframe(1)
        while frame is not None:
            filename = frame.f_code.co_filename
            if filename != __file__:
                if os.path.dirname(filename) == OWN_FOLDER:
                    break
                if self.owns(filename):
                    return filename, frame.f_lineno
            frame = frame.f_back
        return None, 0


# -- putting the watchers in place ---------------------------------------------------------------------------


@contextlib.contextmanager
def encoding_watched(current: Callable[[], Optional[Encoding]]) -> Iterator[None]:
    """``current`` gives the Encoding of the request that the running code serves, if it is examined."""
    import json

    from fastapi import encoders
    from starlette.responses import Response

    with contextlib.ExitStack() as undo:
        _watch_function(encoders, "jsonable_encoder", _encoder("jsonable_encoder", current), undo)
        _watch_function(json, "dumps", _encoder("json.dumps", current), undo)
        for name in ("orjson", "ujson"):
            if name in sys.modules:
                _replace(sys.modules[name], "dumps", _encoder(f"{name}.dumps", current), undo)
        _replace(Response, "__init__", _response_maker(current), undo)
        _watch_pydantic(current, undo)
        yield


def _watch_pydantic(current: Callable[[], Optional[Encoding]], undo: contextlib.ExitStack) -> None:
    import pydantic

    if not hasattr(pydantic, "TypeAdapter"):
        # Pydantic 1, whose models are built and dumped by compiled code.
        return
    from pydantic._internal import _model_construction

    for name in ("model_dump", "model_dump_json"):
        _replace(pydantic.BaseModel, name, _encoder(name, current), undo)
    for name in ("dump_python", "dump_json"):
        _replace(pydantic.TypeAdapter, name, _encoder(f"TypeAdapter.{name}", current, argument=1), undo)
    _replace(pydantic.TypeAdapter, "__init__", _adapter_builder(current), undo)
    if hasattr(_model_construction, "complete_model_class"):
        _replace(_model_construction, "complete_model_class", _model_builder(current), undo)


def _replace(owner: Any, name: str, watcher: Callable[[Call], Call], undo: contextlib.ExitStack) -> None:
    original = vars(owner)[name]
    undo.callback(setattr, owner, name, original)
    setattr(owner, name, watcher(original))


def _watch_function(
    module: types.ModuleType, name: str, watcher: Callable[[Call], Call], undo: contextlib.ExitStack
) -> None:
    """Wherever it is referred to, if that can be: apps put partials, wrappers and C code in its place."""
    function = vars(module)[name]
    while isinstance(function, functools.partial):
        function = function.func
    if isinstance(function, types.FunctionType) and not function.__closure__:
        _swap_code(function, watcher, undo)
    else:
        _replace(module, name, watcher, undo)


def _swap_code(
    function: types.FunctionType, watcher: Callable[[Call], Call], undo: contextlib.ExitStack
) -> None:
    """Let ``function`` run ``watcher`` of what it did before, wherever it is referred to.

    What it did before calls itself, not the watched function: recursion must not become slower.
    """
    namespace = dict(function.__globals__)
    original = types.FunctionType(function.__code__, namespace, function.__name__, function.__defaults__)
    original.__kwdefaults__ = function.__kwdefaults__
    namespace[function.__name__] = original
    undo.callback(setattr, function, "__code__", function.__code__)
    code = _gate.__code__
    constants = tuple(watcher(original) if each == _PLACE else each for each in code.co_consts)
    function.__code__ = code.replace(co_consts=constants)


_PLACE = "the watcher goes here"


def _gate(*args: Any, **kwargs: Any) -> Any:
    watcher: Any = "the watcher goes here"
    return watcher(*args, **kwargs)


# -- what each watcher notes ---------------------------------------------------------------------------------


def _encoder(
    label: str, current: Callable[[], Optional[Encoding]], argument: int = 0
) -> Callable[[Call], Call]:
    def watch(original: Call) -> Call:
        @functools.wraps(original)
        def encode(*args: Any, **kwargs: Any) -> Any:
            seen = current()
            if seen is None or not seen.begin():
                return original(*args, **kwargs)
            # Small dumps come by the hundred: nothing but the call belongs between the clocks.
            start = clock_ns()
            try:
                result = original(*args, **kwargs)
            finally:
                nanoseconds = clock_ns() - start
                seen.end(label, nanoseconds)
            if len(args) > argument:
                seen.produce(result, args[argument])
            if label == "model_dump":
                _count(seen.dumped, type(args[0]), nanoseconds)
            return result

        return encode

    return watch


def _count(dumped: Dict[type, List[int]], kind: type, nanoseconds: int) -> None:
    counts = dumped.setdefault(kind, [0, 0])
    counts[0] += 1
    counts[1] += nanoseconds


def _response_maker(current: Callable[[], Optional[Encoding]]) -> Callable[[Call], Call]:
    def watch(original: Call) -> Call:
        @functools.wraps(original)
        def make(response: Any, content: Any = None, *args: Any, **kwargs: Any) -> None:
            seen = current()
            if seen is None or not seen.begin():
                original(response, content, *args, **kwargs)
                return
            start = clock_ns()
            try:
                original(response, content, *args, **kwargs)
            finally:
                seen.end(type(response).__name__, clock_ns() - start)
            seen.produce(response, content)

        return make

    return watch


def _adapter_builder(current: Callable[[], Optional[Encoding]]) -> Callable[[Call], Call]:
    def watch(original: Call) -> Call:
        @functools.wraps(original)
        def build(adapter: Any, *args: Any, **options: Any) -> None:
            # Pydantic looks for names in the frame that asked, which is one further away from here.
            deeper = {**options, "_parent_depth": options.get("_parent_depth", 2) + 1}
            seen = current()
            if seen is None or _is_pydantics_own(sys._getframe(1)):
                original(adapter, *args, **deeper)
                return
            with seen.building("TypeAdapter", type_name(args[0] if args else options.get("type"))):
                original(adapter, *args, **deeper)

        return build

    return watch


def _is_pydantics_own(caller: types.FrameType) -> bool:
    """Whether Pydantic makes it for itself, as for defaults in a JSON Schema: nobody can hoist that."""
    return str(caller.f_globals.get("__name__", "")).partition(".")[0] == "pydantic"


def _model_builder(current: Callable[[], Optional[Encoding]]) -> Callable[[Call], Call]:
    def watch(original: Call) -> Call:
        @functools.wraps(original)
        def complete(cls: Any, *args: Any, **options: Any) -> Any:
            seen = current()
            if seen is None:
                return original(cls, *args, **options)
            with seen.building("model", cls.__name__):
                return original(cls, *args, **options)

        return complete

    return watch


def type_name(kind: Any) -> str:
    """As a reader would write it: ``list[Order]``."""
    if isinstance(kind, type) and not hasattr(kind, "__origin__"):
        return kind.__name__
    text = re.sub(r"(?:\w+\.)+(\w)", r"\1", str(kind))
    return text if len(text) <= LONGEST_TYPE else text[: LONGEST_TYPE - 3] + "..."
