"""What ``--dry-run`` shows: the requests that would be sent, and the routes that would be left alone."""

from __future__ import annotations

from collections.abc import Mapping

from wirespeed.model.plan import RequestListing
from wirespeed.model.request import PlannedRequest, Route

from .skipped import skipped_views
from .text import abbreviated, clean, counted
from .tree import DryRunView, EndpointView


def dry_run_view(listing: RequestListing) -> DryRunView:
    """Nothing is folded: whoever asks wants to read every line before anything is called."""
    routes = {route.id: route for route in listing.routes}
    planned, skipped = listing.requests.planned, listing.requests.skipped
    return DryRunView(
        facts=(
            f"{counted(len(listing.routes), 'route')} found",
            f"{counted(len(planned), 'request')} would be sent",
            f"{counted(len(skipped), 'route')} would not be called",
        ),
        called=tuple(_line(request, routes) for request in planned),
        skipped=skipped_views(skipped, everything=True),
    )


def _line(planned: PlannedRequest, routes: Mapping[int, Route]) -> EndpointView:
    route = routes.get(planned.route_id) if planned.route_id is not None else None
    figures = []
    if route is None:
        figures.append("matches no known route")
    elif route.path != planned.request.path:
        figures.append(clean(route.path))
    if planned.named:
        figures.append("named by you")
    return EndpointView(
        name=abbreviated(clean(planned.request.name), 72),
        figures=tuple(figures),
        source=clean(route.source or "") if route else "",
    )
