import pytest

from spark_tui.editing.codemods.isinstance_check import IsinstanceCheck
from tests.editing.codemods.table import afters


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = type(x) == int", ["a = isinstance(x, int)"]),
        ("a = int is not type(x)", ["a = not isinstance(x, int)"]),
        ("a = not x.__class__ != m.C", ["a = isinstance(x, m.C)"]),
        ("a = type(x) in [int, str]", ["a = isinstance(x, (int, str))"]),
        ("a = type(x) not in (int,)", ["a = not isinstance(x, (int,))"]),
        ("a = type(x) == type(y)", ["a = isinstance(x, type(y))"]),
        ("a = type(x) == 'int'", []),
        ("a = type(x) in kinds", []),
        ("a = type(x, (), {}) == int", []),
        ("a = x == int", []),
    ],
)
def test_comparing_types_becomes_isinstance(before: str, after: list[str]) -> None:
    assert afters(IsinstanceCheck(), before) == after


@pytest.mark.parametrize(
    ("before", "words", "after"),
    [
        ("a = type(x) == list", "use isinstance, and accept tuples too", "a = isinstance(x, (list, tuple))"),
        ("a = type(x) in (int,)", "also allow floats or strings", "a = isinstance(x, (int, float, str))"),
        ("a = type(x) == list", "isinstance, but don't accept tuples", "a = isinstance(x, list)"),
        ("a = type(x) == list", "isinstance should accept subclasses of lists", "a = isinstance(x, list)"),
    ],
)
def test_types_to_accept_as_well_are_added(before: str, words: str, after: str) -> None:
    assert afters(IsinstanceCheck(), before, words) == [after]


def test_whose_type_it_is_tells_which() -> None:
    before = "a = type(x) == int or type(y) == int"
    assert afters(IsinstanceCheck(), before, "allow subclasses for type(y)") == [
        "a = type(x) == int or isinstance(y, int)"
    ]
