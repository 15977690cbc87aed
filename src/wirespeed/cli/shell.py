"""From the arguments to an exit code: finds the command, runs it, and turns whatever goes wrong into words.

This file must never know what a command does. It avoids Typer's own ``main``, which would end the process by
itself on some of these errors; and it imports Typer only once a command is known.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from contextvars import copy_context

from wirespeed import __version__
from wirespeed.cli.commands import BUG, COMMANDS, INTERRUPTED, Command, root_help
from wirespeed.errors import UsageError, WirespeedError

READER_GONE = 141
"""What shells report for a tool that SIGPIPE ended: the reader went away, and nothing more can be said."""
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def run(arguments: Sequence[str]) -> int:
    """Run ``wirespeed ARGUMENTS…`` and return its exit code; errors are on stderr by then."""
    # What a run hides is its own.
    return copy_context().run(_run, arguments)


def _run(arguments: Sequence[str]) -> int:
    _replace_closed_streams()
    try:
        code = _dispatch(list(arguments))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _stop_writing()
        return READER_GONE
    except OSError as error:
        if error.errno not in _FULL:
            return _ended_by(error)
        _stop_writing()
        return _ended_by(_no_room(error))
    except (Exception, KeyboardInterrupt) as error:
        return _ended_by(error)


def _ended_by(error: Exception | KeyboardInterrupt) -> int:
    """Say why, and return the exit code; who cannot be told still gets that."""
    with suppress(OSError):
        _tell(error)
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    return error.exit_code if isinstance(error, WirespeedError) else BUG


def _tell(error: Exception | KeyboardInterrupt) -> None:
    if isinstance(error, WirespeedError):
        from wirespeed.cli.failures import explain

        explain(error)
    elif isinstance(error, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
    else:
        from wirespeed.cli.failures import confess

        confess(error)


def _dispatch(arguments: list[str]) -> int:
    if not arguments:
        print(root_help(), file=sys.stderr)
        return UsageError.exit_code
    first, *rest = arguments
    if first in ("-h", "--help"):
        print(root_help())
        return 0
    if first == "--version":
        print(f"wirespeed {__version__}")
        return 0
    return _run_command(_find(first), rest)


def _find(name: str) -> Command:
    for command in COMMANDS:
        if command.name == name:
            return command
    from difflib import get_close_matches

    kind = "option" if name.startswith("-") else "command"
    names = [command.name for command in COMMANDS]
    close = get_close_matches(name, names, n=1)
    advice = f"Did you mean `wirespeed {close[0]}`?" if close else "`wirespeed --help` lists the commands."
    raise UsageError(f"there is no {kind} {name}", advice=advice)


def _run_command(command: Command, arguments: list[str]) -> int:
    import typer

    parser = typer.main.get_command(importlib.import_module(command.module).COMMAND)
    program = f"wirespeed {command.name}"
    try:
        with parser.make_context(program, arguments) as context:
            code = parser.invoke(context)
    except typer.Exit as leaving:
        return leaving.exit_code
    except typer.TyperException as error:
        raise UsageError(
            error.format_message(), advice=f"`{program} --help` describes the options."
        ) from error
    assert isinstance(code, int), f"{program} returned {code!r}, not an exit code"
    return code


def _no_room(error: OSError) -> WirespeedError:
    return WirespeedError(
        f"nothing more can be written: {error.strerror}",
        advice="Make room where the output or temporary files go, or send them elsewhere.",
    )


def _replace_closed_streams() -> None:
    """Python has None for a stream that was closed before it started (``>&-``): nobody wants to see it."""
    for name, flags in (("stdin", os.O_RDONLY), ("stdout", os.O_WRONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            mode = "r" if flags == os.O_RDONLY else "w"
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode, encoding="utf-8"))


def _stop_writing() -> None:
    """What is still buffered for stdout goes nowhere, or Python would complain at exit that it cannot."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
