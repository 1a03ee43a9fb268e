"""Statements moved to where the words tell."""

import pytest

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.statements.moving import moves
from spark_tui.editing.snippet import Snippet
from tests.editing.codemods.results import results

SEND = """\
def send(self, batch):
    self.sent = True
    for row in batch:
        limit = self.options["limit"]
        # nobody reads more than that
        text = render(row)[:limit]
        self.socket.write(text)
    with self.lock:
        now = clock()
        self.log.append(now)
    return now"""

HOISTED = """\
def send(self, batch):
    self.sent = True
    limit = self.options["limit"]
    for row in batch:
        # nobody reads more than that
        text = render(row)[:limit]
        self.socket.write(text)
    with self.lock:
        now = clock()
        self.log.append(now)
    return now"""

UNLOCKED = SEND.replace("    with self.lock:\n        now = clock()\n", "    now = clock()\n    with self.lock:\n")

FLAGGED = """\
def send(self, batch):
    for row in batch:
        limit = self.options["limit"]
        # nobody reads more than that
        text = render(row)[:limit]
        self.socket.write(text)
    self.sent = True
    with self.lock:
        now = clock()
        self.log.append(now)
    return now"""


def _moved(code: str, words: str, selected: tuple[int, int] | None = None) -> list[str]:
    return ["\n".join(lines) for lines in moves(Snippet(tuple(code.split("\n"))), Request(words, selected))]


@pytest.mark.parametrize(
    ("words", "after"),
    [
        ("`limit` is read every time round, set it above the loop", HOISTED),
        ("pull the limit out of the loop", HOISTED),
        ("the options lookup belongs in front of the for", HOISTED),
        ("why ask the clock while we hold the lock? before it, please", UNLOCKED),
        ("now can be taken outside of the lock", UNLOCKED),
        ("the sent flag should be set after writing", FLAGGED),
        ("set self.sent only after the loop", FLAGGED),
    ],
)
def test_a_statement_goes_where_the_words_tell(words: str, after: str) -> None:
    assert _moved(SEND, words)[0] == after


def test_it_stays_below_what_it_needs() -> None:
    assert not _moved(SEND, "move the text above the loop")


PAIR = "def stop(self):\n    self.close()\n    self.flush()\n    self.done = True"


@pytest.mark.parametrize(
    ("words", "selected"),
    [
        ("swap these", (1, 2)),
        ("wrong order: close, then flush", None),
        ("flush before close", None),
        ("flush first, then close", None),
        ("flush has to come first", None),
        ("close after the flush", None),
    ],
)
def test_neighbours_change_places(words: str, selected: tuple[int, int] | None) -> None:
    after = "def stop(self):\n    self.flush()\n    self.close()\n    self.done = True"
    assert _moved(PAIR, words, selected)[0] == after


@pytest.mark.parametrize("words", ["log the close before the flush", "add a comment above the flush"])
def test_what_is_to_be_added_is_not_moved(words: str) -> None:
    assert not _moved(PAIR, words)


def test_an_assignment_the_other_way_round() -> None:
    assert _moved("a = 1\nb.c = a", "this assignment is the wrong way round", (1, 1)) == ["a = 1\na = b.c"]


LOOKUP = """\
def find(self, key):
    try:
        found = self.rows[key]
    except KeyError:
        return None
    self.hits += 1
    return found"""


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        (
            "wouldn't a try/else be cleaner for the hits?",
            LOOKUP,
            LOOKUP.replace("    self.hits += 1", "    else:\n        self.hits += 1"),
        ),
        (
            "return True in the else",
            "try:\n    a()\n    b()\nexcept E:\n    c()",
            "try:\n    a()\nexcept E:\n    c()\nelse:\n    b()",
        ),
        (
            "I'd like an else for the second call",
            "def f():\n    if x:\n        return a\n    call(b)",
            "def f():\n    if x:\n        return a\n    else:\n        call(b)",
        ),
    ],
)
def test_into_an_else(words: str, before: str, after: str) -> None:
    assert after in _moved(before, words)


def test_an_else_that_is_to_go_gets_nothing() -> None:
    assert not _moved(LOOKUP, "no else here, please")


MADE = '''\
def make(self, name, kind):
    """Make it."""
    self.kind = kind
    self.name = name
    self.check()
    return self'''


@pytest.mark.parametrize(
    ("words", "order"),
    [
        ("set self.name before self.kind", [3, 2, 4]),
        ("the check should come before name is set", [2, 4, 3]),
        ("move the check to the top", [4, 2, 3]),
        ("after the check, set self.kind", [3, 4, 2]),
    ],
)
def test_a_statement_moves_to_where_it_is_told(words: str, order: list[int]) -> None:
    rows = MADE.split("\n")
    wanted = "\n".join([*rows[:2], *(rows[at] for at in order), rows[5]])
    assert results("replace_text", MADE, words)[:1] == [wanted]


@pytest.mark.parametrize("words", ["set self.kind before self.name", "move it", "call self.check before returning"])
def test_what_stands_where_it_is_told_stays(words: str) -> None:
    assert not [
        one for one in results("replace_text", MADE, words) if sorted(one.split("\n")) == sorted(MADE.split("\n"))
    ]
