"""What a user's test process has to load: as little as possible, and nothing before it is needed."""

import subprocess
import sys

import pytest

import wirespeed.testing

HEAVY = {"numpy", "scipy", "pydantic", "libcst", "rich", "typer", "httptools", "uvloop", "fastapi", "anyio"}


def loaded_by(source: str) -> set[str]:
    told = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys\n{source}\nprint(*{{name.split('.')[0] for name in sys.modules}})",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(told.stdout.split())


def test_importing_the_package_loads_nothing_but_itself() -> None:
    loaded = loaded_by("import wirespeed.testing")

    assert loaded & (HEAVY | {"pytest", "wirespeed_agent"}) == set()


def test_the_assertions_load_nothing_heavy_either() -> None:
    names = [name for name in wirespeed.testing.__all__ if name.startswith("assert_")]

    assert loaded_by(f"from wirespeed.testing import {', '.join(names)}") & HEAVY == set()


def test_comparing_loads_numbers_only_when_it_measures() -> None:
    assert loaded_by("from wirespeed.testing import compare, Comparison") & HEAVY == set()


@pytest.mark.parametrize("name", wirespeed.testing.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    assert getattr(wirespeed.testing, name).__doc__


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'assert_quick'"):
        _ = wirespeed.testing.assert_quick
    assert set(dir(wirespeed.testing)) == set(wirespeed.testing.__all__)
