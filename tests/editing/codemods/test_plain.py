"""Requests that are read to their last word: one kind of edit, and only edits that are right."""

import pytest

from spark_tui.editing.codemods.base import Request, applied, listed
from spark_tui.editing.codemods.registry import codemods, plain_kind
from spark_tui.editing.snippet import Snippet

FUNCTION = ("def take(self, n, items=None):", '    """Take."""', "    rest = self.left - n", "    return items, rest")


def _answers(words: str, lines: tuple[str, ...] = FUNCTION) -> tuple[str, list[str]]:
    """The kind that is plainly meant, and what each of its edits adds."""
    before, request = Snippet(lines), Request(words)
    kind = plain_kind(before, request)
    found = listed(codemods()[kind], before, request) if kind else ()
    return kind, ["\n".join(line for line in applied(before, ops) if line not in lines) for ops in found or ()]


@pytest.mark.parametrize(
    ("words", "test"),
    [
        ("raise ValueError if n is negative", "n < 0"),
        ("raise a ValueError when n is less than or equal to zero", "n <= 0"),
        ("raise TypeError unless items is a list or a tuple", "not isinstance(items, (list, tuple))"),
        ("if n exceeds the left, raise ValueError", "n > self.left"),
        ("check that n is between 1 and 9", "not 1 <= n <= 9"),
        ("raise ValueError if n is negative or greater than 9", "n < 0 or n > 9"),
        ("n must not be None, otherwise raise TypeError", "n is None"),
        ("please raise ValueError in take if len(items) > 3", "len(items) > 3"),
    ],
)
def test_a_check_that_is_told_whole_is_read_as_that(words: str, test: str) -> None:
    kind, added = _answers(words)
    assert kind == "raise_if"
    assert added
    assert all(one.startswith(f"    if {test}:\n        raise ") for one in added)


def test_the_message_told_is_the_only_one() -> None:
    _, added = _answers('raise ValueError if n is negative with the message "no debts"')
    assert added == ['    if n < 0:\n        raise ValueError("no debts")']


@pytest.mark.parametrize(
    ("words", "leaving"),
    [
        ("return early if items is empty", "return"),
        ("return an empty list if items is empty", "return []"),
        ("if items is empty just return n", "return n"),
    ],
)
def test_what_is_given_back_is_what_is_told(words: str, leaving: str) -> None:
    assert _answers(words) == ("guard_clause", [f"    if not items:\n        {leaving}"])


def test_an_assertion_states_what_must_hold() -> None:
    assert _answers("assert that n is not zero") == ("insert_line", ["    assert n != 0"])


def test_a_check_of_a_local_value_stands_below_where_it_is_set() -> None:
    before, request = Snippet(FUNCTION), Request("raise ValueError if rest is negative")
    found = listed(codemods()["raise_if"], before, request) or ()
    assert {applied(before, ops).index("    if rest < 0:") for ops in found} == {3}


@pytest.mark.parametrize(
    "words",
    [
        "raise ValueError if n is negative, but log it first",
        "raise ValueError if the moon is full",
        "raise ValueError",
        "return early if items is shiny",
        "assert that it works",
        "raise TypeError if n is not a nice thing",
    ],
)
def test_what_is_not_read_to_its_last_word_is_not_read_so(words: str) -> None:
    assert _answers(words) == ("", [])


def test_a_check_that_is_there_is_not_made_again() -> None:
    lines = ("def half(n):", "    if n < 0:", "        raise ValueError(n)", "    return n / 2")
    assert _answers("raise ValueError if n is negative", lines) == ("", [])


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("don't use a mutable default", "mutable_default"),
        ("please never use mutable defaults here", "mutable_default"),
        ("no bare except", "narrow_except"),
        ("avoid `== None`", "is_none"),
        ("don't use a with statement", ""),
        ("don't use a mutable default in the docs", ""),
    ],
)
def test_to_be_without_a_fault_is_to_have_it_mended(words: str, kind: str) -> None:
    lines = ("def f(a, b=[]):", "    try:", "        a()", "    except:", "        return a == None")
    assert _answers(words, lines)[0] == kind
    assert _answers(words)[0] == ""
