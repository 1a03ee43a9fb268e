"""Phrases, words and signs told for docstrings, comments and texts."""

import pytest

from spark_tui.editing.codemods.base import Request, applied, listed
from spark_tui.editing.codemods.prose.phrases import phrase_edits
from spark_tui.editing.codemods.prose.prose_words import prose_edits
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.snippet import Snippet


def _made(before: str, words: str) -> list[str]:
    snippet = Snippet(tuple(before.split("\n")))
    return [
        "\n".join(applied(snippet, ops))
        for kind in ("replace_text", "change_message")
        for ops in listed(codemods()[kind], snippet, Request(words)) or ()
    ]


DOC = 'def seat(row):\n    """{}"""\n    return row * 2'
NOTE = "def seat(row):\n    # {}\n    return row * 2"
ERROR = "def seat(row):\n    if row < 0:\n        raise ValueError({})\n    return row * 2"


@pytest.mark.parametrize(
    ("form", "old", "words", "new"),
    [
        (DOC, "Find whether seat is free.", 'shouldn\'t it say "the seat"?', "Find whether the seat is free."),
        (DOC, "Seats of the upper row", 'docstring: "the upper rows"', "Seats of the upper rows"),
        (DOC, "Count the seats.", '"... the seats of a row."', "Count the seats of a row."),
        (DOC, "Called more than one time.", '"more than one time"? It\'s more than once.', "Called more than once."),
        (NOTE, "nobody sits there", 'the comment: "nobody sits there yet"', "nobody sits there yet"),
        (NOTE, "at least two rows", "a digit please, 'at least 2'", "at least 2 rows"),
        (NOTE, "Oops. The row was taken.", '"Oops." says nothing, cut it', "The row was taken."),
        (NOTE, "until the guests to leave", "lose the 'to' in the comment", "until the guests leave"),
        (DOC, "Rows pointing the stage.", 'lacks a "to" after "pointing"', "Rows pointing to the stage."),
        (DOC, 'Is "one", "two" or None', "comma in front of `or None` in the docstring", 'Is "one", "two", or None'),
        (DOC, "Double the row", "the docstring lacks a full stop", "Double the row."),
        (NOTE, "see http://hall.org/rows", "https in the link", "see https://hall.org/rows"),
        (DOC, "Free a old seat.", 'it is "an old seat"', "Free an old seat."),
        (NOTE, "Copyright 2011-2015 The Hall", "copyright goes to 2024", "Copyright 2011-2024 The Hall"),
        (NOTE, "as the Hall package does", 'lowercase "hall"', "as the hall package does"),
        (DOC, "Raises SIGALRM.", "it's SIGKILL, the docs lie", "Raises SIGKILL."),
        (ERROR, '"no such row here"', 'say "no such row {row} here"', 'f"no such row {row} here"'),
        (ERROR, '"row is old"', 'shouldn\'t it read "old and out of use"?', '"row is old and out of use"'),
    ],
)
def test_a_phrase_or_a_word_told_goes_where_it_belongs(form: str, old: str, words: str, new: str) -> None:
    assert form.format(new) in _made(form.format(old), words)


@pytest.mark.parametrize(
    "words",
    ['below 0 is a TypeError("the row must be positive")', "write `the row.seats` there", 'no-any-return "str"'],
)
def test_what_is_no_phrase_for_people_changes_no_docstring(words: str) -> None:
    before = Snippet(tuple(DOC.format("Double the row of str.").split("\n")))
    assert not list(phrase_edits(before, Request(words), ("docstring",)))
    assert not list(prose_edits(before, Request(words)))
