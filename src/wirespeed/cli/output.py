"""Documents on stdout, and nothing else there."""

from __future__ import annotations

import json
import sys

from wirespeed.model.plan import RequestListing


def print_json(document: bytes) -> None:
    """JSON is UTF-8, whatever the terminal's encoding."""
    print_bytes(document + b"\n")


def print_bytes(content: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def listing_json(listing: RequestListing) -> bytes:
    """What ``--dry-run --json`` prints; ``route`` is null where no known route takes the request."""
    paths = {route.id: route.path for route in listing.routes}
    requests = [
        {
            "method": planned.request.method,
            "path": planned.request.path,
            "route": None if planned.route_id is None else paths[planned.route_id],
            "named": planned.named,
        }
        for planned in listing.requests.planned
    ]
    skipped = [skipped.model_dump(mode="json") for skipped in listing.requests.skipped]
    return json.dumps({"requests": requests, "skipped": skipped}, ensure_ascii=False).encode(
        "utf-8", errors="replace"
    )
