"""What stays as it is in a user's file, to the byte, and which files are not touched."""

from __future__ import annotations

import codecs
import subprocess
import sys
from pathlib import Path

import pytest

from wirespeed.source import Diff, NoEdit, RouteChange, TypeSource
from wirespeed.source.edits import edits_for

ANY = RouteChange(TypeSource("Any", ("from typing import Any",)))
SOURCE = b"""\
import fastapi

app = fastapi.FastAPI()


@app.get("/rows")
def rows():
    return {}
"""
EDITED = b"""\
from typing import Any

import fastapi

app = fastapi.FastAPI()


@app.get("/rows")
def rows() -> Any:
    return {}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    return folder


def apply_edit(project: Path, content: bytes, change: RouteChange = ANY, line: int = 7) -> bytes:
    """The file after git applied the diff that was made of it."""
    (project / "main.py").write_bytes(content)
    diff = edits_for(change, f"main.py:{line}", project)
    assert isinstance(diff, Diff), diff
    subprocess.run(["git", "apply", "-"], cwd=project, input=diff.to_bytes(), check=True)
    return (project / "main.py").read_bytes()


def reason(project: Path, content: bytes, change: RouteChange = ANY) -> str:
    (project / "main.py").write_bytes(content)
    outcome = edits_for(change, "main.py:7", project)
    assert isinstance(outcome, NoEdit), outcome
    return outcome.reason


def test_an_edit_changes_its_lines_and_no_others(project: Path) -> None:
    assert apply_edit(project, SOURCE) == EDITED


def test_line_ends_of_windows_stay_and_new_lines_get_them(project: Path) -> None:
    assert apply_edit(project, SOURCE.replace(b"\n", b"\r\n")) == EDITED.replace(b"\n", b"\r\n")


def test_a_missing_line_end_at_the_end_stays_missing(project: Path) -> None:
    assert apply_edit(project, SOURCE[:-1]) == EDITED[:-1]
    one_line = SOURCE.replace(b":\n    return {}\n", b": return {}")
    assert apply_edit(project, one_line) == EDITED.replace(b":\n    return {}\n", b": return {}")


def test_a_byte_order_mark_stays_where_it_is(project: Path) -> None:
    assert apply_edit(project, codecs.BOM_UTF8 + SOURCE) == codecs.BOM_UTF8 + EDITED


def test_tabs_stay_tabs(project: Path) -> None:
    assert apply_edit(project, SOURCE.replace(b"    ", b"\t")) == EDITED.replace(b"    ", b"\t")


def test_a_declared_encoding_is_kept(project: Path) -> None:
    head = "# -*- coding: latin-1 -*-\n# größer\n".encode("latin-1")
    assert apply_edit(project, head + SOURCE, line=9) == head + EDITED


def test_odd_space_and_marks_inside_of_lines_stay(project: Path) -> None:
    odd = "x = '\u2028\x0b'  # \x0c \n\x0c\ny = 1 ; z = [ 2,\n   ] \\\n  + []\n".encode()
    tail = b"\n# the end\n\n   \n\t"
    assert apply_edit(project, SOURCE + odd + tail) == EDITED + odd + tail


def test_a_name_that_the_encoding_lacks_is_not_written(project: Path) -> None:
    change = RouteChange(TypeSource("Rows", definitions=("class Rows:\n    größe: int",)))
    assert reason(project, b"# coding: ascii\n" + SOURCE, change) == "the file is in ascii, which has no 'ö'"


@pytest.mark.parametrize(
    "content",
    [b"# coding: nonsense\n" + SOURCE, "# größer\n".encode("latin-1") + SOURCE, codecs.BOM_UTF16 + SOURCE],
    ids=["unknown encoding", "wrong encoding", "another family of encodings"],
)
def test_a_file_that_cannot_be_decoded_is_not_touched(project: Path, content: bytes) -> None:
    assert reason(project, content).startswith("the file cannot be decoded: ")


@pytest.mark.parametrize("broken", [b"def (:\n", b"print 1\n", b"if True:\n\tx\n        y\n"])
def test_a_file_that_cannot_be_parsed_is_not_touched(project: Path, broken: bytes) -> None:
    assert reason(project, SOURCE + broken).startswith("the file cannot be parsed: ")


@pytest.mark.slow
def test_a_file_that_is_nested_beyond_reason_is_not_touched(project: Path) -> None:
    sum_of_many = b"x = " + b" + ".join([b"1"] * 5000) + b"\n"
    assert reason(project, SOURCE + sum_of_many) == "its file is nested too deeply"


def test_space_that_the_parser_would_lose_is_not_risked(project: Path) -> None:
    assert reason(project, b"\x0c" + SOURCE) == "the file has whitespace that LibCST does not keep"


def test_the_file_may_be_named_absolutely(project: Path) -> None:
    (project / "main.py").write_bytes(SOURCE)
    named = edits_for(ANY, f"{project / 'main.py'}:7", project)
    assert named == edits_for(ANY, "main.py:7", project)
    assert isinstance(named, Diff)
    assert named.text.startswith("--- a/main.py\n+++ b/main.py\n@@ ")


def test_a_package_below_the_folder_has_its_path_in_the_diff(project: Path) -> None:
    (project / "api").mkdir()
    (project / "api" / "main.py").write_bytes(SOURCE)
    diff = edits_for(ANY, "api/main.py:7", project)
    assert isinstance(diff, Diff)
    assert diff.path == "api/main.py"


def test_a_name_with_spaces_ends_with_a_tab_as_git_writes_it(project: Path) -> None:
    (project / "the main.py").write_bytes(SOURCE)
    diff = edits_for(ANY, "the main.py:7", project)
    assert isinstance(diff, Diff)
    assert diff.text.startswith("--- a/the main.py\t\n+++ b/the main.py\t\n@@ ")


def test_a_third_party_package_is_not_touched_wherever_it_lies(project: Path) -> None:
    installed = project / ".venv" / "lib" / "python3.13" / "site-packages" / "vendor" / "api.py"
    installed.parent.mkdir(parents=True)
    installed.write_bytes(SOURCE)
    below = installed.relative_to(project)
    for named in (f"{installed}:7", f"{below}:7", "vendor/api.py:7"):
        assert edits_for(ANY, named, project) == NoEdit("it is in a third-party package")


def test_a_file_outside_of_the_folder_is_not_touched(project: Path) -> None:
    outside = project.parent / "shared.py"
    outside.write_bytes(SOURCE)
    (project / "link.py").symlink_to(outside)
    for named in (f"{outside}:7", "../shared.py:7", "link.py:7"):
        assert edits_for(ANY, named, project) == NoEdit(f"it is outside of {project}")


def test_a_file_that_is_gone_gives_a_reason(project: Path) -> None:
    gone = edits_for(ANY, f"{project / 'gone.py'}:7", project)
    assert gone == NoEdit("its file cannot be read: No such file or directory")


def test_a_package_keeps_names_that_others_may_import_from_it(project: Path) -> None:
    source = b"""\
