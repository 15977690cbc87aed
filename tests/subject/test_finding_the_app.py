"""The app is found by any name its author would give it, and a wrong one is answered with a better one."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from wirespeed.errors import SubjectError, UsageError
from wirespeed.subject.agent import AgentProcess

ASGI = """
async def app(scope, receive, send):
    while scope["type"] == "lifespan":
        step = (await receive())["type"]
        print(__name__, "saw", step, flush=True)
        await send({"type": step + ".complete"})
        if step == "lifespan.shutdown":
            return
"""

StartAgent = Callable[..., AgentProcess]
WriteApp = Callable[..., Path]


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("shop.main:app", "shop.main:app"),
        ("shop.main", "shop.main:app"),
        ("shop/main.py", "shop.main:app"),
        ("shop/main.py:app", "shop.main:app"),
        ("shop", "shop.main:app"),
        ("shop/", "shop.main:app"),
    ],
)
def test_an_app_in_a_package_is_found_by_import_string_file_or_folder(
    written: str, found: str, write_app: WriteApp, start_agent: StartAgent
) -> None:
    folder = write_app(ASGI, "shop.main")

    assert start_agent(folder, written).boot().app == found


def test_a_files_packages_are_its_folders_with_an_init_file(
    write_app: WriteApp, start_agent: StartAgent
) -> None:
    folder = write_app(ASGI, "src.shop.api.main")
    (folder / "src/__init__.py").unlink()
    (folder / "src/shop/api/main.py").write_text("from ..asgi import app")
    (folder / "src/shop/asgi.py").write_text(ASGI)

    assert start_agent(folder, "src/shop/api/main.py").boot().app == "shop.api.main:app"


def test_a_package_may_itself_be_the_app(write_app: WriteApp, start_agent: StartAgent) -> None:
    folder = write_app(ASGI, "shop.__init__")

    assert start_agent(folder, "shop").boot().app == "shop:app"
    assert start_agent(folder, "shop/__init__.py").boot().app == "shop:app"


@pytest.mark.parametrize("later", ["app", "api", "app.main", "app.api"])
def test_in_a_folder_files_are_tried_in_the_order_of_the_fastapi_command(
    later: str, write_app: WriteApp, start_agent: StartAgent
) -> None:
    folder = write_app(ASGI, later)
    assert start_agent(folder, ".").boot().app == f"{later}:app"

    write_app(ASGI, "main")
    assert start_agent(folder, ".").boot().app == "main:app"


def test_a_declared_entry_point_wins_over_the_files_of_a_folder(
    write_app: WriteApp, start_agent: StartAgent
) -> None:
    write_app(ASGI, "main")
    folder = write_app(ASGI.replace("def app", "def service"), "declared")
    (folder / "pyproject.toml").write_text('[tool.fastapi]\nentrypoint = "declared:service"\n')

    assert start_agent(folder, ".").boot().app == "declared:service"
    assert start_agent(folder, "main.py").boot().app == "main:app"


@pytest.mark.parametrize("pyproject", ["[tool.fastapi]\nentrypoint = 7", "[tool.fastapi"])
def test_a_broken_pyproject_is_reported_with_its_path(
    pyproject: str, write_app: WriteApp, start_agent: StartAgent
) -> None:
    folder = write_app(ASGI)
    (folder / "pyproject.toml").write_text(pyproject)

    with pytest.raises(UsageError, match=r"pyproject\.toml"):
        start_agent(folder, ".").boot()


def test_without_a_name_the_first_fastapi_instance_is_taken(
    write_app: WriteApp, start_agent: StartAgent
) -> None:
    folder = write_app(
        """
        from fastapi import APIRouter, FastAPI
        a_router = APIRouter()
        shop = FastAPI()
        app = "not an app"
        """
    )

    assert start_agent(folder, "main.py").boot().app == "main:shop"


def test_what_is_called_is_the_outermost_app(write_app: WriteApp, start_agent: StartAgent) -> None:
    folder = write_app(
        """
        from fastapi import FastAPI
        inner = FastAPI()
        class Wrapper:
            def __init__(self, wrapped):
                self.wrapped = wrapped
            def __call__(self, *arguments):
                print("through the wrapper:", arguments[0]["type"], flush=True)
                return self.wrapped(*arguments)
        app = Wrapper(inner)
        """
    )
    agent = start_agent(folder, "main:app")

    assert agent.boot().app == "main:app"
    agent.close()
    assert "through the wrapper: lifespan" in agent.output


FACTORIES = {
    "function": "def make(): return app",
    "function with defaults": "def make(debug=False): return app",
    "coroutine function": "async def make(): return app",
    "undeclared arguments": "def make(*args, **kwargs): assert not args; return app",
    "class": """
