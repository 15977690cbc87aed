from __future__ import annotations

import sys

from . import HOST, SERVED


def serve(folder: str, port: int, workers: int) -> None:
    """The port and not a socket of ours: with ``fd`` uvicorn takes it for a Unix one, and leaves out
    TCP_NODELAY.
    """
    import uvicorn

    sys.path.append(folder)
    uvicorn.run(f"{SERVED}:app", host=HOST, port=port, workers=workers, access_log=False)
