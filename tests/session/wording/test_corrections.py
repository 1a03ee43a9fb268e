"""Who corrects a request within it gets what was said last, or is asked what that is about."""

import pytest

from spark_tui.session.wording.corrections import corrected, unclear


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("set retries to 5, no, to 3", "set retries to 3"),
        ("set retries to 5, no, 3", "set retries to 3"),
        ("set retries to 5 - no wait, make it 3", "set retries to 3"),
        ("set retries to 5 in fetch, no, to 3", "set retries to 3 in fetch"),
        ("set retries to 5 in fetch, I mean 3", "set retries to 3 in fetch"),
        ("change the limit to 20... no, 30", "change the limit to 30"),
        ("make it return -1, no, 0", "make it return 0"),
        ("default to 3, er, 4", "default to 4"),
        ("add a return type of int, I mean float", "add a return type of float"),
        ("add a return type of int in fetch, I mean float", "add a return type of float in fetch"),
        ("add a hint list of int, I mean list[str]", "add a hint list[str]"),
        ("catch ValueError, I meant KeyError", "catch KeyError"),
        ("change the operator to >=, no, to >", "change the operator to >"),
        ('change "foo" to "bar", sorry, "baz"', 'change "foo" to "baz"'),
        ("rename s to total, no, to result", "rename s to result"),
        ("rename s to total. actually call it acc", "rename s to acc"),
        ("rename s to total, or rather result", "rename s to result"),
        ("rename s to total, no, rename s to acc", "rename s to acc"),
        ("rename s to total, scratch that, add a docstring", "add a docstring"),
        ("add a docstring, I mean a comment", "add a comment"),
    ],
)
def test_the_last_word_holds(words: str, meant: str) -> None:
    assert corrected(words) == meant
    assert unclear(words) == ""


@pytest.mark.parametrize(
    "words",
    ["change limit to 5, I mean retries", "use > instead of >=, no, ==", "add type hints in fetch, no, names"],
)
def test_what_a_last_word_is_about_is_asked_where_that_is_not_plain(words: str) -> None:
    assert corrected(words) == words
    assert unclear(words).startswith("what does “")


@pytest.mark.parametrize(
    "words",
    [
        "set retries to 3, not 5",
        "add a comment, no docstring",
        "add type hints, make it async",
        "use >= rather than >",
        "return a tuple, rather than a list",
        "it returns None, I think, and should return 0",
        "no, use a set",
        "sort the imports, no need for a blank line",
        "rename s to total, no abbreviations please",
        "remove the print, it is actually unused",
        'change "no, thanks" to "no"',
    ],
)
def test_other_words_are_left_as_they_are(words: str) -> None:
    assert corrected(words) == words
    assert unclear(words) == ""
