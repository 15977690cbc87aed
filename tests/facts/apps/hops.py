"""Dependencies of every sort, an endpoint each: ``/NAME`` depends on the callable of that name."""

import contextvars
import functools
import itertools
import logging
import socket
import sqlite3
import subprocess
import threading
import time
from pathlib import Path
from tempfile import TemporaryFile
from typing import Annotated

from fastapi import Depends, FastAPI, Request

app = FastAPI()

WHO = contextvars.ContextVar("who", default="nobody")
LOCAL = threading.local()
LOCK = threading.Lock()
CONNECTION = sqlite3.connect(":memory:", check_same_thread=False)
OPEN_FILE = TemporaryFile("w")  # noqa: SIM115
LOGGER = logging.getLogger("hops")
LOGGER.addHandler(logging.StreamHandler(OPEN_FILE))
TURN = itertools.count()
NEAR, FAR = socket.socketpair()


def reads_a_header(request: Request):
    return request.headers.get("accept")


def reads_a_context_variable():
    return WHO.get()


def sleeps():
    time.sleep(0.001)


def computes():
    return sum(range(100_000))


def reads_a_file():
    with Path(__file__).open() as file:
        return file.readline()


def looks_at_a_file():
    return Path(__file__).stat().st_size


def writes_to_an_open_file():
    OPEN_FILE.write("x")


def logs():
    LOGGER.warning("hello")


def sends():
    NEAR.send(b"x")
    return FAR.recv(1)


def asks_a_database():
    return CONNECTION.execute("select 1").fetchone()


def runs_a_program():
    return subprocess.run(["true"], check=False).returncode


def takes_a_lock():
    with LOCK:
        return 1


class Holder:
    def __init__(self):
        self.guard = threading.RLock()

    def takes_its_own_lock(self):
        with self.guard:
            return 1

    def is_a_method(self):
        return 1

    def __call__(self):
        return 1


HOLDER = Holder()


def asks_for_its_thread():
    return threading.current_thread().name


def uses_a_thread_local():
    LOCAL.seen = getattr(LOCAL, "seen", 0) + 1


def sets_a_context_variable():
    WHO.set("somebody")


def prints():
    print("")


def may_wait():
    """Trivial the first time only."""
    if next(TURN):
        time.sleep(0.001)


@functools.lru_cache
def is_cached():
    return 1


def yields():
    yield 1


class IsAClass:
    def __init__(self, page: int = 1):
        self.page = page


def _made(role):
    def made_by_a_factory():
        return role

    return made_by_a_factory


def _loud(function):
    def wrapper():
        return function()

    return wrapper


@_loud
def decorated_without_wraps():
    return 1


def adds(one, other):
    return one + other


async def is_async():
    return 1


def uses_another(header: Annotated[str, Depends(reads_a_header)]):
    return header


def _add(name, dependency):
    async def answer(value: Annotated[object, Depends(dependency)]):
        return {"ok": True}

    app.get(f"/{name}")(answer)


for _each in (
    reads_a_header,
    reads_a_context_variable,
    sleeps,
    computes,
    reads_a_file,
    looks_at_a_file,
    writes_to_an_open_file,
    logs,
    sends,
    asks_a_database,
    runs_a_program,
    takes_a_lock,
    HOLDER.takes_its_own_lock,
    HOLDER.is_a_method,
    asks_for_its_thread,
    uses_a_thread_local,
    sets_a_context_variable,
    prints,
    may_wait,
    is_cached,
    yields,
    IsAClass,
    is_async,
    uses_another,
):
    _add(_each.__name__, _each)
_add("callable_object", HOLDER)
_add("partial", functools.partial(adds, 1, 2))
_add("made_by_a_factory", _made("admin"))
_add("decorated_without_wraps", decorated_without_wraps)


@app.get("/endpoint")
def endpoint() -> dict[str, int]:
    return {"one": 1}
