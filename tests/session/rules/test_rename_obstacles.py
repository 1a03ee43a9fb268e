"""A renaming renames names: what only stands within a text is none."""

import pytest

from spark_tui.context.regions import Region
from spark_tui.session.rules.facts import Code
from spark_tui.session.rules.obstacles import absence


def _told(words: str, line: str) -> str:
    lines = ("def stamp(when):", f"    {line}", "    return when")
    return absence(
        words, Code(words, "a.py:1-3 (stamp)", Region("a.py", 1, 3, "stamp", None, "", "name"), lines, lines)
    )


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("rename d to expenses", 'parse(when, "%Y-%d-%m")'),
        ("rename the variable m to month", 'parse(when, "%Y-%d-%m")'),
        ("rename cost to price", 'print("the cost of it")'),
        ("rename cost to price", 'print(f"the cost of {when}")'),
    ],
)
def test_a_piece_of_a_text_is_no_name(words: str, line: str) -> None:
    assert ", only a text with " in _told(words, line)
    assert _told(words, line).startswith("there is no name ")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("rename when to moment", 'print("when")'),
        ("rename cost to price", 'print(f"the cost of {cost}")'),
        ("rename cost to price", 'print("the {cost}".format(cost=when))'),
        ("rename cost to price", 'print("the %(cost)s" % when)'),
        ("rename cost to price", 'when["cost"]'),
        ("rename cost to price", 'print("the `cost` is missing")'),
        ("rename cost to price", 'send(cost=when, text="the cost of it")'),
        ("rename cost to price in the message", 'print("the cost of it")'),
        ("rename the key cost to price", 'print("the cost of it")'),
    ],
)
def test_a_name_a_field_a_key_and_what_is_quoted_are(words: str, line: str) -> None:
    assert _told(words, line) == ""
