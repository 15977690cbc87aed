"""The pages of the rules: rendered on a terminal, as they are written in a pipe."""

from __future__ import annotations

import sys

from rich.markdown import Markdown

from wirespeed.cli.values import unknown_rule
from wirespeed.diagnosis.rules import all_rules
from wirespeed.report.terminal import WIDEST, make_console


def show(code: str) -> int:
    """Print one page; an unknown code is a ``UsageError`` that names those there are."""
    rules = all_rules()
    found = rules.get(code.strip().upper())
    if found is None:
        raise unknown_rule(code, list(rules), f"there is no rule {code}")
    console = make_console(sys.stdout)
    if console.is_terminal:
        console.print(Markdown(found.page, hyperlinks=False), width=min(console.width, WIDEST))
    else:
        print(found.page.strip())
    return 0


def list_all() -> int:
    """Print every code with the problem it stands for."""
    for code, rule in all_rules().items():
        print(f"{code}  {rule.problem}")
    return 0
