"""Calling uv, and what it says of an environment."""

from __future__ import annotations

import json
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from wirespeed.errors import UsageError
from wirespeed.interruption import run_command


class UvFailed(Exception):
    """With uv's own message."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status

    @property
    def has_no_solution(self) -> bool:
        """Whether uv could look, and found that nothing fits; else it could not even look."""
        return self.status == 1


@dataclass(frozen=True, slots=True)
class Package:
    name: str
    """Normalized, as indexes spell it."""
    version: str
    requirement: str
    """The line of a requirements file that installs it again."""


class Uv:
    """Raises UsageError where there is no uv."""

    def __init__(self) -> None:
        beside_us = Path(sys.executable).with_name("uv")
        found = shutil.which("uv") or shutil.which(beside_us)
        if found is None:
            raise UsageError(
                "uv, which makes environments with other packages, is not installed.",
                advice="Install it (python -m pip install uv), or make the environment yourself and name it "
                "with --python.",
            )
        self._executable = found

    def run(self, *arguments: str) -> str:
        """What it prints to stdout. Raises UvFailed."""
        command = [self._executable, *arguments, "--color", "never", "--no-progress"]
        done = run_command(command)
        if done.returncode:
            message = done.stderr.strip() or f"uv ended with exit status {done.returncode}"
            raise UvFailed(message, done.returncode)
        return done.stdout

    def versions(self, python: Path) -> dict[str, str]:
        """What an environment has, by name."""
        return {name_of(package["name"]): package["version"] for package in self._list(python)}

    def packages(self, python: Path) -> list[Package]:
        """What an environment has, and where each came from."""
        frozen = self.run("pip", "freeze", "--exclude-editable", "--python", str(python)).splitlines()
        requirements = {name_of(line): line for line in frozen}
        found = []
        for package in self._list(python):
            name = name_of(package["name"])
            requirement = requirements.get(name) or _editable(package)
            found.append(Package(name, package["version"], requirement))
        return found

    def _list(self, python: Path) -> list[dict[str, str]]:
        shown: list[dict[str, str]] = json.loads(
            self.run("pip", "list", "--format", "json", "--python", str(python))
        )
        return shown


def _editable(package: dict[str, str]) -> str:
    return f"-e {Path(package['editable_project_location']).as_uri()}"


def name_of(requirement: str) -> str:
    """The normalized name of the package that a requirement (PEP 508) is for; empty where it names none."""
    name = re.match(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)", requirement)
    return re.sub(r"[-_.]+", "-", name[1]).lower() if name else ""
