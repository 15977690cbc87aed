"""Other package versions come in an environment of their own that is else like the app's, made once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from wirespeed.errors import UsageError
from wirespeed.model.progress import Noted
from wirespeed.subject import uv
from wirespeed.subject.packages import environment_with

pytestmark = pytest.mark.slow

MODULE = """
version = {version!r}

def main():
    print(version)
"""


def build_wheel(folder: Path, name: str, version: str, requires: str | None = None) -> None:
    """A package of one module that knows its version, and of a command that says it."""
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    if requires:
        metadata += f"Requires-Dist: {requires}\n"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}.py", MODULE.format(version=version))
        wheel.writestr(f"{info}/METADATA", metadata)
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/entry_points.txt", f"[console_scripts]\n{name} = {name}:main\n")
        wheel.writestr(f"{info}/RECORD", "")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All the packages there are: salad needs dressing, and its second version a newer one; soup is alone."""
    folder = tmp_path_factory.mktemp("index")
    build_wheel(folder, "salad", "1.0", "dressing")
    build_wheel(folder, "salad", "2.0", "dressing>=2")
    build_wheel(folder, "dressing", "1.0")
    build_wheel(folder, "dressing", "2.0")
    build_wheel(folder, "soup", "1.0")
    return folder


@pytest.fixture(autouse=True)
def only_these(index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_FIND_LINKS", str(index))
    monkeypatch.setenv("UV_NO_INDEX", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(index / "uv"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))


@pytest.fixture(scope="module")
def first_versions(index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("first") / "theirs"
    subprocess.run(["uv", "venv", "-q", "--python", sys.executable, folder], check=True)
    environ = {**os.environ, "UV_FIND_LINKS": str(index), "UV_NO_INDEX": "1"}
    command = ["uv", "pip", "install", "-q", "--python", folder / "bin/python"]
    subprocess.run([*command, "salad==1.0", "dressing==1.0", "soup"], env=environ, check=True)
    return folder


@pytest.fixture
def python(first_versions: Path, tmp_path: Path) -> Path:
    """Of the app's environment, which has the first version of everything."""
    shutil.copytree(first_versions, tmp_path / "theirs", symlinks=True)
    return tmp_path / "theirs/bin/python"


def versions(python: Path, *modules: str) -> list[str]:
    ask = "import importlib, sys; print(*(importlib.import_module(m).version for m in sys.argv[1:]))"
    shown = subprocess.run([python, "-c", ask, *modules], capture_output=True, text=True, check=True)
    return shown.stdout.split()


def say_version(command: Path) -> str:
    return subprocess.run([command], capture_output=True, text=True, check=True).stdout


class Heard(list[str]):
    def __call__(self, noted: Noted) -> None:
        self.append(noted.text)


def test_what_is_asked_for_is_replaced_with_what_it_needs_and_the_rest_is_kept(python: Path) -> None:
    heard = Heard()

    other = environment_with(python, ("salad==2.0",), heard)

    assert versions(other, "salad", "dressing", "soup") == ["2.0", "2.0", "1.0"]
    assert versions(python, "salad", "dressing", "soup") == ["1.0", "1.0", "1.0"]
    assert say_version(other.with_name("salad")) == "2.0\n"
    assert heard == [
        "Making an environment with salad==2.0, to be kept.",
        "With salad==2.0, dressing is 2.0 instead of 1.0.",
    ]


def test_an_environment_is_made_once_for_what_goes_into_it(python: Path) -> None:
    first, heard = environment_with(python, ("dressing==2.0", "salad==2.0"), Heard()), Heard()

    assert environment_with(python, ("salad==2.0", "dressing==2.0"), heard) == first
    assert heard == []

    subprocess.run(["uv", "pip", "uninstall", "-q", "--python", python, "soup"], check=True)
    assert environment_with(python, ("salad==2.0", "dressing==2.0"), heard) != first


@pytest.mark.slow
def test_an_environment_that_is_damaged_is_made_again(python: Path) -> None:
    other = environment_with(python, ("salad==2.0",), Heard())

    def is_made_again() -> bool:
        heard = Heard()
        again = environment_with(python, ("salad==2.0",), heard)
        return "Making" in heard[0] and versions(again, "salad", "soup") == ["2.0", "1.0"] and again == other

    subprocess.run(["uv", "pip", "uninstall", "-q", "--python", other, "soup"], check=True)
    assert is_made_again()
    other.unlink()
    assert is_made_again()


@pytest.mark.slow
def test_two_at_once_make_it_once(python: Path) -> None:
    found: list[Path] = []
    heard = Heard()

    def make() -> None:
        found.append(environment_with(python, ("salad==2.0",), heard))

    threads = [threading.Thread(target=make) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found[0] == found[1]
    assert sum(text.startswith("Making") for text in heard) == 1


EDITABLE = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "mine"
version = "1.0"
"""

BACKEND = """
import os, zipfile

def build_editable(folder, config_settings=None, metadata_directory=None):
    name = "mine-1.0-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        wheel.writestr("mine.pth", os.getcwd())
        wheel.writestr("mine-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: mine\\nVersion: 1.0\\n")
        wheel.writestr("mine-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nTag: py3-none-any\\n")
        wheel.writestr("mine-1.0.dist-info/RECORD", "")
    return name
"""


@pytest.mark.slow
def test_an_editable_package_stays_one_and_that_is_said(python: Path, tmp_path: Path) -> None:
    project = tmp_path / "my project"
    project.mkdir()
    (project / "pyproject.toml").write_text(EDITABLE)
    (project / "backend.py").write_text(BACKEND)
    (project / "mine.py").write_text("version = '1'\n")
    subprocess.run(["uv", "pip", "install", "-q", "--python", python, "-e", project], check=True)
    heard = Heard()

    other = environment_with(python, ("salad==2.0",), heard)
    (project / "mine.py").write_text("version = '2.33'\n")

    assert versions(other, "mine", "salad") == ["2.33", "2.0"]
    assert "mine is installed editable: its sources are used there, too." in heard


def test_a_version_that_does_not_exist_is_refused_in_uvs_words_and_leaves_nothing(
    python: Path, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=r"there is no version of salad==3\.0") as refusal:
        environment_with(python, ("salad==3.0",), Heard())

    assert refusal.value.message.startswith("uv cannot install salad==3.0:\n")
    assert [entry.suffix for entry in (tmp_path / "caches/wirespeed/environments").iterdir()] == [".lock"]


def test_an_environment_that_cannot_be_rebuilt_is_told_from_a_wish_that_cannot_be_met(
    python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))

    with pytest.raises(UsageError, match=r"uv cannot rebuild the environment of .*theirs") as refusal:
        environment_with(python, ("salad==2.0",), Heard())

    assert "dressing==1.0" in refusal.value.message
    assert "--python" in str(refusal.value.advice)


@pytest.mark.parametrize("wish", ["", "--index-url=x", "==2.0"])
def test_a_wish_without_a_package_is_a_mistake_of_the_user(wish: str, python: Path) -> None:
    with pytest.raises(UsageError, match="names no package"):
        environment_with(python, (wish,), Heard())


def test_an_interpreter_that_is_not_there_is_a_mistake_of_the_user(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be run"):
        environment_with(tmp_path / "python", ("salad==2.0",), Heard())


def test_without_uv_the_user_is_told_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(uv.sys, "executable", str(tmp_path / "python"))

    with pytest.raises(UsageError, match=r"uv, .* is not installed") as refusal:
        environment_with(tmp_path / "python", ("salad==2.0",), Heard())

    assert "pip install uv" in str(refusal.value.advice)
