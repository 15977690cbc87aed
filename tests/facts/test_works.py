"""What is seen of each callable that FastAPI runs, and which hops to a thread are called needless."""

from __future__ import annotations

import pytest

from wirespeed.diagnosis.rules.ws203_trivial_hop import is_trivial

from .conftest import APPS, Observe, fired, remedies, work

HOPS = APPS / "hops.py"

TRIVIAL = ("reads_a_header", "reads_a_context_variable", "is_a_method", "IsAClass", "made_by_a_factory")

NOT_TRIVIAL = {
    "reads_a_file": "open",
    "looks_at_a_file": "posix.stat",
    "writes_to_an_open_file": "write",
    "logs": "lock",
    "sends": "socket",
    "asks_a_database": "execute",
    "runs_a_program": "subprocess.Popen",
    "takes_a_lock": "the lock LOCK",
    "takes_its_own_lock": "the lock self.guard",
    "asks_for_its_thread": "get_ident",
    "uses_a_thread_local": "the thread-local LOCAL",
    "sets_a_context_variable": "the context variable who",
    "prints": "print",
}


@pytest.mark.parametrize("name", TRIVIAL)
def test_work_that_needs_no_thread_is_trivial(observe: Observe, name: str) -> None:
    seen = work(observe(HOPS, f"/{name}"), name)

    assert seen.in_thread
    assert seen.actions == []
    assert is_trivial(seen)


@pytest.mark.parametrize(("name", "told"), NOT_TRIVIAL.items())
def test_what_touches_the_world_or_its_thread_says_how_and_stays_there(
    observe: Observe, name: str, told: str
) -> None:
    seen = observe(HOPS, f"/{name}")

    # By the profiler or an audit event; what is long already is not looked at any closer.
    assert not is_trivial(work(seen, name))
    if work(seen, name).wall_ns <= 50_000:
        assert any(told in action for action in work(seen, name).actions)
    assert "WS203" not in fired(seen)


@pytest.mark.parametrize("name", ["sleeps", "may_wait"])
def test_a_def_that_waits_is_never_told_to_become_async(observe: Observe, name: str) -> None:
    seen = observe(HOPS, f"/{name}")

    assert work(seen, name).off_cpu_ns > 500_000
    assert "WS203" not in fired(seen)


def test_a_def_that_computes_is_not_trivial(observe: Observe) -> None:
    assert not is_trivial(work(observe(HOPS, "/computes"), "computes"))


def test_generators_are_named_and_left_alone(observe: Observe) -> None:
    seen = observe(HOPS, "/yields")

    assert work(seen, "yields").generator
    assert "WS203" not in fired(seen)


def test_coroutines_take_no_hop(observe: Observe) -> None:
    seen = observe(HOPS, "/is_async")

    assert not work(seen, "is_async").in_thread
    assert work(seen, "is_async").kind == "async def"
    assert "WS203" not in fired(seen)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/is_cached", "is_cached"),
        ("/callable_object", "Holder"),
        ("/partial", "adds"),
        ("/decorated_without_wraps", "wrapper"),
    ],
)
def test_what_an_edit_of_the_def_would_break_gets_advice_only(observe: Observe, path: str, name: str) -> None:
    seen = observe(HOPS, path)

    assert work(seen, name).kind == "other"
    assert remedies(seen, "WS203") == ["async def by hand"]


def test_every_hop_of_a_request_is_in_one_change_and_the_lines_are_those_of_the_defs(
    observe: Observe,
) -> None:
    seen = observe(HOPS, "/uses_another")

    assert [each.name for each in seen.works] == ["answer", "reads_a_header", "uses_another"]
    assert remedies(seen, "WS203") == ["async def reads_a_header, uses_another"]
    lines = HOPS.read_text().splitlines()
    for name in ("reads_a_header", "uses_another"):
        file, line = str(work(seen, name).source).split(":")
        assert file == "hops.py"
        assert lines[int(line) - 1].startswith(f"def {name}(")


def test_an_endpoint_is_a_hop_of_its_own(observe: Observe) -> None:
    seen = observe(HOPS, "/endpoint")

    assert seen.works[0].role == "endpoint"
    assert remedies(seen, "WS203") == ["async def"]


def test_the_most_is_known_of_functions_of_a_factory_by_one_key(observe: Observe) -> None:
    seen = work(observe(HOPS, "/made_by_a_factory"), "made_by_a_factory")

    assert seen.nested
    assert seen.key.endswith(":_made.<locals>.made_by_a_factory")
