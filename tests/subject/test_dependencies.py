"""The files that say what a project depends on, and what they come to."""

import subprocess
from pathlib import Path

import pytest

from wirespeed.errors import UsageError
from wirespeed.subject.dependencies import Dependencies, dependencies_of, recipe_of
from wirespeed.subject.uv import Uv

PROJECT = """
[project]
name = "shop"
version = "{version}"
dependencies = [{dependencies}]
"""


def written(folder: Path, **files: str) -> Path:
    """``requirements_txt="…"`` writes ``requirements.txt``."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_text(content)
    return folder


def found(folder: Path, root: Path | None = None) -> Dependencies:
    dependencies = dependencies_of(folder, root or folder)
    assert dependencies is not None
    return dependencies


def test_a_folder_that_says_nothing_depends_on_nothing(tmp_path: Path) -> None:
    assert dependencies_of(tmp_path, tmp_path) is None


def test_a_project_file_of_tools_alone_says_nothing(tmp_path: Path) -> None:
    written(tmp_path, pyproject_toml="[tool.ruff]\nline-length = 110\n")
    assert dependencies_of(tmp_path, tmp_path) is None


def test_a_lock_file_wins_over_what_it_was_made_from(tmp_path: Path) -> None:
    project = PROJECT.format(version="1", dependencies="")
    written(tmp_path, uv_lock="version = 1", pyproject_toml=project, requirements_txt="fastapi")
    assert found(tmp_path).main.name == "uv.lock"


def test_the_nearest_folder_speaks_for_an_app_in_a_monorepo(tmp_path: Path) -> None:
    written(tmp_path, requirements_txt="fastapi")
    service = written(tmp_path / "services" / "shop", requirements_txt="fastapi==0.1")
    assert found(service, tmp_path).main == service / "requirements.txt"
    assert found(written(tmp_path / "services" / "other"), tmp_path).main == tmp_path / "requirements.txt"


def test_a_workspaces_lock_speaks_for_its_members(tmp_path: Path) -> None:
    written(tmp_path, uv_lock="version = 1")
    member = written(tmp_path / "shop", pyproject_toml=PROJECT.format(version="1", dependencies=""))
    assert found(member, tmp_path).main == tmp_path / "uv.lock"


def test_folders_above_the_repository_are_none_of_its_business(tmp_path: Path) -> None:
    written(tmp_path, requirements_txt="fastapi")
    assert dependencies_of(written(tmp_path / "repository"), tmp_path / "repository") is None


def test_a_new_version_of_the_project_changes_no_dependency(tmp_path: Path) -> None:
    one = written(tmp_path / "one", pyproject_toml=PROJECT.format(version="1", dependencies='"fastapi"'))
    two = written(tmp_path / "two", pyproject_toml=PROJECT.format(version="2", dependencies='"fastapi"'))
    other = written(tmp_path / "other", pyproject_toml=PROJECT.format(version="1", dependencies='"flask"'))
    assert found(one).digest == found(two).digest != found(other).digest


def test_a_file_that_is_included_counts(tmp_path: Path) -> None:
    digests = []
    for name, content in (("one", "anyio==4.0"), ("two", "anyio==4.1")):
        folder = written(tmp_path / name, requirements_txt="-r more.in\nfastapi", more_in=content)
        digests.append(found(folder).digest)
    assert digests[0] != digests[1]


def test_included_requirements_stand_in_their_place_and_constraints_apart(tmp_path: Path) -> None:
    written(
        tmp_path, requirements_txt="-c limits.in\n-r more.in\nfastapi", more_in="anyio", limits_in="h11<1"
    )
    recipe = recipe_of(found(tmp_path), tmp_path, Uv())
    assert recipe.requirements.split() == ["anyio", "fastapi"]
    assert recipe.constraints == "h11<1"


@pytest.mark.parametrize("line", ["-e .", "--editable ./", "./libs/money", "-e ./libs/money[fast]  # ours"])
def test_code_of_the_repository_is_imported_from_its_checkout_not_installed(
    tmp_path: Path, line: str
) -> None:
    (tmp_path / "libs" / "money" / "src").mkdir(parents=True)
    written(tmp_path, requirements_txt=f"{line}\nfastapi")
    recipe = recipe_of(found(tmp_path), tmp_path, Uv())
    assert recipe.requirements == "fastapi"
    money = tmp_path / "libs" / "money" / "src"
    assert recipe.sources == ((tmp_path, money) if "money" in line else (tmp_path,))


def test_a_project_files_dependencies_are_what_is_installed(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    written(tmp_path, pyproject_toml=PROJECT.format(version="1", dependencies='"fastapi>=0.100", "anyio"'))
    recipe = recipe_of(found(tmp_path), tmp_path, Uv())
    assert recipe.requirements.split() == ["fastapi>=0.100", "anyio"]
    assert recipe.sources == (tmp_path / "src",)


def test_what_a_lock_holds_is_read_without_asking_anybody(tmp_path: Path) -> None:
    written(
        tmp_path, pyproject_toml=PROJECT.format(version="1", dependencies="") + 'requires-python = ">=3.11"'
    )
    subprocess.run(["uv", "lock", "--offline", "--quiet"], cwd=tmp_path, check=True)
    recipe = recipe_of(found(tmp_path), tmp_path, Uv())
    assert recipe.requirements.strip() == ""
    assert recipe.sources == (tmp_path,)


def test_a_broken_lock_is_refused_in_uvs_own_words(tmp_path: Path) -> None:
    project = PROJECT.format(version="1", dependencies="")
    written(tmp_path, uv_lock="this is no lock", pyproject_toml=project)
    with pytest.raises(UsageError, match=r"uv cannot read .*uv\.lock"):
        recipe_of(found(tmp_path), tmp_path, Uv())


def test_a_broken_project_file_is_refused(tmp_path: Path) -> None:
    written(tmp_path, pyproject_toml="[project")
    with pytest.raises(UsageError, match="cannot be read"):
        dependencies_of(tmp_path, tmp_path)
