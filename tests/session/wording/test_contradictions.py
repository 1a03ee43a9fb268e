"""A request whose parts do not go together is asked back; one that only sounds like it is done."""

import pytest

from spark_tui.session.wording.contradictions import contradiction


@pytest.mark.parametrize(
    "words",
    [
        "change the limit to 20 and change the limit to 30",
        "set retries to 5, set retries to 7",
        "change 5 to 6 and 5 to 7",
        "rename s to total and rename s to acc",
        "sort descending and ascending",
        "remove the print and keep the print",
        "remove the print but keep it",
        "keep the print and remove the print",
        "remove the unused variable and keep the unused variable",
        "remove the TODO comment but leave the TODO comment",
        "use >= 18 but keep > 18",
        "change retries to 5 and leave retries at 3",
        "rename s to total but keep the name s",
        "rename `s` to `total` but don't rename s",
        "use with but without with",
        "add a docstring but no docstring",
        "add type hints, but don't add type hints",
        "make it a list comprehension but keep the loop",
        "turn it into an f-string and keep the %",
        "make it a ternary but keep the if",
        "add a default of None and remove the default",
        "invert the if but do not change the if",
    ],
)
def test_two_parts_that_do_not_go_together_are_told(words: str) -> None:
    told = contradiction(words)
    first, second = told.split("”")[0].removeprefix("“"), told.split("“")[2].split("”")[0]
    assert first in words
    assert second in words
    assert told.endswith("do not go together; say the one that is meant")


@pytest.mark.parametrize(
    "words",
    [
        "change the limit to 20 and change the size to 20",
        "change the first 5 to 6 and the second 5 to 7",
        "rename s to total and t to acc",
        "sort by name ascending and by age descending",
        "sort ascending, not descending",
        "sort descending instead of ascending",
        "remove the print but keep the blank line",
        "remove the unused import and keep the other imports",
        "remove the duplicate check but keep the check for None",
        "use >= 18 and keep the order",
        "rename s to total but keep s in the docstring",
        "change the limit to 20 but keep the limit a constant",
        "remove the docstring and add a new docstring that says what it returns",
        "add a docstring but no type hints",
        "add a comment about retries and remove the old comment",
        "add a return type and remove the return",
        "make it a list comprehension but keep the loop variable",
        "turn it into an f-string and keep the quotes",
        "invert the if but do not change the else",
        "extract the check into a function and keep it private",
        "use x = 1; then y -> 2",
    ],
)
def test_parts_that_go_together_are_left_alone(words: str) -> None:
    assert contradiction(words) == ""
