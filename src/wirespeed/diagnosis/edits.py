"""What the user would write for each change: edits of their files where safe ones exist, else the source of
the type, or the reason why there is neither. Reads the user's files; the other conclusions never do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirespeed.model.request import Route
from wirespeed.source.values import (
    CodeEditAt,
    EditedFile,
    NoEdit,
    Part,
    RouteChange,
    RouteEdit,
    TypeSource,
    Written,
)

from .observation import Annotation, Change, Observation

DECLARED = "discriminator"
"""The edit that writes a change's annotation itself."""
WHERE_IS_NOT_KNOWN = "where its endpoint is defined is not known"


@dataclass(frozen=True)
class Proposal:
    """A change, and what makes it permanent."""

    change: Change
    parts: tuple[Part, ...] = ()
    """What is to be written; empty where nothing can be."""
    files: tuple[EditedFile, ...] = ()
    text: str | None = None
    """A unified diff, or a type's source; None where there is neither."""
    remark: str | None = None
    """Why it is no diff, or what else the diff reaches."""

    @property
    def is_live(self) -> bool:
        """Whether its arm is whole requests; all others are replayed.

        A type that an edit writes into a declaration is tried as what it is, a type.
        """
        return self.change.bypass is not None or any(
            edit.what != DECLARED or self.change.annotation is None for edit in self.change.edits
        )

    @property
    def can_be_measured(self) -> bool:
        """A change of the code exists only as an edit; a variant of the route needs none."""
        return not self.change.edits or bool(self.files)

    def for_agent(self) -> dict[str, Any]:
        edited = self.files if self.is_live else ()
        return self.change.for_agent([{"file": str(each.path), "text": each.after} for each in edited])


class Writer:
    """Writes changes of one app, whose files lie below ``folder``; each different change once."""

    def __init__(self, folder: Path, routes: Iterable[Route]) -> None:
        self.folder = folder
        self._routes = Counter(route.source for route in routes)
        """How many routes of the app have their endpoint at one place."""
        self._written: dict[tuple[Part, ...], Written | NoEdit] = {}

    def propose(self, change: Change, route: Route | None, seen: Observation) -> Proposal:
        """The change of this endpoint with its edits, or with the reason why there are none."""
        by_hand = None if change.annotation is None else source_of(change.annotation)
        place = route.source if route else None
        route_change = _route_change(change, seen)
        changes_route = route_change != RouteChange() or change.response_class == "bytes"
        if place is None and changes_route:
            return Proposal(change, text=by_hand, remark=WHERE_IS_NOT_KNOWN)
        parts = tuple(self._parts(change, route_change, place, seen))
        if not parts:
            return Proposal(change, text=by_hand)
        written = self.write(parts)
        if isinstance(written, NoEdit):
            return Proposal(change, text=by_hand, remark=f"to be written by hand: {written.reason}")
        return Proposal(change, parts, written.files, written.diff, written.note)

    def write(self, parts: Sequence[Part]) -> Written | NoEdit:
        """All parts as one change of the files as they stand."""
        # Loads LibCST, which no app without a remedy needs.
        from wirespeed.source.edits import write

        key = tuple(parts)
        if key not in self._written:
            self._written[key] = write(key, self.folder)
        return self._written[key]

    def _parts(
        self, change: Change, route_change: RouteChange, place: str | None, seen: Observation
    ) -> Iterator[Part]:
        if place is not None and route_change != RouteChange():
            yield RouteEdit(route_change, place, self._routes[place])
        if place is not None and change.response_class == "bytes":
            # The type writes the bytes itself, under the content type that the class has.
            yield CodeEditAt("ready bytes", place, seen.route.media_type if seen.route else None)
        for edit in change.edits:
            yield CodeEditAt(edit.what, edit.source, edit.name)


def parts_of(proposals: Sequence[Proposal]) -> tuple[Part, ...]:
    """What they are to be written with, together."""
    return tuple(dict.fromkeys(part for each in proposals for part in each.parts))


def source_of(annotation: Annotation) -> str:
    """What to write: imports and definitions that the type needs, then the annotation itself."""
    return "\n".join([*annotation.imports, *annotation.definitions, f"-> {annotation.expression}"])


def _route_change(change: Change, seen: Observation) -> RouteChange:
    is_written_otherwise = any(edit.what == DECLARED for edit in change.edits)
    annotation = None if is_written_otherwise else change.annotation
    dormant = seen.route.dormant_options if seen.route else []
    return RouteChange(
        annotation=None
        if annotation is None
        else TypeSource(annotation.expression, tuple(annotation.imports), tuple(annotation.definitions)),
        response_class="keep" if change.response_class == "bytes" else change.response_class,
        options=tuple(dormant) if change.options == "reset" else (),
    )
