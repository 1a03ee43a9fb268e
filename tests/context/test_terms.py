"""What stands verbatim in words is found, whatever language they are of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.context.verbatim_names import FileLines, file_names, identifiers, places, quoted


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("rename total to count", ()),
        ("benenne `total` in `row_count` um", ("total", "row_count")),
        (
            "the row_count of RowReader and parseLine, _x, MAX",
            ("row_count", "RowReader", "parseLine", "_x", "MAX"),
        ),
        ("call close() and reader.size here", ("close", "reader.size")),
        ("I want A here", ()),
        ("self.größe ist falsch", ("self.größe",)),
        ("row_count row_count", ("row_count",)),
    ],
)
def test_names_are_what_looks_like_nothing_else(words: str, found: tuple[str, ...]) -> None:
    assert identifiers(words) == found


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("make `a + b` a \"text\" or 'x'", ("a + b", "text", "x")),
        ("don't, it's not quoted", ()),
        ("`a` and `a`", ("a",)),
    ],
)
def test_what_is_quoted_is_code(words: str, found: tuple[str, ...]) -> None:
    assert quoted(words) == found


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("see src/a.py:12", (FileLines("src/a.py", 12, 12),)),
        ("a.py:3-7 and ../b.py:9: error", (FileLines("a.py", 3, 7), FileLines("../b.py", 9, 9))),
        ('File "/tmp/x.py", line 4, in f', (FileLines("/tmp/x.py", 4, 4),)),
        ("at 12:30, ratio 3:4, v1.2", ()),
    ],
)
def test_a_path_with_a_line_is_a_place(words: str, found: tuple[FileLines, ...]) -> None:
    assert places(words) == found


def test_the_innermost_frame_of_a_traceback_comes_before_what_else_is_told() -> None:
    told = 'see b.py:1\n  File "a.py", line 4, in f\n  File "a.py", line 9, in g\n'
    assert [place.first for place in places(told)] == [9, 4, 1]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("in src/a.py and b.css, i.e. the end.", ("src/a.py", "b.css", "i.e")),
        ("v1.2 and http://a.b/c", ()),
        ("./x/y.test.ts", ("./x/y.test.ts",)),
    ],
)
def test_what_has_an_ending_may_be_a_file(words: str, found: tuple[str, ...]) -> None:
    assert file_names(words) == found


@given(st.text(max_size=60))
def test_any_text_can_be_read(words: str) -> None:
    assert all(
        one in words
        for one in (*identifiers(words), *quoted(words), *(place.path for place in places(words)))
    )
