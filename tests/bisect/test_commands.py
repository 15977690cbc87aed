"""Whole bisections of a repository with twelve commits: what is found, what is skipped, what is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from wirespeed.model.bisection import Bisection, Outcome
from wirespeed.store import records

pytestmark = pytest.mark.slow

SCRIPT = Path(sys.executable).with_name("wirespeed")
COMMITS = 12
SLOW_FROM, BROKEN = 5, 6
ASGI = """
import os

BODY = {body!r}
NUMBER = {number}
{more}
if "IMPORTED" in os.environ:
    with open(os.environ["IMPORTED"], "a") as file:
        file.write(".")


async def app(scope, receive, send):
    for _ in range({work}):
        pass
    headers = [(b"content-type", b"text/plain")]
    await send({{"type": "http.response.start", "status": 200, "headers": headers}})
    await send({{"type": "http.response.body", "body": BODY}})
"""
WORK = 20_000


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=Test", "-c", "user.email=test@example.org")
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def commit(root: Path, title: str, **source: object) -> str:
    known: dict[str, object] = {"body": b"here", "number": 0, "more": "", "work": WORK}
    (root / "main.py").write_text(ASGI.format(**{**known, **source}))
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", title)
    return git(root, "rev-parse", "HEAD")


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The fifth commit answers three times more slowly; the sixth does not import."""
    root = tmp_path_factory.mktemp("repository")
    git(root, "init", "--quiet", "--initial-branch=main")
    commits = [
        commit(
            root,
            f"Commit {number}",
            number=number,
            work=WORK * (3 if number >= SLOW_FROM else 1),
            more="import nothing_that_is_there" if number == BROKEN else "",
        )
        for number in range(COMMITS)
    ]
    return root, commits


def bisected(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*arguments), cwd=folder, capture_output=True, text=True, check=False)


def command(*arguments: str) -> Sequence[str | Path]:
    return [SCRIPT, "bisect", "main:app", "--get", "/", "--budget", "20s", "--seed", "1", *arguments]


def test_the_commit_that_made_it_slow_is_found_past_one_that_does_not_import(
    history: tuple[Path, list[str]],
) -> None:
    root, commits = history
    before = git(root, "status", "--porcelain"), git(root, "worktree", "list")

    done = bisected(root, "--revision", f"{commits[0]}..main", "--json")

    assert done.returncode == 0, done.stderr
    document = Bisection.model_validate_json(done.stdout)
    assert document.outcome is Outcome.RELEASE
    assert document.change is not None
    assert (document.change.at, document.change.title) == (commits[SLOW_FROM][:10], f"Commit {SLOW_FROM}")
    assert document.change.after == commits[SLOW_FROM - 1][:10]
    assert document.change.ratio > 1.5
    assert [(each.name, "nothing_that_is_there" in each.reason) for each in document.skipped] == [
        (commits[BROKEN][:10], True)
    ]
    assert document.range.releases == COMMITS
    assert len(document.comparisons) <= document.plan.comparisons == 6
    assert (git(root, "status", "--porcelain", "--", "main.py"), git(root, "worktree", "list")) == before

    (saved,) = (root / ".wirespeed").glob("*-bisection.json")
    record = records.load(saved)
    assert record.document == document
    assert len(record.evidence["comparisons"]) == len(document.comparisons)


def test_where_nothing_changed_that_is_the_answer(history: tuple[Path, list[str]]) -> None:
    root, commits = history
    # It ends as soon as it knows.
    options = ("--no-save", "--margin", "30%", "--budget", "60s")
    done = bisected(root, "--revision", f"{commits[0]}..{commits[1]}", *options)

    assert done.returncode == 0, done.stderr
    assert "no change between" in done.stdout
    assert "beyond 30 %" in done.stdout


