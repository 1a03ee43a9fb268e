"""Whoever tells a story wants no edit; whoever wishes for one in the same words does."""

import pytest

from spark_tui.context.narrated import is_narrated


@pytest.mark.parametrize(
    "words",
    [
        "I wish I had used an f-string back then",
        "we wish you were here in the loop",
        "if only we had added type hints",
        "had I known, I would have returned earlier",
        "they used to open files by hand",
        "yesterday we sorted the office",
        "back in the day there were no tuples",
        "last winter my lambda was cold",
        "does anybody still use percent formatting these days?",
        "has everyone got a dict",
        "who invented the walrus operator",
        "when was the with statement introduced",
    ],
)
def test_what_was_or_what_others_do_is_no_wish(words: str) -> None:
    assert is_narrated(words)


@pytest.mark.parametrize(
    "words",
    [
        "I wish this was an f-string",
        "if only one is left, return it",
        "we used to return a list, now it should be a tuple",
        "yesterday we renamed s to t, but it should be total",
        "last week my change broke the default: put it back",
        "does anybody use suppress in this file?",
        "does not work for an empty list",
        "who is None must not be greeted, skip it",
        "when is_open, return early",
        "once we have a match, stop",
    ],
)
def test_a_wish_that_tells_of_others_is_still_a_wish(words: str) -> None:
    assert not is_narrated(words)