class make:
    async def __call__(self, scope, receive, send):
        await app(scope, receive, send)
""",
}


@pytest.mark.parametrize("factory", FACTORIES.values(), ids=FACTORIES)
def test_a_factory_is_called_whether_or_not_the_call_is_written(
    factory: str, write_app: WriteApp, start_agent: StartAgent
) -> None:
    folder = write_app(ASGI + factory)

    unmarked, marked = start_agent(folder, "main:make").boot(), start_agent(folder, "main:make()").boot()

    assert unmarked.app == marked.app == "main:make()"
    assert unmarked.notes == ["main:make is a factory; it was called without arguments."]
    assert marked.notes == []


@pytest.mark.parametrize(
    ("factory", "complaint"),
    [
        ("def make(settings): return app", "cannot be called without arguments"),
        ("make = 7", "cannot be called; it is an int"),
        ("def make(): return make", "returned is not an ASGI app; it is a function"),
    ],
)
def test_a_factory_that_makes_no_app_is_refused(
    factory: str, complaint: str, write_app: WriteApp, start_agent: StartAgent
) -> None:
    folder = write_app(ASGI + factory)

    with pytest.raises(UsageError, match=complaint):
        start_agent(folder, "main:make()").boot()


def test_a_module_may_make_its_app_when_asked_for_it(write_app: WriteApp, start_agent: StartAgent) -> None:
    folder = write_app(
        ASGI.replace("def app", "def _lazy")
        + textwrap.dedent(
            """
            def __getattr__(name):
                if name == "app":
                    return _lazy
                raise AttributeError(name)
            """
        )
    )

    assert start_agent(folder, "main:app").boot().app == "main:app"
    assert start_agent(folder, "main.py").boot().app == "main:app"
    with pytest.raises(UsageError, match="main:service is not there"):
        start_agent(folder, "main:service").boot()


def test_a_lazy_app_that_fails_is_not_called_missing(write_app: WriteApp, start_agent: StartAgent) -> None:
    folder = write_app(
        """
        def build():
            return None.settings
        def __getattr__(name):
            if name == "app":
                return build()
            raise AttributeError(name)
        """
    )

    for written in ("main:app", "main.py"):
        with pytest.raises(SubjectError, match="'NoneType' object has no attribute 'settings'") as failure:
            start_agent(folder, written).boot()
        assert "in build" in str(failure.value.app_traceback)


def test_the_app_may_be_an_attribute_of_something(write_app: WriteApp, start_agent: StartAgent) -> None:
    folder = write_app(ASGI + "class services:\n    class shop:\n        api = staticmethod(app)")

    assert start_agent(folder, "main:services.shop.api").boot().app == "main:services.shop.api"


WRONG = {
    "name": ("main:ap", "main:ap is not there", "main has main:app."),
    "name in a file": ("main.py:api", "main:api is not there", "main has main:app."),
    "not an app": ("main:settings", "main:settings is not an ASGI app; it is a dict", "main has main:app."),
    "module": ("mian:app", "No module named 'mian'.", "Did you mean main?"),
    "module in the wrong package": ("views:app", "No module named 'views'.", "Did you mean shop.views?"),
    "package": ("shop.main:app", "No module named 'shop.main'.", "Did you mean main or shop.views?"),
    "file": ("mainn.py", "There is no file mainn.py", "Did you mean main.py?"),
    "folder": ("empty", "it has none of main.py, app.py", "Name it as"),
    "module without an app": ("shop.views", "No app found in shop.views", "shop.views:create_app()"),
    "factory with arguments": ("main:make('test')", "is not a name in a module", "main:make()"),
    "no name": ("shop/main", "'shop/main' names no app", "Name it as"),
}


@pytest.mark.parametrize(("written", "complaint", "advice"), WRONG.values(), ids=WRONG)
def test_a_wrong_name_is_answered_with_what_is_there(
    written: str, complaint: str, advice: str, write_app: WriteApp, start_agent: StartAgent
) -> None:
    write_app("def create_app(): ...\ndef endpoint(a, b, c): ...", "shop.views")
    folder = write_app(ASGI + "settings = {}\nasync def endpoint(a, b, c): ...")
    (folder / "empty").mkdir()

    with pytest.raises(UsageError) as refusal:
        start_agent(folder, written).boot()

    assert complaint in refusal.value.message
    assert advice in str(refusal.value.advice)


def test_a_file_hidden_by_another_module_is_not_confused_with_it(
    write_app: WriteApp, start_agent: StartAgent
) -> None:
    folder = write_app(ASGI, "selectors")

    with pytest.raises(UsageError, match=r"Importing selectors gives .*, not .*selectors\.py"):
        start_agent(folder, "selectors.py").boot()


BROKEN: dict[str, tuple[str, str, str]] = {
    "raises": ("from helper import work\nwork()", "ValueError: no database", "helper.py"),
    "chained": (
        "from helper import work\ntry: work()\nexcept ValueError as e: raise OSError('late') from e",
        "OSError: late",
        "no database",
    ),
    "lacks a dependency": ("import sqlalchemyy", "No module named 'sqlalchemyy'", "import sqlalchemyy"),
    "does not parse": ("def app(:", "SyntaxError", "def app(:"),
    "ends the program": ("import sys\nsys.exit(5)", "ended the program while it was imported", "sys.exit(5)"),
}


@pytest.mark.parametrize(("source", "complaint", "shown"), BROKEN.values(), ids=BROKEN)
def test_an_app_that_cannot_be_imported_shows_its_own_traceback_and_nothing_of_ours(
    source: str, complaint: str, shown: str, write_app: WriteApp, start_agent: StartAgent
) -> None:
    write_app("def work():\n    raise ValueError('no database')", "helper")
    folder = write_app(source)

    with pytest.raises(SubjectError) as failure:
        start_agent(folder).boot()

    traceback = str(failure.value.app_traceback)
    assert complaint in failure.value.message
    assert str(folder / "main.py") in traceback
    assert shown in traceback
    assert "wirespeed_agent" not in traceback
    assert "importlib" not in traceback


def test_a_factory_that_fails_shows_its_own_traceback(write_app: WriteApp, start_agent: StartAgent) -> None:
    folder = write_app("def make():\n    raise RuntimeError('no settings')")

    with pytest.raises(SubjectError, match=r"main:make\(\) failed: RuntimeError: no settings") as failure:
        start_agent(folder, "main:make").boot()

    assert "in make" in str(failure.value.app_traceback)
    assert "wirespeed_agent" not in str(failure.value.app_traceback)


def test_pydantic_1_is_refused_by_name(write_app: WriteApp, start_agent: StartAgent) -> None:
    folder = write_app(ASGI)
    (folder / "pydantic-1.10.26.dist-info").mkdir()
    (folder / "pydantic-1.10.26.dist-info" / "METADATA").write_text("Name: pydantic\nVersion: 1.10.26\n")

    with pytest.raises(SubjectError, match=r"needs Pydantic 2; .* has 1\.10\.26"):
        start_agent(folder).boot()


PREPARE = """
def mark(app):
    print("prepared", app.__name__, flush=True)
