"""Pastes of any size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.safe_text import is_plain
from spark_tui.tui.pastes import Pastes, as_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("short", "short"),
        ("two\nlines", "two\nlines"),
        ("x\n" * 300, "[pasted 300 lines]"),
        ("x" * 700, "[pasted 700 characters]"),
        ("x" * 200_000, "[pasted 200000 characters]"),
    ],
)
def test_what_is_long_is_shown_in_a_few_words(text: str, shown: str) -> None:
    assert Pastes().fold(text) == shown


def test_two_pastes_of_one_size_have_words_of_their_own_and_one_paste_has_the_same_ones_again() -> (
    None
):
    pastes = Pastes()
    first, second = pastes.fold("a\n" * 9), pastes.fold("b\n" * 9)
    assert (first, second) == ("[pasted 9 lines]", "[pasted 9 lines, 2]")
    assert pastes.fold("a\n" * 9) == first
    assert (
        pastes.unfold(f"fix {second} and {first}!")
        == "fix " + "b\n" * 9 + " and " + "a\n" * 9 + "!"
    )
    assert pastes.before(f"fix {second}") == len(second)
    assert pastes.before(f"fix {second} ") == 0


@given(st.text())
def test_whatever_is_pasted_comes_back_legible_and_in_full(text: str) -> None:
    pastes = Pastes()
    assert pastes.unfold(pastes.fold(text)) == as_lines(text)
    assert all(is_plain(line) for line in as_lines(text).split("\n"))
