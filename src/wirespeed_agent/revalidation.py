"""What response validation did to the value: built models anew, or only ran their validators again.

The value before and after validation are walked side by side, so nothing has to be read from schemas: a model
in the result that was no such model before has been built.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, Sequence, Tuple

MOST_LOOKED_AT = 10_000

Pair = Tuple[Any, Any]


def revalidated(before: Any, after: Any, dumped: Mapping[type, Sequence[int]]) -> List[Dict[str, Any]]:
    """``observation.Revalidated`` for each model that was built; ``dumped`` is ``Encoding.dumped``."""
    built: Dict[Tuple[type, bool], int] = {}
    for old, new in _models(before, after):
        if not issubclass(type(old), type(new)):
            key = (type(new), isinstance(old, Mapping))
            built[key] = built.get(key, 0) + 1
    return [
        {
            "model": model.__name__,
            "from_dicts": from_dicts,
            "count": count,
            "dumped": dumped[model][0] if from_dicts and model in dumped else 0,
            "dump_ns": dumped[model][1] if from_dicts and model in dumped else 0,
        }
        for (model, from_dicts), count in built.items()
    ]


def validators_again(before: Any, after: Any) -> List[Dict[str, Any]]:
    """``observation.ValidatorAgain`` for the model validators that ran on instances a second time."""
    counts: Dict[type, int] = {}
    for old, new in _models(before, after):
        if issubclass(type(old), type(new)):
            counts[type(new)] = counts.get(type(new), 0) + 1
    return [
        {"model": model.__name__, "validator": name, "mode": mode, "count": count}
        for model, count in counts.items()
        for name, mode in _repeated(model)
    ]


def _repeated(model: type) -> Iterator[Tuple[str, str]]:
    """Those that stand outside the check for an instance: ``before`` ones stand inside."""
    decorators = getattr(model, "__pydantic_decorators__", None)
    for name, decorator in getattr(decorators, "model_validators", {}).items():
        mode = getattr(decorator.info, "mode", "")
        if mode in ("after", "wrap"):
            yield name, mode


def _models(before: Any, after: Any) -> Iterator[Pair]:
    """The outermost models of the result, each with what stood in its place."""
    from pydantic import BaseModel

    waiting: List[Pair] = [(before, after)]
    for _ in range(MOST_LOOKED_AT):
        if not waiting:
            return
        old, new = waiting.pop()
        if issubclass(type(new), BaseModel):
            yield old, new
        else:
            waiting.extend(_inside(old, new))


def _inside(old: Any, new: Any) -> Iterator[Pair]:
    if isinstance(new, dict) and isinstance(old, Mapping):
        yield from ((old[key], value) for key, value in new.items() if key in old)
    elif isinstance(new, (list, tuple)) and isinstance(old, Sequence) and len(old) == len(new):
        yield from zip(list(old)[:MOST_LOOKED_AT], new)
