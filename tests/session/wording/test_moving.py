"""Whether words move a turn to another function, and what is asked for there."""

import pytest

from spark_tui.context.symbols import Symbol
from spark_tui.session.wording.moving import moved_to, named_in, points_elsewhere, same_request

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


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("speed the load up", "load"),
        ("fix Book.add", "Book.add"),
        ("debug save", "save"),
        ("fix the load and the save", None),
        ("fix the add", None),
        ("add a load", None),
        ("rename x to save", None),
        ("add a parameter save", None),
        ("fix the save-button", None),
        ("fix the path", None),
    ],
)
def test_words_speak_of_the_one_function_that_they_call_by_its_name(words: str, name: str | None) -> None:
    found = named_in(words, SYMBOLS, ["def open(path):", "    return path"])
    assert (found.name if found else None) == name


@pytest.mark.parametrize("line", ["load = 1", "return load", "self.load(load=1)"])
def test_what_is_a_variable_where_the_turn_was_is_meant_there(line: str) -> None:
    assert named_in("fix the load", SYMBOLS, [line]) is None


def test_a_call_where_the_turn_was_is_no_variable() -> None:
    found = named_in("fix the load", SYMBOLS, ["return load() + self.load"])
    assert found is not None
    assert found.name == "load"


@pytest.mark.parametrize(
    ("words", "elsewhere"),
    [("in app.js fix it", True), ("fix it in lib/a.py", True), ("fix it in a.py", False), ("fix a.b", False)],
)
def test_another_file_is_pointed_at(words: str, elsewhere: bool) -> None:
    assert points_elsewhere(words, "src/a.py") is elsewhere
