import pytest

from spark_tui.editing.codemods.remove_hints import RemoveHints
from tests.editing.codemods.tables import listed

PAIRS = [
    ("def f(a: int, *b: str, c: list[int] = None) -> None:\n    pass", "def f(a, *b, c=None):\n    pass"),
    ("def f(\n    a: int,\n    b: str = 'x',\n) -> int:\n    pass", "def f(\n    a,\n    b='x',\n):\n    pass"),
    ("x: int = 1", "x = 1"),
]


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_all_hints_go(before: str, after: str) -> None:
    assert listed(RemoveHints(), before)[0] == after


@pytest.mark.parametrize("before", ["def f(a, b=1):\n    pass", "class A:\n    x: int = 1", "x: int"])
def test_fields_and_declarations_stay(before: str) -> None:
    assert listed(RemoveHints(), before) == []


def test_the_words_say_which() -> None:
    before = "def f(a: int, b: str) -> int:\n    c: int = 1"
    assert len(listed(RemoveHints(), before)) == 6
    assert listed(RemoveHints(), before, "remove the return type") == ["def f(a: int, b: str):\n    c: int = 1"]
    assert listed(RemoveHints(), before, "drop the hint of `b`") == ["def f(a: int, b) -> int:\n    c: int = 1"]
