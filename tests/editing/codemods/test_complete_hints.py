import pytest

from spark_tui.editing.codemods.complete_hints import CompleteHints
from tests.editing.codemods.tables import listed

DOCUMENTED = 'def f(a, b={}):\n    """:type a: str\n    :type b: int\n    :rtype: dict\n    """\n    return g()'
PAIRS = [
    ("def f(a=1, b='x'):\n    g(a)", "", "def f(a: int = 1, b: str = 'x') -> None:\n    g(a)"),
    ("def f(self):\n    return not x", "", "def f(self) -> bool:\n    return not x"),
    ("def f(a: B):\n    if a:\n        return ''", "", "def f(a: B) -> str | None:\n    if a:\n        return ''"),
    (
        "def f(a, b): return g()",
        "a is a string and b: list[B], returns bool",
        "def f(a: str, b: list[B]) -> bool: return g()",
    ),
    ("def f(a): return g(a)", "hints, Any both ways", "def f(a: Any) -> Any: return g(a)"),
    ("def f(a): return g(a)", "a is `str`, result `int`", "def f(a: str) -> int: return g(a)"),
    ("def __init__(self, a=0):\n    self.a = a", "", "def __init__(self, a: int = 0) -> None:\n    self.a = a"),
]


def test_the_docstring_tells_types() -> None:
    head = listed(CompleteHints(), DOCUMENTED.format(None))[0].split("\n")[0]
    assert head == "def f(a: str, b: int | None = None) -> dict:"


@pytest.mark.parametrize(("before", "instruction", "after"), PAIRS)
def test_certain_and_told_hints_come_in(before: str, instruction: str, after: str) -> None:
    assert listed(CompleteHints(), before, instruction)[0] == after


@pytest.mark.parametrize(
    "before", ["def f(a, b=None):\n    return a", "def f():\n    raise E", "def f():\n    yield 1", "def f(): ..."]
)  # fmt: skip
def test_what_is_not_certain_gets_none(before: str) -> None:
    assert listed(CompleteHints(), before) == []


def test_one_part_may_be_meant() -> None:
    assert len(listed(CompleteHints(), "def f(a=1):\n    g(a)")) == 3
