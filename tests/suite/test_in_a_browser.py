"""The page as a browser shows it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from .test_showing import NASTY, advice, endpoint, remedy

pytestmark = pytest.mark.browser

CHROMIUM = ("--headless", "--no-sandbox", "--disable-background-networking", "--disable-gpu")


def chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert found is not None, "this test needs Chromium"
    return found


def rendered(page: Path, profile: Path, *options: str) -> str:
    """The document as the browser made it, after whatever ran."""
    done = subprocess.run(
        [chromium(), *CHROMIUM, f"--user-data-dir={profile}", *options, page.as_uri()],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_page_shows_everything_and_nothing_that_an_app_names_runs(tmp_path: Path) -> None:
    from wirespeed.testing.suite.page import page

    nasty = endpoint(
        path="/<img src=x onerror=\"document.title='ran'\">", source=NASTY, remedies=(remedy(name=NASTY),)
    )
    written = tmp_path / "page.html"
    written.write_text(page(advice(endpoint(), nasty)), encoding="utf-8")
    picture = tmp_path / "page.png"

    dom = rendered(written, tmp_path / "profile", "--dump-dom")
    rendered(written, tmp_path / "profile", f"--screenshot={picture}", "--window-size=1200,1600")

    assert "2 endpoints answer slower than they need to" in dom
    assert "<title>ran</title>" not in dom
    assert dom.count("<section>") == 2
    assert "<img" not in dom
    assert "<script" not in dom
    assert picture.stat().st_size > 10_000
