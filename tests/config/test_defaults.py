"""What a file comes to for a command line, through the parsers that the commands really have."""

import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import typer

from wirespeed.cli.commands import COMMANDS
from wirespeed.errors import UsageError
from wirespeed.model.plan import RequestWishes

Parse = Callable[..., "Parsed"]


class Parsed:
    def __init__(self, params: Mapping[str, Any], wishes: RequestWishes) -> None:
        self.params, self.wishes = params, wishes


@pytest.fixture
def parse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Parse:
    """Parse ``wirespeed COMMAND ARGUMENTS…`` in a folder with this ``[tool.wirespeed]``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    modules = {command.name: command.module for command in COMMANDS}

    def parse(text: str, command: str, *arguments: str) -> Parsed:
        (tmp_path / "pyproject.toml").write_text(f"[tool.wirespeed]\n{text}\n")
        parser = typer.main.get_command(importlib.import_module(modules[command]).COMMAND)
        with parser.make_context(f"wirespeed {command}", list(arguments)) as context:
            return Parsed(context.params, context.obj.wishes)

    return parse


@pytest.mark.parametrize("command", ["advise", "fix", "load", "compare"])
def test_the_app_may_be_left_out_where_it_is_configured(parse: Parse, command: str) -> None:
    params = parse('app = "main:app"', command).params
    app = params.get("app") or params.get("target") or params.get("subjects")

    assert app in ("main:app", ["main:app"], ("main:app",))


def test_an_app_from_the_file_is_seen_from_the_files_folder(
    parse: Parse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")

    assert parse('app = "main:app"', "advise").params["folder"] == str(tmp_path)
    assert parse('app = "main:app"', "advise", "other:app").params["folder"] == "."


def test_the_command_line_wins(parse: Parse) -> None:
    text = 'app = "main:app"\nmargin = "3%"\nlive = 5'
    params = parse(text, "advise", "other:app", "--margin", "1%").params

    assert (params["app"], params["margin"], params["live"]) == ("other:app", "1%", 5)


def test_without_a_configuration_nothing_of_it_is_taken(parse: Parse) -> None:
    assert parse("live = 5", "advise", "main:app", "--no-config").params["live"] == 3


def test_config_and_no_config_together_are_refused(parse: Parse) -> None:
    with pytest.raises(UsageError, match="contradict"):
        parse("live = 5", "advise", "main:app", "--no-config", "--config", "pyproject.toml")


def test_variables_of_the_app_are_merged_by_name(parse: Parse) -> None:
    params = parse('env = { A = "file", B = "file" }', "advise", "main:app", "--env", "A=given").params

    assert list(params["env"]) == ["A=file", "B=file", "A=given"]


def test_one_python_is_no_comparison_of_pythons(parse: Parse) -> None:
    text = 'python = "python3.13"'

    assert list(parse(text, "compare", "main:app").params["python"]) == ["python3.13"]
    given = parse(text, "compare", "main:app", "--python", "a", "--python", "b").params["python"]
    assert list(given) == ["a", "b"]


def test_rules_on_the_command_line_replace_those_of_the_file(parse: Parse) -> None:
    text = 'rules = { select = ["WS1"], ignore = ["WS101"] }'
    from_file = parse(text, "advise", "main:app").params
    selected = parse(text, "advise", "main:app", "--select", "WS101").params

    assert (list(from_file["select"]), list(from_file["ignore"])) == (["WS1"], ["WS101"])
    assert (list(selected["select"]), list(selected["ignore"] or ())) == (["WS101"], [])


def test_until_decided_is_not_contradicted_by_a_budget_in_the_file(parse: Parse) -> None:
    assert parse('budget = "30s"', "compare", "main:app").params["budget"] == "30s"
    assert parse('budget = "30s"', "compare", "main:app", "--until-decided").params["budget"] is None


def test_requests_have_bodies_and_headers_of_their_own(parse: Parse, tmp_path: Path) -> None:
    (tmp_path / "order.json").write_text('{"id": 1}')
    text = """
    requests = [
      { get = "/orders/42" },
      { method = "post", path = "/orders", body = { id = 7 }, headers = { X-A = "1" } },
      { method = "PUT", path = "/orders", body = "@order.json" },
    ]
    """
    get, post, put = parse(text, "advise", "main:app").wishes.named

    assert (get.method, get.path) == ("GET", "/orders/42")
    assert (post.method, post.body, post.headers) == ("POST", b'{"id": 7}', (("X-A", "1"),))
    assert put.body == b'{"id": 1}'


def test_what_is_compared_is_named_on_the_spot(parse: Parse) -> None:
    assert parse('requests = [{ get = "/a" }]', "compare", "main:app").wishes.named == ()


@pytest.mark.parametrize("request_", ['get = "orders"', 'method = "GTE", path = "/a"'])
def test_a_request_that_cannot_be_sent_is_pointed_at(parse: Parse, request_: str) -> None:
    with pytest.raises(UsageError, match=r"pyproject\.toml:2:13: "):
        parse(f"requests = [{{ {request_} }}]", "advise", "main:app")


def test_a_server_that_runs_already_gets_nothing_that_is_for_the_app(
    parse: Parse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("API_TOKEN", raising=False)
    text = (
        'app = "main:app"\npython = "python3.13"\nenv = { A = "1" }\nprepare = "a:b"\n'
        'requests = [{ get = "/a" }]\n'
        'headers = { Authorization = { env = "API_TOKEN" } }\n[tool.wirespeed.load]\nconnections = 9'
    )
    parsed = parse(text, "load", "http://127.0.0.1:8000/")

    assert (parsed.params["python"], parsed.params["prepare"], list(parsed.params["env"] or ())) == (
        None,
        None,
        [],
    )
    assert parsed.params["connections"] == 9
    assert parsed.wishes == RequestWishes()


# Secrets


def test_a_header_may_come_from_the_environment(parse: Parse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_TOKEN", "s3cret-token")
    text = 'headers = { Authorization = { env = "API_TOKEN", prefix = "Bearer " }, X-A = "plain" }'

    assert parse(text, "advise", "main:app").wishes.headers == (
        ("Authorization", "Bearer s3cret-token"),
        ("X-A", "plain"),
    )


def test_a_variable_that_is_not_set_is_named_with_its_key(
    parse: Parse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("API_TOKEN", raising=False)

    with pytest.raises(
        UsageError, match=r":2:13: headers\.Authorization comes from the .* API_TOKEN, which is not"
    ):
        parse('headers = { Authorization = { env = "API_TOKEN" } }', "advise", "main:app")


def test_a_secret_that_no_header_can_carry_is_not_told(parse: Parse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_TOKEN", "s3cret\ntoken")

    with pytest.raises(UsageError) as refused:
        parse('headers = { Authorization = { env = "API_TOKEN" } }', "advise", "main:app")
    assert "s3cret" not in f"{refused.value.message} {refused.value.advice}"
