"""Checks that are told by the state of a value and what becomes of it are read as checks."""

import pytest

from tests.editing.codemods.plain.test_plain_requests import changed

LINES = ("def mean(values, weights=None):", "    total = sum(values)", "    return total / len(values)")
TWO = ("def join(left, right):", "    return left + right")


@pytest.mark.parametrize(
    ("words", "new"),
    [
        ("an empty list should return 0", ["if not values:", "return 0"]),
        ("None should just give back an empty string", ["if values is None:", 'return ""']),
        ("return 0 for empty values", ["if not values:", "return 0"]),
        ("for None return 0", ["if values is None:", "return 0"]),
        ("if None, return 0", ["if values is None:", "return 0"]),
        ("None -> 0", ["if values is None:", "return 0"]),
        ("values can be None, return 0 then", ["if values is None:", "return 0"]),
        ("raise TypeError('no values') for None", ["if values is None:", "raise TypeError('no values')"]),
    ],
)
def test_a_state_and_what_becomes_of_it_make_a_check(words: str, new: list[str]) -> None:
    assert changed(words, LINES)[1] == new


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("None should return 0", TWO),
        ("empty totals should return 0", LINES),
        ("empty values should be skipped", LINES),
        ("return something for None", LINES),
    ],
)
def test_what_is_not_told_is_not_made_up(words: str, lines: tuple[str, ...]) -> None:
    assert changed(words, lines) == ([], [])
