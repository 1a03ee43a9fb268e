"""Where words hardly ask for an edit, an edit that is not sure to be meant is not offered."""

import pytest

from spark_tui.session.rules.remarked import remarked

DOUBTFUL, SURE = 0.55, 0.99


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("this used to print the total", "does not read like a wish"),
        ("do f-strings call str or repr?", "a question"),
        ("I prefer early returns in general", "does not read like a wish"),
    ],
)
def test_what_is_only_said_of_the_code_is_told_to_be_so(words: str, told: str) -> None:
    assert told in remarked(words, DOUBTFUL)


@pytest.mark.parametrize(
    "words", ["add a docstring", "this is off by one", "shouldn't this be >=?", "rename d to total"]
)
def test_what_asks_is_not_held_up(words: str) -> None:
    assert not remarked(words, DOUBTFUL)


def test_the_surer_an_edit_is_meant_the_less_the_words_have_to_say() -> None:
    words = "i need os in this module"
    assert remarked(words, 0.4)
    assert not remarked(words, SURE)
