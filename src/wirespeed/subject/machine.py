"""Facts about the measuring machine, for its records; what it does not tell is None or ``unknown``."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from wirespeed.model.advice import Environment

_ROOT = Path("/")
_CPUINFO_NAMES = ("model name", "Model", "cpu")  # x86, most ARM boards, POWER
_STEAL_COLUMN = 7
_COUNTED_COLUMNS = 8  # guest time follows, and is contained in user time


@dataclass(frozen=True, slots=True)
class CpuTicks:
    """CPU time of all cores since boot, in clock ticks; ``stolen`` is what the hypervisor gave to others."""

    total: int
    stolen: int


def environment(event_loop: str | None, since: CpuTicks | None = None) -> Environment:
    """The machine as it is now; steal is counted from the reading ``since``, or else from boot."""
    ticks = cpu_ticks()
    return Environment(
        cpu=cpu_model(),
        cores=available_cores(),
        load_1m=load_1m(),
        steal=None if ticks is None else steal_share(ticks, since),
        os=operating_system(),
        event_loop=event_loop,
    )


def cpu_ticks(root: Path = _ROOT) -> CpuTicks | None:
    """A reading of ``/proc/stat`` (proc_stat(5)); None where there is none, as on macOS."""
    columns = _read(root / "proc/stat").partition("\n")[0].split()[1:]
    if len(columns) < _COUNTED_COLUMNS or not all(column.isdigit() for column in columns):
        return None
    ticks = [int(column) for column in columns[:_COUNTED_COLUMNS]]
    return CpuTicks(total=sum(ticks), stolen=ticks[_STEAL_COLUMN])


def steal_share(now: CpuTicks, since: CpuTicks | None = None) -> float | None:
    """Stolen share of CPU time between two readings, or since boot (fraction); None when no tick passed."""
    since = since or CpuTicks(total=0, stolen=0)
    if now.total <= since.total:
        return None
    return (now.stolen - since.stolen) / (now.total - since.total)


def available_cores(root: Path = _ROOT) -> int:
    """Cores this process can keep busy: what its affinity allows, but no more than its cgroups' quotas.

    Half a core is no core to run something else on, so quotas are rounded down; one is always counted.
    """
    quotas = list(_cgroup_quotas(root))
    return max(1, min([_cores_of_affinity(), *(int(quota) for quota in quotas)]))


def cpu_model(root: Path = _ROOT) -> str:
    """The name the CPU gives itself, else the architecture, else ``unknown``."""
    return (
        _name_in_cpuinfo(_read(root / "proc/cpuinfo"))
        or (_macos_cpu_name() if platform.system() == "Darwin" else "")
        or platform.processor()
        or platform.machine()
        or "unknown"
    )


def load_1m() -> float | None:
    try:
        return os.getloadavg()[0]
    except OSError:
        return None


def operating_system() -> str:
    """``Linux 6.18.2``, ``macOS 15.1``."""
    if version := platform.mac_ver()[0]:
        return f"macOS {version}"
    return f"{platform.system()} {platform.release()}".strip() or "unknown"


def _cores_of_affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cgroup_quotas(root: Path) -> Iterator[float]:
    """CPU quotas, in cores, of this process's cgroups, ancestors included (cgroups(7), both versions)."""
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, controllers, group = line.split(":", 2)
        if controllers == "" or "cpu" in controllers.split(","):
            # A container may see its host's path here but only its own folder below the mount point.
            for folder in _and_parents(group):
                yield from _quota(root / "sys/fs/cgroup" / controllers / folder)


def _and_parents(group: str) -> Iterator[PurePosixPath]:
    path = PurePosixPath(group.lstrip("/"))
    yield path
    yield from path.parents


def _quota(folder: Path) -> Iterator[float]:
    """The quota set in one cgroup folder, if any: ``cpu.max`` in version 2, two files in version 1."""
    names = ("cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us")
    numbers = [word for name in names for word in _read(folder / name).split()]
    if len(numbers) == 2 and all(number.isdigit() for number in numbers):  # "max" and -1 are no quota
        yield int(numbers[0]) / int(numbers[1])


def _name_in_cpuinfo(cpuinfo: str) -> str:
    facts = dict(reversed([_fact(line) for line in cpuinfo.splitlines()]))
    return next((facts[name] for name in _CPUINFO_NAMES if facts.get(name)), "")


def _fact(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip(), value.strip()


def _macos_cpu_name() -> str:
    command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
