"""The releases between two others, as uv finds them in the index it is configured for."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from wirespeed.errors import UsageError
from wirespeed.subject.releases import releases_between

pytestmark = pytest.mark.slow

VERSIONS = ("1.0", "1.2", "1.9", "1.10.0", "2.0b1", "2.0", "2.1.post1")


def build_wheel(folder: Path, name: str, version: str) -> None:
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}.py", f"version = {version!r}")
        wheel.writestr(f"{info}/METADATA", metadata)
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("index")
    for version in VERSIONS:
        build_wheel(folder, "soup", version)
    build_wheel(folder, "bread", "1.0")
    return folder


@pytest.fixture(scope="module")
def python(index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of an environment that has soup, and no bread."""
    folder = tmp_path_factory.mktemp("environment") / "theirs"
    subprocess.run(["uv", "venv", "-q", "--python", sys.executable, folder], check=True)
    command = ["uv", "pip", "install", "-q", "--offline", "--no-index", "--find-links", index]
    subprocess.run([*command, "--python", folder / "bin/python", "soup"], check=True)
    return folder / "bin/python"


@pytest.fixture(autouse=True)
def only_these(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_FIND_LINKS", str(index))
    monkeypatch.setenv("UV_NO_INDEX", "1")


def test_both_ends_and_all_between_come_in_the_order_of_versions(python: Path) -> None:
    assert releases_between(python, "soup", "1.0", "2.1.post1") == (
        *("1.0", "1.2", "1.9", "1.10.0"),
        *("2.0", "2.1.post1"),
    )


def test_ends_are_spelled_as_in_the_index(python: Path) -> None:
    assert releases_between(python, "Soup", "1.9.0", "1.10") == ("1.9", "1.10.0")


def test_pre_releases_count_where_an_end_is_one(python: Path) -> None:
    assert releases_between(python, "soup", "1.9", "2.0b1") == ("1.9", "1.10.0", "2.0b1")


@pytest.mark.parametrize(
    ("first", "last", "message", "advice"),
    [
        ("2.0", "1.2", "soup 2.0 is newer than 1.2", "1.2..2.0"),
        ("1.2", "1.2.0", "Both ends are soup 1.2", "two different"),
        ("1.3", "2.0", "no soup 1.3", "1.2 and 1.9"),
        ("1.2", "9", "no soup 9", "2.1.post1"),
        ("1.2", "x; y", "'x; y' is not a version", "0.129.0..0.165.0"),
    ],
)
def test_ends_that_cannot_be_are_refused_with_what_could_be(
    first: str, last: str, message: str, advice: str, python: Path
) -> None:
    with pytest.raises(UsageError, match=message) as refused:
        releases_between(python, "soup", first, last)
    assert advice in str(refused.value.advice)


def test_a_package_that_the_app_does_not_have_is_refused(python: Path) -> None:
    with pytest.raises(UsageError, match="bread is not installed in the app's environment"):
        releases_between(python, "bread", "1.0", "2.0")


def test_an_index_that_cannot_be_asked_is_no_end_of_the_releases(
    python: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UV_FIND_LINKS")
    monkeypatch.delenv("UV_NO_INDEX")
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:1/simple")
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    with pytest.raises(UsageError, match="uv cannot tell which releases of soup there are"):
        releases_between(python, "soup", "1.0", "2.0")
