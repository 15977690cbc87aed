"""Requests that a browser or a shell has sent already are sent again, and nothing else of the file is."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wirespeed.cli.request_files.reading import RequestFile, read_request_file
from wirespeed.errors import UsageError
from wirespeed.model.request import Request

Read = Callable[[str], RequestFile]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def read(text: str) -> RequestFile:
        (tmp_path / "requests").write_text(text, encoding="utf-8")
        return read_request_file(str(tmp_path / "requests"))

    return read


def har(*requests: dict[str, Any]) -> str:
    entries = [{"request": {"headers": [], **each}, "response": {"status": 200}} for each in requests]
    return json.dumps({"log": {"version": "1.2", "entries": entries}})


def get(url: str, **headers: str) -> dict[str, Any]:
    return {
        "method": "GET",
        "url": url,
        "headers": [{"name": name, "value": value} for name, value in headers.items()],
    }


# -- curl ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "method", "path", "body"),
    [
        ("curl http://localhost:8000/orders?page=1", "GET", "/orders?page=1", b""),
        ("curl localhost:8000", "GET", "/", b""),
        ("curl -I http://a/x", "HEAD", "/x", b""),
        ("curl http://a/x -d 'a=1' --data b=2", "POST", "/x", b"a=1&b=2"),
        ("curl -X PUT http://a/x --json '{\"n\": 1}'", "PUT", "/x", b'{"n": 1}'),
        ("curl -XDELETE http://a/x", "DELETE", "/x", b""),
        ("curl --request=PATCH --url=http://a/x", "PATCH", "/x", b""),
        ("curl -G http://a/x?b=2 --data-urlencode 'q=two words'", "GET", "/x?b=2&q=two+words", b""),
        ("curl 'http://a/x' \\\n  -o /dev/null \\\n  --compressed", "GET", "/x", b""),
        ("curl http://a/x --data-raw $'it\\'s \\u20ac'", "POST", "/x", "it's \u20ac".encode()),
        ("curl http://a/x --data-raw 'two\nlines'", "POST", "/x", b"two\nlines"),
        ("curl -sS -sSLXPUT http://a/x", "PUT", "/x", b""),
        ("curl http://a/x --data-raw '--b=1'", "POST", "/x", b"--b=1"),
        ("curl http://a/caf\u00e9", "GET", "/caf%C3%A9", b""),
    ],
)
def test_a_curl_command_is_the_request_that_curl_sends(
    read: Read, command: str, method: str, path: str, body: bytes
) -> None:
    (request,) = read(command).requests

    assert (request.method, request.path, request.body) == (method, path, body)


def test_several_commands_with_comments_between_them_are_several_requests(read: Read) -> None:
    found = read(
        "# don't forget\ncurl http://a/one && curl http://a/two;\n\ncurl http://a/three http://a/four\n"
    )

    assert [each.path for each in found.requests] == ["/one", "/two", "/three", "/four"]


def test_headers_cookies_and_credentials_are_sent_and_never_told(read: Read) -> None:
    found = read(
        "curl http://a/ -H 'X-Api-Key: k3y-of-mine' -H 'X-Auth-Version: 1' "
        "-b 'id=1; session=abcdef' -u me:pass -H 'Accept: text/html'"
    )

    assert found.requests[0].headers == (
        ("X-Api-Key", "k3y-of-mine"),
        ("X-Auth-Version", "1"),
        ("Cookie", "id=1; session=abcdef"),
        ("Authorization", "Basic bWU6cGFzcw=="),
        ("Accept", "text/html"),
    )
    assert found.secrets == ("k3y-of-mine", "id=1; session=abcdef", "abcdef", "Basic bWU6cGFzcw==")


@pytest.mark.parametrize(
    ("options", "content_type"),
    [
        ("--json '[1]'", "application/json"),
        ("-d 'a=1'", "application/x-www-form-urlencoded"),
        ("-d '[1]'", "application/json"),
        ("-d '[1]' -H 'content-type: text/plain'", "text/plain"),
    ],
)
def test_a_body_says_what_it_is(read: Read, options: str, content_type: str) -> None:
    (request,) = read(f"curl http://a/ {options}").requests

    assert {name.lower(): value for name, value in request.headers}["content-type"] == content_type


def test_a_body_may_be_in_a_file_as_curl_reads_it(read: Read, tmp_path: Path) -> None:
    (tmp_path / "body").write_bytes(b"[1,\r\n2]")
    text, binary = read(
        f"curl http://a/ -d @{tmp_path}/body ; curl http://a/ --data-binary @{tmp_path}/body"
    ).requests

    assert (text.body, binary.body) == (b"[1,2]", b"[1,\r\n2]")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("curl http://a/ -F file=@x", "curl's -F, which is not known here"),
        ("rm -rf /tmp/x", "has the command 'rm', which is not curl"),
        ("curl -s", "a curl command without a URL"),
        ("curl http://a/ -H", "a -H and nothing after it"),
        ("curl 'http://a/", "a command that does not end"),
        ("curl http://a/ -d @/nowhere/body", "cannot be read"),
        ("curl http://a/ -X FETCH", "there is no method 'FETCH'"),
        ("", "has no request to send"),
        ("# nothing", "has no request to send"),
    ],
)
def test_what_is_not_understood_is_named(read: Read, text: str, told: str) -> None:
    with pytest.raises(UsageError, match="requests-file") as error:
        read(text)

    assert told in error.value.message


# -- HAR -----------------------------------------------------------------------------------------------------


def test_a_recording_is_what_was_asked_of_the_app_and_only_what_cannot_change_anything(read: Read) -> None:
    found = read(
        har(
            get("https://cdn.example/app.js"),
            get("https://shop.example/orders?page=2", Accept="application/json", Host="shop.example"),
            get("https://shop.example/orders?page=2", Accept="application/json", Host="shop.example"),
            {"method": "POST", "url": "https://shop.example/orders"},
            {"method": "HEAD", "url": "https://shop.example/health"},
        )
    )

    assert found.requests == (
        Request(method="GET", path="/orders?page=2", headers=(("Accept", "application/json"),)),
        Request(method="HEAD", path="/health"),
    )
    posts, hosts = found.left_out
    assert posts.startswith("1 that are neither GET nor HEAD")
    assert hosts == "1 to other hosts than shop.example"


def test_what_belongs_to_a_connection_or_a_cache_is_not_repeated(read: Read) -> None:
    of_connection = {":authority": "a", "Connection": "close", "If-None-Match": "x", "Sec-Fetch-Mode": "cors"}
    (request,) = read(har(get("http://a/", **of_connection, Cookie="id=1"))).requests

    assert request.headers == (("Cookie", "id=1"),)


def test_the_host_of_a_recording_is_no_secret(read: Read) -> None:
    assert read(har(get("http://shop.example/", **{":authority": "shop.example"}))).secrets == ()


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("{", "its beginning"),
        ("{}", "log"),
        ('{"log": {"entries": [{"request": 1}]}}', "log.entries.0.request"),
    ],
)
def test_a_damaged_recording_is_told_with_the_place(read: Read, text: str, where: str) -> None:
    with pytest.raises(UsageError, match="is no HAR file") as error:
        read(text)

    assert where in error.value.message


def test_a_file_that_is_not_there_or_no_text_is_a_mistake_of_the_user(read: Read, tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe")

    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_request_file(str(tmp_path / "nowhere"))
    with pytest.raises(UsageError, match="is not text in UTF-8"):
        read_request_file(str(tmp_path / "binary"))


# -- the option ----------------------------------------------------------------------------------------------

MAIN = "from wirespeed.cli import main; main()"
EXAMPLES = Path(__file__).parents[2] / "examples"


def listed(file: Path, *options: str) -> tuple[int, str, str]:
    command = [sys.executable, "-c", MAIN, "advise", "users:app", "--folder", str(EXAMPLES), "--dry-run"]
    done = subprocess.run([*command, "--requests-file", str(file), *options], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_requests_of_a_file_are_called_as_if_they_were_named(tmp_path: Path) -> None:
    (tmp_path / "page.har").write_text(har(get("http://a/health"), {"method": "POST", "url": "http://a/x"}))
    status, told, warned = listed(tmp_path / "page.har", "--only")

    assert status == 0, warned
    assert "1 request would be sent" in told
    assert "GET /health" in told
    assert "left out 1 that are neither GET nor HEAD" in warned


def test_a_file_beside_requests_on_the_command_line_is_a_contradiction(tmp_path: Path) -> None:
    (tmp_path / "calls").write_text("curl http://a/health")
    status, _, told = listed(tmp_path / "calls", "--get", "/typed")

    assert status == 2
    assert "--requests-file and --get or --request contradict each other" in told
