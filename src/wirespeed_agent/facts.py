"""What the examined calls of one request show, as the fields of ``observation.Observation`` for the rules."""

from __future__ import annotations

import contextlib
import dis
import functools
import inspect
import statistics
import types
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from .encoding import Building
from .examining import all_examined
from .holds import HoldMeter
from .inference import infer
from .layers import Placed, Spent
from .live import LiveCall
from .responses import is_response, is_streamed
from .revalidation import revalidated, validators_again
from .routes import FoundRoute, function_of, shorten, source_of
from .thread_clock import Took
from .unions import describe_unions
from .variants import namespace_of
from .works import Examined, Visit

Fact = Dict[str, Any]

SHORT_HOLD_NS = 100_000
TRIVIAL_NS = 50_000
TRIVIAL_OFF_CPU_NS = 20_000
"""As in the rule about hops; the rule decides, these only say where to look again."""
DISTURBED_NS = 250_000
"""Cold caches, an interrupt, a wait for the interpreter lock; a real wait for something takes longer."""
MANY_CALLS = 3
MOST_HOLDS = 5
SUSPENDING = ("GET_AWAITABLE", "GET_AITER", "GET_ANEXT", "BEFORE_ASYNC_WITH")


class Places:
    """Where the app's own code is: ``file.py:31`` below its folder; None for any other."""

    def __init__(self, folder: str, owns: Callable[[str], bool]) -> None:
        self._folder = folder
        self._owns = owns

    def line(self, filename: Optional[str], line: int) -> Optional[str]:
        if filename is None or not self._owns(filename):
            return None
        return f"{shorten(filename, self._folder)}:{line}"

    def definition(self, thing: Any) -> Optional[str]:
        """The ``def`` or ``class`` of a callable."""
        if isinstance(thing, type):
            try:
                return self.line(inspect.getsourcefile(thing), inspect.getsourcelines(thing)[1])
            except (OSError, TypeError):
                return None
        source = source_of(thing)
        return None if source is None else self.line(*source)


# -- callables and holds -------------------------------------------------------------------------------------


def works(calls: List[LiveCall], places: Places) -> List[Fact]:
    """``observation.Work`` of each callable; times from the calls without a profiler."""
    merged: Dict[str, List[Tuple[Examined, Visit]]] = {}
    for examined in all_examined(calls):
        for key, visit in examined.visits.items():
            merged.setdefault(key, []).append((examined, visit))
    described = [_work(key, seen, places) for key, seen in merged.items()]
    return sorted(described, key=lambda work: work["role"] != "endpoint")


def _work(key: str, seen: List[Tuple[Examined, Visit]], places: Places) -> Fact:
    timed = [visit for examined, visit in seen if not examined.profile] or [visit for _, visit in seen]
    first = timed[0]
    function = function_of(first.call)
    return {
        "key": key,
        "name": _name(first.call),
        "source": places.definition(first.call),
        "role": first.role,
        "kind": _kind(first.call),
        "generator": first.generator,
        "in_thread": first.in_thread,
        "calls": first.calls,
        "wall_ns": _most([visit.wall_ns for visit in timed]),
        "off_cpu_ns": _most([visit.off_cpu_ns for visit in timed]),
        "actions": list(dict.fromkeys(what for _, visit in seen for what in visit.touched.what)),
        "nested": "<locals>" in getattr(first.call, "__qualname__", ""),
        "awaits": _awaits(function),
    }


def looks_trivial(examined: Examined) -> bool:
    """Whether some callable might as well run on the loop, so that it is worth a closer look."""
    return any(_is_small(visit) and visit.wall_ns <= TRIVIAL_NS for visit in examined.visits.values())


def looks_disturbed(examined: Examined) -> bool:
    """Whether some callable took so little more than nothing that the machine may have done it."""
    return any(
        _is_small(visit) and (visit.wall_ns > TRIVIAL_NS or visit.off_cpu_ns > TRIVIAL_OFF_CPU_NS)
        for visit in examined.visits.values()
    )


