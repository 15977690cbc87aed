"""Importing the user's app and picking it out of its module.

What is called is the outermost ASGI app the user named, whatever it wraps. Every failure says whose it is:
a name that is not there, an environment without FastAPI, or the app's own code with its own traceback.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import inspect
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, List, NamedTuple, Optional, Tuple

from .errors import OperationError
from .shapes import Shape, may_be_app, may_be_factory, shape_of
from .target import Target, did_you_mean, read_target, similar_modules
from .tracebacks import app_traceback, is_ours, last_line

_PREFERRED_NAMES = ("app", "api")
_MOST_OFFERED = 5


class Found(NamedTuple):
    app: Any
    """The outermost ASGI app; from ``find``, maybe an awaitable of it."""
    module: ModuleType
    import_string: str
    notes: List[str]


async def find_app(spec: str, folder: Path, doing: Callable[[str], None]) -> Found:
    """Import the app that ``spec`` names, seen from ``folder``; calls it first if it is a factory.

    Raises OperationError of kind ``usage``, ``environment`` or ``import``.
    """
    return await finish(find(spec, folder, doing))


def find(spec: str, folder: Path, doing: Callable[[str], None]) -> Found:
    """As ``find_app``, but the ``app`` of an asynchronous factory is left to be awaited, by ``finish``."""
    target = read_target(spec, folder)
    sys.path.insert(0, target.path_entry)
    require_fastapi()
    doing(f"importing {target.module}")
    module = import_module(target.module, folder)
    _require_file(module, target)
    name = target.attribute or _look_for_app(module)
    value = resolve(module, name, offer_apps)
    import_string = f"{target.module}:{name}"
    if target.call or (not may_be_app(value) and may_be_factory(value)):
        doing(f"calling {import_string}()")
        notes = [] if target.call else [f"{import_string} is a factory; it was called without arguments."]
        return _made_by(value, module, import_string, notes)
    if not may_be_app(value):
        raise _no_app(import_string, value, offer_apps(module, name))
    return Found(value, module, import_string, [])


async def finish(found: Found) -> Found:
    """Await the app, where that is still to be done, in the event loop it will run in."""
    if not inspect.isawaitable(found.app):
        return found
    try:
        app = await found.app
    except BaseException as error:
        raise _factory_failed(found.import_string, error) from None
    return _checked(found._replace(app=app))


def require_fastapi() -> None:
    """Raises OperationError("environment") unless FastAPI with Pydantic 2 can be imported here."""
    spec = importlib.util.find_spec("fastapi")
    if spec is None or spec.origin is None:
        raise OperationError(
            "environment",
            f"FastAPI is not installed in the environment of {sys.executable}.",
            advice="Name the app's own interpreter with --python.",
        )
    pydantic = installed_version("pydantic")
    if pydantic is not None and pydantic.startswith("1."):
        raise OperationError(
            "environment",
            f"wirespeed needs Pydantic 2; the environment of {sys.executable} has {pydantic}.",
            advice="Upgrade Pydantic in the app's environment.",
        )


def installed_version(package: str) -> Optional[str]:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def import_module(name: str, folder: Path) -> ModuleType:
    """Raises OperationError: ``usage`` where the module is not there, ``import`` where it fails."""
    try:
        return importlib.import_module(name)
    except BaseException as error:
        if isinstance(error, ModuleNotFoundError) and _is_within(name, error.name or ""):
            raise _no_module(name, error, folder) from None
        raise OperationError(
            "import",
            _import_failed(name, error),
            advice=_import_advice(error),
            traceback=app_traceback(error),
        ) from None


def resolve(module: ModuleType, name: str, offer: Callable[[ModuleType, str], Optional[str]]) -> Any:
    """The value of a dotted name in a module, whose ``__getattr__`` has its say.

    Raises OperationError: ``usage`` where it is not there, with what ``offer`` proposes instead; ``import``
    where looking at it fails.
    """
    value: Any = module
    try:
        for part in name.split("."):
            value = getattr(value, part)
    except BaseException as error:
        full_name = f"{module.__name__}:{name}"
        if _says_not_there(error):
            message = f"{full_name} is not there ({error})."
            raise OperationError("usage", message, advice=offer(module, name)) from None
        message = f"{full_name} could not be had: {last_line(error)}"
        raise OperationError("import", message, traceback=app_traceback(error)) from None
    return value


def _says_not_there(error: BaseException) -> bool:
    """Tells a missing name from an AttributeError of the code that a lazy name sets off."""
    if not isinstance(error, AttributeError):
        return False
    *_, (frame, _line) = traceback.walk_tb(error.__traceback__)
    return is_ours(frame.f_code.co_filename) or frame.f_code.co_name == "__getattr__"


def offer_apps(module: ModuleType, name: str) -> Optional[str]:
    """What in the module could have been meant: its apps, else what may be a factory, else similar names."""
    apps, factories = _apps(module), _factories(module)
    if apps:
        return f"{module.__name__} has {_listed(module, apps)}."
    if factories:
        return f"{module.__name__} may have a factory: {_listed(module, factories)}()."
    return did_you_mean(name, vars(module))


def _look_for_app(module: ModuleType) -> str:
    """The name under which the ``fastapi`` command would find the app; wrapped apps count."""
    for name in _PREFERRED_NAMES:
        if shape_of(_peek(module, name)) is Shape.APP:
            return name
    for name, value in _public(module):
        if _is_fastapi(value):
            return name
    advice = offer_apps(module, "app") or f"Name it, as in {module.__name__}:name."
    raise OperationError("usage", f"No app found in {module.__name__}.", advice=advice)


def _peek(module: ModuleType, name: str) -> Any:
    try:
        return resolve(module, name, offer=lambda module, name: None)
    except OperationError as failure:
        if failure.kind != "usage":
            raise
        return None


def _is_fastapi(value: Any) -> bool:
    fastapi = sys.modules.get("fastapi")
    # Not isinstance: it would ask a lazy proxy for its class, and set off what the proxy puts off.
    return fastapi is not None and issubclass(type(value), fastapi.FastAPI)


def _made_by(factory: Any, module: ModuleType, import_string: str, notes: List[str]) -> Found:
    """What the factory returns; what a coroutine function returns is still to be awaited."""
    if not callable(factory):
        raise OperationError("usage", f"{import_string} cannot be called; it is {_kind(factory)}.")
    if shape_of(factory) not in (Shape.FACTORY, Shape.UNCLEAR):
        raise OperationError(
            "usage",
            f"{import_string} cannot be called without arguments.",
            advice="Write a function without parameters that calls it, and name that one.",
        )
    try:
        app = factory()
    except BaseException as error:
        raise _factory_failed(import_string + "()", error) from None
    found = Found(app, module, import_string + "()", notes)
    return found if inspect.isawaitable(app) else _checked(found)


def _checked(found: Found) -> Found:
    if not may_be_app(found.app):
        raise _no_app(f"What {found.import_string} returned", found.app, None)
    return found


def _factory_failed(call: str, error: BaseException) -> OperationError:
    return OperationError("import", f"{call} failed: {last_line(error)}", traceback=app_traceback(error))


def _no_app(what: str, value: Any, advice: Optional[str]) -> OperationError:
    return OperationError("usage", f"{what} is not an ASGI app; it is {_kind(value)}.", advice=advice)


def _no_module(name: str, error: ModuleNotFoundError, folder: Path) -> OperationError:
    advice = similar_modules(name, folder) or f"Modules are looked for in {folder} first."
    return OperationError("usage", f"{error}.", advice=advice)


def _is_within(name: str, missing: str) -> bool:
    """Whether the module that is missing is the one asked for, or a package it would be in."""
    return (name + ".").startswith(missing + ".")


def _import_failed(name: str, error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"{name} ended the program while it was imported (exit status {error.code})."
    return f"{name} could not be imported: {last_line(error)}"


def _import_advice(error: BaseException) -> Optional[str]:
    if isinstance(error, ModuleNotFoundError):
        return f"The app was imported by {sys.executable}; --python names another interpreter."
    return None


def _require_file(module: ModuleType, target: Target) -> None:
    """A file may be shadowed by an installed or already imported module of the same name."""
    actual = getattr(module, "__file__", None)
    if target.file is not None and (actual is None or os.path.realpath(actual) != target.file):
        raise OperationError(
            "usage",
            f"Importing {target.module} gives {actual or 'a built-in module'}, not {target.file}.",
            advice="Rename the file, or name the app as module:name.",
        )


def _apps(module: ModuleType) -> List[str]:
    """Names of what a server could call: FastAPI apps before their wrappers, routers and the like."""
    found = [(name, value) for name, value in _public(module) if _looks_like_app(value)]
    return [name for name, value in sorted(found, key=lambda item: not _is_fastapi(item[1]))]


def _looks_like_app(value: Any) -> bool:
    """Stricter than what is accepted: an endpoint with three parameters is not worth offering."""
    if inspect.isclass(value) or shape_of(value) is not Shape.APP:
        return False
    return not inspect.isroutine(value) or "scope" in inspect.signature(value).parameters


def _factories(module: ModuleType) -> List[str]:
    return [
        name for name, value in _public(module) if inspect.isfunction(value) and _looks_like_factory(value)
    ]


def _looks_like_factory(function: Any) -> bool:
    says_so = "app" in function.__name__ or "FastAPI" in str(function.__annotations__.get("return"))
    return says_so and may_be_factory(function)


def _public(module: ModuleType) -> List[Tuple[str, Any]]:
    return [(name, value) for name, value in sorted(vars(module).items()) if not name.startswith("_")]


def _listed(module: ModuleType, names: List[str]) -> str:
    return ", ".join(f"{module.__name__}:{name}" for name in names[:_MOST_OFFERED])


def _kind(value: Any) -> str:
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
