"""The last self-check of this machine, kept where every later measurement finds it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from wirespeed.errors import RecordNotSaved
from wirespeed.model.advice import Environment
from wirespeed.model.selfcheck import Selfcheck

from .records import user_data_folder

FILENAME = "selfcheck.json"


def keep(checked: Selfcheck, environ: Mapping[str, str]) -> Path:
    """Write it to the user's data folder, in place of the one before. Raises ``RecordNotSaved``."""
    path = user_data_folder(environ) / FILENAME
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_suffix(".tmp")
        scratch.write_bytes(checked.to_json())
        scratch.replace(path)
    except OSError as error:
        raise RecordNotSaved(
            f"the self-check could not be saved: {path}: {error.strerror or error}"
        ) from error
    return path


def pairings_of(machine: Environment, environ: Mapping[str, str]) -> int:
    """How often this machine's rounds are averaged in pairs, by its last self-check; 0 without one."""
    path = user_data_folder(environ) / FILENAME
    try:
        checked = Selfcheck.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return 0
    if (checked.environment.cpu, checked.environment.cores) != (machine.cpu, machine.cores):
        return 0
    return max((kind.pairings or 0 for kind in checked.kinds), default=0)
