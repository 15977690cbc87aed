"""What an edit changes: functions and new names can be tried at once, all else needs the module anew."""

from __future__ import annotations

import ast
import textwrap

import pytest

from wirespeed_agent.source_changes import ModuleChanges, NotInProcess, compare_sources

BEFORE = textwrap.dedent(
    '''
    """A module."""
    from a import b

    LIMIT = 3

    def plain(x=1):
        return x

    class Shelf:
        size = 2

        def read(self):
            return self.size

    def make():
        def inner():
            return 1
        return inner

    if LIMIT:
        def conditional():
            return 2
    '''
)


def changes(old: str, new: str, before: str = BEFORE) -> ModuleChanges:
    assert old in before
    return compare_sources(before, before.replace(old, new, 1))


def names(found: ModuleChanges) -> list[tuple[str, set[str]]]:
    return [(each.qualname, set(each.parts)) for each in found.changed]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("return x\n", "return x + 1\n", ("plain", {"body"})),
        ("def plain(x=1)", "async def plain(x=1)", ("plain", {"body"})),
        ("def plain(x=1)", "def plain(x=1, y=2)", ("plain", {"parameters"})),
        ("def plain(x=1):", "def plain(x=1) -> int:", ("plain", {"returns"})),
        ("def plain", "@cached\ndef plain", ("plain", {"decorators"})),
        ("return self.size", "return 3", ("Shelf.read", {"body"})),
        ("return 1", "return 2", ("make.<locals>.inner", {"body"})),
        ("return inner\n", "return [inner]\n", ("make", {"body"})),
        ("return 2", "return 3", ("conditional", {"body"})),
    ],
)
def test_the_innermost_function_that_differs_is_named(
    old: str, new: str, expected: tuple[str, set[str]]
) -> None:
    assert names(changes(old, new)) == [expected]


def test_comments_and_layout_are_no_change() -> None:
    found = changes("LIMIT = 3", "# the limit\n\n\nLIMIT = (3)")

    assert (found.changed, found.added) == ([], [])


def test_new_names_are_told_with_the_imports_first() -> None:
    found = changes("LIMIT = 3", "LIMIT = 3\nADAPTER = c(LIMIT)\nfrom a import b, c\nclass New: ...")

    assert [ast.unparse(each) for each in found.added] == [
        "from a import c",
        "ADAPTER = c(LIMIT)",
        "class New:\n    ...",
    ]


def test_an_import_that_nobody_needs_any_more_may_go() -> None:
    assert changes("from a import b\n", "").added == []


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("LIMIT = 3", "LIMIT = 4", "line 5"),
        ("LIMIT = 3", "", "line 5"),
        ("LIMIT = 3", "LIMIT = 3\nprint(LIMIT)", "line 6"),
        ("size = 2", "size = 3", "line 11"),
        ("class Shelf:", "class Shelf(Base):", "Shelf"),
        ("    size = 2\n", "    size = 2\n    width = 3\n", "Shelf"),
        ("if LIMIT:", "if not LIMIT:", "line 21"),
        ("from a import b", "from __future__ import annotations\nfrom a import b", "__future__"),
    ],
)
def test_what_only_a_new_import_shows_is_refused(old: str, new: str, what: str) -> None:
    with pytest.raises(NotInProcess, match=what):
        changes(old, new)


def test_functions_of_one_name_keep_their_order() -> None:
    before = "def f(): return 1\n\ndef f(): return 2\n"

    found = compare_sources(before, before.replace("return 2", "return 3"))

    assert [(each.qualname, each.before.lineno) for each in found.changed] == [("f", 3)]
