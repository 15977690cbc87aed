"""Requests per CPU-second of ``wirespeed load`` and of wrk, hey, autocannon, h2load, ab, on one nginx.

    python benchmarks/engine.py [--install] [--starts 5] [--turns 4] [--seconds 0.5] [--connections 1,50,1000]
                                [--bodies 25,75000] [--tools wirespeed,wrk,hey]

For each setting every tool stands still (SIGSTOP) while another has its turn. Between two moments in the
middle of a turn, the tool's CPU time is read from its process's CPU clock, and the requests from nginx's own
counter: start-up costs nobody anything, and no tool counts for itself. Turns are short and in random order,
because machines change within seconds. Every few turns all tools are started anew, because where a process
has its memory makes some per cent, for as long as it lives. Needs Linux. ``--install`` gets the tools with
apt-get and npm.

wirespeed runs on the interpreter that runs this script, so give it one as users have: distributions and uv
build theirs with profile-guided optimization; pyenv does not unless told to.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import shutil
import signal
import statistics
import subprocess
import sys
import time
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

PORT = 19_099
GOAL = 0.9
WARM_UP_S = 0.7
RESUME_S = 0.1
"""After it stood still, a tool first takes the answers that waited for it."""
PACKAGES = ("nginx-light", "wrk", "hey", "apache2-utils", "nghttp2-client")
NPM_FOLDER = Path.home() / ".cache" / "wirespeed-benchmarks"
"""Where ``--install`` puts autocannon."""

TOOLS: dict[str, Callable[[str, int], list[str]]] = {
    "wirespeed": lambda url, c: [*WIRESPEED, "load", url, "-c", str(c), "-d", "900s", "--no-save"],
    "wrk": lambda url, c: ["wrk", "-t1", f"-c{c}", "-d900s", url],
    "hey": lambda url, c: ["hey", "-cpus", "1", "-c", str(c), "-z", "900s", url],
    "autocannon": lambda url, c: [AUTOCANNON, "-c", str(c), "-d", "900", url],
    "h2load": lambda url, c: ["h2load", "--h1", "-t1", f"-c{c}", "-D900", url],
    "ab": lambda url, c: ["ab", "-k", "-c", str(c), "-t", "900", "-n", "10000000", url],
}
WIRESPEED = [sys.executable, "-c", "from wirespeed.cli import main; main()"]
AUTOCANNON = shutil.which("autocannon") or str(NPM_FOLDER / "node_modules" / ".bin" / "autocannon")

NGINX = """
worker_processes 1;
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 16384; }}
http {{
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  keepalive_timeout 600;
  open_file_cache max=100;
  client_body_temp_path {folder};
  proxy_temp_path {folder};
  fastcgi_temp_path {folder};
  uwsgi_temp_path {folder};
  scgi_temp_path {folder};
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    root {folder}/www;
    location = /status {{ stub_status; }}
  }}
}}
"""


@dataclass(frozen=True, order=True)
class Setting:
    connections: int
    body_bytes: int

    def __str__(self) -> str:
        return f"c={self.connections} {self.body_bytes} B"


def main() -> int:
    options = parse()
    if options.install:
        install()
    tools = [tool for tool in options.tools.split(",") if is_there(tool)]
    bodies = [int(size) for size in options.bodies.split(",")]
    settings = [Setting(int(c), size) for size in bodies for c in options.connections.split(",")]
    with nginx(bodies) as server:
        figures = take_turns(server, tools, settings, options)
    print_table(tools, settings, figures)
    return 0 if reaches_goal(settings, figures) else 1


class Nginx:
    """Knows how many requests it has served, apart from those that ask it for that."""

    def __init__(self) -> None:
        self._asked = 0

    def served(self) -> int:
        self._asked += 1
        with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/status") as answer:
            # Its third line: accepted, handled, requests.
            return int(answer.read().split(b"\n")[2].split()[2]) - self._asked


def take_turns(
    server: Nginx, tools: list[str], settings: list[Setting], options: argparse.Namespace
) -> dict[tuple[str, Setting], list[float]]:
    """Requests per CPU-second of every turn, by tool and setting."""
    figures: dict[tuple[str, Setting], list[float]] = defaultdict(list)
    for setting in settings:
        for _ in range(options.starts):
            with standing_still(server, tools, setting) as processes:
                for _ in range(options.turns):
                    for tool in random.sample(tools, len(tools)):
                        figures[tool, setting].append(one_turn(server, processes[tool], options.seconds))
        done = f"{options.starts} x {options.turns} turns, load average {os.getloadavg()[0]:.1f}"
        print(f"{setting}: {done}", file=sys.stderr)
    return figures


@contextmanager
def standing_still(
    server: Nginx, tools: list[str], setting: Setting
) -> Iterator[dict[str, subprocess.Popen[bytes]]]:
    """Every tool, started, warm, and stopped."""
    url = f"http://127.0.0.1:{PORT}/{setting.body_bytes}"
    processes: dict[str, subprocess.Popen[bytes]] = {}
    try:
        for tool in tools:
            command = TOOLS[tool](url, setting.connections)
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            processes[tool] = process
            wait_for_load(server, process, setting.connections)
            process.send_signal(signal.SIGSTOP)
        yield processes
    finally:
        for process in processes.values():
            process.kill()
            process.wait()


def one_turn(server: Nginx, process: subprocess.Popen[bytes], seconds: float) -> float:
    process.send_signal(signal.SIGCONT)
    time.sleep(RESUME_S)
    requests, cpu_s = server.served(), cpu_time_s(process.pid)
    time.sleep(seconds)
    requests, cpu_s = server.served() - requests, cpu_time_s(process.pid) - cpu_s
    process.send_signal(signal.SIGSTOP)
    if process.poll() is not None or not requests:
        raise SystemExit(f"{process.args!r} put no load on for {seconds} s: was the machine stopped?")
    return requests / cpu_s


def wait_for_load(server: Nginx, process: subprocess.Popen[bytes], connections: int) -> None:
    """Until every connection has surely had an answer, and then some."""
    before = server.served()
    deadline = time.monotonic() + 30
    while server.served() - before < 20 * connections:
        if process.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"{process.args!r} puts no load on")
        time.sleep(0.05)
    time.sleep(WARM_UP_S)


def cpu_time_s(pid: int) -> float:
    """CPU seconds of all threads of a process so far; the id is made as clock_getcpuclockid(3) does."""
    return time.clock_gettime((~pid << 3) | 2)


def print_table(
    tools: list[str], settings: list[Setting], figures: dict[tuple[str, Setting], list[float]]
) -> None:
    print(f"\nwirespeed runs on {interpreter()}.")
    print("\nRequests per CPU-second (median of turns), and in relation to wrk:\n")
    print(f"{'':12}" + "".join(f"{setting!s:>20}" for setting in settings))
    for tool in tools:
        print(f"{tool:12}" + "".join(f"{cell(figures, tool, setting):>20}" for setting in settings))
    print("\nSmallest and largest of the turns:\n")
    for tool in tools:
        spans = (figures[tool, setting] for setting in settings)
        print(f"{tool:12}" + "".join(f"{f'{min(span):,.0f}-{max(span):,.0f}':>20}" for span in spans))


def interpreter() -> str:
    return f"{platform.python_implementation()} {platform.python_version()}, {Path(sys.executable).resolve()}"


def cell(figures: dict[tuple[str, Setting], list[float]], tool: str, setting: Setting) -> str:
    median = statistics.median(figures[tool, setting])
    ratio = relation(figures, tool, setting)
    return f"{median:,.0f}" + ("" if ratio is None else f" {ratio:.2f}x")


def relation(figures: dict[tuple[str, Setting], list[float]], tool: str, setting: Setting) -> float | None:
    theirs = figures.get(("wrk", setting))
    return statistics.median(figures[tool, setting]) / statistics.median(theirs) if theirs else None


def reaches_goal(settings: list[Setting], figures: dict[tuple[str, Setting], list[float]]) -> bool:
    missed = []
    for setting in settings:
        ratio = relation(figures, "wirespeed", setting) if ("wirespeed", setting) in figures else None
        if ratio is not None and ratio < GOAL:
            missed.append(f"{setting}: {ratio:.2f}")
    print(f"\nBelow {GOAL} x wrk: {', '.join(missed) or 'nowhere'}")
    return not missed


@contextmanager
def nginx(bodies: list[int]) -> Iterator[Nginx]:
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin") or "nginx"
    with TemporaryDirectory() as name:
        folder = Path(name)
        # Its workers are somebody else.
        folder.chmod(0o755)
        (folder / "www").mkdir()
        for size in bodies:
            (folder / "www" / str(size)).write_bytes(b"x" * size)
        configuration = folder / "nginx.conf"
        configuration.write_text(NGINX.format(folder=folder, port=PORT))
        process = subprocess.Popen([program, "-c", str(configuration)], stderr=subprocess.DEVNULL)
        try:
            yield started(process)
        finally:
            process.terminate()
            process.wait()


def started(process: subprocess.Popen[bytes]) -> Nginx:
    """Once it serves. Requests that did not reach it are none that it has served."""
    for _ in range(100):
        time.sleep(0.05)
        server = Nginx()
        try:
            server.served()
        except OSError:
            if process.poll() is not None:
                break
        else:
            return server
    raise SystemExit("nginx does not start")


def is_there(tool: str) -> bool:
    if tool not in TOOLS:
        raise SystemExit(f"there is no tool {tool}: {', '.join(TOOLS)}")
    found = shutil.which(TOOLS[tool]("", 1)[0]) is not None
    if not found:
        print(f"{tool} is not installed; --install gets it", file=sys.stderr)
    return found


def install() -> None:
    sudo = [] if os.geteuid() == 0 else ["sudo"]
    subprocess.run([*sudo, "apt-get", "install", "-y", *PACKAGES], check=True)
    NPM_FOLDER.mkdir(parents=True, exist_ok=True)
    subprocess.run(["npm", "install", "--prefix", str(NPM_FOLDER), "autocannon"], check=True)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--install", action="store_true", help="install what is missing")
    parser.add_argument("--starts", type=int, default=5, help="how often all tools are started")
    parser.add_argument("--turns", type=int, default=4, help="of each tool that was started")
    parser.add_argument("--seconds", type=float, default=0.5, help="how long to look at a tool in a turn")
    parser.add_argument("--connections", default="1,50,1000")
    parser.add_argument("--bodies", default="25,75000", help="bytes")
    parser.add_argument("--tools", default=",".join(TOOLS))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
