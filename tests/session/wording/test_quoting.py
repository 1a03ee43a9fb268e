import pytest

from spark_tui.session.wording.quoting import straightened


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ("add a docstring “Sort them first.” to find", 'add a docstring "Sort them first." to find'),
        ("change ‘a b’ to ‘c’", "change 'a b' to 'c'"),
        ("change “it's” to “it is”", 'change "it\'s" to "it is"'),
        ("say “don’t” there", 'say "don’t" there'),
        ('write “x” for "y"', 'write “x” for "y"'),
        ("it’s off by one", "it’s off by one"),
        ("“ alone", "“ alone"),
    ],
)
def test_pairs_of_curly_quotes_are_read_as_straight_ones(words: str, read: str) -> None:
    assert straightened(words) == read
