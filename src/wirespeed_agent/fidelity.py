"""What a client would see: are two answers the same, and if not, where do they differ?

Bytes are compared first, and JSON is read only where they differ, so the usual case costs one ``memcmp``.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Iterator, Literal, NamedTuple, Sequence

from .content_coding import UndecodedError, decode
from .json_differences import ABSENT, LONGEST_SHOWN, Difference, differences, read, shown
from .json_places import Indexes, Place, covers, generalised, kind_of, written

Fidelity = Literal["identical", "equal", "different"]

MOST_DIFFERENCES = 5
MOST_MASKS = 20
"""A body that differs from itself in more places than this has no stable part worth comparing."""
WHOLE_BODY: Place = ()
VOLATILE_HEADERS = frozenset({"date", "server", "content-length"})


@dataclass(frozen=True)
class Answer:
    """One answer as it was sent, the body still encoded."""

    status: int
    headers: Sequence[tuple[bytes, bytes]]
    body: bytes


class Decoded(NamedTuple):
    """A body without its content coding; ``note`` says why where it still has it."""

    body: bytes
    note: str | None


@dataclass(frozen=True)
class Masks:
    """Where the baseline differs from itself; nothing there tells two arms apart.

    A status that changes is named but never masked: an arm that fails must not hide behind a baseline that
    does so now and then.
    """

    places: tuple[Place, ...] = ()
    headers: tuple[str, ...] = ()
    status_changes: bool = False

    @property
    def paths(self) -> list[str]:
        """JSON paths, or ``body`` where all of it is unstable."""
        return ["body" if place == WHOLE_BODY else written(place) for place in self.places]

    def names(self) -> list[str]:
        """All of it, for reports."""
        status = ["status"] if self.status_changes else []
        return [*status, *self.paths, *(f"header {name}" for name in self.headers)]

    def hide(self, place: Place) -> bool:
        return any(covers(mask, place) for mask in self.places)


@dataclass(frozen=True)
class Comparison:
    """``differences``: at most five, as ``{"at", "baseline", "arm"}``, of as many kinds as possible.

    ``count`` is the number of all differing places; ``notes`` say what could not be compared.
    """

    fidelity: Fidelity
    differences: list[dict[str, Any]] = field(default_factory=list)
    count: int = 0
    notes: list[str] = field(default_factory=list)


def decoded(answer: Answer) -> Decoded:
    """The body as the client's library hands it over."""
    codings = b",".join(value for name, value in answer.headers if name.lower() == b"content-encoding")
    try:
        return Decoded(decode(answer.body, codings.decode("latin-1")), None)
    except UndecodedError as error:
        return Decoded(answer.body, f"{error}; its bytes were compared as sent")


def compare(baseline: Answer, arm: Answer, masks: Masks | None = None) -> Comparison:
    """How the arm's answer compares with the baseline's. Linear in the size of the bodies."""
    masks = masks or Masks()
    body = _compare_bodies(baseline, arm, masks)
    content_type, others = _header_differences(baseline, arm, masks)
    around = [*_status_difference(baseline, arm), *content_type]
    return Comparison(
        fidelity="different" if around or others else body.fidelity,
        differences=[*around, *body.differences, *others][:MOST_DIFFERENCES],
        count=len(around) + body.count + len(others),
        notes=body.notes,
    )


def unstable(answers: Sequence[Answer]) -> Masks:
    """Where answers to one request differ among themselves. Those with an unusual status are left out."""
    statuses = Counter(answer.status for answer in answers)
    if len(answers) < 2:
        return Masks()
    usual = [answer for answer in answers if answer.status == statuses.most_common(1)[0][0]]
    first, rest = usual[0], usual[1:]
    headers = {name: None for other in rest for name in _differing_headers(first, other)}
    return Masks(tuple(_unstable_places(first, rest)), tuple(headers), len(statuses) > 1)


def _compare_bodies(baseline: Answer, arm: Answer, masks: Masks) -> Comparison:
    left, right = decoded(baseline), decoded(arm)
    notes = list(dict.fromkeys(note for note in (left.note, right.note) if note))
    if left.body == right.body:
        return Comparison("identical", notes=notes)
    if WHOLE_BODY in masks.places:
        return Comparison("equal", notes=[*notes, "the body changes from call to call and was not compared"])
    documents = _documents(baseline, arm)
    if documents is None:
        return Comparison("different", [_raw_difference(left.body, right.body)], 1, notes)
    sample = _Sample(masks)
    for difference in differences(*documents):
        sample.add(difference)
    if sample.hid_something:
        notes.append(f"changes from call to call, not compared: {', '.join(masks.paths)}")
    return Comparison("different" if sample.count else "equal", sample.shown(), sample.count, notes)


