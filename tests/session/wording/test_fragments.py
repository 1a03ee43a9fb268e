"""Words that correct a request, and what is asked for then."""

import pytest

from spark_tui.session.wording.fragments import joined

RENAME = "rename d to expenses in total"


@pytest.mark.parametrize(
    ("asked", "words", "then"),
    [
        (RENAME, "to budget instead", "rename d to budget in total"),
        (RENAME, "to budget", "rename d to budget in total"),
        (RENAME, "no, budget", "rename d to budget in total"),
        (RENAME, "no, to `budget`", "rename d to `budget` in total"),
        (RENAME, "but to budget, please", "rename d to budget in total"),
        (RENAME, "instead budget", "rename d to budget in total"),
        (RENAME, "rather budget.", "rename d to budget in total"),
        (RENAME, "not expenses, budget", "rename d to budget in total"),
        (RENAME, "not to expenses but to budget", "rename d to budget in total"),
        (RENAME, "no, call it budget instead", "rename d to budget in total"),
        (RENAME, "to budget, not expenses", "rename d to budget in total"),
        ("rename row", "to entry", "rename row to entry"),
        ("rename row in", "to entry", "rename row to entry"),
        ("rename row in store.py::load", "to entry", "rename row to entry in store.py::load"),
        ("rename the parameter row in", "to `entry`", "rename the parameter row to `entry`"),
        ("add a docstring and rename row", "to entry please", "add a docstring and rename row to entry"),
        ("change the timeout to 30", "no, 60", "change the timeout to 60"),
        ('set the greeting to "hi"', 'to "hello there" instead', 'set the greeting to "hello there"'),
    ],
)
def test_a_value_alone_takes_the_place_of_the_earlier_one(asked: str, words: str, then: str) -> None:
    assert joined(asked, words) == then


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (RENAME, "rename k to key"),
        (RENAME, "no, keep the print"),
        (RENAME, "not in the loop"),
        (RENAME, "no"),
        (RENAME, "no, stop"),
        (RENAME, "not expenses"),
        (RENAME, "budget"),
        (RENAME, "but only the first one"),
        ("add a docstring to total", "to show instead"),
        ("use a comprehension", "to budget"),
        ("rename d to e and change 1 to 2", "to budget"),
    ],
)
def test_other_words_stand_for_themselves(asked: str, words: str) -> None:
    assert joined(asked, words) == words
