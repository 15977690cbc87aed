"""Whole answers, and what the app says of itself: to compare an app with an edited copy of it elsewhere."""

from __future__ import annotations

import base64
from typing import Any, Dict, List, Mapping

from .fidelity import Answer, compare, unstable
from .live_screening import worst_of
from .session import Session
from .tracebacks import last_line
from .workbench import bench_of, blaming_the_endpoint, request_from


async def answer(session: Session, args: Mapping[str, Any]) -> Dict[str, Any]:
    """One whole answer of the app to ``request``: status, headers, and the body in base64."""
    with blaming_the_endpoint():
        call = await bench_of(session).call(request_from(args["request"]), float(args["deadline_s"]))
    headers = [[name.decode("latin-1"), value.decode("latin-1")] for name, value in call.answer.headers]
    body = base64.b64encode(call.answer.body).decode("ascii")
    return {"status": call.answer.status, "headers": headers, "body": body}


async def compare_answers(session: Session, args: Mapping[str, Any]) -> Dict[str, Any]:
    """How ``answers`` compare with ``reference``, each as ``answer`` gives them; the app is not called.

    ``fidelity`` is the worst of them. Where the reference differs among itself is ``unstable``, and tells
    nothing of the others.
    """
    reference = [_read(each) for each in args["reference"]]
    masks = unstable(reference)
    worst = worst_of([compare(reference[-1], _read(each), masks) for each in args["answers"]])
    return {"fidelity": worst.fidelity, "differences": worst.differences, "unstable": masks.names()}


async def openapi(session: Session, args: Mapping[str, Any]) -> Dict[str, Any]:
    """The OpenAPI document of every FastAPI app that can be reached, in the order of discovery."""
    described: List[Dict[str, Any]] = []
    for app in bench_of(session).discovery.apps:
        if callable(getattr(app, "openapi", None)):
            # Whatever the user's own types raise: the app's pages would show an error, too.
            try:
                described.append({"document": app.openapi()})
            except Exception as error:
                described.append({"failed": last_line(error)})
    return {"apps": described}


def _read(told: Mapping[str, Any]) -> Answer:
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in told["headers"]]
    return Answer(told["status"], headers, base64.b64decode(told["body"]))
