from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from wirespeed.model.advice import Environment
from wirespeed.model.selfcheck import Kind, Selfcheck
from wirespeed.store.machine_check import FILENAME, keep, pairings_of

HERE = Environment(cpu="this one", cores=2, load_1m=0.1, steal=0.0, os="Linux", event_loop=None)


def kind(pairings: int | None) -> Kind:
    return Kind(
        request="GET /small",
        call_ns=70_000,
        rounds=200,
        round_sd=0.01,
        autocorrelation=0.2,
        pairings=pairings,
        smallest_effect_8=0.02,
        smallest_effect_40=0.01,
    )


def check(*pairings: int | None) -> Selfcheck:
    return Selfcheck(
        created=datetime(2026, 1, 1, tzinfo=UTC),
        wirespeed="0.1.0",
        python="3.13.0",
        packages={},
        environment=HERE,
        seed=1,
        complete=True,
        elapsed_s=1.0,
        kinds=tuple(kind(each) for each in pairings),
    )


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"XDG_DATA_HOME": str(tmp_path)}


def test_the_most_dependent_kind_of_request_decides_for_the_machine(environ: dict[str, str]) -> None:
    keep(check(0, 1, None), environ)
    assert pairings_of(HERE, environ) == 1


def test_a_machine_without_a_check_takes_rounds_as_they_are(environ: dict[str, str]) -> None:
    assert pairings_of(HERE, environ) == 0


def test_another_machines_check_says_nothing_of_this_one(environ: dict[str, str]) -> None:
    keep(check(2), environ)
    assert pairings_of(HERE.model_copy(update={"cores": 8}), environ) == 0


def test_a_damaged_check_is_no_check(environ: dict[str, str], tmp_path: Path) -> None:
    keep(check(2), environ)
    (tmp_path / "wirespeed" / FILENAME).write_text('{"format": "wirespeed/selfcheck/1", "kinds"')
    assert pairings_of(HERE, environ) == 0
