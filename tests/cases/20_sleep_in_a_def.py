"""
A millisecond of waiting inside a ``def`` endpoint.

Endpoint: GET /wait
Symptom: none; the endpoint waits for something, in a worker thread, as it should.
Expected diagnosis: no remedy. ``async def`` would gain a few per cent alone, and lose six times with twenty
    requests at once, because the event loop would wait.
"""

import time

from fastapi import FastAPI

app = FastAPI()


@app.get("/wait")
def wait() -> dict[str, str]:
    time.sleep(0.001)
    return {"status": "ok"}
