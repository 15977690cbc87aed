"""What stood on the command line of ``wirespeed compare``."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.cli.request_options import NO_WISHES
from wirespeed.model.plan import RequestWishes


@dataclass(frozen=True)
class CompareOptions:
    subjects: tuple[str, ...]
    gets: tuple[str, ...] = ()
    requests: tuple[str, ...] = ()
    bodies: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()
    workers: tuple[int, ...] = ()
    pythons: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()
    revisions: tuple[str, ...] = ()
    cross: bool = False
    prepare: str | None = None
    folder: str = "."
    env: tuple[str, ...] = ()
    lens: str = "service"
    connections: int | None = None
    metric: str | None = None
    margin: str = "2%"
    budget: str | None = None
    until_decided: bool = False
    max_errors: str = "0.1%"
    allow_different: bool = False
    timeout: str = "30s"
    insecure: bool = False
    remote: bool = False
    seed: int | None = None
    ready: RequestWishes = NO_WISHES
    """Requests and headers that no option said."""
