"""The project's Markdown pages, and what tests want to know of them."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *ROOT.glob("examples/*.md"),
        *ROOT.glob("benchmarks/*.md"),
    ]
)
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def fenced(page: Path, language: str) -> list[str]:
    """The contents of the fenced blocks in ``language``, in order."""
    return [content for written_in, content in _FENCE.findall(page.read_text()) if written_in == language]


def commands(page: Path) -> Iterator[str]:
    """Every shell command line that a page tells its reader to type."""
    for block in fenced(page, "sh"):
        yield from (line for line in block.splitlines() if line and not line.startswith("#"))


def local_links(page: Path) -> list[str]:
    targets = _LINK.findall(_FENCE.sub("", page.read_text()))
    return [target.partition("#")[0] for target in targets if not target.startswith(("http:", "https:", "#"))]
