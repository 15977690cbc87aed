from __future__ import annotations

import os

from . import HOST, SERVED


def serve(folder: str, port: int, workers: int) -> None:
    """Granian writes no access log unless asked."""
    from granian import Granian
    from granian.constants import Interfaces

    target = os.path.join(folder, SERVED + ".py") + ":app"
    Granian(target, address=HOST, port=port, interface=Interfaces.ASGI, workers=workers).serve()
