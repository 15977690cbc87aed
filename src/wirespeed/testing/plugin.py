"""The pytest plugin: a fixture, a marker, and the door to ``pytest --wirespeed``.

It is loaded by every pytest run of whoever installed wirespeed, so loading it imports pytest and nothing else.
"""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("wirespeed", "speed of FastAPI endpoints (wirespeed)")
    group.addoption(
        "--wirespeed",
        action="store_true",
        help="Watch the requests of the tests, and tell at the end what would make their answers faster.",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--wirespeed"):
        from wirespeed.testing.suite import plugin as suite

        config.pluginmanager.register(suite, "wirespeed-suite")
