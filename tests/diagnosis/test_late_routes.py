"""Which routes are new when an app is asked again."""

from __future__ import annotations

from wirespeed.diagnosis.late_routes import numbered
from wirespeed.model.request import Route


def route(number: int, path: str) -> Route:
    return Route(id=number, methods=["GET"], path=path, name="", kind="api", source=f"main.py:{len(path)}")


def ids(routes: list[Route], *paths: str) -> dict[str, int]:
    found = [route(number, path) for number, path in enumerate(paths)]
    return {each.path: each.id for each in numbered(routes, found)}


def test_a_route_keeps_its_number_wherever_new_ones_are_put() -> None:
    known = [route(0, "/a"), route(1, "/bb")]

    assert ids(known, "/new", "/a", "/newer", "/bb") == {"/new": 2, "/a": 0, "/newer": 3, "/bb": 1}


def test_two_routes_alike_are_two() -> None:
    known = [route(0, "/a")]
    again = [each.id for each in numbered(known, [route(0, "/a"), route(1, "/a")])]

    assert again == [0, 1]
