"""Whether words move a turn to another function, and what is asked for there."""

import pytest

from spark_tui.context.symbols import Symbol
from spark_tui.session.moving import moved_to, same_request

SYMBOLS = (
    Symbol("load", "function", 1, 9),
    Symbol("save", "function", 11, 19),
    Symbol("Book", "class", 21, 39),
    Symbol("Book.add", "method", 23, 29),
    Symbol("Page", "class", 41, 59),
    Symbol("Page.add", "method", 43, 49),
)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("no, in save instead", "save"),
        ("not in load, in save", "save"),
        ("rename it in the function save", "save"),
        ("no, save", "save"),
        ("do it within Book.add", "Book.add"),
        ("in add", None),
        ("rename it to save", None),
        ("call save() here instead", None),
        ("keep it in load", None),
        ("not in save", None),
        ("in save and in Book", None),
        ("in fewer lines", None),
        ("open the file with a context manager", None),
    ],
)
def test_words_move_to_the_one_other_place_that_they_name(words: str, name: str | None) -> None:
    found = moved_to(words, SYMBOLS, "load")
    assert (found.name if found else None) == name


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("no, in save instead", "rename path to target in save"),
        ("rename it in save", "rename path to target in save"),
        ("rename path in save", "rename path in save"),
        ("add a docstring in save", "add a docstring in save"),
    ],
)
def test_words_that_only_say_where_take_what_was_asked_before_along(words: str, asked: str) -> None:
    assert same_request(words, "rename path to target in load", "save", "load") == asked
