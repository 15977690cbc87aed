"""Writes the pages made from the code: ``python docs/generate.py``; ``--check`` only says which are stale."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from wirespeed.audit.checks import all_checks
from wirespeed.audit.readers import all_readers
from wirespeed.cli.commands import COMMANDS
from wirespeed.diagnosis.rules import all_rules
from wirespeed.model.schemas import write as write_schemas

DOCS = Path(__file__).parent
NOTE = "<!-- Made by docs/generate.py: change the code it comes from, then run that again. -->\n"


def help_of(*arguments: str) -> str:
    """What a user sees who pipes ``wirespeed ARGUMENTS… --help`` into a pager."""
    script = Path(sys.executable).with_name("wirespeed")
    environment = {**os.environ, "COLUMNS": "100", "PYTHONUTF8": "1"}
    shown = subprocess.run(
        [script, *arguments, "--help"], env=environment, capture_output=True, text=True, check=True
    )
    return "\n".join(line.rstrip() for line in shown.stdout.strip().splitlines())


def commands_page() -> str:
    sections = [("wirespeed", help_of()), *((f"wirespeed {c.name}", help_of(c.name)) for c in COMMANDS)]
    return f"# Command line\n\n{NOTE}" + "".join(
        f"\n## {name}\n\n```text\n{text}\n```\n" for name, text in sections
    )


def rules_page() -> str:
    pages = (re.sub(r"^#", "##", rule.page, flags=re.MULTILINE) for rule in all_rules().values())
    return f"# Rules\n\n{NOTE}\nWhat `wirespeed rule CODE` prints.\n" + "".join(
        f"\n{page.strip()}\n" for page in pages
    )


def audit_page() -> str:
    formats = "\n".join(f"| `{reader.name}` | {reader.describes} |" for reader in all_readers().values())
    checks = all_checks().values()
    questions = "\n".join(f"| [{check.name}](#{check.name}) | {check.question} |" for check in checks)
    pages = (
        f'\n<a id="{check.name}"></a>\n\n' + re.sub(r"^#", "##", check.page, flags=re.MULTILINE)
        for check in checks
    )
    return (
        f"# What audit reads, and what it checks\n\n{NOTE}\n"
        "`wirespeed audit FILE…` reads what other load tools print. Whatever an output does not say stays "
        "unknown: the check\nthat needs it is listed under *cannot tell*. `wirespeed audit --explain CHECK` "
        "prints one of these pages.\n"
        f"\n| `--format` | what it is |\n|---|---|\n{formats}\n"
        f"\n| check | question |\n|---|---|\n{questions}\n" + "".join(pages)
    )


def write(folder: Path) -> list[Path]:
    """Write every generated page below ``folder``; returns their paths."""
    pages = {
        folder / "commands.md": commands_page(),
        folder / "rules.md": rules_page(),
        folder / "audit.md": audit_page(),
    }
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8")
    return [*pages, *write_schemas(folder / "schemas")]


def stale(scratch: Path) -> list[str]:
    """Names of the committed pages that are not what the code makes now."""
    made = [path.relative_to(scratch) for path in write(scratch)]
    return [
        name.as_posix()
        for name in made
        if not (DOCS / name).exists() or (DOCS / name).read_bytes() != (scratch / name).read_bytes()
    ]


def main() -> int:
    if sys.argv[1:] != ["--check"]:
        write(DOCS)
        return 0
    with TemporaryDirectory() as scratch:
        names = stale(Path(scratch))
    for name in names:
        print(f"docs/{name} is stale: run python docs/generate.py", file=sys.stderr)
    return bool(names)


if __name__ == "__main__":
    sys.exit(main())
