"""Edits to the user's files: what was measured, written down where the code is.

Everything but ``values`` and ``disk`` loads LibCST, which takes a while: import the rest where it is needed.
"""

from .values import (
    CallAt,
    CodeEditAt,
    CodeEditKind,
    Diff,
    EditedFile,
    FunctionAt,
    ModuleFacts,
    NoEdit,
    Part,
    Refused,
    RouteChange,
    RouteEdit,
    TypeSource,
    Written,
)

__all__ = [
    "CallAt",
    "CodeEditAt",
    "CodeEditKind",
    "Diff",
    "EditedFile",
    "FunctionAt",
    "ModuleFacts",
    "NoEdit",
    "Part",
    "Refused",
    "RouteChange",
    "RouteEdit",
    "TypeSource",
    "Written",
]
