"""Base and head are what the user's history says, each with its own code and packages."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from wirespeed.errors import UsageError
from wirespeed.experiment.events import ignore
from wirespeed.guard.sides import WORKING_TREE, Sides, require_own_code, sides_of
from wirespeed.model.guard_plan import GuardPlan
from wirespeed.model.plan import RequestWishes
from wirespeed.model.request import Route
from wirespeed.model.subject import AppSubject, Booted

from .conftest import commit, git, write

Make = Callable[[dict[str, str]], Path]


@contextmanager
def sides(folder: Path, base: str = "main", **more: Any) -> Iterator[Sides]:
    subject = AppSubject(
        app="main:app",
        python=more.pop("python", Path(sys.executable)),
        folder=folder,
        env=more.pop("env", {}),
    )
    plan = GuardPlan(
        subject=subject,
        base=base,
        wishes=RequestWishes(),
        max_slowdown=0.05,
        alpha=0.05,
        budget_s=30.0,
        seed=1,
        deadline_s=10.0,
        **more,
    )
    with sides_of(plan, ignore) as found:
        yield found


def code(sides: Sides) -> tuple[str, str]:
    folders = sides.base.subject.folder, sides.head.subject.folder
    return (folders[0] / "main.py").read_text(), (folders[1] / "main.py").read_text()


def test_head_is_the_files_as_they_are_and_base_what_was_committed(repository: Make) -> None:
    root = repository({"main.py": "old"})
    write(root, {"main.py": "new", "more.py": "untracked"})

    with sides(root) as found:
        assert code(found) == ("old", "new")
        assert found.head.subject.folder == root
        assert found.head.told.revision == WORKING_TREE
        assert found.head.told.changed_files == 2
        base = found.base.subject.folder

    assert not base.exists()
    assert len(git(root, "worktree", "list").splitlines()) == 1


def test_a_branch_that_has_gone_on_is_compared_where_head_left_it(repository: Make) -> None:
    root = repository({"main.py": "common"})
    parting = git(root, "rev-parse", "HEAD").strip()
    git(root, "checkout", "--quiet", "-b", "feature")
    write(root, {"main.py": "feature"})
    commit(root)
    git(root, "checkout", "--quiet", "main")
    write(root, {"main.py": "gone on"})
    commit(root)
    git(root, "checkout", "--quiet", "feature")

    with sides(root) as found:
        assert code(found) == ("common", "feature")
        assert found.base.told.revision == parting
        assert found.base.told.named == "main"
        assert any("main has gone on" in note for note in found.notes)


def test_head_may_be_a_revision_too(repository: Make) -> None:
    root = repository({"main.py": "one"})
    write(root, {"main.py": "two"})
    commit(root)
    write(root, {"main.py": "uncommitted"})

    with sides(root, "HEAD~1", head="HEAD") as found:
        assert code(found) == ("one", "two")


def test_the_same_code_is_told_to_be_the_same(repository: Make) -> None:
    with sides(repository({"main.py": "one"})) as found:
        assert any("the same code" in note for note in found.notes)


def test_a_folder_of_a_monorepo_stays_that_folder(repository: Make) -> None:
    root = repository({"services/shop/main.py": "old", "shared.py": ""})
    write(root, {"services/shop/main.py": "new"})

    with sides(root / "services" / "shop") as found:
        assert code(found) == ("old", "new")
        assert (found.base.tree / "shared.py").exists()
        assert found.head.tree == root


def test_a_revision_that_is_not_there_is_refused(repository: Make) -> None:
    root = repository({"main.py": ""})
    with pytest.raises(UsageError, match="no revision 'mian'") as refused, sides(root, "mian"):
        ...
    assert refused.value.advice == "Did you mean main?"


def test_a_folder_without_a_repository_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(UsageError, match="in no git repository"), sides(tmp_path):
        ...


def test_a_shallow_clone_is_told_how_to_get_the_rest(repository: Make, tmp_path: Path) -> None:
    root = repository({"main.py": "common"})
    git(root, "checkout", "--quiet", "-b", "feature")
    commit(root)
    git(root, "checkout", "--quiet", "main")
    commit(root)
    git(tmp_path, "clone", "--quiet", "--depth=1", "--no-single-branch", root.as_uri(), "clone")
    clone = tmp_path / "clone"

    with pytest.raises(UsageError, match="shallow") as refused, sides(clone, "origin/feature"):
        ...
    assert "--unshallow" in str(refused.value.advice)
    assert "fetch-depth: 0" in str(refused.value.advice)


def test_histories_that_never_met_are_refused(repository: Make) -> None:
    root = repository({"main.py": ""})
    git(root, "checkout", "--quiet", "--orphan", "other")
    commit(root)
    with pytest.raises(UsageError, match="no history in common"), sides(root, "main"):
        ...


# Whose code


def booted(file: Path | None) -> Booted:
    return Booted(
        app="main:app",
        file=None if file is None else str(file),
        python="3.11",
        packages={},
        event_loop="asyncio",
        import_s=0,
        lifespan_s=0,
        dont_write_bytecode=False,
    )


def route(source: str) -> Route:
    return Route(id=0, methods=["GET"], path="/", name="x", kind="api", source=source)


def test_an_app_that_was_imported_from_elsewhere_is_refused(repository: Make) -> None:
    with sides(repository({"main.py": ""})) as found:
        base, head = found.base, found.head
        require_own_code(base, booted(base.subject.folder / "main.py"), [route("main.py:3")], head)
        with pytest.raises(UsageError, match="base was imported from"):
            require_own_code(base, booted(head.subject.folder / "main.py"), [], head)
        with pytest.raises(UsageError, match="base was imported from"):
            own = booted(base.subject.folder / "main.py")
            require_own_code(base, own, [route(f"{head.subject.folder}/lib.py:3")], head)


def test_what_is_installed_editable_is_imported_from_each_sides_own_checkout(
    repository: Make, tmp_path: Path
) -> None:
    root = repository({"main.py": "", "src/shop/__init__.py": ""})
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "shop.pth").write_text(str(root / "src"))

    with sides(root, python=environment / "bin" / "python") as found:
        assert found.base.subject.env["PYTHONPATH"] == str(found.base.tree / "src")
        assert "PYTHONPATH" not in found.head.subject.env


def test_a_path_into_the_repository_is_one_into_each_checkout(repository: Make) -> None:
    root = repository({"main.py": "", "src/shop/__init__.py": ""})
    with sides(root, env={"PYTHONPATH": f"{root / 'src'}:/elsewhere:lib"}) as found:
        assert found.base.subject.env["PYTHONPATH"] == f"{found.base.tree / 'src'}:/elsewhere:lib"
        assert found.head.subject.env["PYTHONPATH"] == f"{root / 'src'}:/elsewhere:lib"


# Whose packages


def build_wheel(folder: Path, name: str, version: str) -> None:
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}.py", f"version = {version!r}")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


@pytest.fixture
def only_these_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = tmp_path / "index"
    index.mkdir()
    for version in ("1.0", "2.0"):
        build_wheel(index, "soup", version)
    monkeypatch.setenv("UV_FIND_LINKS", str(index))
    monkeypatch.setenv("UV_NO_INDEX", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(index / "uv"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))


def soup_of(python: Path) -> str:
    command = [python, "-c", "import soup; print(soup.version)"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.slow
@pytest.mark.usefixtures("only_these_packages")
@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("requirements.txt", "soup=={}\n"),
        ("pyproject.toml", '[project]\nname = "x"\nversion = "1"\ndependencies = ["soup=={}"]\n'),
    ],
)
def test_each_side_has_what_its_own_files_ask_for(repository: Make, file: str, content: str) -> None:
    root = repository({"main.py": "", file: content.format("1.0")})
    write(root, {file: content.format("2.0")})

    with sides(root) as found:
        assert (soup_of(found.base.subject.python), soup_of(found.head.subject.python)) == ("1.0", "2.0")
        assert (found.base.told.environment, found.base.told.dependency_file) == ("lock", file)
        assert [(each.name, each.base, each.head) for each in found.package_changes] == [
            ("soup", "1.0", "2.0")
        ]


@pytest.mark.usefixtures("only_these_packages")
def test_files_that_ask_for_the_same_leave_the_apps_own_environment(repository: Make) -> None:
    root = repository({"main.py": "old", "requirements.txt": "soup==1.0\n"})
    write(root, {"main.py": "new"})
    with sides(root) as found:
        assert found.base.subject.python == found.head.subject.python == Path(sys.executable)
        assert found.package_changes == ()


@pytest.mark.usefixtures("only_these_packages")
def test_the_same_environment_can_be_asked_for(repository: Make) -> None:
    root = repository({"main.py": "", "requirements.txt": "soup==1.0\n"})
    write(root, {"requirements.txt": "soup==2.0\n"})
    with sides(root, same_env=True) as found:
        assert found.base.subject.python == found.head.subject.python == Path(sys.executable)


@pytest.mark.usefixtures("only_these_packages")
def test_packages_that_cannot_be_had_are_refused_in_uvs_own_words(repository: Make) -> None:
    root = repository({"main.py": "", "requirements.txt": "soup==1.0\n"})
    write(root, {"requirements.txt": "soup==3.0\n"})
    with pytest.raises(UsageError, match=r"soup==3\.0"), sides(root):
        ...
