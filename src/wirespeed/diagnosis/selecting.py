"""Which rules are asked. Pure."""

from __future__ import annotations

from collections.abc import Sequence


def is_asked(code: str, *, select: Sequence[str], ignore: Sequence[str]) -> bool:
    """Whether a rule is among ``select`` and not ``ignore``, each codes or their beginnings.

    Where both name it, the longer one decides: ``select`` WS101 and ``ignore`` WS1 ask WS101 alone of its
    family. Of two that are as long, ``ignore`` does.
    """
    return _reach(code, select) > _reach(code, ignore)


def _reach(code: str, beginnings: Sequence[str]) -> int:
    return max((len(each) for each in beginnings if code.startswith(each)), default=0)
