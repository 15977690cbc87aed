"""The process that runs the app's own server; the app itself is loaded by the server's workers.

Which servers there are, and how each is told what to serve, is the business of ``servers/``, a file each.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
from typing import Any, Dict

from .bytecode import cache_bytecode
from .errors import OperationError
from .lifeline import die_with
from .logbook import Logbook
from .protocol import Channel


def run_server(in_fd: int, out_fd: int, lifeline_fd: int, folder: str) -> None:
    """Serve as ``plan.json`` in ``folder`` says, until a signal ends it or the conductor is gone."""
    os.set_inheritable(lifeline_fd, False)
    die_with(lifeline_fd)
    Channel(in_fd, out_fd).listen(_expect_nothing)
    with open(os.path.join(folder, "plan.json"), encoding="utf-8") as file:
        plan = json.load(file)
    sys.argv = [plan["app"]]
    cache_bytecode(plan["bytecode"])
    try:
        server = _server(plan["server"])
    except OperationError as failure:
        Logbook(os.path.join(folder, "logbook")).write(error=failure.as_message())
    else:
        server.serve(folder, plan["port"], plan["workers"])


def _expect_nothing(command: Dict[str, Any]) -> None:
    """Only the end of the commands means something here: that the conductor is gone."""


def _server(name: str) -> Any:
    """The module that starts it. Raises OperationError("usage") where it is not installed."""
    module = importlib.import_module(f".servers.{name}", __package__)
    if importlib.util.find_spec(name) is None:
        raise OperationError(
            "usage",
            f"{name} is not installed in the environment of {sys.executable}.",
            advice=f"Install it there: {sys.executable} -m pip install {name}",
        )
    return module
