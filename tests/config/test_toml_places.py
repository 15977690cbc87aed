"""Positions in TOML, which are where somebody looks when a value is wrong."""

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from wirespeed.cli.toml_places import places

TEXT = '''
# a = 1 in a comment
title = "a # is no comment here" # but this is
[tool.wirespeed]
margin = "3%"
"quoted key" = 'a ] that closes nothing'
text = """
live = 3
"""
lines = [
  "one", # [
  { get = "/a, b" },
]
headers.X-Token = { env = "TOKEN" }

[[tool.wirespeed.requests]]
get = "/first"
[[tool.wirespeed.requests]]
  get = "/second"
[tool.wirespeed.requests.headers]
X-B = "b"
'''
TABLE = ("tool", "wirespeed")


def test_every_key_is_where_an_editor_shows_it() -> None:
    found = places(TEXT)

    assert found["title",] == (3, 1)
    assert found[TABLE] == (4, 1)
    assert found[*TABLE, "margin"] == (5, 1)
    assert found[*TABLE, "quoted key"] == (6, 1)
    assert found[*TABLE, "lines"] == (10, 1)
    assert found[*TABLE, "lines", 1, "get"] == (12, 5)
    assert found[*TABLE, "headers", "X-Token"] == (14, 1)
    assert found[*TABLE, "headers", "X-Token", "env"] == (14, 21)


def test_tables_of_an_array_are_told_apart() -> None:
    found = places(TEXT)

    assert found[*TABLE, "requests", 0, "get"] == (17, 1)
    assert found[*TABLE, "requests", 1, "get"] == (19, 3)
    assert found[*TABLE, "requests", 1, "headers", "X-B"] == (21, 1)


def test_text_in_strings_and_comments_is_no_key() -> None:
    found = places(TEXT)

    assert ("a",) not in found
    assert (*TABLE, "live") not in found


def paths_of(value: object, path: tuple[str | int, ...] = ()) -> set[tuple[str | int, ...]]:
    children: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        children = list(value.items())
    elif isinstance(value, list):
        children = list(enumerate(value))
    return {path}.union(*(paths_of(each, (*path, key)) for key, each in children))


KEYS = st.from_regex(r"[A-Za-z0-9_-]{1,5}", fullmatch=True)
SCALARS = st.one_of(
    st.integers().map(str),
    st.booleans().map(lambda value: str(value).lower()),
    st.text(st.characters(codec="ascii", exclude_characters='"\\\x7f', min_codepoint=32)).map(
        lambda t: f'"{t}"'
    ),
    st.just("'''\nkey = [ {\n'''"),
    st.just('"""a \\" ] "" b"""'),
    st.just("2024-01-01 10:00:00"),
)


def tables(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    entries = st.dictionaries(KEYS, values, max_size=3)
    return entries.map(
        lambda found: "{ " + ", ".join(f"{key} = {each}" for key, each in found.items()) + " }"
    )


def arrays(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(values, max_size=3).map(lambda found: "[\n # }\n" + ",\n".join(found) + "\n]")


VALUES = st.recursive(SCALARS, lambda inner: st.one_of(tables(inner), arrays(inner)), max_leaves=6)


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_whatever_tomllib_reads_has_a_place(entries: dict[str, str]) -> None:
    text = "\n".join(f"{key} = {value} # end" for key, value in entries.items())

    assert set(places(text)) | {()} == paths_of(tomllib.loads(text))