def _is_small(visit: Visit) -> bool:
    return visit.in_thread and visit.wall_ns <= DISTURBED_NS and not visit.touched.what


def _most(values: Sequence[int]) -> int:
    """The most of all; of many, one that a disturbance explains is left out."""
    ordered = sorted(values)
    if len(ordered) > MANY_CALLS and ordered[-1] <= DISTURBED_NS:
        return ordered[-2]
    return ordered[-1]


def _name(call: Any) -> str:
    while isinstance(call, functools.partial):
        call = call.func
    return str(getattr(call, "__name__", type(call).__name__))


def _kind(call: Any) -> str:
    if isinstance(call, type):
        return "class"
    function = call.__func__ if isinstance(call, types.MethodType) else call
    if not isinstance(function, types.FunctionType) or hasattr(function, "__wrapped__"):
        return "other"
    if any(callable(value) and not isinstance(value, type) for value in _closed_over(function)):
        # Most likely what a decorator without ``wraps`` has put around another function.
        return "other"
    return "async def" if inspect.iscoroutinefunction(function) else "def"


def _closed_over(function: types.FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        # A cell is empty while the function that fills it has not got there.
        with contextlib.suppress(ValueError):
            yield cell.cell_contents


def _awaits(function: Any) -> bool:
    code = getattr(function, "__code__", None)
    if code is None or not code.co_flags & inspect.CO_COROUTINE:
        return False
    return any(each.opname in SUSPENDING for each in dis.get_instructions(code))


def holds(calls: List[LiveCall]) -> List[Fact]:
    """``observation.Hold``: of every callable's longest blocked holds that of the middle call."""
    by_key: Dict[Optional[str], List[Took]] = {}
    for meter in (examined.holds for examined in all_examined(calls) if not examined.profile):
        _collect(meter, by_key)
    middle = {key: sorted(seen, key=_blocked)[(len(seen) - 1) // 2] for key, seen in by_key.items()}
    long = [(key, took) for key, took in middle.items() if took.wall_ns >= SHORT_HOLD_NS]
    return [
        {
            "wall_ns": took.wall_ns,
            "cpu_ns": took.computing_ns,
            "run_queue_ns": took.wall_ns - took.own_ns,
            "work": key,
        }
        for key, took in sorted(long, key=lambda each: -each[1].blocked_ns)[:MOST_HOLDS]
    ]


def _collect(meter: HoldMeter, by_key: Dict[Optional[str], List[Took]]) -> None:
    for key, took in meter.worst.items():
        by_key.setdefault(key, []).append(took)


def _blocked(took: Took) -> int:
    return took.blocked_ns


# -- layers --------------------------------------------------------------------------------------------------


def layers(placed: Sequence[Placed], spent: Sequence[Spent], places: Places) -> List[Fact]:
    """``observation.Layer`` of each that the request passed."""
    own: Dict[int, List[int]] = {}
    for call in spent:
        for _, number, nanoseconds in call:
            if number is not None:
                own.setdefault(number, []).append(nanoseconds)
    return [
        _layer(each, int(statistics.median(own[each.number])), places)
        for each in placed
        if each.number in own
    ]


def _layer(placed: Placed, own_ns: int, places: Places) -> Fact:
    from starlette.middleware.base import BaseHTTPMiddleware

    is_base = issubclass(type(placed.layer), BaseHTTPMiddleware)
    dispatch = getattr(placed.layer, "dispatch_func", None)
    # A function given to ``@app.middleware("http")``; a subclass's dispatch is a method of the layer itself.
    given = dispatch if is_base and not isinstance(dispatch, types.MethodType) else None
    kind = placed.layer if inspect.isroutine(placed.layer) else type(placed.layer)
    return {
        "number": placed.number,
        "name": placed.name if given is None else _name(given),
        "is_base_http": is_base,
        "source": places.definition(kind if given is None else given),
        "own_ns": own_ns,
    }


# -- what the endpoint built, and what became of its value ---------------------------------------------------


def built(calls: List[LiveCall], places: Places) -> List[Fact]:
    """``observation.Built``: only what every call built."""
    seen = [examined.encoding.built for examined in all_examined(calls) if not examined.profile]
    if not seen:
        return []
    return [
        {
            "what": building.what,
            "name": building.name,
            "source": places.line(building.filename, building.line),
            "calls": seen[0][building][0],
            "ns": int(statistics.median(each[building][1] for each in seen)),
        }
        for building in _in_all(seen)
    ]


def _in_all(seen: List[Dict[Building, List[int]]]) -> List[Building]:
    return [building for building in seen[0] if all(building in each for each in seen)]


def hand_built(calls: List[LiveCall], found: FoundRoute) -> Optional[Fact]:
    """``observation.HandBuilt``, where the endpoint answered with a JSON response of its own."""
    last = calls[-1].ticket.record
    timed = [examined for examined in all_examined(calls) if not examined.profile]
    if not last.called or not is_response(last.value) or is_streamed(last.value) or not timed:
        return None
    has_type = getattr(found.effective, "response_field", None) is not None
    values = [] if has_type else _values_before_encoding(calls)
    name = getattr(found.endpoint, "__name__", "Answer")
    inferred = infer(values, namespace_of(found.endpoint), name_hint=name) if values else []
    return {
        "response_class": type(last.value).__name__,
        "encoders": timed[-1].encoding.encoders,
        "encode_ns": int(statistics.median(each.encoding.encode_ns for each in timed)),
        "annotations": [each.to_json() for each in inferred],
    }


def _values_before_encoding(calls: List[LiveCall]) -> List[Any]:
    values: List[Any] = []
    for call in calls:
        record = call.ticket.record
        if record.called and record.examined is not None:
            origin = record.examined.encoding.origin_of(record.value)
            if origin is not record.value and not isinstance(origin, (bytes, str)):
                values.append(origin)
    return values


def validation(calls: List[LiveCall]) -> Dict[str, List[Fact]]:
    """``revalidated`` and ``validators_again`` of the last examined call without a profiler."""
    for examined in reversed(all_examined(calls)):
        if examined.validated is not None and not examined.profile:
            before, after = examined.validated
            return {
                "revalidated": revalidated(before, after, examined.encoding.dumped),
                "validators_again": validators_again(before, after),
            }
    return {"revalidated": [], "validators_again": []}


def unions(found: FoundRoute) -> List[Fact]:
    """``observation.UnionFact`` of the route's response type."""
    field = getattr(found.effective, "response_field", None)
    if field is None:
        return []
    return describe_unions(getattr(field.field_info, "annotation", None), namespace_of(found.endpoint))


def same_every_time(calls: Sequence[LiveCall], found: FoundRoute) -> Optional[Fact]:
    """``observation.SameEveryTime``; ``calls`` must still hold the values, or ids would mean nothing."""
    records = [call.ticket.record for call in calls]
    bodies = {call.at_route.body for call in calls}
    objects = {id(record.value) for record in records}
    if len(calls) < 3 or len(bodies) > 1 or len(objects) > 1 or not all(record.called for record in records):
        return None
    if records[0].value is None or _takes_anything(found.effective.dependant):
        return None
    path_ns = statistics.median(record.response_path_ns for record in records)
    return {"calls": len(calls), "encode_ns": int(path_ns)}


def _takes_anything(dependant: Any) -> bool:
    """Whether the endpoint can see the request at all, or anything else that FastAPI gives."""
    lists = [name for name in vars_of(dependant) if name.endswith("_params")]
    names = [name for name in vars_of(dependant) if name.endswith("_param_name")]
    return bool(dependant.dependencies) or any(getattr(dependant, name) for name in (*lists, *names))


def vars_of(dependant: Any) -> List[str]:
    """Attributes of a dependant; newer ones keep them in slots."""
    attributes: Mapping[str, Any] = getattr(dependant, "__dict__", {})
    return [*attributes, *getattr(type(dependant), "__slots__", ())]
