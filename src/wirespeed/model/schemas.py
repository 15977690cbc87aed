"""The JSON Schema of every saved document: ``python -m wirespeed.model.schemas docs/schemas`` writes them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from ._base import Document
from .advice import Advice
from .audit import Audit
from .baseline import Baseline
from .bisection import Bisection
from .comparison import Comparison
from .fix import Fix
from .guard import Guard
from .load import Load
from .record import Record
from .replication import Replication
from .suite import SuiteAdvice

DOCUMENTS: dict[str, type[Document]] = {
    "advice-1": Advice,
    "load-1": Load,
    "comparison-1": Comparison,
    "fix-1": Fix,
    "replication-1": Replication,
    "audit-1": Audit,
    "guard-1": Guard,
    "baseline-1": Baseline,
    "bisection-1": Bisection,
    "suite-1": SuiteAdvice,
    "record-1": Record,
}
"""Schema name (kind and format number) to the model it describes."""


def schema(name: str) -> dict[str, Any]:
    """What readers of a document rely on: fields with defaults may be missing, others may be added."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **DOCUMENTS[name].model_json_schema(),
    }


def write(folder: Path) -> list[Path]:
    """Write ``NAME.json`` for each document into ``folder``; returns the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.json" for name in DOCUMENTS]
    for path in paths:
        path.write_text(json.dumps(schema(path.stem), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return paths


if __name__ == "__main__":
    write(Path(sys.argv[1]))
