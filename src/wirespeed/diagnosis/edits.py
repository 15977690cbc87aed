"""What the user would write to make each change permanent: a diff of the endpoint's file where a safe edit
exists, else the source of the type. Reads the user's files; the rest of the conclusions never do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wirespeed.source import Diff, RouteChange, TypeSource

from .observation import Annotation, Change
from .screening import RoundZero, Study


@dataclass(frozen=True)
class WrittenChange:
    """``text`` is a unified diff, or a type's source; None where there is neither.

    ``remark`` says why it is no diff, or what else the diff reaches.
    """

    text: str | None
    remark: str | None


WrittenChanges = Mapping[str, WrittenChange]
"""One endpoint's changes by their names."""


def write_changes(zero: RoundZero, folder: Path) -> dict[int, WrittenChanges]:
    """By the ``id`` of a study: all changes that round 0 tried on it, as edits of files below ``folder``."""
    routes = Counter(route.source for route in zero.routes)
    return {
        id(study): {
            each.change.name: write_change(each.change, study, folder, routes)
            for each in (*study.kept, *study.left)
        }
        # File by file, so that each is parsed once.
        for study in sorted(zero.studies, key=lambda study: _place(study) or "")
    }


def write_change(
    change: Change, study: Study, folder: Path, routes: Mapping[str | None, int]
) -> WrittenChange:
    """``routes`` counts the routes of the app by the place of their endpoint."""
    # Reading the user's files loads LibCST, which no app without a remedy needs.
    from wirespeed.source.edits import edits_for

    by_hand = None if change.annotation is None else source_of(change.annotation)
    place = _place(study)
    if place is None:
        return WrittenChange(by_hand, "where its endpoint is defined is not known")
    outcome = edits_for(_route_change(change, study), place, folder, routes=routes[place])
    if isinstance(outcome, Diff):
        return WrittenChange(outcome.text, outcome.note)
    return WrittenChange(by_hand, f"to be written by hand: {outcome.reason}")


def source_of(annotation: Annotation) -> str:
    """What to write: imports and definitions that the type needs, then the annotation itself."""
    return "\n".join([*annotation.imports, *annotation.definitions, f"-> {annotation.expression}"])


def _place(study: Study) -> str | None:
    return study.route.source if study.route else None


def _route_change(change: Change, study: Study) -> RouteChange:
    annotation = change.annotation
    dormant = study.seen.route.dormant_options if study.seen.route else []
    return RouteChange(
        annotation=None
        if annotation is None
        else TypeSource(annotation.expression, tuple(annotation.imports), tuple(annotation.definitions)),
        response_class=change.response_class,
        options=tuple(dormant) if change.options == "reset" else (),
    )
