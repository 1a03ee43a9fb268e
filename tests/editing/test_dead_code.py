"""Code that does nothing, before an edit and after it."""

import pytest

from spark_tui.editing.dead_code import more_waste
from spark_tui.editing.snippet import Snippet

MERGE = "def merge(a, b):\n    c = a.copy()\n    c.update(a)\n    return c"
LONGEST = "def longest(words):\n    for word in words:\n        best == word\n    return best"
EACH = "def each(calls):\n    for call in calls:\n        call()\n    return calls"

DOWN = "def down(count):\n    while count > 0:\n        print(1)\n        count -= 1"
TAKEN = "def taken(items):\n    while items:\n        items.pop()\n        print(1)"


@pytest.mark.parametrize(
    ("before", "old", "new", "more"),
    [
        (MERGE, "update(a)", "update(b)", -1),
        (MERGE, "return c", "return a", 0),
        (MERGE, "a.copy()", "b.copy()", -1),
        (MERGE, "c.update(a)\n    return c", "return a", 1),
        (LONGEST, "best ==", "best =", -1),
        (EACH, "        call()", "        return call()", 1),
        (EACH, "call()", "call(", 0),
        (DOWN, "        count -= 1", "", 1),
        (DOWN, "        count -= 1", "        return", 1),
        (TAKEN, "        print(1)", "", 0),
        (TAKEN, "        items.pop()\n", "", 1),
    ],
)
def test_an_edit_can_leave_more_of_it_or_less(before: str, old: str, new: str, more: int) -> None:
    assert more_waste(*(Snippet(tuple(code.split("\n"))) for code in (before, before.replace(old, new)))) == more
