"""Which remedies fail a check: the same for exit codes and for every format."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.model.advice import Arm, Endpoint


def failing_arms(endpoint: Endpoint, codes: Sequence[str]) -> list[Arm]:
    """Recommended remedies of these rules, named by their codes or the beginnings of them.

    A rule that fired without a remedy that helps fails no check: there would be nothing to do about it. Nor
    does a finding that the baseline knows.
    """
    known = {finding.code for finding in endpoint.findings if finding.known}
    return [
        arm
        for arm in endpoint.arms
        if arm.recommended and arm.code.startswith(tuple(codes)) and arm.code not in known
    ]
