"""The releases of a package between two of them, for ``--with PACKAGE==A..B``.

uv is asked, not the package index: so it is the user's own index, with their credentials and settings, and uv
decides what counts as a release for this interpreter and in which order releases come. It only ever gives one
that fits, so releases are walked through from the newest down. Pre-releases are left out unless an end is
one, and so are yanked releases, which nobody gets who does not ask for them by their number.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from wirespeed.errors import UsageError

from .uv import Uv, UvFailed, name_of

_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.!+_-]*")
_PINNED = re.compile(r"^[\w.-]+(?:\[[^\]]*\])?==(\S+)", re.MULTILINE)


def releases_between(python: Path, package: str, first: str, last: str) -> tuple[str, ...]:
    """Versions from ``first`` to ``last``, both included, for the environment of ``python``.

    ``package`` may have extras. Raises UsageError for a package that the environment does not have, a version
    that the index does not have, and ends that are the same or the wrong way round.
    """
    index = _Index(Uv(), python, package)
    index.require_installed()
    oldest, newest = index.exactly(first), index.exactly(last)
    if oldest == newest:
        raise UsageError(f"Both ends are {package} {oldest}.", advice="Name two different releases.")
    if index.one_of(f">={oldest},<={newest}") is None:
        raise UsageError(
            f"{package} {oldest} is newer than {newest}.", advice=f"Turn them round: {newest}..{oldest}."
        )
    return (oldest, *index.between(oldest, newest), newest)


class _Index:
    """What uv says of one package for one interpreter."""

    def __init__(self, uv: Uv, python: Path, package: str) -> None:
        self._uv = uv
        self._python = python
        self._package = package

    def require_installed(self) -> None:
        name = name_of(self._package)
        try:
            installed = self._uv.versions(self._python)
        except UvFailed as error:
            raise UsageError(f"uv cannot tell what is installed beside {self._python}:\n{error}") from error
        if name not in installed:
            raise UsageError(
                f"{name} is not installed in the app's environment ({self._python}).",
                advice="Name a package that it has, or another environment with --python.",
            )

    def exactly(self, version: str) -> str:
        """As the index spells it: 0.129 may be 0.129.0."""
        if not _VERSION.fullmatch(version):
            raise UsageError(f"{version!r} is not a version.", advice="Write a range as in 0.129.0..0.165.0.")
        try:
            return self._resolved(f"=={version}")
        except UvFailed as error:
            if not error.has_no_solution:
                raise self._unreachable(error) from error
            raise self._unknown(version, error) from error

    def between(self, oldest: str, newest: str) -> list[str]:
        """In their order, without the ends."""
        found: list[str] = []
        below = newest
        while (version := self.one_of(f">{oldest},<{below}")) is not None:
            found.append(version)
            below = version
        return found[::-1]

    def one_of(self, specifier: str, *, newest: bool = True) -> str | None:
        """The newest release that fits, or the oldest; None where there is none."""
        try:
            return self._resolved(specifier, "highest" if newest else "lowest-direct")
        except UvFailed as error:
            if not error.has_no_solution:
                raise self._unreachable(error) from error
            return None

    def _resolved(self, specifier: str, resolution: str = "highest") -> str:
        """Raises UvFailed where nothing fits, or the index cannot be asked."""
        with tempfile.NamedTemporaryFile("w", suffix=".in", encoding="utf-8") as file:
            file.write(self._package + specifier)
            file.flush()
            plainly = ("--quiet", "--no-deps", "--no-header", "--no-annotate", "--resolution", resolution)
            told = self._uv.run("pip", "compile", *plainly, "--python", str(self._python), file.name)
        pinned = _PINNED.search(told)
        if pinned is None:
            raise UvFailed(f"uv names no version of {self._package}: {told!r}")
        return pinned[1]

    def _unreachable(self, error: UvFailed) -> UsageError:
        return UsageError(f"uv cannot tell which releases of {self._package} there are:\n{error}")

    def _unknown(self, version: str, error: UvFailed) -> UsageError:
        neighbours = self.one_of(f"<{version}"), self.one_of(f">{version}", newest=False)
        nearest = [each for each in neighbours if each is not None]
        if not nearest:
            return UsageError(f"uv finds no {self._package}=={version}:\n{error}")
        return UsageError(
            f"There is no {self._package} {version} for {self._python}.",
            advice=f"Nearest {'are' if len(nearest) > 1 else 'is'} {' and '.join(nearest)}.",
        )
