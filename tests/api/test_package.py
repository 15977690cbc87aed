"""``import wirespeed``: light, and everything is there when it is asked for."""

import json
import subprocess
import sys
from typing import get_type_hints

import wirespeed

FUNCTIONS = ("advise", "compare", "guard", "load")


def in_a_fresh_process(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout


def test_importing_it_imports_nothing_heavy() -> None:
    loaded = json.loads(
        in_a_fresh_process("import json, sys, wirespeed; print(json.dumps(list(sys.modules)))")
    )

    assert {name for name in loaded if name.startswith("wirespeed")} == {"wirespeed"}
    assert {"pydantic", "numpy", "scipy", "typer", "rich", "asyncio"}.isdisjoint(loaded)


def test_the_function_that_guards_is_no_package_of_the_same_name() -> None:
    program = "import wirespeed; import wirespeed.api; from wirespeed.guard import guard as g; "

    assert in_a_fresh_process("import wirespeed; print(callable(wirespeed.guard))") == "True\n"
    assert (
        in_a_fresh_process(program + "print(callable(wirespeed.guard), callable(g.guard))") == "True True\n"
    )


def test_every_name_it_lists_is_there() -> None:
    assert {*FUNCTIONS, "aio", "Advice", "Request", "UsageError"} <= set(dir(wirespeed))
    assert all(getattr(wirespeed, name) is not None for name in dir(wirespeed))
    assert not hasattr(wirespeed, "no_such_thing")


def test_every_argument_and_result_has_a_type() -> None:
    for name in FUNCTIONS:
        function = getattr(wirespeed, name)
        hints = get_type_hints(function)
        assert "return" in hints
        assert function.__code__.co_argcount + function.__code__.co_kwonlyargcount <= len(hints)
        assert "Raises" in (function.__doc__ or "")
