"""
Case 05: JSONResponse(content=jsonable_encoder(models)).

Endpoint: GET /tasks
Symptom: the team "returns the Response directly because it is faster", copying the documentation's
    jsonable_encoder recipe; large pages are slow and the annotation -> list[Task] does nothing.
Expected diagnosis: a Response object bypasses response_model and the fast path completely;
    jsonable_encoder plus json.dumps run in Python inside the handler.
Expected best remedy: return the models and let the annotation -> list[Task] drive dump_json.
Bytes: must stay identical (status, content-type and body).
Measured (in-process, FastAPI 0.165.0, Python 3.13): 13.4 -> 0.73 ms CPU (18x).
"""

import random
from datetime import datetime, timedelta, timezone

from fastapi import FastAPI
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

app = FastAPI()
_rng = random.Random(5)
_T0 = datetime(2024, 5, 1, tzinfo=timezone.utc)  # noqa: UP017


class Owner(BaseModel):
    team: str
    rank: int


class Task(BaseModel):
    task_id: int = Field(serialization_alias="taskId")
    state: str
    started: datetime
    ended: datetime | None
    owner: Owner
    labels: dict[str, str]


TASKS = [
    Task(
        task_id=n,
        state=_rng.choice(["queued", "running", "done"]),
        started=_T0 + timedelta(minutes=n),
        ended=None if n % 3 else _T0 + timedelta(minutes=n, seconds=30),
        owner=Owner(team=f"team-{n % 9}", rank=n % 4),
        labels={"env": "prod", "zone": f"z{n % 5}"},
    )
    for n in range(900)
]


@app.get("/tasks", response_model=list[Task])
async def tasks():
    return JSONResponse(content=jsonable_encoder(TASKS))
