"""What comments in the user's files ignore: findings of one endpoint, each for a reason that is kept."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wirespeed.model.request import Route
from wirespeed.source.ignore_comments import IgnoreComment, IgnoringFile, read_comments

LARGEST_FILE_BYTES = 8 * 1024 * 1024
_NOTHING = IgnoringFile((), ())


@dataclass
class Ignoring:
    """The comments in the files that have endpoints, and which of them have ignored something so far."""

    files: dict[str, IgnoringFile] = field(default_factory=dict)
    """By their names in ``Route.source``."""
    unread: list[str] = field(default_factory=list)
    """Sentences on files that could not be read."""
    _used: set[tuple[str, int]] = field(default_factory=set)

    def reason_for(self, route: Route | None, code: str) -> str | None:
        """Why a finding of a rule on an endpoint is ignored; None where it is not."""
        for file, comment in self._of(route):
            if comment.reason and comment.names(code):
                self._used.add((file, comment.line))
                return comment.reason
        return None

    def notes(
        self,
        diagnosed: Iterable[Route | None],
        routes: Iterable[Route],
        asked: Collection[str],
        known: Sequence[str],
    ) -> Iterator[str]:
        """What is wrong with comments. ``asked`` are the rules that were, of all those that are ``known``.

        A comment is told to ignore nothing only where it could have: at an endpoint that was diagnosed, for
        rules that were asked, or at no endpoint at all.
        """
        yield from self.unread
        spent = {at for route in diagnosed for at in map(_at, self._of(route))}
        somewhere = {at for route in routes for at in map(_at, self._of(route))}
        for file, content in self.files.items():
            for comment in content.comments:
                place = f"{file}:{comment.line}"
                if unknown := [code for code in comment.codes if not _begins_any(code, known)]:
                    yield f"{place}: the comment ignores {', '.join(unknown)}, and there is no such rule"
                elif not comment.reason:
                    yield (
                        f"{place}: the comment ignores nothing, as it gives no reason: "
                        "# wirespeed: ignore[CODE] because …"
                    )
                elif (file, comment.line) not in somewhere:
                    yield f"{place}: the comment stands at no endpoint, and ignores nothing"
                elif (file, comment.line) in spent - self._used and all(
                    _begins_any(code, asked) for code in comment.codes
                ):
                    yield f"{place}: the comment ignores nothing: no such finding"

    def _of(self, route: Route | None) -> list[tuple[str, IgnoreComment]]:
        file, _, line = (route.source or "" if route else "").rpartition(":")
        return [(file, each) for each in self.files.get(file, _NOTHING).at(int(line))] if file else []


def read_ignoring(folder: Path, routes: Iterable[Route]) -> Ignoring:
    """The comments of all files that have endpoints; ``folder`` is where they are named from."""
    ignoring = Ignoring()
    for file in dict.fromkeys((route.source or "").rpartition(":")[0] for route in routes):
        path = folder / file
        if not file or not path.is_file() or path.stat().st_size > LARGEST_FILE_BYTES:
            continue
        try:
            ignoring.files[file] = read_comments(path.read_bytes())
        except (OSError, SyntaxError) as error:
            ignoring.unread.append(f"{file}: its comments for wirespeed could not be read: {error}")
    return ignoring


def _at(found: tuple[str, IgnoreComment]) -> tuple[str, int]:
    return found[0], found[1].line


def _begins_any(code: str, rules: Iterable[str]) -> bool:
    return any(rule.startswith(code) for rule in rules)
