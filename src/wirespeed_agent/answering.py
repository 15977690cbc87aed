"""Whole answers, and what the app says of itself: to compare an app with an edited copy of it elsewhere."""

from __future__ import annotations

import base64
import hashlib
from typing import Any, Dict, List, Mapping

from .fidelity import Answer, compare, unstable
from .live_screening import worst_of
from .session import Session
from .tracebacks import last_line
from .workbench import bench_of, blaming_the_endpoint, request_from


async def answer(session: Session, args: Mapping[str, Any]) -> Dict[str, Any]:
    """One answer of the app to ``request``: status, headers, the digest of its body, and, unless ``whole`` is
    false, the body itself in base64.

    Answers of many megabytes should not travel only to be found the same.
    """
    with blaming_the_endpoint():
        call = await bench_of(session).call(request_from(args["request"]), float(args["deadline_s"]))
    headers = [[name.decode("latin-1"), value.decode("latin-1")] for name, value in call.answer.headers]
    told: Dict[str, Any] = {
        "status": call.answer.status,
        "headers": headers,
        "digest": hashlib.sha256(call.answer.body).hexdigest(),
        "bytes": len(call.answer.body),
    }
    if args.get("whole", True):
        told["body"] = base64.b64encode(call.answer.body).decode("ascii")
    return told


async def compare_answers(session: Session, args: Mapping[str, Any]) -> Dict[str, Any]:
    """How ``answers`` compare with ``reference``, each as ``answer`` gives them; the app is not called.

    Bodies that did not come along are taken to be what their digests say: the same or not.

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
    body = base64.b64decode(told["body"]) if "body" in told else told["digest"].encode("ascii")
    return Answer(told["status"], headers, body)
