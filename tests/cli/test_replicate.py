"""``wirespeed replicate``: what it lists, refuses, prints, keeps, and ends with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from wirespeed.cli.replicate_progress import line
from wirespeed.cli.replicate_run import exit_code
from wirespeed.model.advice import Environment
from wirespeed.model.replication import Claim, ClaimVerdict, Replication, Source, Suite
from wirespeed.replicate.catalog import all_suites
from wirespeed.replicate.run import StepStarted
from wirespeed.store import records

SCRIPT = Path(sys.executable).with_name("wirespeed")
HOLDS, DOES_NOT_HOLD, CANNOT_TELL = ClaimVerdict
MACHINE = Environment(cpu="a CPU", cores=2, load_1m=None, steal=None, os="Linux", event_loop=None)


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPT, "replicate", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


def document(*verdicts: ClaimVerdict, complete: bool = True) -> Replication:
    claims = tuple(
        Claim(statement=str(n), original=None, ours=None, interval=None, verdict=verdict, reason="")
        for n, verdict in enumerate(verdicts)
    )
    suite = Suite(
        name="a",
        source=Source(title="", published=None, versions={}),
        arms=(),
        claims=claims,
        method_notes=(),
    )
    return Replication(created=datetime.now(UTC), suites=(suite,), environment=MACHINE, complete=complete)


def test_the_list_has_every_suite(tmp_path: Path) -> None:
    listed = run("--list", folder=tmp_path)
    assert listed.returncode == 0
    assert [shown.split()[0] for shown in listed.stdout.splitlines()] == list(all_suites())
    as_json = json.loads(run("--list", "--json", folder=tmp_path).stdout)
    assert [each["name"] for each in as_json["suites"]] == list(all_suites())


def test_a_suite_that_is_not_there_is_refused(tmp_path: Path) -> None:
    refused = run("typed", folder=tmp_path)
    assert refused.returncode == 2
    assert "there is no suite 'typed'" in refused.stderr


@pytest.mark.parametrize(
    ("verdicts", "strict", "code"),
    [
        ([HOLDS, HOLDS], True, 0),
        ([HOLDS, DOES_NOT_HOLD], False, 0),
        ([HOLDS, DOES_NOT_HOLD], True, 1),
        ([HOLDS, CANNOT_TELL], True, 1),
        ([CANNOT_TELL, CANNOT_TELL], False, 4),
    ],
)
def test_the_exit_code_is_strict_on_request(verdicts: list[ClaimVerdict], strict: bool, code: int) -> None:
    assert exit_code(document(*verdicts), strict=strict) == code


def test_an_interruption_is_the_first_thing_to_tell() -> None:
    assert exit_code(document(CANNOT_TELL, complete=False), strict=True) == 130


def test_progress_names_the_step_and_the_time_left_of_all() -> None:
    started = StepStarted("typed-response", "one connection", 1, 9, left_s=300.0)
    assert (
        line(started, "measuring round 3, 12 s left", 55.0)
        == "typed-response, one connection: measuring round 3, at most 4 min 5 s left of all"
    )


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_measured_and_the_next_run_goes_on(tmp_path: Path) -> None:
    """The first step is over when its file appears."""
    command = [SCRIPT, "replicate", "serialization-routes", "--quick", "--json"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    kept = tmp_path / ".wirespeed" / "replicating"
    while not list(kept.glob("*.json")) and process.poll() is None:
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    out, errors = process.communicate(timeout=60)

    assert process.returncode == 130, errors.decode()
    assert b"goes on from here" in errors
    told = Replication.model_validate_json(out)
    assert not told.complete
    assert any(claim.ours is not None for claim in told.suites[0].claims)
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)

    before = told.suites[0].claims[0]
    resumed = run("serialization-routes", "--quick", "--json", folder=tmp_path)
    after = Replication.model_validate_json(resumed.stdout)
    assert after.complete
    assert after.suites[0].claims[0] == before
    assert not kept.exists()
    (saved,) = (tmp_path / ".wirespeed").glob("*-replication.json")
    assert records.load(saved).document == after
