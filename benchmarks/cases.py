"""Runs advise on apps with a known fault, and prints what should be found beside what was found.

    python benchmarks/cases.py FOLDER [CASE]... [--python PATH] [--budget 30s]

FOLDER holds the apps; a CASE is the beginning of a file's name. Exits with 1 if one is not as expected.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

WIRESPEED = [sys.executable, "-c", "from wirespeed.cli import main; main()"]


@dataclass(frozen=True)
class Expected:
    """What advise must say of a case's endpoint.

    ``arms``: beginnings of names, one of which is recommended; empty where nothing may be. ``refused``:
    beginnings of names that are never recommended, whatever else is.
    """

    code: str
    arms: tuple[str, ...]
    kinds: tuple[str, ...] = ("annotation", "option", "code")
    refused: tuple[str, ...] = ()
    at_least: float = 1.02
    """How many times faster, alone or in parallel."""
    is_advice: bool = False
    """Only told what to do, without an arm."""
    options: tuple[str, ...] = field(default=())


CASES = {
    "01": Expected("WS101", ("-> list[dict[str, Any]]", "-> Any"), ("annotation",), at_least=5),
    "02": Expected("WS101", ("-> list[Reading]",), ("annotation",), at_least=5),
    "03": Expected("WS102", ("drop response_class",), ("option",), refused=("response_class=JSONResponse",)),
    "04": Expected(
        "WS107",
        ("discriminator kind", "return instances + discriminator kind"),
        refused=("return instances",),
    ),
    "05": Expected("WS103", ("return the value",), ("code", "annotation"), at_least=5),
    "06": Expected("WS104", ("return instances",), ("code",), refused=("-> Any",), at_least=2),
    "07": Expected("WS201", ("def",), ("code",), refused=("async def",), at_least=3),
    "09": Expected("WS301", ("pure ASGI",), ("code", "app"), refused=("without ",), at_least=1.3),
    "10": Expected("WS203", ("async def",), ("code",), at_least=1.3),
    "11": Expected("WS106", ("hoist",), ("code",), at_least=1.5),
    "20": Expected("WS203", (), refused=("async def",)),
}


@dataclass(frozen=True)
class Found:
    codes: tuple[str, ...]
    arm: str | None
    """The recommended arm of the expected rule; else the first recommended one."""
    kind: str | None
    factor: float | None
    fidelity: str | None
    confirmed_by: str | None
    recommended: tuple[str, ...]
    seconds: float


def advise(app: Path, options: Sequence[str]) -> dict[str, Any]:
    command = [*WIRESPEED, "advise", app.name, "--folder", str(app.parent), "--json", "--no-save", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"wirespeed advise {app.name} ended with {done.returncode}:\n{done.stderr}")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def found_in(document: dict[str, Any], code: str) -> Found:
    endpoints = document["endpoints"]
    arms = [arm for endpoint in endpoints for arm in endpoint["arms"] if arm["recommended"]]
    best = next((arm for arm in arms if arm["code"] == code), arms[0] if arms else None)
    return Found(
        codes=tuple(dict.fromkeys(f["code"] for endpoint in endpoints for f in endpoint["findings"])),
        arm=best and best["name"],
        kind=best and best["kind"],
        factor=best and max(1 / each["ratio"] for each in (best["whole"], best["parallel"]) if each),
        fidelity=best and best["fidelity"],
        confirmed_by=best and best["confirmed_by"],
        recommended=tuple(arm["name"] for arm in arms),
        seconds=document["elapsed_s"],
    )


def problems(expected: Expected, found: Found) -> list[str]:
    """What is not as expected, in words; empty where all is."""
    wrong: list[str] = []
    if expected.code not in found.codes and (expected.arms or expected.is_advice):
        wrong.append(f"{expected.code} did not fire")
    for name in found.recommended:
        is_expected = name.startswith(expected.arms) if expected.arms else False
        if name.startswith(expected.refused) and expected.refused and not is_expected:
            wrong.append(f"{name} is recommended")
    if not expected.arms:
        return wrong
    if found.arm is None:
        return [*wrong, "nothing is recommended"]
    if not found.arm.startswith(expected.arms):
        wrong.append(f"recommended is {found.arm}")
    if found.kind not in expected.kinds:
        wrong.append(f"its kind is {found.kind}")
    if found.fidelity != "identical":
        wrong.append(f"its bytes are {found.fidelity}")
    if found.factor is not None and found.factor < expected.at_least:
        wrong.append(f"only {found.factor:.2f}x faster")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--budget", default="60s")
    given = parser.parse_args()
    failed = 0
    for app in sorted(given.folder.glob("[0-9]*.py")):
        expected = CASES.get(app.name[:2])
        if expected is None or (given.cases and not app.name.startswith(tuple(given.cases))):
            continue
        options = ["--python", given.python, "--budget", given.budget, *expected.options]
        found = found_in(advise(app, options), expected.code)
        wrong = problems(expected, found)
        failed += bool(wrong)
        tell(app.stem, expected, found, wrong)
    return int(failed > 0)


def tell(name: str, expected: Expected, found: Found, wrong: Sequence[str]) -> None:
    wanted = " or ".join(expected.arms) or ("advice" if expected.is_advice else "no remedy")
    gained = f", {found.factor:.2f}x, {found.fidelity}, by {found.confirmed_by}" if found.factor else ""
    print(f"{'ok ' if not wrong else 'NOT'}  {name}  ({found.seconds:.0f} s)")
    print(f"     expected  {expected.code}  {wanted}")
    print(f"     found     {' '.join(found.codes) or 'nothing'}  {found.arm or 'no remedy'}{gained}")
    for each in wrong:
        print(f"     wrong     {each}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
