"""From the options of ``advise`` to a plan that leaves nothing open."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wirespeed.cli.advise_plan import AdviseOptions, advice_plan
from wirespeed.cli.interpreter import choose_python
from wirespeed.errors import UsageError
from wirespeed.model.subject import ServerSettings

DEFAULTS = AdviseOptions(
    app="main:app",
    gets=(),
    requests=(),
    bodies=(),
    headers=(),
    only=False,
    prepare=None,
    python=sys.executable,
    folder=".",
    env=(),
    budget="60s",
    margin="2%",
    live=3,
    rounds=None,
    seed=7,
    deadline="10s",
)


def test_a_plan_holds_everything_in_units_of_its_own(tmp_path: Path) -> None:
    plan = advice_plan(
        replace(
            DEFAULTS,
            folder=str(tmp_path),
            gets=("/a",),
            headers=("X-A: 1",),
            env=("MODE=copy",),
            prepare="seeds:fill",
            budget="2m",
            margin="1%",
            rounds=8,
            deadline="500ms",
        )
    )

    assert (plan.budget_s, plan.margin, plan.alpha, plan.deadline_s) == (120, 0.01, 0.05, 0.5)
    assert (plan.live_calls, plan.rounds, plan.seed) == (3, 8, 7)
    assert (plan.subject.app, plan.subject.folder, plan.subject.env) == (
        "main:app",
        tmp_path,
        {"MODE": "copy"},
    )
    assert (plan.subject.prepare, plan.subject.python) == ("seeds:fill", Path(sys.executable))
    assert [request.name for request in plan.wishes.named] == ["GET /a"]


def test_without_rounds_the_budget_decides_and_without_a_seed_chance() -> None:
    assert advice_plan(DEFAULTS).rounds is None
    assert advice_plan(replace(DEFAULTS, seed=None)).seed >= 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"app": " "},
        {"folder": "no/such/folder"},
        {"prepare": "seeds"},
        {"python": "no-such-python"},
        {"budget": "soon"},
        {"margin": "2"},
        {"live": 0},
        {"rounds": 1},
        {"deadline": "0"},
        {"env": ("A",)},
        {"gets": ("a",)},
    ],
)
def test_an_option_that_cannot_be_is_refused_with_advice(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as refused:
        advice_plan(replace(DEFAULTS, **wrong))

    assert refused.value.advice


def environment(folder: Path, *, fastapi: bool) -> Path:
    """A virtual environment as far as finding its interpreter goes."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)
    if fastapi:
        (folder / "lib" / "python3.11" / "site-packages" / "fastapi").mkdir(parents=True)
    return folder


def test_the_activated_environment_runs_the_app_before_that_of_the_folder(tmp_path: Path) -> None:
    environment(tmp_path / ".venv", fastapi=True)
    active = environment(tmp_path / "active", fastapi=True)

    chosen = choose_python(None, tmp_path, {"VIRTUAL_ENV": str(active)})

    assert chosen == active / "bin" / "python"


def test_an_environment_without_fastapi_is_passed_over(tmp_path: Path) -> None:
    active = environment(tmp_path / "active", fastapi=False)
    project = environment(tmp_path / ".venv", fastapi=True)

    assert choose_python(None, tmp_path, {"VIRTUAL_ENV": str(active)}) == project / "bin" / "python"


def test_where_no_environment_has_fastapi_wirespeed_s_own_interpreter_is_tried(tmp_path: Path) -> None:
    assert choose_python(None, tmp_path, {}) == Path(sys.executable)


def test_an_interpreter_is_named_by_path_environment_or_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv = environment(tmp_path / "venv", fastapi=False)
    monkeypatch.setenv("PATH", str(venv / "bin"))
    monkeypatch.chdir(tmp_path)

    named = [choose_python(name, tmp_path, {}) for name in ("venv/bin/python", str(venv), "python")]

    assert named == [venv / "bin" / "python"] * 3


def test_the_server_is_uvicorn_with_one_worker_unless_something_else_is_said() -> None:
    assert advice_plan(DEFAULTS).server is None
    assert advice_plan(replace(DEFAULTS, http=True)).server == ServerSettings(name="uvicorn", workers=1)
    asked = replace(DEFAULTS, http=True, server="Granian", workers=3)
    assert advice_plan(asked).server == ServerSettings(name="granian", workers=3)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"server": "granian"}, "--server is for --http"),
        ({"workers": 2}, "--workers is for --http"),
        ({"http": True, "workers": 0}, "--workers 0 is too small"),
        ({"http": True, "server": "gunicorn"}, "--server 'gunicorn' is not known"),
    ],
)
def test_a_server_that_cannot_be_is_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        advice_plan(replace(DEFAULTS, **options))
