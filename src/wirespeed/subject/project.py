"""What a project's pyproject.toml says about its app; read here, as the app's Python may lack ``tomllib``."""

from __future__ import annotations

import tomllib
from pathlib import Path

from wirespeed.errors import UsageError


def declared_entrypoint(folder: Path) -> str | None:
    """``[tool.fastapi] entrypoint``, the import string that the ``fastapi`` command uses when given no path.

    Raises UsageError where the file is there but cannot be read as one.
    """
    file = folder / "pyproject.toml"
    if not file.is_file():
        return None
    try:
        project = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {error}") from error
    tools = project.get("tool")
    settings = tools.get("fastapi") if isinstance(tools, dict) else None
    entrypoint = settings.get("entrypoint") if isinstance(settings, dict) else None
    if entrypoint is not None and not isinstance(entrypoint, str):
        raise UsageError(f"{file}: [tool.fastapi] entrypoint must be an import string, such as 'main:app'.")
    return entrypoint
