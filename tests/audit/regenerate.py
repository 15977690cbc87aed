"""Makes the fixtures again from the real tools: ``python tests/audit/regenerate.py [NAME…]``.

Needs ``wrk``, ``ab`` and ``hey`` (Debian's packages wrk, apache2-utils and hey) and ``autocannon`` (npm) on
PATH. Every tool loads ``behaving_server.py`` on loopback. What it printed becomes ``fixtures/real/NAME``; the
command and the tool's version go to ``fixtures/real/made.json``. ``fixtures/README.md`` says where the other
fixtures come from.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

FIXTURES = Path(__file__).parent / "fixtures" / "real"
MADE = FIXTURES / "made.json"
SERVER = Path(__file__).with_name("behaving_server.py")
NOBODY = "http://127.0.0.1:9"
VERSION_OPTIONS = {"wrk": "-v", "ab": "-V", "autocannon": "--version"}


class Fixture(NamedTuple):
    name: str
    command: str
    """``URL`` stands for the server, ``NOBODY`` for a port where nobody listens."""
    with_command: bool = False
    """Keep the command above the output, as people paste it."""


FIXTURE_LIST = (
    Fixture("clean-c1.hey.txt", "hey -n 1000 -c 1 URL/clean"),
    Fixture("clean-c50.hey.txt", "hey -n 5000 -c 50 URL/clean", with_command=True),
    Fixture("clean-seconds.hey.txt", "hey -z 3s -c 20 URL/clean", with_command=True),
    Fixture("clean-c10.hey.csv", "hey -n 2000 -c 10 -o csv URL/clean"),
    Fixture("errors.hey.txt", "hey -n 2000 -c 20 URL/errors"),
    Fixture("closes.hey.txt", "hey -n 2000 -c 20 URL/closes"),
    Fixture("timeouts.hey.txt", "hey -n 1500 -c 20 -t 1 URL/stall", with_command=True),
    Fixture("options-after-url.hey.txt", "hey URL/clean -n 1000 -c 20", with_command=True),
    Fixture("rounded-down.hey.txt", "hey -n 1000 -c 30 URL/clean", with_command=True),
    Fixture("refused.hey.txt", "hey -n 200 -c 10 NOBODY/", with_command=True),
    Fixture("clean-c1.wrk.txt", "wrk -t 1 -c 1 -d 7s --latency URL/clean"),
    Fixture("clean-c20.wrk.txt", "wrk -t 2 -c 20 -d 3s URL/clean"),
    Fixture("clean-c50.wrk.txt", "wrk -t 2 -c 50 -d 3s --latency URL/clean"),
    Fixture("errors.wrk.txt", "wrk -t 2 -c 20 -d 2s --latency URL/errors"),
    Fixture("closes.wrk.txt", "wrk -t 2 -c 20 -d 2s --latency URL/closes"),
    Fixture("stall.wrk.txt", "wrk -t 2 -c 20 -d 8s --latency URL/stall"),
    Fixture("stall-in-time.wrk.txt", "wrk -t 2 -c 20 -d 8s --timeout 5s --latency URL/stall"),
    Fixture("clean-c1.ab.txt", "ab -q -n 1000 -c 1 URL/clean"),
    Fixture("clean-c20-keepalive.ab.txt", "ab -q -k -n 4000 -c 20 URL/clean"),
    Fixture("clean-c50.ab.txt", "ab -q -n 4000 -c 50 URL/clean", with_command=True),
    Fixture("errors.ab.txt", "ab -q -n 2000 -c 20 URL/errors"),
    Fixture("closes.ab.txt", "ab -q -r -n 2000 -c 20 URL/closes"),
    Fixture("lengths.ab.txt", "ab -q -n 1000 -c 10 URL/lengths"),
    Fixture("clean-c1.autocannon.json", "autocannon -j -c 1 -d 7 URL/clean"),
    Fixture("clean-c50.autocannon.json", "autocannon -j -c 50 -d 3 URL/clean"),
    Fixture("clean-amount.autocannon.json", "autocannon -j -c 10 -a 3000 URL/clean"),
    Fixture("errors.autocannon.json", "autocannon -j -c 20 -d 2 URL/errors"),
    Fixture("closes.autocannon.json", "autocannon -j -c 20 -d 2 URL/closes"),
    Fixture("timeouts.autocannon.json", "autocannon -j -c 20 -d 5 -t 1 URL/stall"),
    Fixture("refused.autocannon.json", "autocannon -j -c 5 -d 1 NOBODY/"),
    Fixture("rate.autocannon.json", "autocannon -j -c 10 -d 3 -R 500 URL/bursts"),
)


@contextmanager
def behaving_server() -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        process.stdin.close()


def version_of(tool: str) -> str:
    """What the tool says of itself; hey says nothing, so the package is asked."""
    if tool == "hey":
        asked = ["dpkg-query", "--showformat=hey ${Version}", "--show", "hey"]
    else:
        asked = [tool, VERSION_OPTIONS[tool]]
    told = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    first = told.strip().splitlines()[0]
    return re.sub(r"^This is ApacheBench, ", "ab ", first).partition(" Copyright")[0].partition(" <")[0]


def make(fixture: Fixture) -> dict[str, str]:
    tool = fixture.command.partition(" ")[0]
    with behaving_server() as url:
        command = fixture.command.replace("URL", url).replace("NOBODY", NOBODY).split()
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    shown = f"$ {' '.join(command)}\n" if fixture.with_command else ""
    (FIXTURES / fixture.name).write_text(shown + done.stdout)
    return {"command": fixture.command, "version": version_of(tool)}


def main() -> int:
    wanted = set(sys.argv[1:])
    chosen = [fixture for fixture in FIXTURE_LIST if not wanted or fixture.name in wanted]
    missing = sorted(
        {fixture.command.split()[0] for fixture in chosen if not shutil.which(fixture.command.split()[0])}
    )
    if missing or not chosen:
        print(f"not on PATH: {', '.join(missing)}" if missing else "no such fixture", file=sys.stderr)
        return 2
    made = json.loads(MADE.read_text()) if MADE.exists() else {}
    for fixture in chosen:
        print(fixture.name)
        made[fixture.name] = make(fixture)
        MADE.write_text(json.dumps(made, indent=2, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
