"""What kind of response an endpoint returned in the place of a value."""

from __future__ import annotations

from typing import Any


def is_response(value: Any) -> bool:
    """Whether FastAPI sends it as it is."""
    from starlette.responses import Response

    # Of the type: isinstance trips over lazy proxies.
    return issubclass(type(value), Response)


def is_streamed(value: Any) -> bool:
    """Whether it is a response without a whole body: a file or a stream."""
    from starlette.responses import FileResponse, StreamingResponse

    return issubclass(type(value), (FileResponse, StreamingResponse))
