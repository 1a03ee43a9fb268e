"""A piece of code alone is no wish; the name of an edit is, and so is what tells a place and a value."""

import pytest

from spark_tui.session.wording.lone import lone

NAMES = frozenset(["s", "limit", "print", "range", "enumerate", "docstring"])


@pytest.mark.parametrize(
    "words",
    ["%s", "%d", "`ls`", '"foo"', "`a` `b`", "`a` and `b`", "$1", "-1", "x = 1", 'f""', "s", "limit?", "with", "async",
     "return", "x += 1"],
)  # fmt: skip
def test_a_piece_of_code_alone_is_asked_about(words: str) -> None:
    assert lone(words, NAMES, pointed=False).startswith("what is to be done with ")


@pytest.mark.parametrize("words", ["s", "limit", "x = 1", "`ls`", '"foo"'])
def test_it_is_also_where_lines_are_chosen(words: str) -> None:
    assert lone(words, NAMES, pointed=True)


@pytest.mark.parametrize("words", ["await", "break", "and", "-1"])
def test_what_is_missing_in_chosen_lines_may_be_told_alone(words: str) -> None:
    assert lone(words, NAMES, pointed=True) == ""


@pytest.mark.parametrize(
    "words",
    ["docstring", "f-string", "type hints", "enumerate", "simplify", "rename s", "`a` -> `b`", "s -> total", "limit=5",
     "limit = 5", "@property", "F401", '"""Fetch a page."""', "`if limit is None:`", "remove `ls`", "ZeroDivisionError",
     "NameError: name 'x' is not defined", "self.limit", '"foo" instead of "bar"'],
)  # fmt: skip
def test_a_wish_is_none(words: str) -> None:
    assert lone(words, NAMES, pointed=False) == ""
