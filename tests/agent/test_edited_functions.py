"""An edited function answers in the place of the old one, and is told why where it cannot."""

from __future__ import annotations

import importlib.util
import itertools
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from wirespeed_agent.asgi import Request
from wirespeed_agent.fidelity import Answer
from wirespeed_agent.live_arms import Booth
from wirespeed_agent.source_changes import NotInProcess
from wirespeed_agent.variants import UNCHANGED

HEAD = """
import functools
import threading
from typing import Annotated, Any
from fastapi import APIRouter, Body, Depends, FastAPI, Response, Security
from fastapi.security import SecurityScopes

app = FastAPI()
calls = []
"""

_numbers = itertools.count()


class Edited:
    """A module in a file, imported, and what an edit of it answers."""

    def __init__(self, folder: Path, run: Any, bench: Any, body: str, head: str = HEAD) -> None:
        self._run = run
        self.file = folder / f"edited_{next(_numbers)}.py"
        self.text = head + textwrap.dedent(body)
        self.file.write_text(self.text)
        self.module = self.load(self.file.stem)
        self.bench = bench(self.module.app)

    def load(self, name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(name, self.file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    def change(self, *edits: tuple[str, str], **fields: Any) -> dict[str, Any]:
        text = self.text
        for old, new in edits:
            assert old in text, old
            text = text.replace(old, new)
        return {**UNCHANGED, "edited": [{"file": str(self.file), "text": text}], **fields}

    def answers(self, path: str, *changes: dict[str, Any], body: bytes = b"") -> list[Answer]:
        """What the original answers, and then each change."""
        request = Request("POST" if body else "GET", path, [], body)

        async def ask() -> list[Answer]:
            found = (await self.bench.study_of(path, method=request.method, body=body)).found
            booth = Booth(self.bench, request, found, 5.0)
            seen = []
            with booth.opened(changes):
                for change in (UNCHANGED, *changes):
                    arm = booth.arm(change)
                    call = await arm.call()
                    assert arm.reached(call.ticket)
                    seen.append(call.answer)
            return seen

        answers: list[Answer] = self._run(ask)
        return answers

    def bodies(self, path: str, *changes: dict[str, Any], body: bytes = b"") -> list[bytes]:
        answers = self.answers(path, *changes, body=body)
        assert {answer.status for answer in answers} == {200}, [each.body for each in answers]
        return [answer.body for answer in answers]

    def refusal(self, path: str, change: dict[str, Any]) -> str:
        with pytest.raises(NotInProcess) as raised:
            self.answers(path, change)
        return str(raised.value)


Write = Callable[..., Edited]


@pytest.fixture
def write(tmp_path: Path, run: Any, bench: Any) -> Iterator[Write]:
    before = set(sys.modules)
    yield lambda *args, **options: Edited(tmp_path, run, bench, *args, **options)
    for name in set(sys.modules) - before:
        if name.startswith("edited_"):
            del sys.modules[name]


# -- endpoints -----------------------------------------------------------------------------------------------


def test_the_edited_endpoint_answers_and_the_original_stays(write: Write) -> None:
    edited = write('@app.get("/x")\nasync def x(n: int = 1) -> Any:\n    return ["old", n]\n')
    change = edited.change(('"old"', '"new"'))

    assert edited.bodies("/x?n=4", change) == [b'["old",4]', b'["new",4]']
    assert edited.bodies("/x?n=4") == [b'["old",4]']


@pytest.mark.parametrize(("old", "new"), [("async def", "def"), ("def", "async def")])
def test_an_endpoint_moves_into_a_thread_and_out_of_it(write: Write, old: str, new: str) -> None:
    edited = write(
        f"""
        @app.get("/x")
        {old} x() -> Any:
            return threading.current_thread() is threading.main_thread()
        """
    )
    before, after = edited.bodies("/x", edited.change((f"\n{old} x()", f"\n{new} x()")))

    assert (before, after) == ((b"true", b"false") if old == "async def" else (b"false", b"true"))


@pytest.mark.parametrize(
    "endpoint",
    [
        "functools.partial(with_prefix, 'p')",
        "Shelf('p').read",
        "Shelf('p')",
        "make('p')",
    ],
)
def test_partials_methods_objects_and_closures_keep_what_they_are_bound_to(
    write: Write, endpoint: str
) -> None:
    edited = write(
        f"""
        async def with_prefix(prefix: str, page: int = 1) -> Any:
            return ["old", prefix, page]

        class Shelf:
            def __init__(self, name: str) -> None:
                self.name = name
            def read(self, page: int = 1) -> Any:
                return ["old", self.name, page]
            def __call__(self, page: int = 1) -> Any:
                return ["old", self.name, page]

        def make(name: str) -> Any:
            def inner(page: int = 1) -> Any:
                return ["old", name, page]
            return inner

        app.add_api_route("/x", {endpoint})
        """
    )
    names = {"functools": "with_prefix", "Shelf('p').read": "read", "Shelf('p')": "__call__", "make": "inner"}
    name = next(value for key, value in names.items() if endpoint.startswith(key))
    head, _, tail = edited.text.partition(f"def {name}(")
    text = f"{head}def {name}({tail.replace('old', 'new', 1)}"
    change = {**UNCHANGED, "edited": [{"file": str(edited.file), "text": text}]}

    assert edited.bodies("/x?page=2", change) == [b'["old","p",2]', b'["new","p",2]']


def test_every_route_that_a_factory_made_keeps_its_own_cells(write: Write) -> None:
    edited = write(
        """
        def crud(name: str) -> None:
            @app.get("/" + name)
            async def read() -> Any:
                return ["old", name]

        crud("a")
        crud("b")
        """
    )
    change = edited.change(('"old"', '"new"'))

    assert edited.bodies("/a", change) == [b'["old","a"]', b'["new","a"]']
    assert edited.bodies("/b", change) == [b'["old","b"]', b'["new","b"]']


def test_a_method_still_finds_its_super_class(write: Write) -> None:
    edited = write(
        """
        class Base:
            def name(self) -> str:
                return "base"
        class Child(Base):
            def read(self) -> Any:
                return ["old", super().name(), self.__hidden()]
            def __hidden(self) -> int:
                return 7
        app.add_api_route("/x", Child().read)
        """
    )

    assert edited.bodies("/x", edited.change(('"old"', '"new"'))) == [
        b'["old","base",7]',
        b'["new","base",7]',
    ]


def test_two_apps_and_two_functions_of_one_name_are_told_apart(write: Write) -> None:
    edited = write(
        """
        @app.get("/first")
        def health() -> Any:
            return "first"

        other = FastAPI()

        @other.get("/second")
        def health() -> Any:
            return "second"

        app.mount("/other", other)
        """
    )
    change = edited.change(('return "second"', 'return "new"'))

    assert edited.bodies("/other/second", change) == [b'"second"', b'"new"']
    assert "not called by FastAPI itself for this route" in edited.refusal("/first", change)


def test_annotations_from_the_future_stay_in_force(write: Write) -> None:
    edited = write(
        """
        @app.get("/x")
        async def x(n: int = 1) -> Any:
            def inner(never: looked_at) -> None: ...
            return ["old", n]
        """,
        head="from __future__ import annotations\n" + HEAD,
    )
    plain = edited.change(('"old"', '"new"'))
    injected = edited.change(('"old"', '"new"'), ("async def x(", "async def x(response: Response, "))

    assert edited.bodies("/x?n=2", plain, injected) == [b'["old",2]', b'["new",2]', b'["new",2]']


# -- parameters ----------------------------------------------------------------------------------------------


def test_an_injected_response_sets_status_and_headers(write: Write) -> None:
    edited = write(
        """
        from fastapi.responses import JSONResponse

        @app.get("/x", dependencies=[Depends(lambda: calls.append("dependency"))])
        async def x(n: int = 1) -> Any:
            return JSONResponse([n], headers={"x-n": "1"})
        """
    )
    change = edited.change(
        ("async def x(n: int = 1)", "async def x(response: Response, n: int = 1)"),
        ('return JSONResponse([n], headers={"x-n": "1"})', 'response.headers["x-n"] = "1"\n    return [n]'),
    )
    before, after = edited.answers("/x?n=3", change)

    assert (before.status, before.body, after.status, after.body) == (200, b"[3]", 200, b"[3]")
    assert dict(after.headers)[b"x-n"] == b"1"
    # The route's own dependency ran in every one of the five calls.
    assert edited.module.calls == ["dependency"] * 5


def test_a_class_gives_way_to_a_factory(write: Write) -> None:
    edited = write(
        """
        class Paging:
            def __init__(self, page: int = 1, size: int = 20) -> None:
                self.start = (page - 1) * size

        @app.get("/x")
        async def x(paging: Annotated[Paging, Depends()]) -> Any:
            return paging.start
        """
    )
    change = edited.change(
        ("Annotated[Paging, Depends()]", "Annotated[Paging, Depends(make_paging)]"),
        (
            '@app.get("/x")',
            "async def make_paging(page: int = 1, size: int = 20) -> Paging:\n"
            "    calls.append('factory')\n    return Paging(page, size)\n\n"
            '@app.get("/x")',
        ),
    )

    assert edited.bodies("/x?page=3", change) == [b"40", b"40"]
    assert edited.module.calls == ["factory"]


def test_a_body_is_read_as_before(write: Write) -> None:
    edited = write(
        """
        @app.post("/x")
        async def x(a: int = Body(), b: int = Body()) -> Any:
            return ["old", a, b]
        """
    )
    plain = edited.change(('"old"', '"new"'))
    injected = edited.change(('"old"', '"new"'), ("async def x(", "async def x(response: Response, "))
    expected = [b'["old",1,2]', b'["new",1,2]', b'["new",1,2]']

    assert edited.bodies("/x", plain, injected, body=b'{"a":1,"b":2}') == expected


def test_the_objects_of_depends_stay_what_they_were(write: Write) -> None:
    edited = write(
        """
        class Counting:
            made = 0
            def __init__(self) -> None:
                Counting.made += 1
            def __call__(self) -> int:
                return Counting.made

        @app.get("/x")
        async def x(*, made: int = Depends(Counting())) -> Any:
            return ["old", made]
        """
    )

    assert edited.bodies("/x", edited.change(('"old"', '"new"'))) == [b'["old",1]', b'["new",1]']


# -- dependencies --------------------------------------------------------------------------------------------

SHARED = """
def tenant() -> str:
    calls.append("old")
    return "t"

def quota(who: Annotated[str, Depends(tenant)]) -> int:
    return len(who)

def flags(who: str = Depends(tenant)) -> str:
    return who

@app.get("/x")
async def x(left: Annotated[int, Depends(quota)], flag: Annotated[str, Depends(flags)]) -> Any:
    return [left, flag]
"""


def test_a_dependency_shared_by_others_still_runs_once_a_request(write: Write) -> None:
    edited = write(SHARED)
    change = edited.change(("def tenant", "async def tenant"), ('"old"', '"new"'))

    assert edited.bodies("/x", change) == [b'[1,"t"]', b'[1,"t"]']
    # Three calls to look at the route, the unchanged clone, and the edited one.
    assert edited.module.calls == ["old"] * 4 + ["new"]


def test_a_dependency_whose_parameters_change_is_read_again(write: Write) -> None:
    edited = write(SHARED)
    change = edited.change(
        ("def tenant() ->", "def tenant(name: str = 'n') ->"), ('return "t"', "return name")
    )

    assert edited.bodies("/x?name=long", change) == [b'[1,"t"]', b'[4,"long"]']


def test_a_generator_is_still_closed_after_the_answer(write: Write) -> None:
    edited = write(
        """
        def session() -> Any:
            yield "old"
            calls.append("closed")

        @app.get("/x")
        async def x(s: Annotated[str, Depends(session)]) -> Any:
            return s
        """
    )
    change = edited.change(('"old"', '"new"'), ('"closed"', '"closed anew"'))

    assert edited.bodies("/x", change) == [b'"old"', b'"new"']
    assert edited.module.calls[-2:] == ["closed", "closed anew"]


def test_security_scopes_reach_an_edited_dependency(write: Write) -> None:
    edited = write(
        """
        def user(scopes: SecurityScopes) -> Any:
            return ["old", scopes.scopes]

        @app.get("/x")
        async def x(who: Annotated[Any, Security(user, scopes=["read"])]) -> Any:
            return who
        """
    )

    assert edited.bodies("/x", edited.change(('"old"', '"new"'))) == [
        b'["old",["read"]]',
        b'["new",["read"]]',
    ]


def test_what_is_overridden_stays_overridden(write: Write) -> None:
    edited = write(
        SHARED
        + """
def fake(who: Annotated[str, Depends(tenant)]) -> int:
    return 100 + len(who)

app.dependency_overrides[quota] = fake
"""
    )
    below = edited.change(('return "t"', 'return "new"'))
    itself = edited.change(("return 100", "return 200"))
    gone = edited.change(("return len(who)", "return 7"))

    assert edited.bodies("/x", below, itself) == [b'[101,"t"]', b'[103,"new"]', b'[201,"t"]']
    assert "quota is not called" in edited.refusal("/x", gone)


def test_each_inclusion_of_a_router_keeps_its_own_dependencies(write: Write) -> None:
    edited = write(
        """
        router = APIRouter(dependencies=[Depends(lambda: calls.append("router"))])

        def who() -> str:
            return "old"

        @router.get("/x")
        def x(name: Annotated[str, Depends(who)]) -> Any:
            return name

        app.include_router(router, prefix="/v1", dependencies=[Depends(lambda: calls.append("v1"))])
        app.include_router(router, prefix="/v2")
        """
    )
    change = edited.change(('"old"', '"new"'), ("def x(name", "async def x(response: Response, name"))

    assert edited.bodies("/v1/x", change) == [b'"old"', b'"new"']
    assert edited.module.calls == ["v1", "router"] * 5
    assert edited.bodies("/v2/x", change) == [b'"old"', b'"new"']
    assert edited.module.calls[10:] == ["router"] * 5


# -- new names -----------------------------------------------------------------------------------------------


def test_what_is_hoisted_is_made_once_and_in_the_module(write: Write) -> None:
    edited = write(
        """
        class Adapter:
            def __init__(self) -> None:
                calls.append("made")

        @app.get("/x")
        async def x() -> Any:
            adapter = Adapter()
            return json_of(adapter)

        def json_of(adapter: Adapter) -> str:
            return type(adapter).__name__
        """
    )
    change = edited.change(
        ("    adapter = Adapter()\n    return json_of(adapter)", "    return dumps(json_of(ADAPTER))"),
        ('@app.get("/x")', 'from json import dumps\nADAPTER = Adapter()\n\n@app.get("/x")'),
    )

    assert edited.bodies("/x", change, change) == [b'"Adapter"', b'"\\"Adapter\\""', b'"\\"Adapter\\""']
    assert edited.module.calls == ["made"] * 5
    assert isinstance(edited.module.ADAPTER, edited.module.Adapter)


def test_a_name_that_means_something_else_already_is_refused(write: Write) -> None:
    edited = write('@app.get("/x")\nasync def x() -> Any:\n    return 1\n')
    edited.module.ADAPTER = "mine"  # type: ignore[attr-defined]
    change = edited.change(("return 1", "return ADAPTER"), ("calls = []", "calls = []\nADAPTER = 2"))

    assert "another ADAPTER" in edited.refusal("/x", change)
    assert edited.module.ADAPTER == "mine"


def test_a_new_name_that_fails_leaves_the_module_as_it_was(write: Write) -> None:
    edited = write('@app.get("/x")\nasync def x() -> Any:\n    return 1\n')
    change = edited.change(("return 1", "return A"), ("calls = []", "calls = []\nA = 1\nB = 1 / 0"))

    assert "ZeroDivisionError" in edited.refusal("/x", change)
    assert not hasattr(edited.module, "A")


# -- what needs a process of its own -------------------------------------------------------------------------


@pytest.mark.parametrize("wraps", ["@functools.wraps(f)", ""])
def test_a_decorated_function_is_not_taken_out_of_its_decorator(write: Write, wraps: str) -> None:
    edited = write(
        f"""
        def loud(f):
            {wraps or "pass"}
            async def wrapper():
                return [await f()]
            return wrapper

        @app.get("/x")
        @loud
        async def x() -> Any:
            return "old"
        """
    )

    assert edited.refusal("/x", edited.change(('"old"', '"new"'))) == "x is wrapped by a decorator"
    assert edited.bodies("/x", edited.change(("return [await f()]", "return (await f(),)"))) == [
        b'["old"]',
        b'["old"]',
    ]


def test_a_constructor_is_no_function_that_could_be_exchanged(write: Write) -> None:
    edited = write(
        """
        class Paging:
            def __init__(self, page: int = 1) -> None:
                self.start = page

        @app.get("/x")
        async def x(paging: Annotated[Paging, Depends()]) -> Any:
            return paging.start
        """
    )
    reason = edited.refusal("/x", edited.change(("self.start = page", "self.start = page + 1")))

    assert reason == "Paging.__init__ is part of making a Paging"


def test_a_helper_is_not_called_by_fastapi(write: Write) -> None:
    edited = write(
        """
        def load() -> Any:
            return 1

        @app.get("/x")
        async def x() -> Any:
            return load()
        """
    )

    assert "load is not called by FastAPI" in edited.refusal("/x", edited.change(("return 1", "return 2")))


def test_decorators_are_seen_only_where_the_change_says_what_they_say(write: Write) -> None:
    edited = write(
        """
        from fastapi.responses import PlainTextResponse

        @app.get("/x", response_class=PlainTextResponse)
        async def x() -> Any:
            return "old"
        """
    )
    edits = (('"old"', '"new"'), (", response_class=PlainTextResponse", ""))

    assert edited.refusal("/x", edited.change(*edits)) == "a decorator of x changes"
    assert edited.bodies("/x", edited.change(*edits, response_class="drop")) == [b"old", b'"new"']


def test_a_file_that_changed_since_its_import_is_refused(write: Write) -> None:
    edited = write('@app.get("/x")\nasync def x() -> Any:\n    return "old"\n')
    edited.text = edited.text.replace("return", "calls.clear()\n    return")
    edited.file.write_text(edited.text)

    reason = edited.refusal("/x", edited.change(('"old"', '"new"')))

    assert reason == "x as it runs is not what its file says now"


def test_lines_that_moved_since_the_import_do_no_harm(write: Write) -> None:
    edited = write('@app.get("/x")\nasync def x() -> Any:\n    return "old"\n')
    edited.text = "# moved\n" + edited.text
    edited.file.write_text(edited.text)

    assert edited.bodies("/x", edited.change(('"old"', '"new"'))) == [b'"old"', b'"new"']


def test_a_module_under_two_names_is_edited_where_the_route_is(write: Write) -> None:
    edited = write('NAME = __name__\n\n@app.get("/x")\nasync def x() -> Any:\n    return ["old", NAME]\n')
    other = edited.load("edited_alias")
    edited.module.app.mount("/alias", other.app)

    change = edited.change(('"old"', "ADDED"), ("NAME = __name__", "NAME = __name__\nADDED = 'new'"))

    assert edited.bodies("/alias/x", change) == [b'["old","edited_alias"]', b'["new","edited_alias"]']
    assert not hasattr(edited.module, "ADDED")
    assert edited.bodies("/x", change)[1].startswith(b'["new","edited_')


def test_a_file_that_is_none_of_the_routes_is_named(write: Write) -> None:
    edited = write('@app.get("/x")\nasync def x() -> Any:\n    return 1\n')
    change = {**UNCHANGED, "edited": [{"file": "/elsewhere/other.py", "text": ""}]}

    assert "other.py" in edited.refusal("/x", change)


def test_a_function_that_is_not_what_its_file_says_is_refused(write: Write) -> None:
    edited = write('@app.get("/x")\nasync def x() -> Any:\n    return "old"\n')
    function = edited.module.x
    function.__code__ = function.__code__.replace(co_consts=(None, "instrumented"))

    assert "not what its file says" in edited.refusal("/x", edited.change(('"old"', '"new"')))
