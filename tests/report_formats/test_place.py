"""Files are named as the repository names them, and nothing outside of it is named at all."""

from __future__ import annotations

import pytest

from wirespeed.report.formats import Checkout

CHECKOUT = Checkout(root="/repo", folder="/repo/shop")


@pytest.mark.parametrize(
    ("source", "uri", "line"),
    [
        ("main.py:31", "shop/main.py", 31),
        ("api/users.py:7", "shop/api/users.py", 7),
        ("../common/models.py:3", "common/models.py", 3),
        ("/repo/lib/x.py:9", "lib/x.py", 9),
        ("sub dir/é%:#?.py:1", "shop/sub%20dir/%C3%A9%25%3A%23%3F.py", 1),
        ("c:\\x.py:2", "shop/c%3A%5Cx.py", 2),
    ],
)
def test_a_source_below_the_root_is_relative_to_it(source: str, uri: str, line: int) -> None:
    place = CHECKOUT.place(source)
    assert place is not None
    assert (place.uri, place.line) == (uri, line)


@pytest.mark.parametrize(
    "source",
    [
        None,
        "",
        "main.py",
        ":3",
        "main.py:0",
        "main.py:-1",
        "main.py:٣",
        "main.py:99999999999999",
        "../../etc/passwd:1",
        "/etc/passwd:1",
        "/repository/main.py:1",
        "/repo/.venv/lib/python3.13/site-packages/fastapi/routing.py:12",
        "a\0b.py:1",
    ],
)
def test_what_is_no_file_of_the_repository_has_no_place(source: str | None) -> None:
    assert CHECKOUT.place(source) is None
