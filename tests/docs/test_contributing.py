import sys
from types import ModuleType

import pytest

from .pages import ROOT, fenced


def test_the_worked_example_is_a_rule_that_passes_its_test(monkeypatch: pytest.MonkeyPatch) -> None:
    rule_source, test_source = fenced(ROOT / "CONTRIBUTING.md", "python")
    rule = ModuleType("wirespeed.diagnosis.rules.ws307_garbage_collection")
    monkeypatch.setitem(sys.modules, rule.__name__, rule)
    exec(rule_source, vars(rule))
    example: dict[str, object] = {}
    exec(test_source, example)

    tests = [function for name, function in example.items() if name.startswith("test_")]
    assert len(tests) == 1
    for test in tests:
        assert callable(test)
        test()
