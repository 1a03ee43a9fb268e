import pytest

from spark_tui.editing.codemods.add_eq import AddEq
from tests.editing.codemods.table import afters

POINT = """class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y
        self._size = None

    def __repr__(self):
        return ""
"""
EQ = """
    def __eq__(self, other):
        if not isinstance(other, Point):
            return NotImplemented
        return {}"""
HASH = """

    def __hash__(self):
        return hash((self.x, self.y))"""


@pytest.mark.parametrize(
    ("instruction", "comparison"),
    [
        ("add __eq__", "(self.x, self.y) == (other.x, other.y)"),
        ("two are equal when x is", "self.x == other.x"),
        ("make it comparable and hashable", "(self.x, self.y) == (other.x, other.y)" + HASH),
    ],
)
def test_attributes_are_compared_behind_repr(instruction: str, comparison: str) -> None:
    assert afters(AddEq(), POINT, instruction)[0] == POINT + EQ.format(comparison)


def test_long_comparisons_get_a_line_for_each_attribute() -> None:
    names = [f"attribute_number_{n}" for n in range(3)]
    before = "class P:\n    def __init__(self) -> None:\n" + "\n".join(f"        self.{name} = 0" for name in names)
    lines = afters(AddEq(), before)[0].split("\n")[-8:]
    assert lines[0] == "    def __eq__(self, other: object) -> bool:"
    assert lines[3:6] == [
        "        return (",
        "            self.attribute_number_0 == other.attribute_number_0",
        "            and self.attribute_number_1 == other.attribute_number_1",
    ]


def test_a_class_that_has_one_stays() -> None:
    assert afters(AddEq(), POINT + EQ.format("True"), "add __eq__") == []


def test_a_hash_is_over_what_is_compared() -> None:
    code = "    def __eq__(self, other):\n        return self._a == other._a and self.b == other.b"
    said = "sets are broken!! add __hash__ over a and b"
    assert f"{code}\n\n    def __hash__(self):\n        return hash((self._a, self.b))" in afters(AddEq(), code, said)
