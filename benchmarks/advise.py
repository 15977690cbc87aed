"""How long ``advise`` takes on the examples, how much memory it needs, and what it finds.

python benchmarks/advise.py [BUDGET]
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

EXAMPLES = Path(__file__).parent.parent / "examples"
WIRESPEED = """
import resource, sys
from pathlib import Path
from wirespeed.cli.shell import run

code = run(sys.argv[2:])
Path(sys.argv[1]).write_text(str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
sys.exit(code)
"""
"""The command, which leaves its own peak in a file: seen from outside, that of its agents would be in it."""


def advise(app: str, folder: Path, options: list[str]) -> tuple[dict[str, Any], float, float]:
    """(document, seconds, peak MB of the conductor alone)."""
    started = time.monotonic()
    with TemporaryDirectory() as scratch:
        peak = Path(scratch, "peak")
        command = [sys.executable, "-c", WIRESPEED, str(peak), "advise", app, "--folder", str(folder)]
        done = subprocess.run([*command, "--json", "--no-save", *options], stdout=subprocess.PIPE)
        if done.returncode != 0:
            raise SystemExit(f"wirespeed advise {app} failed")
        return json.loads(done.stdout), time.monotonic() - started, int(peak.read_text()) / 1024


def tell(app: str, document: dict[str, Any], seconds: float, peak_mb: float) -> None:
    conclusions = Counter(endpoint["conclusion"] for endpoint in document["endpoints"])
    noise = document["noise"]["round_sd"]
    print(
        f"{app}: {seconds:.1f} s, {document['plan']['rounds']} rounds, conductor {peak_mb:.0f} MB, ", end=""
    )
    print(f"round sd {noise:.2%}" if noise is not None else "nothing measured")
    told = ", ".join(f"{count} {conclusion}" for conclusion, count in sorted(conclusions.items()))
    print(f"  {len(document['endpoints'])} endpoints called: {told}; {len(document['skipped'])} skipped")
    found = Counter(finding["code"] for endpoint in document["endpoints"] for finding in endpoint["findings"])
    if found:
        print(f"  found: {', '.join(f'{code} on {count}' for code, count in sorted(found.items()))}")
    for endpoint in document["endpoints"]:
        for arm in endpoint["arms"]:
            if arm["recommended"]:
                low, high = (1 / end for end in reversed(arm["whole"]["interval"]))
                gain = f"{1 / arm['whole']['ratio']:.2f}x faster [{low:.2f}, {high:.2f}]"
                print(f"  {endpoint['request']}  {arm['name']}  {gain}  {arm['fidelity']}")


def main() -> None:
    budget = sys.argv[1] if len(sys.argv) > 1 else "60s"
    for app in ("users.py", "shop.main:app"):
        tell(app, *advise(app, EXAMPLES, ["--budget", budget]))


if __name__ == "__main__":
    main()
