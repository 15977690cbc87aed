"""The one place where a configuration file becomes defaults of options: a parser that reads it first.

``--config`` and ``--no-config`` are added to every command that has an app or an interpreter. A function
that has a parameter ``from_file`` gets the requests and headers of the file in it, which no option could say;
where requests are not what it compares, ``--requests-file`` replaces those.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand

from wirespeed.cli.options import APP_PARAMETERS, NAMED_ON_THE_SPOT, SUBJECT
from wirespeed.errors import UsageError

if TYPE_CHECKING:
    from wirespeed.model.plan import RequestWishes

WISHES = "from_file"

_ConfigOption = Annotated[
    str | None,
    typer.Option(
        "--config",
        metavar="FILE",
        rich_help_panel=SUBJECT,
        help="Take defaults from [tool.wirespeed] in this file. "
        "Default: the pyproject.toml that --folder, or the working directory, lies below.",
    ),
]
_RequestsFileOption = Annotated[
    str | None,
    typer.Option(
        "--requests-file",
        metavar="FILE",
        rich_help_panel="Requests",
        help="Requests that were sent already: a HAR file from a browser, of which only GET and HEAD are "
        "taken, or a text with curl commands.",
    ),
]
_NoConfigOption = Annotated[
    bool, typer.Option("--no-config", rich_help_panel=SUBJECT, help="Take no defaults from a file.")
]


def is_configured(function: Callable[..., int]) -> bool:
    return bool({*APP_PARAMETERS, "python"} & inspect.signature(function).parameters.keys())


def with_config_options(function: Callable[..., int]) -> Callable[..., int]:
    """The same command for Typer, with ``--config`` and ``--no-config``, and without ``from_file``."""

    @functools.wraps(function)
    def called(
        context: typer.Context,
        config: str | None,
        no_config: bool,
        requests_file: str | None = None,
        **options: Any,
    ) -> int:
        wishes = context.obj.wishes
        if requests_file is not None:
            wishes = _with_requests_of(requests_file, wishes, options)
        return function(**options, **({WISHES: wishes} if takes_wishes else {}))

    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = dict(inspect.signature(function).parameters)
    takes_wishes = parameters.pop(WISHES, None) is not None
    takes_a_file = takes_wishes and function.__name__ not in NAMED_ON_THE_SPOT
    types = _types_of(function, parameters)
    own = [each.replace(annotation=types[name]) for name, each in parameters.items()]
    added = [
        inspect.Parameter("config", keyword, default=None, annotation=_ConfigOption),
        inspect.Parameter("no_config", keyword, default=False, annotation=_NoConfigOption),
        inspect.Parameter("context", keyword, annotation=typer.Context),
    ]
    if takes_a_file:
        annotation = _RequestsFileOption
        added.insert(0, inspect.Parameter("requests_file", keyword, default=None, annotation=annotation))
    called.__signature__ = inspect.Signature([*own, *added])  # type: ignore[attr-defined]
    called.__annotations__ = {each.name: each.annotation for each in (*own, *added)}
    del called.__wrapped__
    return called


def _with_requests_of(name: str, wishes: RequestWishes, options: dict[str, Any]) -> RequestWishes:
    """What the configuration wishes, with the requests of this file; what of it is not sent is told."""
    from wirespeed.cli.failures import warn
    from wirespeed.cli.request_files.reading import read_request_file
    from wirespeed.hidden import hide_from_now_on

    if options.get("get") or options.get("request"):
        raise UsageError(
            "--requests-file and --get or --request contradict each other",
            advice="Write that request into the file as a curl command, or leave the file out.",
        )
    found = read_request_file(name)
    hide_from_now_on(found.secrets)
    if found.left_out:
        warn(f"{name}: left out {' and '.join(found.left_out)}")
    return wishes.model_copy(update={"named": found.requests})


def _types_of(function: Callable[..., int], names: Iterable[str]) -> dict[str, Any]:
    """Of these parameters alone: what only type checkers import has no type that could be looked up."""
    annotations = inspect.get_annotations(function)
    some = SimpleNamespace(__annotations__={name: annotations[name] for name in names})
    return get_type_hints(some, globalns=function.__globals__, include_extras=True)


class ConfiguredCommand(TyperCommand):
    """Reads the configuration between the command line and the defaults in the code."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given, _, _ = self.make_parser(ctx).parse_args(args=list(args))
        if not given.get("help"):
            args = [*self._configure(ctx, given), *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        with _pointing_at(ctx.obj.origins, self):
            return super().invoke(ctx)

    def _configure(self, ctx: Any, given: dict[str, Any]) -> list[str]:
        """Sets the defaults of the context; gives the arguments that are to stand before the others."""
        from wirespeed.cli.configuration import Configuration, read_configuration
        from wirespeed.cli.configuration_defaults import defaults_of
        from wirespeed.hidden import hide_from_now_on

        start = Path(given.get("folder") or ".").expanduser().absolute()
        named = given.get("config")
        if given.get("no_config"):
            if named is not None:
                raise UsageError(
                    "--config and --no-config contradict each other", advice="Leave out one of them."
                )
            configuration = Configuration()
        else:
            configuration = read_configuration(start, named)
        command = ctx.info_name.rpartition(" ")[2]
        defaults = defaults_of(configuration, command, self.params, given, os.environ)
        hide_from_now_on(defaults.secrets)
        ctx.obj, ctx.default_map = defaults, dict(defaults.values)
        return list(defaults.before)


@contextmanager
def _pointing_at(origins: Any, parser: TyperCommand) -> Iterator[None]:
    """A complaint about a value that a file gave names the place."""
    try:
        yield
    except UsageError as error:
        named = {each.name: "|".join(map(re.escape, each.opts)) for each in parser.params}
        places = [
            f"{max(_opts_of(parser, name), key=len)} is from {setting.node.place}"
            for name, setting in origins.items()
            if _is_about(error.message, named[name], setting.value)
        ]
        if places:
            error.advice = " ".join(filter(None, [error.advice, f"({'; '.join(places)})"]))
        raise


def _opts_of(parser: TyperCommand, name: str) -> list[str]:
    return next(each.opts for each in parser.params if each.name == name)


def _is_about(message: str, options: str, value: object) -> bool:
    if re.search(rf"(?<![\w-])(?:{options})(?![\w-])", message):
        return True
    return isinstance(value, str) and len(value) > 2 and value in message
