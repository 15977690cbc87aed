"""One answer, and what its call did: for requests that nobody has named, in a process that times nothing."""

from __future__ import annotations

import base64
from typing import Any, Dict, Mapping

from .live import CallFailed
from .session import Session
from .watch import watching_actions
from .workbench import bench_of, request_from


async def witness(session: Session, args: Mapping[str, Any]) -> Dict[str, Any]:
    """Call ``request`` once. ``actions`` is what the call was seen to do, as ``probe`` tells it.

    A call without an answer is one of the things that may be seen: ``failed`` then says why, ``answer`` is
    None.
    """
    request = request_from(args["request"])
    session.doing(f"calling {request.name}")
    with watching_actions(session.loop) as watch:
        try:
            call = await bench_of(session).call(request, float(args["deadline_s"]))
        except CallFailed as failure:
            return {"failed": failure.message, "answer": None, "actions": watch.actions}
    seen = call.answer
    answer = {
        "status": seen.status,
        "headers": [[name.decode("latin-1"), value.decode("latin-1")] for name, value in seen.headers],
        "body": base64.b64encode(seen.body).decode("ascii"),
    }
    return {"failed": None, "answer": answer, "actions": watch.actions}
