"""Where the time of live calls went, phase by phase, from the marks in their tickets."""

from __future__ import annotations

import statistics
from typing import Any, Dict, List

from .live import LiveCall
from .ticket import Record


def phases_of(calls: List[LiveCall], layers: List[Dict[str, int]]) -> Dict[str, Any]:
    """Median nanoseconds of every phase over the calls, in the shape of ``model.advice.Phases``."""
    single = [_phases(call.ticket.record) for call in calls]
    result: Dict[str, Any] = {name: _median([phases[name] for phases in single]) for name in single[0]}
    names = sorted({name for spent in layers for name in spent})
    result["layers"] = {name: _median([spent.get(name, 0) for spent in layers]) for name in names}
    rest = [_rest(call, phases, spent) for call, phases, spent in zip(calls, single, layers)]
    result["routing"] = _median(rest)
    return result


def _median(values: List[int]) -> int:
    return max(0, int(statistics.median(values)))


def _rest(call: LiveCall, phases: Dict[str, int], layers: Dict[str, int]) -> int:
    """Finding the route, and what FastAPI does around the other phases, such as reading the body.

    What runs once the answer is sent (background tasks) keeps no client waiting, and is no phase.
    """
    record = call.ticket.record
    after = record.left_ns - record.last_sent_ns if record.last_sent_ns else 0
    return call.elapsed_ns - after - sum(phases.values()) - sum(layers.values())


def _phases(record: Record) -> Dict[str, int]:
    serialize = max(0, record.serialize_end_ns - record.serialize_start_ns)
    validation = max(0, record.dump_start_ns - record.serialize_start_ns) if record.dump_start_ns else 0
    return {
        "dependencies": record.dependencies_ns,
        "endpoint": record.endpoint_ns,
        "validation": validation,
        "serialization": serialize - validation,
        "rendering": max(0, record.response_path_ns - serialize),
    }