import fastapi
from fastapi.responses import ORJSONResponse

app = fastapi.FastAPI()
@app.get("/rows", response_class=ORJSONResponse)
def rows(): ...
"""
    (project / "__init__.py").write_bytes(source)
    (project / "main.py").write_bytes(source)
    drop = RouteChange(response_class="drop")
    package, module = edits_for(drop, "__init__.py:6", project), edits_for(drop, "main.py:6", project)
    assert isinstance(package, Diff)
    assert isinstance(module, Diff)
    assert "-from fastapi.responses" not in package.text
    assert "-from fastapi.responses" in module.text


def test_a_name_joins_a_relative_import_of_its_module(project: Path) -> None:
    (project / "src" / "shop" / "routers").mkdir(parents=True)
    for package in ("shop", "shop/routers"):
        (project / "src" / package / "__init__.py").touch()
    relative = b"import fastapi\nfrom ... import sys\nfrom ..models import Day\n"
    (project / "src" / "shop" / "routers" / "days.py").write_bytes(relative + SOURCE.partition(b"\n")[2])

    change = RouteChange(TypeSource("Order", ("from shop.models import Order",)))
    joined = edits_for(change, "src/shop/routers/days.py:9", project)
    assert isinstance(joined, Diff)
    assert "-from ..models import Day\n+from ..models import Day, Order\n" in joined.text

    change = RouteChange(TypeSource("Order", ("from other.models import Order",)))
    apart = edits_for(change, "src/shop/routers/days.py:9", project)
    assert isinstance(apart, Diff)
    assert " import fastapi\n+from other.models import Order\n from ... import sys\n" in apart.text


def test_an_edit_that_reaches_other_routes_says_so(project: Path) -> None:
    source = SOURCE.replace(b"FastAPI()", b"FastAPI(default_response_class=fastapi.responses.ORJSONResponse)")
    (project / "main.py").write_bytes(source)
    diff = edits_for(RouteChange(response_class="drop"), "main.py:7", project)
    assert isinstance(diff, Diff)
    assert diff.note == "other routes that default_response_class on line 3 holds for change with it"


def test_the_parser_is_loaded_only_when_an_edit_is_made() -> None:
    look = "import sys, wirespeed.source, wirespeed.cli; sys.exit('libcst' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", look], check=False).returncode == 0
