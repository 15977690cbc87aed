"""Finding the server: over names, Unix sockets and TLS; and what is said when it cannot be reached."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from wirespeed.errors import SubjectError, UsageError, WirespeedError
from wirespeed.http import limits
from wirespeed.http.engine import Measured
from wirespeed.http.plan import LoadPlan
from wirespeed.http.processes import run_load
from wirespeed.http.target import parse_target

from .conftest import Serve
from .servers import CERTIFICATE, answering, taking

FOUR = LoadPlan(connections=2, requests=4, duration_s=None, timeout_s=5, connect_timeout_s=5)


def load(url: str, *, verify: bool = True, unix_path: str | None = None) -> Measured:
    return run_load(parse_target(url, verify=verify, unix_path=unix_path), FOUR)


def refused(url: str) -> WirespeedError:
    with pytest.raises(WirespeedError) as caught:
        load(url)
    return caught.value


def test_a_host_name_is_looked_up_once_and_the_time_told(serve: Serve) -> None:
    server = serve()
    measured = load(f"http://localhost:{server.port}/")
    assert measured.tally.status == {200: 4}
    assert measured.lookup_ns is not None
    assert load(server.url).lookup_ns is None


def test_a_unix_socket_is_named_by_the_url_or_beside_it(serve: Serve, tmp_path: Path) -> None:
    path = tmp_path / "App.sock"
    serve(unix=path)
    assert load(f"http+unix://{str(path).replace('/', '%2F')}/").tally.status == {200: 4}
    assert load("http://example.invalid/", unix_path=str(path)).tally.status == {200: 4}


def test_certificates_are_verified(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(tls=True)
    error = refused(server.url)
    assert isinstance(error, SubjectError)
    assert "self-signed certificate" in error.message
    assert "--insecure" in (error.advice or "")

    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    measured = load(server.url)
    assert measured.tally.status == {200: 4}
    assert measured.tally.steps.tls.total == 2


def test_unverified_tls_works_on_request(serve: Serve) -> None:
    assert load(serve(tls=True).url, verify=False).tally.status == {200: 4}


def test_tls_to_a_server_that_does_not_speak_it_names_the_url_that_works() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        answer = threading.Thread(target=answer_badly, args=(listener,))
        answer.start()
        error = refused(f"https://127.0.0.1:{port}/")
        answer.join()
    assert isinstance(error, SubjectError)
    assert "does not speak TLS" in error.message
    assert error.advice == f"Try http://127.0.0.1:{port}."


def answer_badly(listener: socket.socket) -> None:
    """As HTTP servers answer what is no HTTP."""
    connection, _ = listener.accept()
    with connection:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        connection.recv(65536)


@pytest.mark.parametrize("processes", [1, 2])
def test_no_tls_to_a_server_that_speaks_only_that_names_the_url_that_works(
    serve: Serve, processes: int
) -> None:
    server = serve(tls=True)
    plan = replace(FOUR, processes=processes)
    with pytest.raises(SubjectError) as caught:
        run_load(parse_target(server.url.replace("https", "http")), plan)
    assert "speaks TLS" in caught.value.message
    assert caught.value.advice == f"Try https://127.0.0.1:{server.port}."


def test_a_run_that_is_all_in_vain_for_want_of_tls_ends_early(serve: Serve) -> None:
    an_hour = replace(FOUR, requests=None, duration_s=3600)
    with pytest.raises(SubjectError):
        run_load(parse_target(serve(tls=True).url.replace("https", "http")), an_hour)


def test_a_server_that_answers_400_to_what_should_be_tls_is_told_from_one_that_means_it(serve: Serve) -> None:
    bad_request = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
    assert load(serve(answering(bad_request)).url).tally.status == {400: 4}

    with serving_each(answer_400_unless_tls) as port:
        error = refused(f"http://127.0.0.1:{port}/")
    assert error.advice == f"Try https://127.0.0.1:{port}."


def answer_400_unless_tls(connection: socket.socket) -> None:
    """As nginx does on a port for TLS."""
    if connection.recv(1, socket.MSG_PEEK) == b"\x16":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
        with context.wrap_socket(connection, server_side=True):
            return
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")


@contextmanager
def serving_each(behave: Callable[[socket.socket], None]) -> Iterator[int]:
    """A server that leaves every connection to ``behave``, one after the other; gives its port."""

    def serve_all() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection, suppress(OSError):
                behave(connection)

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        thread = threading.Thread(target=serve_all)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def test_a_closed_port_is_the_subjects_failure(closed_port: int) -> None:
    error = refused(f"http://127.0.0.1:{closed_port}/")
    assert error.exit_code == 3
    assert f"127.0.0.1:{closed_port}" in error.message


def test_a_unix_socket_that_does_not_exist_is_the_subjects_failure(tmp_path: Path) -> None:
    error = refused(f"http+unix://{str(tmp_path / 'none.sock').replace('/', '%2F')}/")
    assert error.exit_code == 3
    assert "none.sock" in error.message


def test_a_host_that_nobody_knows_is_named() -> None:
    error = refused("http://nowhere.invalid/")
    assert error.exit_code == 3
    assert "nowhere.invalid" in error.message


@pytest.mark.parametrize("url", ["http://192.0.2.1/", "http://[2001:db8::1]/"])
def test_load_leaves_this_machine_only_when_told_to(url: str) -> None:
    error = refused(url)
    assert isinstance(error, UsageError)
    assert "--remote" in (error.advice or "")


def test_the_limit_of_file_descriptors_is_raised_where_it_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
        limits.make_room(1000)
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] >= 1000
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_more_connections_than_the_system_allows_are_refused_with_what_to_do() -> None:
    resource = pytest.importorskip("resource")
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        pytest.skip("this system sets no limit")
    with pytest.raises(UsageError) as caught:
        limits.make_room(hard)
    assert "ulimit" in (caught.value.advice or "")


def test_connections_of_many_lanes_are_all_used(serve: Serve) -> None:
    server = serve(taking(0.02))
    plan = LoadPlan(connections=100, requests=200, duration_s=None, timeout_s=10)
    assert run_load(parse_target(server.url), plan).tally.status == {200: 200}
    assert server.connections == 100


def test_a_name_that_stands_for_several_addresses_is_tried_in_order(serve: Serve) -> None:
    """localhost may mean ::1 first, where nothing listens."""
    if not socket.has_ipv6:
        pytest.skip("no IPv6")
    server = serve()
    assert load(f"http://localhost:{server.port}/").tally.status == {200: 4}
