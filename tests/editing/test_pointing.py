"""Which lines words point at by what stands there."""

import pytest

from spark_tui.editing.pointing import Pointing

LINES = (
    "def first(rows):",
    "    for row in rows:",
    "        if row.good:",
    "            return row",
    "    for row in rows:",
    "        log.warning('bad %s', row)",
    "    return None",
)


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("the second loop is not needed", 4),
        ("last return should be False", 6),
        ("the first return", 3),
        ("in the first for loop", 1),
        ("1st condition is wrong", 2),
    ],
)
def test_a_line_told_by_its_number_among_its_sort(said: str, line: int) -> None:
    pointing = Pointing(LINES, said)
    assert [pointing.numbered({at}) for at in range(len(LINES))] == [int(at == line) for at in range(len(LINES))]


@pytest.mark.parametrize("said", ["the third loop", "the last try", "first things first", "second"])
def test_what_is_not_there_points_nowhere(said: str) -> None:
    assert Pointing(LINES, said).numbered(range(len(LINES))) == 0


def test_sorts_of_lines_that_are_named_are_hit_or_missed() -> None:
    pointing = Pointing(LINES, "log it before we return")
    assert pointing.hits({5}) == (1, 1)
    assert pointing.hits({5, 6}) == (2, 0)
    assert pointing.hits(()) == (0, 2)
