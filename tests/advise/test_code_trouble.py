"""Whatever an app's code looks like, its remedies are safe ones or none, and others are advised on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from wirespeed.diagnosis.advise import Outcome
from wirespeed.model.advice import Advice, Arm, Endpoint

from .conftest import MakePlan, advise_quickly, endpoint, recommended

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def outcome(plan: MakePlan) -> Outcome:
    return advise_quickly(plan("code_trouble:app", budget_s=90.0))


@pytest.fixture(scope="module")
def advice(outcome: Outcome) -> Advice:
    return outcome.advice


def made_async(found: Endpoint) -> list[str]:
    return [arm.name for arm in found.arms if arm.recommended and "async def" in arm.name]


@pytest.mark.parametrize("path", ["/context", "/thread-local", "/sleeps", "/generates"])
def test_a_dependency_that_needs_its_thread_is_left_there(advice: Advice, path: str) -> None:
    assert made_async(endpoint(advice, f"GET {path}")) == []


@pytest.mark.parametrize("path", ["/object", "/method", "/partial", "/decorated"])
def test_an_endpoint_that_is_no_plain_function_gets_no_edit_of_another(advice: Advice, path: str) -> None:
    found = endpoint(advice, f"GET {path}")

    assert found.status == 200
    for arm in found.arms:
        if arm.recommended and arm.edit is not None:
            assert arm.confirmed_by == "edit", arm


@pytest.mark.parametrize("path", ["/loop/a", "/loop/b", "/factory/a", "/factory/b"])
def test_a_route_made_by_lines_that_run_again_is_measured_all_the_same(advice: Advice, path: str) -> None:
    assert endpoint(advice, f"GET {path}").whole_ns is not None


def test_a_route_class_of_its_own_keeps_doing_its_part(advice: Advice) -> None:
    found = endpoint(advice, "GET /own-route-class")

    assert [finding.code for finding in found.findings][:1] == ["WS101"]
    assert {arm.fidelity for arm in found.arms if arm.whole is not None} == {"identical"}


def test_the_second_app_of_a_file_is_advised_on_too(advice: Advice) -> None:
    assert endpoint(advice, "GET /second/second").status == 200


def test_an_answer_that_counts_its_calls_is_masked_and_not_recommended_to_change(advice: Advice) -> None:
    found = endpoint(advice, "GET /mutates")

    assert found.unstable == ("$.hits",)


def test_a_get_that_forks_is_called_once(advice: Advice) -> None:
    found = endpoint(advice, "GET /forks")

    assert found.conclusion == "unsafe"
    assert found.note is not None
    assert "fork" in found.note


def test_text_that_is_not_json_is_no_fault(advice: Advice) -> None:
    found = endpoint(advice, "GET /not-json")

    assert found.status == 200
    assert "WS103" not in {finding.code for finding in found.findings}


@pytest.mark.parametrize("path", ["/large", "/allocates", "/starts-a-thread"])
def test_heavy_endpoints_are_measured_like_others(advice: Advice, path: str) -> None:
    assert endpoint(advice, f"GET {path}").conclusion != "failed"


def test_one_endpoint_in_trouble_never_stops_the_others(advice: Advice) -> None:
    found = endpoint(advice, "GET /fine")

    assert "WS101" in {finding.code for finding in found.findings}
    assert any(arm.whole is not None and arm.fidelity == "identical" for arm in found.arms)


def test_what_differs_from_process_to_process_is_no_difference_of_the_edit(plan: MakePlan) -> None:
    found = endpoint(advise_quickly(plan("per_process:app")).advice, "GET /who")
    remedy = recommended(found)

    assert remedy is not None, found.arms
    assert remedy.code == "WS103"
    assert remedy.confirmed_by == "edit", remedy.reason


# -- files that cannot be edited -----------------------------------------------------------------------------

APP = """\
from fastapi import FastAPI
app = FastAPI()
ROWS = [{"n": n, "name": f"row {n}"} for n in range(500)]
@app.get("/rows")
async def rows():
    return ROWS
"""


UNREAD = "\n(X): int = 1\nY: object = *(1, 2),\n"


def advise_on(plan: MakePlan, folder: Path, **files: bytes) -> Endpoint:
    for name, content in files.items():
        (folder / f"{name}.py").write_bytes(content)
    return endpoint(advise_quickly(plan("main:app", folder)).advice, "GET /rows")


def remedy_on(plan: MakePlan, folder: Path, **files: bytes) -> Arm | None:
    """Asked for once more where others on the machine left everything open."""
    return recommended(advise_on(plan, folder, **files)) or recommended(advise_on(plan, folder, **files))


def test_a_file_in_another_encoding_is_edited_in_it(plan: MakePlan, tmp_path: Path) -> None:
    content = ("# -*- coding: latin-1 -*-\n# caf\xe9\n" + APP).encode("latin-1")
    remedy = remedy_on(plan, tmp_path, main=content)

    assert remedy is not None
    assert remedy.confirmed_by == "edit", remedy.reason
    assert "caf\xe9" not in (remedy.edit or "") or "+# caf" not in (remedy.edit or "")


def test_a_file_whose_encoding_spells_a_text_in_many_ways_is_advised_on_and_not_touched(
    plan: MakePlan, tmp_path: Path
) -> None:
    # A plus sign by itself means "+-" and is read alike: written again, it would be another byte.
    content = b"# coding: utf-7\n# 1 +AC0 2\n" + APP.encode()
    remedy = remedy_on(plan, tmp_path, main=content)

    assert remedy is not None
    assert remedy.confirmed_by == "variant"
    assert "the file is in utf-7" in (remedy.reason or "")
    assert (tmp_path / "main.py").read_bytes() == content


def test_a_module_that_python_reads_and_libcst_does_not_is_advised_on(plan: MakePlan, tmp_path: Path) -> None:
    remedy = remedy_on(plan, tmp_path, main=(APP + UNREAD).encode())

    assert remedy is not None
    assert remedy.confirmed_by == "variant"
    assert "the file cannot be parsed" in (remedy.reason or "")


CONTENT_TYPE = """\
from fastapi import FastAPI
from fastapi.responses import JSONResponse
from pydantic import BaseModel
app = FastAPI()
class Row(BaseModel):
    n: int
    name: str
