"""An app that is imported from edited text, in a process of its own: nothing on disk changes."""

from __future__ import annotations

import base64
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wirespeed.errors import SubjectError
from wirespeed.model.request import Request
from wirespeed.model.subject import EditedSource
from wirespeed.subject.agent import AgentProcess

StartAgent = Callable[..., AgentProcess]

APP = """
    import inspect, traceback
    from fastapi import FastAPI

    app = FastAPI()

    @app.get("/x")
    async def x():
        return "old"

    @app.get("/source")
    async def source():
        return inspect.getsource(x)

    @app.get("/traceback")
    async def shown():
        try:
            1 / 0
        except ZeroDivisionError:
            return traceback.format_exc()
    """


def edit(file: Path, old: str = '"old"', new: str = '"new"', encoding: str = "utf-8") -> EditedSource:
    text = file.read_text(encoding=encoding)
    assert old in text
    return EditedSource(file=file, text=text.replace(old, new))


def body(agent: AgentProcess, path: str) -> str:
    args = {"request": Request(method="GET", path=path).for_agent(), "deadline_s": 5.0}
    told = agent.call("answer", args, deadline_s=10.0, doing="asking")
    assert told["status"] == 200
    return base64.b64decode(told["body"]).decode()


@pytest.mark.parametrize(
    ("name", "app"),
    [
        ("main", "main:app"),
        ("main", "main.py"),
        ("shop.api.main", "shop.api.main:app"),
        ("shop.main", "shop/main.py:app"),
    ],
)
def test_an_edited_file_is_imported_however_the_app_is_named(
    start_agent: StartAgent, write_app: Callable[..., Path], name: str, app: str
) -> None:
    folder = write_app(APP, name)
    file = folder / (name.replace(".", "/") + ".py")
    before = file.read_bytes()
    agent = start_agent(folder, app, edited=(edit(file),))

    booted = agent.boot()

    assert body(agent, "/x") == '"new"'
    assert booted.edited == [str(file)]
    assert file.read_bytes() == before


def test_namespace_packages_links_and_files_loaded_by_path_are_served_too(
    start_agent: StartAgent, write_app: Callable[..., Path]
) -> None:
    folder = write_app(
        """
        import importlib.util
        from fastapi import FastAPI
        from loose import part
        spec = importlib.util.spec_from_file_location("plugin", "plugin.py")
        plugin = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(plugin)
        app = FastAPI()

        @app.get("/x")
        async def x():
            return [part.VALUE, plugin.VALUE]
        """
    )
    (folder / "real").mkdir()
    (folder / "loose").symlink_to(folder / "real")
    for name in ("real/part.py", "plugin.py"):
        (folder / name).write_text('VALUE = "old"\n')
    agent = start_agent(
        folder,
        edited=(edit(folder / "real" / "part.py"), edit(folder / "plugin.py")),
        env={"PYTHONPATH": "."},
    )
    agent.boot()

    assert body(agent, "/x") == '["new","new"]'


def test_source_and_tracebacks_show_the_edited_text(
    start_agent: StartAgent, write_app: Callable[..., Path]
) -> None:
    folder = write_app(APP)
    edited = edit(folder / "main.py", "app = FastAPI()", "app = FastAPI()\n# one\n# two\nNEW = 1")
    agent = start_agent(
        folder, edited=(edited.model_copy(update={"text": edited.text.replace("1 / 0", "NEW / 0")}),)
    )
    agent.boot()

    assert "async def x():" in body(agent, "/source")
    assert "NEW / 0" in body(agent, "/traceback")


@pytest.mark.parametrize("env", [{}, {"PYTHONDONTWRITEBYTECODE": "1"}])
def test_bytecode_of_the_edited_and_the_original_is_not_mixed_up(
    start_agent: StartAgent, write_app: Callable[..., Path], env: dict[str, str]
) -> None:
    folder = write_app(APP)
    answers = []
    for edited in ((), (edit(folder / "main.py"),), ()):
        agent = start_agent(folder, edited=edited, env=env)
        agent.boot()
        answers.append(body(agent, "/x"))
        agent.close()

    assert answers == ['"old"', '"new"', '"old"']
    assert (
        subprocess.run(
            [sys.executable, "-c", "import main; print(main.x.__code__.co_consts)"],
            cwd=folder,
            capture_output=True,
            text=True,
        )
        .stdout.strip()
        .endswith("'old')")
    )


def test_a_file_that_is_not_utf_8_keeps_its_encoding(
    start_agent: StartAgent, write_app: Callable[..., Path]
) -> None:
    folder = write_app(APP)
    file = folder / "main.py"
    text = "# coding: latin-1\n" + file.read_text().replace('"old"', '["old", "café", ord("é")]')
    file.write_bytes(text.encode("latin-1"))
    agent = start_agent(folder, edited=(edit(file, encoding="latin-1"),))
    agent.boot()

    assert body(agent, "/x") == '["new","café",233]'


def test_an_edited_file_that_the_app_never_imports_is_not_claimed(
    start_agent: StartAgent, write_app: Callable[..., Path]
) -> None:
    folder = write_app(APP)
    (folder / "other.py").write_text("")
    agent = start_agent(folder, edited=(EditedSource(file=folder / "other.py", text="X = 1\n"),))

    assert agent.boot().edited == []


def test_an_edit_that_does_not_import_fails_as_the_app_itself_would(
    start_agent: StartAgent, write_app: Callable[..., Path]
) -> None:
    folder = write_app(APP)
    agent = start_agent(folder, edited=(edit(folder / "main.py", "async def x():", "async def x(:"),))

    with pytest.raises(SubjectError, match=r"SyntaxError: .* \(main.py, line 8\)"):
        agent.boot()


def test_answers_are_compared_where_the_original_is_stable(
    start_agent: StartAgent, write_app: Callable[..., Path]
) -> None:
    agent = start_agent(write_app(APP))
    agent.boot()

    def told(text: str) -> dict[str, Any]:
        headers = [["content-type", "application/json"]]
        return {"status": 200, "headers": headers, "body": base64.b64encode(text.encode()).decode()}

    def compared(*answers: str) -> tuple[str, list[str], list[str]]:
        args = {
            "reference": [told('{"n":1,"m":1}'), told('{"n":2,"m":1}')],
            "answers": list(map(told, answers)),
        }
        report = agent.call("compare", args, deadline_s=10.0, doing="comparing")
        return report["fidelity"], [each["at"] for each in report["differences"]], report["unstable"]

    assert compared('{"n":3,"m":1}') == ("equal", [], ["$.n"])
    assert compared('{"n":2,"m":1}', '{"n":3,"m":2}') == ("different", ["$.m"], ["$.n"])


def test_every_app_describes_itself(start_agent: StartAgent, write_app: Callable[..., Path]) -> None:
    folder = write_app(
        """
        from fastapi import FastAPI
        app, sub, broken = FastAPI(title="top"), FastAPI(title="below"), FastAPI(title="broken")
        broken.openapi = lambda: 1 / 0
        app.mount("/sub", sub)
        app.mount("/broken", broken)
        """
    )
    agent = start_agent(folder)
    agent.boot()

    top, *others = agent.call("openapi", {}, deadline_s=10.0, doing="asking")["apps"]

    assert top["document"]["info"]["title"] == "top"
    assert all(each.get("document", {}).get("info", {}).get("title") != "top" for each in others)
