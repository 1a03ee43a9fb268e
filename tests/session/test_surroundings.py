"""What a file tells of a part of it."""

import pytest

from spark_tui.context.regions import Region
from spark_tui.session.surroundings import around

FILE = ["import os", "import re", "log = os", "", "def f():", "    import json", "    return 1"]


@pytest.mark.parametrize(
    ("first", "last", "words", "unused"),
    [
        (1, 2, "remove the unused imports", {(1, "re")}),
        (5, 7, "remove json", {(1, "json")}),
        (1, 2, "rename os to system", None),
        (1, 7, "remove the unused imports", None),
        (3, 4, "remove the unused imports", None),
    ],
)
def test_the_imports_of_a_part_that_all_of_the_file_leaves_unused_are_known(
    first: int, last: int, words: str, unused: set[tuple[int, str]] | None
) -> None:
    found = around(FILE, Region("a.py", first, last, None, None, "", "lines"), words)
    assert found.unused == unused
    assert found.opens is (first == 1)


def test_of_a_file_that_cannot_be_read_nothing_is_known() -> None:
    assert around([*FILE, "def"], Region("a.py", 1, 2, None, None, "", "lines"), "unused imports").unused is None
