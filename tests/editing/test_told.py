import pytest

from spark_tui.editing.told import longest, names_told, says


@pytest.mark.parametrize(
    ("instruction", "names"),
    [
        ("move 30 into a constant TIMEOUT", ["TIMEOUT"]),
        ("extract it, call it limit", ["limit"]),
        ("put it into `total`", ["total"]),
        ("rows = that", ["rows"]),
        ("extract it to value please", ["value"]),
        ("PLR2004 magic value, call it max_size", ["max_size"]),
        ("extract it", ["other"]),
    ],
)
def test_names_are_found_by_how_they_are_introduced(instruction: str, names: list[str]) -> None:
    assert [name for name in names_told(instruction, (), ["other"]) if name in names] == names


def test_a_name_in_quotes_or_like_code_needs_no_other() -> None:
    assert names_told("please name things new_name", {"things"}, ["other"]) == ["new_name"]


@pytest.mark.parametrize(
    ("source", "said"),
    [("x+1", True), ("30", True), ("3", False), ("a.b", False), ("a.b.c", True), ('"x"', True), ("", False)],
)
def test_source_is_found_whatever_its_blanks_but_not_within_words(source: str, said: bool) -> None:
    assert says('use x + 1, 30 and a.b.c for "x"', source) is said


def test_only_the_longest_pieces_count() -> None:
    assert longest(["f", "f(x)", "y"]) == {"f(x)", "y"}
