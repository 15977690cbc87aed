"""The header that tells a served app which variant is to answer; secret, and another for every server."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from wirespeed.model.subject import RouteVariant


class VariantHeader:
    def __init__(self) -> None:
        self.name = f"x-{secrets.token_hex(8)}"
        self._secret = secrets.token_hex(16)

    def value(self, index: int) -> str:
        """All are of one length, so that they cost the server the same."""
        return f"{self._secret}{index:08d}"

    def for_agent(self, variants: Sequence[RouteVariant]) -> dict[str, Any] | None:
        if not variants:
            return None
        described = [
            {"value": self.value(index), **variant.model_dump(mode="json")}
            for index, variant in enumerate(variants)
        ]
        return {"header": self.name, "variants": described}
