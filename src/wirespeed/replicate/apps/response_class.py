"""The same document of 1 MB, answered by every response class, and by what replaces them today.

All arms send the same bytes, so only how they are made differs. The endpoints are ``async def``: what they
return is at hand, and a thread would only add a hop to every arm. ``response_model=None`` keeps ``-> Any``
from being a response type, as when there is no annotation.
"""

import random
import warnings
from datetime import date, datetime, timedelta
from typing import Any, Final

import orjson
from fastapi import FastAPI
from fastapi.responses import JSONResponse, ORJSONResponse, Response, UJSONResponse

DOCUMENT_BYTES: Final = 1_000_000
SEED: Final = 20_260_227

# They are what the write-up compared; that they are deprecated is said by the suite, once.
warnings.filterwarnings("ignore", message=r"(ORJSON|UJSON)Response is deprecated")

_WORDS: Final = (
    *("amber", "birch", "café", "delta", "ember", "fjord", "grove", "harbour"),
    *("islet", "jasmine", "köln", "lagoon", "meadow", "níl"),
)


def document(seed: int = SEED, size_bytes: int = DOCUMENT_BYTES) -> dict[str, Any]:
    """Rows of strings, floats, ints, arrays, dicts, booleans and dates: at least ``size_bytes`` of JSON.

    One seed, one document. Numbers and dates are such that all encoders write them alike.
    """
    rng = random.Random(seed)
    rows: list[dict[str, Any]] = []
    left = size_bytes
    while left > 0:
        rows.append(_row(rng, len(rows)))
        left -= len(orjson.dumps(rows[-1])) + 1
    return {"seed": seed, "rows": rows}


def _row(rng: random.Random, number: int) -> dict[str, Any]:
    return {
        "id": number,
        "name": _text(rng, 2),
        "about": _text(rng, 60),
        "score": _decimal(rng, 100),
        "visits": rng.randrange(1_000_000),
        "active": rng.random() < 0.5,
        "tags": [rng.choice(_WORDS) for _ in range(4)],
        "readings": [_decimal(rng, 1000) for _ in range(5)],
        "place": {"latitude": _decimal(rng, 90), "longitude": _decimal(rng, 180), "town": _text(rng, 1)},
        "born": date(1950, 1, 1) + timedelta(days=rng.randrange(20_000)),
        "seen": datetime(2026, 1, 1) + timedelta(seconds=rng.randrange(10_000_000)),
    }


def _text(rng: random.Random, words: int) -> str:
    return " ".join(rng.choice(_WORDS) for _ in range(words))


def _decimal(rng: random.Random, below: int) -> float:
    """No smaller than 1: encoders differ in how they write 0.00001."""
    return round(rng.uniform(1, below), 4)


DOCUMENT: Final = document()

app = FastAPI(openapi_url=None)


@app.get("/json", response_class=JSONResponse, response_model=None)
async def json_response() -> Any:
    return DOCUMENT


@app.get("/json-again", response_class=JSONResponse, response_model=None)
async def json_response_again() -> Any:
    return DOCUMENT


@app.get("/orjson", response_class=ORJSONResponse, response_model=None)
async def orjson_response() -> Any:
    return DOCUMENT


@app.get("/ujson", response_class=UJSONResponse, response_model=None)
async def ujson_response() -> Any:
    return DOCUMENT


@app.get("/annotated")
async def annotated() -> dict[str, Any]:
    return DOCUMENT


@app.get("/any")
async def annotated_any() -> Any:
    return DOCUMENT


@app.get("/direct")
async def direct() -> Response:
    return Response(orjson.dumps(DOCUMENT), media_type="application/json")
