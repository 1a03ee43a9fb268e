import pytest

from spark_tui.editing.codemods.use_constant import UseConstant
from tests.editing.codemods.tables import listed

PAIRS = [
    ("SIZE = 30\nx = f(30)", "", "SIZE = 30\nx = f(SIZE)"),
    ("class A:\n    N = 9\n    def f(self):\n        9", "", "class A:\n    N = 9\n    def f(self):\n        self.N"),
    ("def f(a=SIZE):\n    return 30", "use SIZE instead of 30", "def f(a=SIZE):\n    return SIZE"),
    ("def f(size):\n    return 30", "use size instead of 30", "def f(size):\n    return size"),
    ("n = 1\nx = f(1)", "use n", "n = 1\nx = f(n)"),
    ("x = MODE\ny = 'r'", "MODE instead of 'r'", "x = MODE\ny = MODE"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "instruction", "after"), PAIRS)
def test_the_name_takes_the_place_of_the_literal(before: str, instruction: str, after: str) -> None:
    assert listed(UseConstant(), before, instruction) == [after]


@pytest.mark.parametrize(
    "before", ["ONE = 1\nx = 1", "x = f(30)\nSIZE = 30", "SIZE = 30\nSIZE = 31\nx = 30", "n = 30\nx = 30"]
)  # fmt: skip
def test_trivial_values_and_later_names_are_not_taken(before: str) -> None:
    assert listed(UseConstant(), before) == []


def test_the_selection_tells_the_literal() -> None:
    before = "f(SIZE)\nx = 10\ny = 20"
    assert listed(UseConstant(), before, "use SIZE here", (1, 1)) == ["f(SIZE)\nx = SIZE\ny = 20"]
