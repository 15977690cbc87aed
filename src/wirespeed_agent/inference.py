"""Which response types the captured return values of an endpoint allow, best first.

The values are all that is known: a type fits every value that was seen, and says nothing of the others.
"""

from __future__ import annotations

from typing import Mapping, Sequence

from .annotations import Annotation, annotate, evaluate
from .value_shapes import observe

__all__ = ["Annotation", "evaluate", "infer"]


def infer(
    values: Sequence[object], namespace: Mapping[str, object], name_hint: str = "answer"
) -> list[Annotation]:
    """Distinct annotations for an endpoint that returned ``values``: exact, open, Any.

    ``namespace`` is the endpoint function's ``__globals__``; ``name_hint``, its name, names new classes.
    Linear in the size of the values. Where a TypedDict is needed and cannot be imported, none is exact.
    """
    shape = observe(values)
    anything = annotate(shape, namespace, "any", name_hint)
    opened = annotate(shape, namespace, "open", name_hint)
    try:
        candidates = [annotate(shape, namespace, "exact", name_hint), opened, anything]
    except ImportError:
        candidates = [opened, anything]
    found = {anything.expression: anything}
    for candidate in candidates:
        found.setdefault(candidate.expression, candidate)
    return [*list(found.values())[1:], anything]
