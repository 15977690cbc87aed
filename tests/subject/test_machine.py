"""What a record says about the machine is what the system says, and nothing where it says nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from wirespeed.subject.machine import (
    CpuTicks,
    available_cores,
    cpu_model,
    cpu_ticks,
    environment,
    steal_share,
)


def system(root: Path, files: dict[str, str]) -> Path:
    """A file tree as the kernel would show it."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_this_machine_is_described_completely() -> None:
    facts = environment("uvloop")
    assert facts.cpu and facts.os.startswith(("Linux", "macOS"))
    assert 1 <= facts.cores <= (os.cpu_count() or 1)
    assert facts.load_1m is not None and facts.load_1m >= 0
    assert facts.event_loop == "uvloop"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells steal")
def test_steal_is_a_share_of_the_time_since_an_earlier_reading() -> None:
    facts = environment(None, since=CpuTicks(total=0, stolen=0))
    assert facts.steal is not None and 0 <= facts.steal <= 1


def test_guest_time_is_not_counted_twice(tmp_path: Path) -> None:
    root = system(tmp_path, {"proc/stat": "cpu  100 10 50 800 20 5 5 10 60 1\ncpu0 1 2 3 4 5 6 7 8 9 0\n"})
    assert cpu_ticks(root) == CpuTicks(total=1000, stolen=10)


def test_steal_between_two_readings_leaves_out_what_came_before() -> None:
    before, after = CpuTicks(total=1000, stolen=900), CpuTicks(total=1200, stolen=910)
    assert steal_share(after, since=before) == pytest.approx(0.05)


def test_without_a_tick_between_two_readings_steal_is_unknown() -> None:
    ticks = CpuTicks(total=1000, stolen=10)
    assert steal_share(ticks, since=ticks) is None


@pytest.mark.parametrize("stat", ["", "cpu  1 2 3\n", "intr 12 nonsense\n"])
def test_a_kernel_that_does_not_count_steal_gives_none(stat: str, tmp_path: Path) -> None:
    assert cpu_ticks(system(tmp_path, {"proc/stat": stat})) is None


def test_a_system_without_proc_gives_none(tmp_path: Path) -> None:
    assert cpu_ticks(tmp_path) is None
    assert available_cores(tmp_path) >= 1
    assert cpu_model(tmp_path) != ""


@pytest.mark.parametrize(
    ("cpuinfo", "name"),
    [
        (
            "processor\t: 0\nmodel\t\t: 1\nmodel name\t: AMD EPYC 7763\n\nprocessor\t: 1\nmodel name\t: B\n",
            "AMD EPYC 7763",
        ),
        (
            "processor\t: 0\nBogoMIPS\t: 108.00\n\nModel\t\t: Raspberry Pi 4 Model B\n",
            "Raspberry Pi 4 Model B",
        ),
        (
            "processor : 0\ncpu : POWER9 (architected), altivec supported\n",
            "POWER9 (architected), altivec supported",
        ),
    ],
)
def test_the_cpu_is_called_what_it_calls_itself(cpuinfo: str, name: str, tmp_path: Path) -> None:
    assert cpu_model(system(tmp_path, {"proc/cpuinfo": cpuinfo})) == name


@pytest.fixture
def many_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)), raising=False)


@pytest.mark.usefixtures("many_cores")
class TestQuotas:
    def test_a_version_2_quota_limits_the_cores(self, tmp_path: Path) -> None:
        root = system(
            tmp_path,
            {
                "proc/self/cgroup": "0::/app\n",
                "sys/fs/cgroup/app/cpu.max": "400000 100000\n",
            },
        )
        assert available_cores(root) == 4

    def test_a_version_1_quota_limits_the_cores(self, tmp_path: Path) -> None:
        root = system(
            tmp_path,
            {
                "proc/self/cgroup": "4:memory:/\n3:cpu,cpuacct:/app\n",
                "sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us": "250000\n",
                "sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_period_us": "100000\n",
            },
        )
        assert available_cores(root) == 2

    def test_the_quota_of_an_ancestor_limits_the_cores_too(self, tmp_path: Path) -> None:
        root = system(
            tmp_path,
            {
                "proc/self/cgroup": "0::/slice/app\n",
                "sys/fs/cgroup/slice/app/cpu.max": "max 100000\n",
                "sys/fs/cgroup/slice/cpu.max": "300000 100000\n",
            },
        )
        assert available_cores(root) == 3

    def test_a_path_of_the_host_still_finds_the_quota_of_the_container(self, tmp_path: Path) -> None:
        root = system(
            tmp_path,
            {
                "proc/self/cgroup": "0::/docker/0a1b\n",
                "sys/fs/cgroup/cpu.max": "200000 100000\n",
            },
        )
        assert available_cores(root) == 2

    def test_a_quota_below_one_core_counts_as_one(self, tmp_path: Path) -> None:
        root = system(tmp_path, {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "50000 100000\n"})
        assert available_cores(root) == 1

    @pytest.mark.parametrize("unlimited", ["max 100000\n", ""])
    def test_no_quota_leaves_every_core(self, unlimited: str, tmp_path: Path) -> None:
        root = system(tmp_path, {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": unlimited})
        assert available_cores(root) == 16


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system has no affinity")
def test_cores_taken_away_by_affinity_are_not_counted() -> None:
    script = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "from wirespeed.subject.machine import available_cores; print(available_cores())"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout == "1\n"
