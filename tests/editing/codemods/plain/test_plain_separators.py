"""What a text is for tells which one is meant: where to split, the format of a date, two signs exchanged in it."""

import pytest

from tests.editing.codemods.plain.test_plain_requests import changed

WORDS = ("def words(text):", '    return text.strip().split(" ")')
STAMP = ("def stamp(day):", '    return day.strftime("%d.%m.%Y")')


@pytest.mark.parametrize(
    ("words", "new"),
    [
        ("split on any whitespace", "return text.strip().split()"),
        ("it should split on whitespace", "return text.strip().split()"),
        ("split at every comma", 'return text.strip().split(",")'),
        ("split on semicolons", 'return text.strip().split(";")'),
    ],
)
def test_a_text_is_split_where_it_is_told(words: str, new: str) -> None:
    assert changed(words, WORDS)[1] == [new]


@pytest.mark.parametrize(
    ("words", "new"),
    [
        ("swap %d and %m", 'return day.strftime("%m.%d.%Y")'),
        ("exchange %Y with %d", 'return day.strftime("%Y.%m.%d")'),
        ("the format should be %Y-%m-%d", 'return day.strftime("%Y-%m-%d")'),
        ("use the date format '%Y/%m'", 'return day.strftime("%Y/%m")'),
    ],
)
def test_a_format_is_the_one_told(words: str, new: str) -> None:
    assert changed(words, STAMP)[1] == [new]


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("split on sentences", WORDS),
        ("swap %d and %S", STAMP),
        ("the format should be %Y-%m-%d", (*STAMP, 'OTHER = "%H:%M"')),
        ("the format should be nicer", STAMP),
        ("swap a and b", ("def f(a, b):", "    return g(a, 'a b')")),
    ],
)
def test_what_is_not_there_once_is_left(words: str, lines: tuple[str, ...]) -> None:
    assert changed(words, lines) == ([], [])
