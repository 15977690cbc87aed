"""The tests' process is somebody else's: what they look at is as it would be without us."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from .conftest import RunSuite

pytestmark = pytest.mark.slow

ROWS = """
    from fastapi import FastAPI

    app = FastAPI()

    @app.get("/rows")
    async def rows():
        return [{"id": number, "name": "x" * 20} for number in range(2000)]
"""


def test_a_suite_without_fastapi_never_loads_it(run_suite: RunSuite) -> None:
    source = """
        import sys

        def test_nothing_came_along():
            assert "fastapi" not in sys.modules
            assert "starlette" not in sys.modules
            assert not {"rich", "typer", "numpy", "scipy", "pydantic"} & set(sys.modules)
    """
    seen = run_suite({"test_it.py": source}, "--wirespeed")

    assert seen.status == 0, seen.output
    assert "no request reached a route of FastAPI" in seen.output


def test_without_the_option_nothing_of_it_is_loaded(run_suite: RunSuite, tmp_path: Path) -> None:
    source = """
        import sys

        def test_nothing_came_along():
            assert "wirespeed_agent" not in sys.modules
            assert "wirespeed.testing.suite.watching" not in sys.modules
    """
    (tmp_path / "test_it.py").write_text(textwrap.dedent(source))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout
    assert "wirespeed" not in done.stdout


def test_fastapi_is_watched_when_a_test_imports_it_first(run_suite: RunSuite) -> None:
    source = """
        def test_it():
            from fastapi.testclient import TestClient
            from main import app
            assert len(TestClient(app).get("/rows").json()) == 2000
    """
    seen = run_suite({"main.py": ROWS, "test_it.py": source}, "--wirespeed-budget=3")

    assert seen.endpoint("/rows").conclusion == "remedy"


def test_what_tests_capture_holds_nothing_of_ours(run_suite: RunSuite) -> None:
    source = """
        import gc, logging, sys, warnings
        from fastapi.testclient import TestClient
        from main import app

        def test_it(capsys, caplog, recwarn):
            caplog.set_level(0)
            logging.getLogger("httpx").disabled = logging.getLogger("asyncio").disabled = True
            assert TestClient(app).get("/rows").status_code == 200
            assert capsys.readouterr() == ("", "")
            assert [record for record in caplog.records if "wirespeed" in record.name] == []
            assert [each for each in recwarn if "wirespeed" in str(each.filename)] == []
    """
    seen = run_suite({"main.py": ROWS, "test_it.py": source}, "-Werror")

    assert seen.status == 0, seen.output


def test_exceptions_reach_the_test_as_they_are(run_suite: RunSuite) -> None:
    source = """
        import pytest
        from fastapi import FastAPI
        from fastapi.exceptions import ResponseValidationError
        from fastapi.testclient import TestClient

        app = FastAPI()

        class Mine(Exception):
            pass

        @app.get("/mine")
        async def mine():
            raise Mine

        @app.get("/wrong")
        async def wrong() -> int:
            return "no number"

        def test_one_of_the_endpoint():
            with pytest.raises(Mine):
                TestClient(app).get("/mine")

        def test_a_value_that_does_not_fit():
            with pytest.raises(ResponseValidationError):
                TestClient(app).get("/wrong")

        def test_as_a_response():
            assert TestClient(app, raise_server_exceptions=False).get("/wrong").status_code == 500
    """
    assert run_suite({"test_it.py": source}).status == 0


def test_every_way_of_calling_an_app_in_the_process_is_watched(run_suite: RunSuite) -> None:
    source = """
        import asyncio
        import httpx
        from main import app

        async def call(app, path):
            transport = httpx.ASGITransport(app=app)
            async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
                return await client.get(path)

        def test_a_transport():
            assert asyncio.run(call(app, "/rows")).status_code == 200

        def test_a_mounted_app_behind_middleware():
            from fastapi import FastAPI
            from starlette.middleware.gzip import GZipMiddleware
            outer = FastAPI()
            outer.add_middleware(GZipMiddleware)
            outer.mount("/inner", app)
            assert asyncio.run(call(outer, "/inner/rows")).status_code == 200

        def test_bare_asgi():
            sent = []
            async def receive():
                return {"type": "http.request", "body": b""}
            async def send(message):
                sent.append(message)
            scope = {"type": "http", "method": "GET", "path": "/rows", "headers": [], "query_string": b""}
            asyncio.run(app(scope, receive, send))
            assert sent[0]["status"] == 200
    """
    seen = run_suite({"main.py": ROWS, "test_it.py": source}, "--wirespeed-budget=5")

    assert seen.status == 0, seen.output
    assert seen.endpoint("/rows").tests == 2
    assert seen.endpoint("/inner/rows").tests == 1


def test_a_request_that_an_endpoint_makes_to_its_own_app_is_one_of_its_own(run_suite: RunSuite) -> None:
    source = """
        import httpx
        from fastapi.testclient import TestClient
        from main import app

        @app.get("/outer")
        async def outer():
            transport = httpx.ASGITransport(app=app)
            async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
                return {"inner": (await client.get("/rows")).json()}

        def test_it():
            assert len(TestClient(app).get("/outer").json()["inner"]) == 2000
    """
    seen = run_suite({"main.py": ROWS, "test_it.py": source}, "--wirespeed-budget=5")

    assert seen.endpoint("/rows").body_bytes > 60_000
    assert seen.endpoint("/outer").body_bytes > seen.endpoint("/rows").body_bytes


def test_an_app_for_every_test_is_one_app_and_none_stays_alive(run_suite: RunSuite) -> None:
    source = """
        import gc, weakref
        import pytest
        from fastapi import FastAPI
        from fastapi.dependencies import models
        from fastapi.testclient import TestClient

        class Engine:
            pass

        alive = []

        def create_app():
            engine = Engine()
            alive.append(weakref.ref(engine))
            app = FastAPI()
            app.state.engine = engine

            @app.get("/rows")
            async def rows():
                assert engine
                return [{"id": number} for number in range(300)]

            return app

        @pytest.mark.parametrize("number", range(4))
        def test_it(number):
            assert TestClient(create_app()).get("/rows").status_code == 200

        def test_nothing_is_held():
            # FastAPI itself keeps the callables it has seen.
            for each in list(vars(models).values()):
                if hasattr(each, "cache_clear"):
                    each.cache_clear()
            gc.collect()
            assert [each for each in alive if each() is not None] == []
    """
    seen = run_suite({"test_it.py": source}, "--wirespeed-budget=3")

    assert seen.status == 0, seen.output
    assert len(seen.told.endpoints if seen.told else ()) == 1
    assert seen.endpoint("/rows").tests == 4


def test_a_serializer_that_would_reach_outside_is_stopped_and_not_measured(
    run_suite: RunSuite, tmp_path: Path
) -> None:
    source = f"""
        from fastapi import FastAPI
        from fastapi.responses import JSONResponse
        from fastapi.testclient import TestClient
        from pydantic import BaseModel, field_serializer

        writes = "{tmp_path}/written"
        allowed = True

        class Row(BaseModel):
            id: int

            @field_serializer("id")
            def write(self, value):
                if allowed:
                    return value
                open(writes, "w").close()
                return value

        app = FastAPI(default_response_class=JSONResponse)

        @app.get("/rows")
        async def rows() -> list[Row]:
            return [Row(id=number) for number in range(500)]

        def test_it():
            global allowed
            assert TestClient(app).get("/rows").status_code == 200
            allowed = False
    """
    seen = run_suite({"test_it.py": source}, "--wirespeed-budget=3")

    assert seen.endpoint("/rows").conclusion == "unmeasured"
    assert "serializing it reaches outside: wrote to" in (seen.endpoint("/rows").note or "")
    assert not (tmp_path / "written").exists()


def test_ctrl_c_while_measuring_keeps_the_result_of_the_tests(run_suite: RunSuite) -> None:
    source = """
        import os, signal, threading, time
        from fastapi.responses import JSONResponse
        from fastapi.testclient import TestClient
        from main import app
        from pydantic import BaseModel, field_serializer

        class Slow(BaseModel):
            id: int

            @field_serializer("id")
            def wait(self, value):
                time.sleep(0.1)
                return value

        @app.get("/slow", response_class=JSONResponse)
        async def slow() -> Slow:
            return Slow(id=1)

        def test_it():
            client = TestClient(app)
            assert client.get("/rows").status_code == client.get("/slow").status_code == 200

        def interrupt():
            while not any(thread.name == "wirespeed" for thread in threading.enumerate()):
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt, daemon=True).start()
    """
    seen = run_suite({"main.py": ROWS, "test_it.py": source})

    assert seen.status == 0, seen.output
    assert "1 passed" in seen.output
    assert "measuring was stopped" in seen.output


def test_under_a_tracer_nothing_is_timed(run_suite: RunSuite) -> None:
    source = """
        import sys, threading
        from fastapi.testclient import TestClient
        from main import app

        def test_it():
            threading.settrace(lambda *_: None)
            assert TestClient(app).get("/rows").status_code == 200
    """
    seen = run_suite({"main.py": ROWS, "test_it.py": source})

    assert seen.status == 0, seen.output
    assert seen.endpoint("/rows").conclusion == "unmeasured"
    assert "a tracer (coverage, a debugger) was still active" in seen.output


def test_what_cannot_be_meant_is_refused_before_any_test_runs(run_suite: RunSuite) -> None:
    files = {"test_it.py": "def test_it(): raise AssertionError('ran')"}

    for option, said in [
        ("--wirespeed-fail-on=WS999", "tests can show WS101, WS102, WS103"),
        ("--wirespeed-budget=soon", "this is no number of seconds"),
        ("--wirespeed-html=/no/such/folder/x.html", "this is no file in a folder that exists"),
    ]:
        refused = run_suite(files, option)
        assert refused.status == pytest.ExitCode.USAGE_ERROR
        assert said in refused.output


def test_frozen_time_freezes_nothing_of_ours(run_suite: RunSuite) -> None:
    source = """
        import sys, time
        from unittest import mock
        from fastapi.testclient import TestClient
        from wirespeed_agent.gcmeter import clock_ns
        from main import app

        def everywhere():
            "As freezegun does it: in every module that refers to a clock."
            clocks = {id(getattr(time, name)): name for name in ("time", "monotonic", "perf_counter_ns")}
            for module in list(sys.modules.values()):
                for name, value in list(vars(module).items()):
                    if id(value) in clocks and module.__name__.startswith(("wirespeed", "time")):
                        yield mock.patch.object(module, name, lambda: 1)

        def test_it():
            patches = list(everywhere())
            client = TestClient(app)
            for each in patches:
                each.start()
            try:
                before = clock_ns()
                assert client.get("/rows").status_code == 200
                assert clock_ns() > before and time.perf_counter_ns() == 1
            finally:
                mock.patch.stopall()
    """
    seen = run_suite({"main.py": ROWS, "test_it.py": source}, "--wirespeed-budget=3")

    assert seen.status == 0, seen.output
    assert seen.endpoint("/rows").conclusion == "remedy"


def test_a_request_that_is_never_finished_is_closed_without_a_word(run_suite: RunSuite) -> None:
    source = """
        import asyncio, gc
        from main import app

        @app.get("/waits")
        async def waits():
            await asyncio.Event().wait()

        def test_it():
            scope = {"type": "http", "method": "GET", "path": "/waits", "headers": [], "query_string": b""}

            async def receive():
                return {"type": "http.request", "body": b""}

            async def send(message):
                raise AssertionError

            async def begin():
                asyncio.ensure_future(app(scope, receive, send))
                await asyncio.sleep(0.05)

            loop = asyncio.new_event_loop()
            loop.run_until_complete(begin())
            for task in asyncio.all_tasks(loop):
                task._log_destroy_pending = False
            loop.close()
            del loop, task
            gc.collect()
    """
    seen = run_suite(
        {"main.py": ROWS, "test_it.py": source}, "-Werror::pytest.PytestUnraisableExceptionWarning"
    )

    assert seen.status == 0, seen.output
