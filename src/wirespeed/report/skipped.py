"""Routes that were left alone: grouped by reason, with the option that would change that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from sys import maxsize

from wirespeed.model.request import Skipped

from .text import Span, abbreviated, clean, counted
from .tree import FoldView

GROUPS_SHOWN = 4
NAMES_SHOWN = 4


def skipped_views(skipped: Sequence[Skipped], *, everything: bool = False) -> tuple[FoldView, ...]:
    """One fold a reason, frequent ones first; rare ones are only counted unless ``everything`` is shown."""
    by_reason: dict[str, list[Skipped]] = defaultdict(list)
    for route in skipped:
        by_reason[clean(route.reason)].append(route)
    groups = sorted(by_reason.items(), key=lambda group: -len(group[1]))
    shown = len(groups) if everything or len(groups) == GROUPS_SHOWN + 1 else GROUPS_SHOWN
    views = [_group(reason, routes, everything) for reason, routes in groups[:shown]]
    if rest := groups[shown:]:
        number = sum(len(routes) for _, routes in rest)
        views.append(FoldView(Span(f"{number} for {counted(len(rest), 'other reason')}", "muted")))
    return tuple(views)


def _group(reason: str, routes: list[Skipped], everything: bool) -> FoldView:
    shown = maxsize if everything or len(routes) == NAMES_SHOWN + 1 else NAMES_SHOWN
    return FoldView(
        headline=Span(f"{len(routes)} {reason}"),
        names=tuple(abbreviated(clean(f"{route.method} {route.path}"), 60) for route in routes[:shown]),
        more=max(0, len(routes) - shown),
        hint=_hint([clean(route.option) for route in routes if route.option]),
    )


def _hint(options: list[str]) -> str:
    """Options name their route, so a group can only show an example of them."""
    if not options:
        return ""
    return options[0] if len(set(options)) == 1 else f"for example {options[0]}"
