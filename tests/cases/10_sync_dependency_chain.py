"""
Case 10: trivial synchronous dependencies on an async endpoint.

Endpoint: GET /items?page=2
Symptom: an endpoint that only reads parameters is slow and gets worse under load; many worker
    threads are alive although nothing blocks.
Expected diagnosis: every sync dependency, a class used as a dependency included, is one hop
    through the thread pool (shared limit of 40 tokens per event loop); here 6 hops per request.
Expected best remedy: declare the non-blocking ones async def (for the class, an async factory).
Bytes: must stay identical.
Measured (in-process, FastAPI 0.165.0, Python 3.13): 0.450 -> 0.118 ms CPU per request (3.8x), about 55 us
    per hop; under 32 parallel requests
    in one process 1.3x.
"""

from typing import Annotated

from fastapi import Depends, FastAPI, Header

app = FastAPI()


class Paging:
    def __init__(self, page: int = 1, size: int = 20):
        self.start = (page - 1) * size
        self.size = size


def settings() -> dict[str, int]:
    return {"limit": 100}


def locale(accept_language: Annotated[str | None, Header()] = None) -> str:
    return (accept_language or "en")[:2]


def tenant(x_tenant: Annotated[str, Header()] = "default") -> str:
    return x_tenant


def quota(conf: Annotated[dict, Depends(settings)], who: Annotated[str, Depends(tenant)]) -> int:
    return conf["limit"] - len(who)


def feature_flags(who: Annotated[str, Depends(tenant)]) -> list[str]:
    return ["beta"] if who == "lab" else []


@app.get("/items")
async def items(
    paging: Annotated[Paging, Depends()],
    lang: Annotated[str, Depends(locale)],
    left: Annotated[int, Depends(quota)],
    flags: Annotated[list, Depends(feature_flags)],
) -> dict[str, int | str | list[str]]:
    return {"start": paging.start, "size": paging.size, "lang": lang, "left": left, "flags": flags}
