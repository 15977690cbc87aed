"""The guide's suite is a suite: what it shows is written to files and measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from wirespeed.replicate.judging import alpha_of, judge
from wirespeed.replicate.results import SuiteResults
from wirespeed.replicate.run import measured
from wirespeed.replicate.suite import Suite

from ..docs.pages import ROOT, fenced  # noqa: TID252  (tests are no package that could be named)
from .planting import order, tiny

pytestmark = pytest.mark.slow


def test_the_suite_of_the_guide_runs_and_judges_its_claims(tmp_path: Path) -> None:
    app, suite_source = fenced(ROOT / "docs" / "write-a-suite.md", "python")
    (tmp_path / "comprehension.py").write_text(app)
    module: dict[str, object] = {}
    exec(suite_source, module)
    suite = module["SUITE"]
    assert isinstance(suite, Suite)
    suite = replace(suite, app=tmp_path / "comprehension.py", steps=tuple(map(tiny, suite.steps)))

    results = SuiteResults(
        steps=tuple(measured(suite, step, order(suite), lambda event: None) for step in suite.steps)
    )

    findings = [judge(claim, results, alpha_of(suite)) for claim in suite.claims]
    assert [finding.ours is not None for finding in findings] == [True, True]
    assert results.single_runs("as in the post") is not None
