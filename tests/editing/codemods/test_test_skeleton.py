import pytest

from spark_tui.editing.codemods.test_skeleton import ExampleTest
from tests.editing.codemods.table import afters

ADD = "def _add(a, b):\n    return a + b"


@pytest.mark.parametrize(
    ("instruction", "checks"),
    [
        ("add a test: _add(2, 3) == 5.", ["_add(2, 3) == 5"]),
        ("test that `_add(2, 3)` returns `5` and _add(0, b=0) -> 0", ["_add(2, 3) == 5", "_add(0, b=0) == 0"]),
        ("_add('a)', \"b\") should be 'a)b', test it", ["_add('a)', \"b\") == 'a)b'"]),
        ("_add([1], (2,)) gives None; _add(1, 1) is True", ["_add([1], (2,)) is None", "_add(1, 1) is True"]),
        ("given `_add(1, 1)` expect 2", ["_add(1, 1) == 2"]),
        ("when i call _add(1, 1) i expect 2", ["_add(1, 1) == 2"]),
        ("_add({}, -1.5) => {1: [2, 3]}", ["_add({}, -1.5) == {1: [2, 3]}"]),
    ],
)
def test_each_example_is_an_assertion_below(instruction: str, checks: list[str]) -> None:
    body = "".join(f"\n    assert {check}" for check in checks)
    assert afters(ExampleTest(), ADD, instruction) == [f"{ADD}\n\n\ndef test_add():{body}"]


def test_the_name_may_be_told_and_hints_are_kept() -> None:
    hinted = "def f(a: int) -> int:\n    return a"
    after = f"{hinted}\n\n\ndef test_same() -> None:\n    assert f(1) == 1"
    assert afters(ExampleTest(), hinted, "test_same: f(1) == 1") == [after]


@pytest.mark.parametrize(
    ("before", "instruction"),
    [
        (ADD, "add a test"),
        (ADD, "add a test for _add(a, b)"),
        (ADD, "_add(x, 1) == 2"),
        (f"{ADD}\n\n\ndef test_add():\n    pass", "_add(1, 1) == 2"),
        ("class A:\n    def f(a):\n        pass", "f(1) == 2"),
        ("    def f(a):\n        pass", "f(1) == 2"),
        ("async def f(a):\n    pass", "f(1) == 2"),
    ],
)
def test_without_an_example_or_a_place_there_is_no_test(before: str, instruction: str) -> None:
    assert afters(ExampleTest(), before, instruction) == []
