import re
from pathlib import Path

import pytest

from .pages import PAGES, ROOT, local_links, name

TOPS = ("src", "docs", "benchmarks")


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_to_files_that_exist(page: Path) -> None:
    assert [link for link in local_links(page) if not (page.parent / link).exists()] == []


def test_every_module_that_the_architecture_names_exists() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text()
    named = set(re.findall(r"`([\w/]+\.py)`", page))
    modules = [*ROOT.glob("*.py"), *(path for top in TOPS for path in (ROOT / top).rglob("*.py"))]
    existing = [path.as_posix() for path in modules]

    assert len(named) > 20
    assert {module for module in named if not any(path.endswith(f"/{module}") for path in existing)} == set()


def test_every_decision_is_in_the_index() -> None:
    folder = ROOT / "docs" / "decisions"
    decisions = {path.name for path in folder.glob("[0-9]*.md")}

    assert decisions
    assert decisions == set(local_links(folder / "README.md"))


def test_every_benchmark_is_listed_with_what_it_measures() -> None:
    listed = (ROOT / "benchmarks" / "README.md").read_text()

    assert [path.name for path in ROOT.glob("benchmarks/*.py") if path.name not in listed] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_page_begins_with_its_title(page: Path) -> None:
    assert page.read_text().startswith(("# ", "<!--"))