async def mark_later(app):
    mark(app)
def fail(app):
    raise LookupError("nothing to seed")
"""


@pytest.mark.parametrize("function", ["mark", "mark_later"])
def test_prepare_is_called_with_the_app_before_its_start_up(
    function: str, write_app: WriteApp, start_agent: StartAgent
) -> None:
    write_app(PREPARE, "seeding")
    agent = start_agent(write_app(ASGI), prepare=f"seeding:{function}")

    agent.boot()
    agent.close()

    assert agent.output.splitlines()[:2] == ["prepared app", "main saw lifespan.startup"]


def test_a_prepare_that_fails_is_told_from_the_app(write_app: WriteApp, start_agent: StartAgent) -> None:
    write_app(PREPARE, "seeding")
    folder = write_app(ASGI)

    with pytest.raises(SubjectError, match="--prepare seeding:fail failed: LookupError") as failure:
        start_agent(folder, prepare="seeding:fail").boot()
    assert "in fail" in str(failure.value.app_traceback)
    with pytest.raises(UsageError, match="seeding:marc is not there") as refusal:
        start_agent(folder, prepare="seeding:marc").boot()
    assert refusal.value.advice == "Did you mean mark?"
    with pytest.raises(UsageError, match="'seeding' is not module:function"):
        start_agent(folder, prepare="seeding").boot()


def test_the_app_sees_the_arguments_and_paths_it_would_have_under_a_server(
    write_app: WriteApp, start_agent: StartAgent
) -> None:
    report = "import json, sys; print(json.dumps([sys.argv, sys.path]), flush=True)\n"
    folder = write_app(report + ASGI)
    plain = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)
    agent = start_agent(folder)

    agent.boot()
    agent.close()

    path_of_interpreter = json.loads(plain.stdout)[1][1:]
    assert json.loads(agent.output.splitlines()[0]) == [["main:app"], [str(folder), *path_of_interpreter]]
