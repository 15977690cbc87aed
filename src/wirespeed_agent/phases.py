"""Where the time of live calls went, phase by phase, from the marks in their tickets."""

from __future__ import annotations

import statistics
from typing import Any, Dict, List

from .live import LiveCall
from .ticket import Record


def phases_of(calls: List[LiveCall], layers: List[Dict[str, int]]) -> Dict[str, Any]:
    """Median nanoseconds of every phase over the calls, in the shape of ``model.advice.Phases``."""
    single = [_phases(call.ticket.record) for call in calls]
    names = sorted({name for spent in layers for name in spent})
    result: Dict[str, Any] = {name: _median([phases[name] for phases in single]) for name in single[0]}
    result["layers"] = {name: _median([spent.get(name, 0) for spent in layers]) for name in names}
    result["routing"] = _median([_routing(call, spent) for call, spent in zip(calls, layers)])
    return result


def _median(values: List[int]) -> int:
    return max(0, int(statistics.median(values)))


def _routing(call: LiveCall, layers: Dict[str, int]) -> int:
    """What the whole call spent neither in a layer nor inside the route."""
    inside = call.ticket.record.left_ns - call.ticket.record.entered_ns
    return call.elapsed_ns - inside - sum(layers.values())


def _phases(record: Record) -> Dict[str, int]:
    path_ns = record.response_path_ns
    if not path_ns:
        return {
            "dependencies": record.dependencies_ns,
            "endpoint": record.endpoint_ns,
            "validation": 0,
            "serialization": 0,
            "rendering": 0,
        }
    serialize = max(0, record.serialize_end_ns - record.serialize_start_ns)
    validation = record.dump_start_ns - record.serialize_start_ns if record.dump_start_ns else 0
    return {
        "dependencies": record.dependencies_ns,
        "endpoint": record.endpoint_ns,
        "validation": max(0, validation),
        "serialization": serialize - max(0, validation),
        "rendering": path_ns - serialize,
    }
