from __future__ import annotations

import os

from . import HOST, SERVED


def serve(folder: str, port: int, workers: int) -> None:
    """Hypercorn writes no access log unless asked."""
    from hypercorn.config import Config
    from hypercorn.run import run

    config = Config()
    config.application_path = os.path.join(folder, SERVED) + ":app"
    config.bind = [f"{HOST}:{port}"]
    config.workers = workers
    run(config)