class RowsResponse(JSONResponse):
    media_type = "application/vnd.rows+json"
ROWS = [Row(n=n, name=f"row {n}") for n in range(500)]
@app.get("/rows", response_class=RowsResponse)
async def rows() -> list[Row]:
    return ROWS
"""


def test_a_content_type_of_its_own_is_kept_by_an_edit(plan: MakePlan, tmp_path: Path) -> None:
    remedy = remedy_on(plan, tmp_path, main=CONTENT_TYPE.encode())

    assert remedy is not None
    assert (remedy.code, remedy.fidelity) == ("WS102", "identical")
    assert remedy.confirmed_by == "edit", remedy.reason
    assert 'media_type="application/vnd.rows+json"' in (remedy.edit or "")


LATE = {
    "an app that is made by the first request": """

class Lazy:
    def __init__(self):
        self.app = None
    async def __call__(self, scope, receive, send):
        if scope["type"] == "lifespan":
            return
        if self.app is None:
            self.app = make()
        await self.app(scope, receive, send)

app = Lazy()
""",
    "routes that the first request adds": """

inner = FastAPI()

class Late:
    def __init__(self, app):
        self.app = app
    async def __call__(self, scope, receive, send):
        await self.app(scope, receive, send)
        if scope["type"] == "http" and not any(each.path == "/rows" for each in inner.router.routes):
            add(inner)

@inner.get("/ready")
async def ready() -> bool:
    return True

inner.add_middleware(Late)
app = inner
""",
}
MAKE = """\
from fastapi import FastAPI
ROWS = [{"n": n, "name": f"row {n}"} for n in range(500)]

async def rows():
    return ROWS

def add(app):
    app.get("/rows")(rows)
    return app

def make():
    return add(FastAPI())
"""


@pytest.mark.parametrize("what", LATE)
def test_a_route_that_comes_with_the_first_request_is_found_and_advised_on(
    plan: MakePlan, tmp_path: Path, what: str
) -> None:
    found = advise_on(plan, tmp_path, main=(MAKE + LATE[what]).encode())

    assert found.status == 200
    assert "WS101" in {finding.code for finding in found.findings}
    assert recommended(found) is not None, found.arms


def test_a_module_that_is_not_there_as_source_has_its_remedies_written_by_hand(
    plan: MakePlan, tmp_path: Path
) -> None:
    loader = b"from types import ModuleType\nimport hidden_source\napp = hidden_source.app\n"
    hidden = f"exec(compile({APP!r}, '<made>', 'exec'))\n".encode()
    remedy = remedy_on(plan, tmp_path, main=loader, hidden_source=hidden)

    assert remedy is not None
    assert remedy.confirmed_by == "variant"
    assert remedy.reason is not None


START = {
    "signal handlers": "import signal\nsignal.signal(signal.SIGTERM, lambda *_: None)\n",
    "another event loop policy": (
        "import asyncio, warnings\n"
        "with warnings.catch_warnings():\n"
        "    warnings.simplefilter('ignore')\n"
        "    asyncio.set_event_loop_policy(asyncio.DefaultEventLoopPolicy())\n"
    ),
    "a thread that never ends": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(3600,), daemon=True).start()\n"
    ),
    "a child in a session of its own": (
        "import subprocess\nsubprocess.Popen(['sleep', '5'], start_new_session=True)\n"
    ),
    "a port of its own": (
        "import socket\nPORT = socket.socket()\nPORT.bind(('127.0.0.1', {port}))\nPORT.listen()\n"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", START)
def test_what_an_app_does_on_import_is_its_own_affair(
    plan: MakePlan, tmp_path: Path, what: str, free_port: Callable[[], int]
) -> None:
    start = START[what].replace("{port}", str(free_port()))
    remedy = remedy_on(plan, tmp_path, main=(start + APP).encode())

    assert remedy is not None
    if what == "a port of its own":
        assert remedy.confirmed_by == "variant"
        assert remedy.reason is not None
        assert "cannot run beside the original" in remedy.reason
    else:
        assert remedy.confirmed_by == "edit", remedy.reason


@pytest.fixture
def free_port() -> Callable[[], int]:
    import socket

    def port() -> int:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            number: int = taken.getsockname()[1]
            return number

    return port
