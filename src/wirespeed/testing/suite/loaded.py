"""What the user's process has loaded of Starlette and FastAPI. Nothing is imported on its behalf."""

from __future__ import annotations

import sys
from typing import Any


def is_response(kind: type) -> bool:
    return issubclass(kind, vars(sys.modules["starlette.responses"])["Response"])


def is_stream(kind: type) -> bool:
    """Files and streams: responses that never have a body as a whole."""
    responses = vars(sys.modules["starlette.responses"])
    return issubclass(kind, (responses["StreamingResponse"], responses["FileResponse"]))


def is_json_response(kind: type) -> bool:
    return issubclass(kind, vars(sys.modules["starlette.responses"])["JSONResponse"])


def runs_own_handler(kind: type) -> bool:
    """Whether a class of routes puts code of its own around the endpoint, which is not ours to run again."""
    ours: Any = vars(sys.modules["fastapi.routing"])["APIRoute"]
    return any(getattr(kind, name, None) is not getattr(ours, name, None) for name in ("get_route_handler",))
