"""``wirespeed load``: what it plans, what it prints where, and what it ends with."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from wirespeed.cli.load_plan import LoadOptions, is_url, load_order, parse_rate
from wirespeed.cli.load_run import exit_code
from wirespeed.errors import UsageError
from wirespeed.model.load import Load, Objective, Validity

SCRIPT = Path(sys.executable).with_name("wirespeed")
SAMPLE = Load.model_validate_json((Path(__file__).parents[1] / "data" / "load.json").read_bytes())
URL = "http://127.0.0.1:8000/typed"


SEEN = threading.Event()
"""Set by the server with every request."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body in one piece, or the kernel would wait for more between them.
    wbufsize = -1

    def do_GET(self) -> None:
        self._answer(307 if self.path == "/moved" else 200)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(201 if body == b"hello" and self.headers["X-Who"] == "me" else 400)

    def _answer(self, status: int) -> None:
        SEEN.set()
        self.send_response(status)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.daemon_threads = True
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def wirespeed(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SCRIPT, "load", *arguments], capture_output=True, text=True, cwd=cwd, check=False)


def document(*arguments: str) -> dict[str, Any]:
    done = wirespeed(*arguments, "--json", "--no-save")
    assert done.returncode in (0, 4), done.stderr
    assert done.stderr == ""
    loaded: dict[str, Any] = json.loads(done.stdout)
    return loaded


def refusal(**options: Any) -> str:
    with pytest.raises(UsageError) as caught:
        load_order(LoadOptions(**{"target": URL, **options}))
    return f"{caught.value.message}\n{caught.value.advice}"


def names(value: object) -> object:
    """The shape of a document: its names, without its values."""
    return {name: names(part) for name, part in value.items()} if isinstance(value, dict) else None


def test_the_document_has_every_name_of_the_published_sample(server: str) -> None:
    loaded = document(server, "-n", "40", "-c", "4")
    sample = json.loads(SAMPLE.to_json())
    assert set(loaded) >= set(sample)
    for part in ("plan", "requests", "latency_ns", "service_ns", "phases_ns", "generator", "environment"):
        assert names(loaded[part]) == names(sample[part]) | names(loaded[part])  # type: ignore[operator]
    assert loaded["requests"]["status"] == {"200": 40}
    assert loaded["plan"]["connections"] == 4
    assert loaded["requests_per_s"] == pytest.approx(40 / loaded["duration_s"])


def test_requests_headers_and_bodies_arrive_as_they_were_named(server: str) -> None:
    loaded = document(
        server, "-n", "40", "--get", "/moved x3", "--request", "POST /", "--body", "hello", "-H", "X-Who: me"
    )
    assert loaded["requests"]["status"] == {"201": 10, "307": 30}
    assert loaded["calls"] == [{"name": "GET /moved", "weight": 3}, {"name": "POST /", "weight": 1}]


def test_the_report_names_what_was_measured_and_warns_of_redirects(server: str) -> None:
    done = wirespeed(f"{server}/moved", "-n", "40", "--no-save")
    assert "not 2xx: 40 × 307" in done.stdout
    assert "Redirects are not followed" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("layout", "line"), [("hey", "Summary:"), ("wrk", "Running "), ("hdr", "#[Histogram log")]
)
def test_other_tools_layouts_are_all_that_is_printed(layout: str, line: str, server: str) -> None:
    done = wirespeed(server, "-n", "40", "--output", layout, "--no-save")
    assert done.stdout.lstrip().startswith(line)
    assert done.stderr == ""


def test_a_record_is_kept_unless_told_not_to(server: str, tmp_path: Path) -> None:
    done = wirespeed(server, "-n", "40", cwd=tmp_path)
    (record,) = (tmp_path / ".wirespeed").glob("*-load.json")
    assert str(record) in done.stderr
    assert json.loads(record.read_bytes())["document"]["requests"]["answered"] == 40


@pytest.mark.slow
def test_an_objective_that_is_not_met_fails_the_check(server: str) -> None:
    common = ("-n", "40", "-c", "1", "--no-save")
    assert wirespeed(server, *common, "--slo", "p50<30s").returncode in (0, 4)
    done = wirespeed(server, *common, "--slo", "p50<1us")
    assert done.returncode in (1, 4)
    assert "p50<1us was not met" in done.stdout


@pytest.mark.slow
def test_a_search_tells_every_rate_it_tried(server: str) -> None:
    loaded = document(server, "--rate", "100..120", "--slo", "p50<10s", "-d", "0.5s", "-c", "10")
    assert [trial["rate"] for trial in loaded["search"]] == [100, 120]
    assert loaded["objective"]["met"]
    assert loaded["plan"]["rate"] == 120


@pytest.mark.slow
def test_progress_is_drawn_on_terminals_only(server: str) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [SCRIPT, "load", server, "-d", "1.3s", "--json", "--no-save"],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm"},
    ) as process:
        os.close(theirs)
        assert process.stdout is not None
        json.loads(process.stdout.read())
    assert b"answers" in os.read(ours, 65536)
    os.close(ours)


