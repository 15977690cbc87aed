"""``assert_fast_path``: the answer's bytes were written by its response type, and by nothing slower."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Unpack

from wirespeed.errors import UsageError

from .calls import Options, Request, call_of
from .failing import told
from .making import FIRST_WITH_FAST_PATH, broken_by, made
from .sending import Passed, send, send_async
from .shared import Shared


def assert_fast_path(
    app: object, request: Request | None = None, /, *, lifespan: bool = False, **options: Unpack[Options]
) -> None:
    """Send ``request`` to ``app``, and fail unless FastAPI's fast path made the answer.

    It did if the bytes that came out of the app are those that the ``serialize_json`` of the route's response
    type wrote (FastAPI 0.130 and newer). ``jsonable_encoder`` with ``json.dumps``, a response class, and a
    response built by hand are slower, also where a response model is set. What is checked is how this answer
    was made, not how the route is declared: nothing is timed.

    ``app`` is a FastAPI app, however it is wrapped, or a ``TestClient`` or HTTPX client of one, whose base
    URL, cookies and authentication are used. ``request`` is a path, ``(method, path)``, ``(method, path,
    body)`` or ``(method, path, body, headers)``; the options have HTTPX's names. Dependency overrides hold.
    An app has its lifespan run only with ``lifespan=True``, as with ``TestClient``.

    It blocks, and runs an app in an event loop in a thread of its own, as ``TestClient`` does. Inside a
    coroutine, ``await assert_fast_path_async(...)``, which takes the same and uses the loop that runs there,
    asyncio's or trio's: what a test has opened there, such as a database connection, goes on working.

    Raises AssertionError, UsageError for what is no app or request, and whatever the app raises.
    """
    __tracebackhide__ = True
    call = call_of(request, options)
    _require_fast_path(call.name)
    with _watched:
        passed = send(app, call, lifespan=lifespan)
    _check(passed)


async def assert_fast_path_async(
    app: object, request: Request | None = None, /, *, lifespan: bool = False, **options: Unpack[Options]
) -> None:
    """As ``assert_fast_path``, in the event loop that runs."""
    __tracebackhide__ = True
    call = call_of(request, options)
    _require_fast_path(call.name)
    with _watched:
        passed = await send_async(app, call, lifespan=lifespan)
    _check(passed)


def _check(passed: Passed) -> None:
    __tracebackhide__ = True
    broken = broken_by(made(passed))
    if broken is None:
        return
    rule = f" ({broken.rule})" if broken.rule else ""
    raise AssertionError(
        told(
            f"{passed.name} is not on FastAPI's fast path{rule}: {broken.what}",
            ("where", broken.where),
            ("mend", broken.mend),
            ("more", f"wirespeed rule {broken.rule}" if broken.rule else None),
        )
    )


def _require_fast_path(name: str) -> None:
    __tracebackhide__ = True
    fastapi = sys.modules.get("fastapi")
    if fastapi is None:
        raise UsageError("Nothing has imported FastAPI here, so there is no FastAPI app to look at.")
    from wirespeed_agent.seams import dumps_to_bytes

    if not dumps_to_bytes():
        raise AssertionError(
            told(
                f"{name} is not on FastAPI's fast path: FastAPI {fastapi.__version__} has none",
                ("mend", f"upgrade FastAPI: the fast path came with {FIRST_WITH_FAST_PATH}"),
            )
        )


@contextlib.contextmanager
def _seams() -> Iterator[None]:
    from wirespeed_agent.seams import every_route_shadowed, watching

    with watching(), every_route_shadowed():
        yield


_watched = Shared(_seams)
