"""From what was measured to one change of the user's files, or to the reason why there is none.

Several parts come to one edit of each file, made at once, so that their order does not matter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from .code_edits import code_edit
from .diff import diff_of
from .edit import Edit
from .project import Project
from .rewrite import rewrite
from .route_edits import edits_of
from .spot import Spot
from .tree import tree_of
from .values import (
    CodeEditAt,
    Diff,
    EditedFile,
    FunctionAt,
    NoEdit,
    Part,
    Refused,
    RouteChange,
    RouteEdit,
    Written,
)

_Edits = Mapping[PurePath, Sequence[Edit]]


def write(parts: Sequence[Part], folder: Path) -> Written | NoEdit:
    """The parts together as one change of the files below ``folder``; nothing is written to disk.

    A part's ``source`` is named relative to ``folder`` or absolutely. Equal parts are one. Where one of them
    has no safe edit, or two want different things of one place, there is no edit at all.
    """
    project = Project(folder)
    try:
        edits = _edits(parts, project)
        changed = [_changed(project, path, edits[path]) for path in sorted(edits)]
    except Refused as refused:
        return NoEdit(refused.reason)
    except RecursionError:
        return NoEdit("its file is nested too deeply")
    notes = dict.fromkeys(edit.note for each in edits.values() for edit in each if edit.note)
    files, diffs = [file for file, _ in changed], [diff for _, diff in changed]
    return Written(tuple(files), tuple(diffs), "; ".join(notes) or None)


def edits_for(change: RouteChange, route_source: str, folder: Path, *, routes: int = 1) -> Diff | NoEdit:
    """The diff that makes ``change`` permanent for the endpoint at ``route_source``, ``users.py:31``."""
    written = write([RouteEdit(change, route_source, routes)], folder)
    return written if isinstance(written, NoEdit) else replace(written.diffs[0], note=written.note)


def _edits(parts: Sequence[Part], project: Project) -> _Edits:
    edits: dict[PurePath, list[Edit]] = defaultdict(list)
    unwrapped = {_function(part, project) for part in parts if _unwraps(part)}
    for part in _in_order(parts):
        path, line = project.locate(part.source)
        if isinstance(part, CodeEditAt):
            made = list(code_edit(part.what, _spot(part, project, path, line, edits[path])))
        else:
            returns_value = bool(unwrapped) and _function(part, project) in unwrapped
            made = [(path, edit) for edit in _route_edits(part, project, path, line, returns_value)]
        for changed, edit in made:
            edits[changed].append(edit)
    return edits


def _unwraps(part: Part) -> bool:
    return isinstance(part, CodeEditAt) and part.what == "return the value"


def _function(part: Part, project: Project) -> tuple[PurePath, int]:
    """The same for every line that means the same function."""
    path, line = project.locate(part.source)
    tree = tree_of(project.read(path).text)
    return path, tree.begin(tree.function(FunctionAt(line)).node)


def _route_edits(
    part: RouteEdit, project: Project, path: PurePath, line: int, returns_value: bool
) -> Iterator[Edit]:
    text = project.read(path).text
    yield from edits_of(part.change, text, FunctionAt(line), routes=part.routes, returns_value=returns_value)


def _in_order(parts: Sequence[Part]) -> list[Part]:
    """Place by place, so that each file is parsed once and the same parts always make the same names."""
    return sorted(dict.fromkeys(parts), key=lambda part: (part.source.rpartition(":")[0], repr(part)))


def _spot(part: CodeEditAt, project: Project, path: PurePath, line: int, edits: Sequence[Edit]) -> Spot:
    reserved = frozenset(placed.name for edit in edits for placed in edit.placed)
    return Spot(project, path, line, part.name, reserved)


def _changed(project: Project, path: PurePath, edits: Sequence[Edit]) -> tuple[EditedFile, Diff]:
    file = project.read(path)
    after = rewrite(file.text, edits, project.module_facts(path))
    file.encode(after)
    edited = EditedFile(project.root / path, file.text, after, file.encoding, file.has_bom)
    return edited, diff_of(path.as_posix(), file, after)
