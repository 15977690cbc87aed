"""``--prepare``: the user's ``module:function``, called with the app before it starts up."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, Callable

from .errors import OperationError
from .loading import import_module, resolve
from .target import did_you_mean
from .tracebacks import app_traceback, last_line


def prepare(spec: str, app: Any, folder: Path, doing: Callable[[str], None]) -> Any:
    """Call it; what it returned is for ``finish_preparing``.

    Raises OperationError: ``usage`` where there is no such function; ``import`` or ``prepare`` where its
    module or itself fails.
    """
    module_name, _, name = spec.partition(":")
    if not (module_name and name):
        raise OperationError(
            "usage", f"{spec!r} is not module:function.", advice="As in --prepare testing:seed."
        )
    doing(f"importing {module_name}, for --prepare")
    module = import_module(module_name, folder)
    function = resolve(module, name, offer=lambda module, name: did_you_mean(name, vars(module)))
    doing(f"running --prepare {spec}")
    try:
        return function(app)
    except BaseException as error:
        raise _failed(spec, error) from None


async def finish_preparing(spec: str, returned: Any) -> None:
    """Await what an asynchronous function returned; what others returned is not looked at."""
    if not inspect.isawaitable(returned):
        return
    try:
        await returned
    except BaseException as error:
        raise _failed(spec, error) from None


def _failed(spec: str, error: BaseException) -> OperationError:
    message = f"--prepare {spec} failed: {last_line(error)}"
    return OperationError("prepare", message, traceback=app_traceback(error))