@pytest.mark.parametrize("processes", ["1", "2"])
def test_ctrl_c_prints_what_was_measured_until_then(processes: str, server: str) -> None:
    SEEN.clear()
    command = [
        SCRIPT,
        "load",
        server,
        "-d",
        "60s",
        "-c",
        "4",
        "--json",
        "--no-save",
        "--processes",
        processes,
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert SEEN.wait(30)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        printed, said = process.communicate(timeout=20)
    assert process.returncode == 130, said
    loaded = json.loads(printed)
    assert not loaded["complete"]
    assert loaded["requests"]["answered"] > 0
    assert loaded["duration_s"] < 30


def test_a_closed_port_is_told_at_once() -> None:
    done = wirespeed("http://127.0.0.1:9/", "-d", "30s")
    assert done.returncode == 3
    assert "no connection to 127.0.0.1:9" in done.stderr
    assert done.stdout == ""


@pytest.mark.slow
def test_an_app_is_started_behind_its_server(write_app: Any) -> None:
    folder = write_app(
        "from fastapi import FastAPI\napp = FastAPI()\n@app.get('/a')\ndef a():\n    return 1\n"
    )
    loaded = document("main:app", "--get", "/a", "-n", "40", "--folder", str(folder))
    assert loaded["requests"]["status"] == {"200": 40}
    assert loaded["app"] == "main:app"


CRASHING_ONCE = """
import os
from fastapi import FastAPI

app = FastAPI()

@app.get("/a")
async def a():
    try:
        os.close(os.open("crashed", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return 1
    os._exit(9)
"""


@pytest.mark.slow
def test_a_worker_that_crashes_is_told(write_app: Any) -> None:
    folder = write_app(CRASHING_ONCE)
    asked = ("main:app", "--get", "/a", "-n", "60", "-c", "4", "--workers", "2", "--folder", str(folder))
    loaded = document(*asked)
    (note,) = loaded["notes"]
    assert note.startswith("a process of uvicorn ended, or was started again, during the run")
    assert sum(loaded["requests"]["errors"].values()) >= 1


def test_a_json_body_says_that_it_is_json() -> None:
    options = {"target": URL, "named": ("POST /a",), "bodies": ('{"x": 1}',)}
    ((request, _),) = load_order(LoadOptions(**options)).requests
    ((own, _),) = load_order(LoadOptions(**options, headers=("Content-Type: text/x",))).requests
    assert request.headers == (("content-type", "application/json"),)
    assert own.headers == ()


def test_an_app_that_does_not_start_shows_its_own_traceback(write_app: Any) -> None:
    folder = write_app("raise RuntimeError('not today')\n")
    done = wirespeed("main:app", "--get", "/a", "--folder", str(folder), "--no-save")
    assert done.returncode == 3
    assert "not today" in done.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"rate": "0"}, "requests a second"),
        ({"rate": "fast"}, "requests a second"),
        ({"rate": "2000..100", "slo": "p99<1s"}, "lower rate first"),
        ({"rate": "100..2000"}, "--slo"),
        ({"rate": "100..2000", "slo": "p99<1s", "requests": 5}, "-d instead of -n"),
        ({"duration": "0"}, "-d 60s"),
        ({"duration": "0s"}, "-d 60s"),
        ({"requests": 0}, "-n 0"),
        ({"requests": 5, "duration": "1s"}, "both say when to end"),
        ({"connections": 0}, "-c 0"),
        ({"processes": 0}, "--processes 0"),
        ({"connections": 2, "processes": 3}, "--processes 2"),
        ({"poisson": True}, "--rate"),
        ({"slo": "p99"}, "p99<50ms"),
        ({"timeout": "2h"}, "an hour"),
        ({"gets": ("/a x0",)}, "x1"),
        ({"bodies": ("x",)}, "--request"),
        ({"target": "127.0.0.1:8000/x"}, "http://127.0.0.1:8000/x"),
        ({"target": "main:app"}, "--get"),
        ({"target": "main:app", "gets": ("/",), "unix": "/s"}, "--unix"),
        ({"target": "main:app", "gets": ("/",), "server": "nginx"}, "granian"),
        ({"server": "uvicorn"}, "--server"),
        ({"workers": 2}, "--workers"),
        ({"headers": ("Content-Length: 5",)}, "content-length"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_write_instead(options: dict[str, Any], told: str) -> None:
    assert told in refusal(**options)


def test_layouts_that_do_not_exist_or_contradict_are_refused() -> None:
    assert "hdr, hey, wrk" in wirespeed(URL, "--output", "xml").stderr
    assert "Leave out one" in wirespeed(URL, "--output", "hey", "--json").stderr


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("http://h", True),
        ("localhost:8000", True),
        ("h.example:80/x", True),
        ("main:app", False),
        ("main.py", False),
    ],
)
def test_urls_are_told_from_apps(text: str, is_one: bool) -> None:
    assert is_url(text) is is_one


def test_no_more_connections_are_opened_than_there_are_requests() -> None:
    assert load_order(LoadOptions(target=URL, requests=3)).plan.connections == 3


def test_rates_are_one_or_a_range() -> None:
    assert parse_rate("500") == (500,)
    assert parse_rate("0.5..1e3") == (0.5, 1000)


def test_a_weight_that_would_fill_the_memory_is_refused() -> None:
    assert "use x10000 or less" in refusal(gets=("/a x9999999999", "/b"))


@pytest.mark.parametrize("text", ["1e12", "100..1000001"])
def test_a_rate_whose_requests_could_only_pile_up_is_refused_at_once(text: str) -> None:
    assert "Use 1,000,000 or less" in refusal(rate=text, slo="p99<50ms")


def outcome(**changes: Any) -> Load:
    return SAMPLE.model_copy(update=changes)


def test_the_exit_code_is_the_first_that_applies() -> None:
    invalid = Validity(valid=False, reasons=("busy",))
    missed = Objective(text="p99<1ms", met=False)
    unanswered = SAMPLE.requests.model_copy(update={"answered": 0})
    assert exit_code(outcome(), server_gone=False) == 0
    assert exit_code(outcome(objective=missed), server_gone=False) == 1
    assert exit_code(outcome(objective=missed, validity=invalid), server_gone=False) == 4
    assert exit_code(outcome(validity=invalid, requests=unanswered), server_gone=False) == 3
    assert exit_code(outcome(validity=invalid), server_gone=True) == 3
    assert exit_code(outcome(complete=False, validity=invalid), server_gone=True) == 130
