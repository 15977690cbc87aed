"""Putting the watchers in place in every FastAPI that this process loads, and taking them out again.

FastAPI is never imported from here: what is loaded is patched at once, what is not when its import is over.
"""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

from wirespeed_agent.gcmeter import metering
from wirespeed_agent.seams import watching

from .watching import Watch

_LAST_MODULE = "fastapi.applications"
"""The last one imported of those that are patched."""


class Patches:
    """``install`` and, when all is over, ``remove``."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._undo = contextlib.ExitStack()

    def install(self) -> None:
        self._undo.enter_context(metering())
        if _LAST_MODULE in sys.modules:
            self.patch()
        finder = _AfterImport(self.patch)
        sys.meta_path.insert(0, finder)
        self._undo.callback(finder.leave)

    def remove(self) -> None:
        self._undo.close()

    def patch(self) -> None:
        """Watch the FastAPI that is loaded now."""
        # It may be one that looks different inside; importing it must not fail for that.
        try:
            self._patch()
        except Exception as error:
            self._watch.failure = f"this FastAPI could not be watched: {type(error).__name__}: {error}"

    def _patch(self) -> None:
        routing, applications = sys.modules["fastapi.routing"], sys.modules[_LAST_MODULE]
        self._undo.enter_context(watching())
        self._replace(routing, "run_endpoint_function", self._watch.endpoint_seam)
        self._replace(vars(routing)["APIRoute"], "handle", self._watch.route_door)
        self._replace(vars(applications)["FastAPI"], "__call__", self._watch.app_door)

    def _replace(self, owner: Any, name: str, watcher: Callable[[Any], Any]) -> None:
        """Put the watcher in the attribute's place until the end; by then somebody else may stand there."""
        own = vars(owner).get(name)
        ours = watcher(getattr(owner, name))
        setattr(owner, name, ours)

        def put_back() -> None:
            if vars(owner).get(name) is not ours:
                return
            if own is None:
                delattr(owner, name)
            else:
                setattr(owner, name, own)

        self._undo.callback(put_back)


class _AfterImport(importlib.abc.MetaPathFinder):
    """Finds nothing by itself; has ``then`` called when the others' import of FastAPI is over."""

    def __init__(self, then: Callable[[], None]) -> None:
        self._then = then
        self._is_asking = False

    def leave(self) -> None:
        with contextlib.suppress(ValueError):
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != _LAST_MODULE or self._is_asking:
            return None
        self._is_asking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._is_asking = False
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self._then)
        return spec


class _Loader(importlib.abc.Loader):
    """Another loader, and something to do afterwards."""

    def __init__(self, loader: Any, then: Callable[[], None]) -> None:
        self._loader = loader
        self._then = then

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType | None:
        made: types.ModuleType | None = self._loader.create_module(spec)
        return made

    def exec_module(self, module: types.ModuleType) -> None:
        # The module keeps nothing of us.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._then()
