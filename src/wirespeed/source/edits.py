"""From a measured change of a route to a diff of the user's file, or to the reason why there is none.

The only part of the package that reads files.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path, PurePath

import libcst as cst

from .annotate import annotate
from .diff import diff_of
from .edit import Edit
from .file_text import decode
from .options import reset_options
from .response_class import drop_class_in_force
from .rewrite import rewrite
from .routes import route_decorators
from .tree import Function, tree_of
from .values import Diff, FunctionAt, ModuleFacts, NoEdit, Refused, RouteChange

_LIBRARY_FOLDERS = frozenset({"site-packages", "dist-packages"})


def edits_for(change: RouteChange, route_source: str, folder: Path, *, routes: int = 1) -> Diff | NoEdit:
    """The diff that makes ``change`` permanent for the endpoint at ``route_source``, ``users.py:31``.

    The file is named relative to ``folder`` or absolutely; the diff is relative to ``folder``. ``routes`` is
    how many routes of the app have their endpoint there.
    """
    try:
        path, line = locate(route_source, folder)
        file = decode((folder / path).read_bytes())
        edits = list(edits_of(change, file.text, FunctionAt(line), routes=routes))
        changed = rewrite(file.text, edits, module_facts(folder / path))
        file.encode(changed)
    except Refused as refused:
        return NoEdit(refused.reason)
    except RecursionError:
        return NoEdit("its file is nested too deeply")
    except OSError as error:
        return NoEdit(f"its file cannot be read: {error.strerror}")
    notes = [edit.note for edit in edits if edit.note]
    return diff_of(path.as_posix(), file, changed, "; ".join(notes) or None)


def edits_of(change: RouteChange, source: str, function: FunctionAt, *, routes: int = 1) -> Iterator[Edit]:
    """One edit for each part of the change. Raises Refused where one of them has no safe edit."""
    refuse_shared(tree_of(source).function(function), routes)
    if change.response_class == "bytes":
        raise Refused("keeping the content type takes a response built by hand, which has no edit yet")
    if change.annotation is not None:
        yield annotate(source, function, change.annotation)
    if change.response_class == "drop":
        yield drop_class_in_force(source, function)
    if change.options:
        yield reset_options(source, function, change.options)


def refuse_shared(function: Function, routes: int) -> None:
    """Raises Refused where the code makes routes that were not measured, or may make more of them."""
    decorators = len(route_decorators(function))
    if any(isinstance(node, cst.For | cst.While) for node in function.around):
        raise Refused("the route is made in a loop, and others with it")
    in_function = any(isinstance(node, cst.FunctionDef) for node in function.around)
    in_class = any(isinstance(node, cst.ClassDef) for node in function.around)
    if in_function and not decorators:
        raise Refused("no decorator of it makes a route")
    # One function may serve many routes; but code that runs again makes another function each time.
    runs_again = in_function or (in_class and not decorators)
    if runs_again and routes > max(1, decorators):
        raise Refused(f"{routes} routes are made by the same lines")


def module_facts(file: Path) -> ModuleFacts:
    """By the packages the file lies in, namespace packages aside."""
    packages = list(takewhile(lambda folder: (folder / "__init__.py").is_file(), file.parents))
    name = ".".join(folder.name for folder in reversed(packages))
    return ModuleFacts(name or None, is_package=file.name == "__init__.py")


def locate(route_source: str, folder: Path) -> tuple[PurePath, int]:
    """(path relative to ``folder``, line). Raises Refused for files that are not the project's own."""
    name, _, line = route_source.rpartition(":")
    if not _LIBRARY_FOLDERS.isdisjoint(PurePath(name).parts):
        raise Refused("it is in a third-party package")
    root = folder.resolve()
    path = (root / name).resolve()
    # The agent shortens names below the library folders as it does those below the project.
    if not path.is_file() and not PurePath(name).is_absolute():
        raise Refused("it is in a third-party package")
    if not path.is_relative_to(root):
        raise Refused(f"it is outside of {folder}")
    return path.relative_to(root), int(line)
