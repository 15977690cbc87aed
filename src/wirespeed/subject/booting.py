"""What an app is started with, and what comes back when it does not start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wirespeed.errors import AgentFailed, SubjectError, UsageError, WirespeedError
from wirespeed.model.subject import AppSubject

from .bundle import bytecode_folder
from .project import declared_entrypoint


def boot_args(subject: AppSubject) -> dict[str, Any]:
    """As the agent's ``boot`` reads them."""
    app, folder = _entrypoint(subject)
    return {
        "app": app,
        "folder": str(folder.resolve()),
        "prepare": subject.prepare,
        "bytecode": str(bytecode_folder()),
        "edited": [each.model_dump(mode="json") for each in subject.edited],
    }


def entry_folder(subject: AppSubject) -> Path:
    """The folder that the agent names the app's files from."""
    return _entrypoint(subject)[1].resolve()


def _entrypoint(subject: AppSubject) -> tuple[str, Path]:
    """What names the app, and the folder it is seen from.

    A folder's declared entry point wins over the files found in it, as for the ``fastapi`` command.
    """
    folder = subject.folder / subject.app
    declared = declared_entrypoint(folder) if folder.is_dir() else None
    return (declared, folder) if declared else (subject.app, subject.folder)


def as_error(error: dict[str, Any], output: str) -> WirespeedError:
    """An error that the agent answered, named by whose fault it is."""
    message, advice, trace = error["message"], error.get("advice"), error.get("traceback")
    match error["kind"]:
        case "usage":
            return UsageError(message, advice=advice)
        case "internal":
            return AgentFailed(message, traceback=trace)
        case _:
            return SubjectError(message, advice=advice, app_traceback=trace, output=output)
