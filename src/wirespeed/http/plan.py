"""What a run of load is asked to do, complete."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """One of ``requests`` and ``duration_s`` is set. With a ``rate`` the loop is open, without one it is
    closed.
    """

    connections: int
    requests: int | None
    duration_s: float | None
    rate: float | None = None
    """Requests a second, of all processes together."""
    poisson: bool = False
    timeout_s: float = 30.0
    connect_timeout_s: float = 10.0
    processes: int = 1
    seed: int = 1
    remote: bool = False
    """Whether the target may be on another machine."""

    @property
    def timeout_ns(self) -> int:
        return round(self.timeout_s * 1e9)

    def share(self, index: int) -> LoadPlan:
        """What process ``index`` of all ``processes`` does; the shares add up to the whole."""
        return replace(
            self,
            connections=_share(self.connections, index, self.processes),
            requests=None if self.requests is None else _share(self.requests, index, self.processes),
        )


def _share(total: int, index: int, parts: int) -> int:
    return total // parts + (index < total % parts)
