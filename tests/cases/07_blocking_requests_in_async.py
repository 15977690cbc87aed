"""
Case 07: blocking `requests` call inside an async def endpoint.

Endpoint: GET /quote
Symptom: one request alone takes about 15 ms, but 20 parallel requests take 20 times as long, and
    even unrelated endpoints stall.
Expected diagnosis: the coroutine blocks the event loop while waiting for the upstream (the tool
    should see wall time without CPU time on the loop thread). Serialization is irrelevant.
Expected best remedy: make the endpoint `def` (thread pool, 40 tokens), or await run_in_threadpool,
    or an async client. Single-request latency does not improve; concurrency does.
Bytes: must stay identical.
Measured (in-process, FastAPI 0.165.0, Python 3.13): single request 15.4 ms before and after; 20 parallel
    requests 16.0 -> 0.98 ms per request (16x).
"""

import time

import requests
from fastapi import FastAPI

app = FastAPI()


class _Upstream(requests.adapters.BaseAdapter):
    """Stand-in for a remote service: 15 ms of waiting, no network."""

    def send(self, request, **kwargs):
        time.sleep(0.015)
        reply = requests.Response()
        reply.status_code = 200
        reply.url = request.url
        reply.request = request
        reply._content = b'{"pair": "AAA/BBB", "rate": 1.25}'
        return reply

    def close(self):
        pass


session = requests.Session()
session.mount("http://rates.invalid/", _Upstream())


@app.get("/quote")
async def quote() -> dict[str, str | float]:
    reply = session.get("http://rates.invalid/latest", timeout=2)
    return reply.json()
