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
        ("add a docstring to total and use a comprehension", "to budget"),
        ("change 1 to 2 and move it to the end", "to budget and add a docstring"),
    ],
)
def test_other_words_stand_for_themselves(asked: str, words: str) -> None:
    assert joined(asked, words) == words


BOTH = "change the default limit to 20 and rename w to word in count"


@pytest.mark.parametrize(
    ("asked", "words", "step", "then"),
    [
        (BOTH, "to term instead", 1, "change the default limit to 20 and rename w to term in count"),
        (BOTH, "to term instead", 2, "change the default limit to 20 and rename w to term in count"),
        (BOTH, "no, 30", 2, "change the default limit to 30 and rename w to word in count"),
        ("add a docstring to f, then rename w to word", "to term", 1, "add a docstring to f, then rename w to term"),
        ("rename a to b; rename c to d", "to e", 1, "rename a to e; rename c to d"),
        ("rename a to b; rename c to d", "to e", 2, "rename a to b; rename c to e"),
        ("set x to 1. set y to 2", "to LIMIT", 2, "set x to 1. set y to LIMIT"),
        ('set x to 1\nset y to "a"', "to 'b'", 1, "set x to 1\nset y to 'b'"),
        ("change x to True and rename a to b", "to None", 2, "change x to None and rename a to b"),
        ("rename a to b and add a return type", "to c", 2, "rename a to c and add a return type"),
    ],
)
def test_of_several_steps_the_one_that_a_value_fits_takes_it_and_the_others_stay(
    asked: str, words: str, step: int, then: str
) -> None:
    assert joined(asked, words, step) == then
