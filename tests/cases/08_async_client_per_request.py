"""
Case 08: a new httpx.AsyncClient for every request.

Endpoint: GET /profile
Symptom: a thin proxy endpoint burns 10 to 30 ms of CPU per request although the upstream answers
    at once; throughput is capped at a few dozen requests a second per core.
Expected diagnosis: CPU time in ssl.create_default_context / load_verify_locations, on the event
    loop, inside AsyncClient.__init__.
Expected best remedy: one client for the application's lifetime (lifespan), or at least one shared
    ssl.SSLContext passed as verify=.
Bytes: must stay identical.
Measured (in-process, FastAPI 0.165.0, Python 3.13): 16.2 -> 0.12 ms CPU (130x); shared SSLContext only:
    0.23 ms.
"""

import httpx
from fastapi import FastAPI

app = FastAPI()


def _upstream(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json={"id": 7, "plan": "basic", "quota": 100})


_MOUNTS = {"all://accounts.invalid": httpx.MockTransport(_upstream)}


@app.get("/profile")
async def profile() -> dict[str, str | int]:
    async with httpx.AsyncClient(mounts=_MOUNTS) as client:
        reply = await client.get("https://accounts.invalid/me")
    return reply.json()
