"""A request is told from what is only said of the code, whatever names and numbers it holds."""

import pytest

from spark_tui.editing.remarks import Remarks, shipped, traits

REMARKS = [
    "we had a with statement here once",
    "I still need that print",
    "is the else after continue needed?",
    "Anna renamed rows in March",
    "someday we should rename this",
    "why is limit an int and not a float?",
    "I prefer f-strings in general",
    "actually never mind the guard",
]
REQUESTS = [
    "add a docstring to load",
    "rename d to total",
    "use an f-string",
    "sort the imports",
    "we don't need the print any more, remove it",
    "could you rename rows to entries?",
    "shouldn't this be >= instead?",
    "raise ValueError if n is negative",
    "always returns 0",
    "crashes when the file is missing",
]


@pytest.mark.parametrize("words", REMARKS)
def test_what_is_only_said_of_the_code_is_likelier_no_request(words: str) -> None:
    assert shipped().log_odds(words) < 0


@pytest.mark.parametrize("words", REQUESTS)
def test_what_asks_for_an_edit_is_likelier_a_request(words: str) -> None:
    assert shipped().log_odds(words) > 0


def test_names_and_numbers_of_the_code_do_not_count() -> None:
    one, other = "is `rows` ever 12 in load_user?", "is `ids` ever 7 in keep_all?"
    assert traits(one) == traits(other)
    assert shipped().log_odds(one) == shipped().log_odds(other)


def test_what_is_written_is_read_again() -> None:
    data = shipped().to_bytes()
    again = Remarks.from_bytes(data)
    assert again.to_bytes() == data
    assert [again.log_odds(words) for words in REMARKS] == [shipped().log_odds(words) for words in REMARKS]