@pytest.mark.parametrize(
    ("revisions", "message"),
    [
        ("main..main~3", "main is newer than main~3"),
        ("main..main", "main and main are the same commit"),
        ("main~3..nowhere", "no revision 'nowhere'"),
        ("aside..main", "aside is no ancestor of main"),
    ],
)
def test_a_range_that_is_none_is_refused(
    revisions: str, message: str, history: tuple[Path, list[str]]
) -> None:
    root, _ = history
    if revisions.startswith("aside"):
        tree = git(root, "rev-parse", "main~2^{tree}")
        git(root, "branch", "--force", "aside", git(root, "commit-tree", tree, "-p", "main~5", "-m", "Aside"))
    done = bisected(root, "--revision", revisions, "--no-save")
    assert done.returncode == 2
    assert message in done.stderr


def test_an_app_that_does_not_import_at_an_end_ends_it_and_the_end_is_named(
    history: tuple[Path, list[str]],
) -> None:
    root, commits = history
    done = bisected(root, "--revision", f"{commits[BROKEN]}..main", "--no-save")
    assert done.returncode == 3
    assert f"at {commits[BROKEN][:10]}: " in done.stderr
    assert "nothing_that_is_there" in done.stderr


@pytest.fixture(scope="module")
def changed_body(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The third commit answers something else, and faster."""
    root = tmp_path_factory.mktemp("changed")
    git(root, "init", "--quiet", "--initial-branch=main")
    commits = [
        commit(
            root, f"Commit {n}", number=n, work=WORK * (1 if n >= 3 else 3), body=b"new" if n >= 3 else b"old"
        )
        for n in range(6)
    ]
    return root, commits


def test_another_answer_is_never_compared_silently_and_its_commit_is_named(
    changed_body: tuple[Path, list[str]],
) -> None:
    root, commits = changed_body
    done = bisected(root, "--revision", f"{commits[0]}..main", "--no-save", "--json")

    document = Bisection.model_validate_json(done.stdout)
    assert (done.returncode, document.outcome) == (4, Outcome.INVALID)
    (reason,) = document.validity.reasons
    assert reason.startswith(f"changed body at {commits[3][:10]}: ")
    assert document.comparisons == ()


def test_answers_that_differ_are_compared_where_that_is_allowed_and_said(
    changed_body: tuple[Path, list[str]],
) -> None:
    root, commits = changed_body
    options = ("--no-save", "--json", "--allow-different", "--budget", "5s")
    done = bisected(root, "--revision", f"{commits[2]}..{commits[3]}", *options)

    document = Bisection.model_validate_json(done.stdout)
    assert (done.returncode, document.outcome) == (0, Outcome.RELEASE), done.stderr
    assert document.change is not None
    assert document.change.at == commits[3][:10]
    assert {each.name: bool(each.differences) for each in document.tried}[commits[3][:10]]


def test_ctrl_c_leaves_what_is_known(history: tuple[Path, list[str]], tmp_path: Path) -> None:
    root, commits = history
    imported = tmp_path / "imported"
    options = ("--budget", "10m", "--no-save", "--env", f"IMPORTED={imported}")
    running = subprocess.Popen(
        command("--revision", f"{commits[0]}..main", "--json", *options),
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    # Both ends have been tried out by then, and are being compared.
    while not imported.exists() or imported.stat().st_size < 6:
        assert running.poll() is None
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    told, _ = running.communicate(timeout=60)

    assert running.returncode == 130
    document = json.loads(told)
    assert document["complete"] is False
    assert [each["name"] for each in document["tried"]][:1] == [commits[0][:10]]
    assert len(git(root, "worktree", "list").splitlines()) == 1


@pytest.mark.matrix
def test_the_release_of_fastapi_that_brought_the_fast_path_is_found(tmp_path: Path) -> None:
    examples = Path(__file__).parents[2] / "examples"
    arguments = ("bisect", "users.py", "--get", "/typed", "--with", "fastapi==0.129.0..0.131.0", "--json")
    done = subprocess.run(
        [SCRIPT, *arguments, "--no-save", "--budget", "60s"],
        cwd=examples,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    document = Bisection.model_validate_json(done.stdout)
    assert document.outcome is Outcome.RELEASE
    assert document.change is not None
    assert (document.change.after, document.change.at) == ("0.129.2", "0.130.0")
    assert document.change.ratio < 0.8
