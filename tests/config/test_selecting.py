import pytest

from wirespeed.diagnosis.selecting import is_asked


@pytest.mark.parametrize(
    ("select", "ignore", "is_so"),
    [
        (["WS"], [], True),
        (["WS1"], [], True),
        (["WS2"], [], False),
        (["WS"], ["WS1"], False),
        (["WS101"], ["WS1"], True),
        (["WS1"], ["WS101"], False),
        (["WS101"], ["WS101"], False),
    ],
)
def test_of_what_names_a_rule_the_longer_code_decides(
    select: list[str], ignore: list[str], is_so: bool
) -> None:
    assert is_asked("WS101", select=select, ignore=ignore) is is_so
