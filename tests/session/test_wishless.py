"""Whoever wants nothing changed is told why nothing is, in words that fit."""

import pytest

from spark_tui.session.wishless import no_request


def test_of_what_not_to_do_only_what_to_do_instead_is_asked_for() -> None:
    assert "“work on a copy”" in no_request(words="don't modify the input list, work on a copy.")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("don't touch foo, it works", "not to do"),
        ("avoid touching the print", "not to do"),
        ("how would you add a docstring?", "a question"),
        ("why is this slow?", "a question"),
        ("do you like list comprehensions", "a question"),
        ("the print was removed yesterday", "what was"),
        ("I wish I had used an f-string back then", "what was"),
        ("hello", "hello; say"),
        ("hey!", "hello; say"),
        ("thanks", "you are welcome; say"),
        ("thank you spark", "you are welcome; say"),
    ],
)
def test_what_is_said_fits_the_words(words: str, told: str) -> None:
    assert told in no_request(words=words)


def test_a_fault_that_is_not_there_is_named() -> None:
    assert no_request("bare except", "no bare except") == "there is no bare except here"
