"""Other ways to leave, and more values in messages, told in few words."""

import pytest

from spark_tui.editing.codemods.base import Request, applied, listed
from spark_tui.editing.codemods.registry import codemods, plain_kind
from spark_tui.editing.snippet import Snippet
from tests.editing.codemods.plain.test_plain_requests import changed

FIND = (
    "def find(users, name):",
    "    if users is None:",
    "        return None",
    "    for user in users:",
    "        if user.name == name:",
    "            return user",
    "    return False",
)
PAY = (
    "class Account:",
    "    def pay(self, amount):",
    "        if amount > self.balance:",
    '            print("too much")',
    "            return",
    "        self.balance -= amount",
    "",
    "    def close(self):",
    "        try:",
    "            self.link.close()",
    "        except OSError:",
    '            logger.error("cannot close")',
)
CHECK = (
    "def check(self, value):",
    "    if value < self.low or value > self.high:",
    '        raise ValueError("out of range")',
    '    print("ok %s" % value)',
)


@pytest.mark.parametrize(
    ("words", "row", "new"),
    [
        ("raise LookupError when there are no users", 2, '        raise LookupError("there are no users")'),
        ("return -1 if it's not found", 6, "    return -1"),
        ("return None instead of False", 6, "    return None"),
    ],
)
def test_a_way_out_that_is_there_becomes_another_one(words: str, row: int, new: str) -> None:
    before, request = Snippet(FIND), Request(words)
    (ops,) = listed(codemods()[plain_kind(before, request)], before, request) or ()
    assert applied(before, ops) == [*FIND[:row], new, *FIND[row + 1 :]]


def test_a_text_that_was_printed_is_raised_and_nothing_is_left_behind_it() -> None:
    gone, new = changed("raise ValueError instead of printing", PAY)
    assert gone == ['print("too much")', "return"]
    assert new == ['raise ValueError("too much")']


@pytest.mark.parametrize(
    ("words", "lines", "new"),
    [
        ("log the exception too", PAY, ["except OSError as exc:", 'logger.error("cannot close: %s", exc)']),
        ("say the bounds in the error", CHECK, ['raise ValueError(f"out of range: {self.low}, {self.high}")']),
        ("include the value in the error message", CHECK, ['raise ValueError(f"out of range: {value}")']),
        ("print low as well", CHECK, ['print("ok %s (%s)" % (value, self.low))']),
    ],
)
def test_a_message_shows_what_is_told(words: str, lines: tuple[str, ...], new: list[str]) -> None:
    assert changed(words, lines)[1] == new


@pytest.mark.parametrize("words", ["log the colour too", "raise ValueError instead of returning 3"])
def test_what_is_not_there_is_not_plain(words: str) -> None:
    assert changed(words, PAY) == ([], [])


@pytest.mark.parametrize(
    ("words", "new"),
    [
        ("users can be any iterable", "def find(users: Iterable, name):"),
        ("annotate users as an iterable of T and return T or None", "def find(users: Iterable[T], name) -> T | None:"),
    ],
)
def test_types_spoken_of_by_their_name(words: str, new: str) -> None:
    assert changed(words, FIND)[1] == [new]
