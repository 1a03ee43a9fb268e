"""Assignments that are told by their name."""

import pytest

from spark_tui.context.constants import constants_told

LINES = """MAX_SIZE = 3
names = ["a"]
depth = 1
COLORS = {
    "low": "grey",
}
class Box:
    width = 60
    def grow(self, depth):
        limit = 5
""".splitlines()


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("bump MAX_SIZE to 9", "MAX_SIZE"),
        ("the max size should be 9", "MAX_SIZE"),
        ("add b to the names list", "names"),
        ("add high red to COLORS", "COLORS"),
        ("please make the width 80", "width"),
    ],
)
def test_an_assignment_of_a_module_or_class_is_found_by_its_name(words: str, name: str) -> None:
    assert [one.name for one in constants_told(words, LINES)] == [name]


@pytest.mark.parametrize(
    "words",
    ["use MAX_SIZE instead of 3", "set the limit to 6", "set depth to 2", "bump it to 9", "rename MAX_SIZE to LIMIT"],
)
def test_what_is_set_elsewhere_or_only_used_is_not(words: str) -> None:
    assert constants_told(words, LINES) == []


def test_all_lines_of_it_are_meant() -> None:
    assert [one[1:] for one in constants_told("add high red to COLORS", LINES)] == [(4, 6)]