class _Sample:
    """A few differences, of as many kinds as possible, and the number of all of them."""

    def __init__(self, masks: Masks) -> None:
        self.count = 0
        self.hid_something = False
        self._masks = masks
        self._firsts: dict[Place, Difference] = {}
        self._repeats: list[Difference] = []

    def add(self, difference: Difference) -> None:
        if self._masks.hide(difference.place):
            self.hid_something = True
            return
        self.count += 1
        kind = kind_of(difference.place)
        if kind in self._firsts:
            if len(self._repeats) < MOST_DIFFERENCES:
                self._repeats.append(difference)
        elif len(self._firsts) < MOST_DIFFERENCES:
            self._firsts[kind] = difference

    def shown(self) -> list[dict[str, Any]]:
        return [
            {"at": written(each.place), "baseline": shown(each.baseline), "arm": shown(each.arm)}
            for each in [*self._firsts.values(), *self._repeats][:MOST_DIFFERENCES]
        ]


def _documents(one: Answer, other: Answer) -> tuple[object, object] | None:
    """Both bodies as JSON, where both are."""
    try:
        return _document(one), _document(other)
    except ValueError:
        return None


def _document(answer: Answer) -> object:
    """Raises ValueError where it is no JSON, or does not claim to be."""
    media_type = ", ".join(_headers(answer).get("content-type", [])).partition(";")[0].strip().lower()
    if media_type and not media_type.endswith("json"):
        raise ValueError(f"{media_type} is no JSON")
    return read(decoded(answer).body)


def _raw_difference(left: bytes, right: bytes) -> dict[str, Any]:
    """What stands on both sides where they first differ, with a little of what comes before."""
    start = max(0, _first_difference(left, right) - LONGEST_SHOWN // 4)
    texts = [body[start : start + LONGEST_SHOWN].decode("utf-8", "replace") for body in (left, right)]
    return {"at": "body", "baseline": texts[0], "arm": texts[1]}


def _first_difference(left: bytes, right: bytes) -> int:
    """By halving what may still be equal: a few ``memcmp`` instead of a loop over bytes."""
    equal, limit = 0, min(len(left), len(right))
    while equal < limit:
        middle = (equal + limit + 1) // 2
        if left[equal:middle] == right[equal:middle]:
            equal = middle
        else:
            limit = middle - 1
    return equal


def _status_difference(baseline: Answer, arm: Answer) -> list[dict[str, Any]]:
    if baseline.status == arm.status:
        return []
    return [{"at": "status", "baseline": baseline.status, "arm": arm.status}]


def _header_differences(
    baseline: Answer, arm: Answer, masks: Masks
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """That of the content type, and all others."""
    left, right = _headers(baseline), _headers(arm)
    names = [name for name in _differing_headers(baseline, arm) if name not in masks.headers]
    found = {
        name: {"at": f"header {name}", "baseline": _joined(left.get(name)), "arm": _joined(right.get(name))}
        for name in names
    }
    content_type = found.pop("content-type", None)
    return [content_type] if content_type else [], list(found.values())


def _differing_headers(one: Answer, other: Answer) -> list[str]:
    left, right = _headers(one), _headers(other)
    return [name for name in {**left, **right} if left.get(name) != right.get(name)]


def _headers(answer: Answer) -> dict[str, list[str]]:
    """Values by name in lower case, repeated ones in order, without the volatile."""
    found: dict[str, list[str]] = {}
    for raw_name, value in answer.headers:
        name = raw_name.decode("latin-1").lower()
        if name not in VOLATILE_HEADERS:
            found.setdefault(name, []).append(value.decode("latin-1"))
    return found


def _joined(values: list[str] | None) -> Any:
    return shown(ABSENT if values is None else ", ".join(values))


def _unstable_places(first: Answer, rest: Sequence[Answer]) -> list[Place]:
    body = decoded(first).body
    changed = [other for other in rest if decoded(other).body != body]
    found = generalised(place for other in changed for place in _differing_places(first, other))
    return [WHOLE_BODY] if WHOLE_BODY in found or len(found) > MOST_MASKS else found


def _differing_places(one: Answer, other: Answer) -> Iterator[Place]:
    documents = _documents(one, other)
    if documents is None:
        yield WHOLE_BODY
        return
    for difference in differences(*documents):
        *around, last = difference.place or (None,)
        if difference.is_one_sided and isinstance(last, int):
            # The list changes its length: the next answer may be longer still.
            yield (*around, Indexes(last))
        else:
            yield difference.place
