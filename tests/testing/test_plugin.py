"""The plugin in real runs of pytest, each in a process of its own."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

APP = """
from fastapi import FastAPI

app = FastAPI()

@app.get("/typed")
async def typed() -> list[int]:
    return [1, 2]

@app.get("/untyped")
async def untyped():
    return [1, 2]
"""

MEASURING = """
def light():
    return sum(range(100))

def heavy():
    return sum(range(2000))

def test_light_is_faster(wirespeed):
    comparison = wirespeed.compare(heavy, light, seconds=0.1)
    assert comparison.verdict == "faster", comparison

def test_something_else():
    pass
"""

NO_ASYNCIO = ("-p", "no:asyncio")

pytestmark = pytest.mark.slow

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def run(tests: str, *options: str, conftest: str = "") -> subprocess.CompletedProcess[str]:
        (tmp_path / "shop.py").write_text(APP)
        (tmp_path / "conftest.py").write_text(conftest)
        (tmp_path / "test_shop.py").write_text(tests)
        (tmp_path / "pytest.ini").write_text(
            "[pytest]\naddopts = --strict-markers --strict-config\nfilterwarnings = error\npythonpath = .\n"
        )
        # pytest-asyncio warns where it is not told this, and warnings are errors here.
        loops = ("-o", "asyncio_default_fixture_loop_scope=function") if "asyncio" in tests else NO_ASYNCIO
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:hypothesispytest",
            *loops,
            *options,
        ]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    return run


def test_a_failed_assertion_is_told_below_the_line_of_the_test(run: Run) -> None:
    done = run(
        """
from shop import app
from wirespeed.testing import assert_fast_path

def test_it_is_fast():
    assert_fast_path(app, "/typed")
    assert_fast_path(app, "/untyped")
"""
    )

    assert done.returncode == 1, done.stdout + done.stderr
    assert "E       AssertionError: GET /untyped is not on FastAPI's fast path (WS101)" in done.stdout
    assert "shop.py:11  untyped" in done.stdout
    # Nothing of wirespeed's own between the test and the message.
    assert "fast_path.py" not in done.stdout


def test_async_tests_of_pytest_asyncio_use_their_own_loop(run: Run) -> None:
    done = run(
        """
import asyncio
import pytest
from fastapi import FastAPI
from wirespeed.testing import assert_fast_path_async, assert_no_blocking_async, assert_same_json_async

loops = []
app = FastAPI()

@app.get("/")
async def answer() -> int:
    loops.append(asyncio.get_running_loop())
    return 1

@pytest.mark.asyncio
async def test_it_is_fast():
    await assert_fast_path_async(app, "/")
    await assert_no_blocking_async(app, "/")
    await assert_same_json_async(app, "/", b"1")
    assert loops == [asyncio.get_running_loop()] * 3
""",
        *("-p", "no:anyio"),
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_async_tests_of_anyio_run_on_both_of_its_loops(run: Run) -> None:
    done = run(
        """
import pytest
from shop import app
from wirespeed.testing import assert_fast_path_async, assert_no_blocking_async

pytestmark = pytest.mark.anyio

@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request):
    return request.param

async def test_it_is_fast():
    await assert_fast_path_async(app, "/typed")
    await assert_no_blocking_async(app, "/typed")
    with pytest.raises(AssertionError, match="WS101"):
        await assert_fast_path_async(app, "/untyped")

async def test_it_is_faster(wirespeed):
    comparison = await wirespeed.compare_async("/typed", "/untyped", app=app, seconds=0.1)
    assert comparison.rounds >= 6
""",
        "-v",
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "test_it_is_fast[trio] PASSED" in done.stdout
    assert "test_it_is_faster[asyncio] PASSED" in done.stdout


def test_the_fixture_compares(run: Run) -> None:
    done = run(MEASURING)

    assert done.returncode == 0, done.stdout + done.stderr


def test_tests_that_measure_can_be_selected(run: Run) -> None:
    done = run(MEASURING, "-m", "wirespeed_measuring", "--collect-only", "-q")

    assert "test_light_is_faster" in done.stdout
    assert "test_something_else" not in done.stdout


def test_workers_that_run_in_parallel_measure_nothing_and_the_summary_says_so(run: Run) -> None:
    done = run(MEASURING, "-n2")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed, 1 skipped" in done.stdout
    assert "1 × wirespeed measures nothing while 2 workers run tests in parallel" in done.stdout
    assert "pytest -n0 -m wirespeed_measuring" in done.stdout


def test_a_single_worker_measures(run: Run) -> None:
    done = run(MEASURING, "-n1")

    assert "2 passed" in done.stdout, done.stdout + done.stderr


def test_an_assertion_and_the_watching_of_the_suite_do_not_see_each_others_requests(run: Run) -> None:
    done = run(
        """
import pytest
from shop import app
from wirespeed.testing import assert_fast_path, assert_no_blocking

def test_it_is_fast():
    assert_fast_path(app, "/typed")
    assert_no_blocking(app, "/typed")
    with pytest.raises(AssertionError, match="WS101"):
        assert_fast_path(app, "/untyped")
""",
        *("--wirespeed", "--wirespeed-budget", "1"),
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_a_traced_run_measures_nothing_and_the_summary_says_so(run: Run) -> None:
    tracing = "import sys\n\ndef pytest_runtest_setup():\n    sys.settrace(lambda *arguments: None)\n"

    done = run(MEASURING, conftest=tracing)

    assert "1 passed, 1 skipped" in done.stdout, done.stdout + done.stderr
    assert "wirespeed measures nothing under a tracer (conftest)" in done.stdout


def test_the_plugin_brings_nothing_into_a_run_that_does_not_use_it(run: Run) -> None:
    done = run(
        """
import sys

def test_nothing_heavy_is_loaded():
    loaded = {name.partition(".")[0] for name in sys.modules}
    assert not loaded & {"numpy", "scipy", "pydantic", "libcst", "fastapi", "starlette", "typer", "rich"}
    assert "wirespeed_agent" not in loaded
    ours = {name for name in sys.modules if name.split(".")[0] == "wirespeed"}
    assert ours == {
        "wirespeed", "wirespeed.testing", "wirespeed.testing.plugin",
        "wirespeed.testing.suite", "wirespeed.testing.suite.options",
    }
""",
        *("-p", "no:anyio"),
    )

    assert done.returncode == 0, done.stdout + done.stderr
