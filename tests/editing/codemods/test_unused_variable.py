import pytest

from spark_tui.editing.codemods.unused_variable import UnusedVariable
from tests.editing.codemods.table import afters


def function(*lines: str) -> str:
    return "\n    ".join(["def f(a):", *lines])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["x = a + len(a)", "return a"], ["return a"]),
        (["x: int = (g(a))", "return a"], ["(g(a))", "return a"]),
        (["x = 0"], ["pass"]),
        (["x = 0", "g(a)", "x = a"], ["g(a)"]),
        (["x = 0", "x = a"], ["pass"]),
        (["if a:", "    x = 0", "    x = 1", "x = 2", "return a"], ["if a:", "    pass", "return a"]),
        (["g(a)", "", "x = 0", "", "return a"], ["g(a)", "", "return a"]),
        (["x, y = a", "return y"], ["_, y = a", "return y"]),
        (["for x in a:", "    g()"], ["for _ in a:", "    g()"]),
        (["with g() as x:", "    h()"], ["with g():", "    h()"]),
        (["try:", "    g()", "except (E, F) as x:", "    h()"], ["try:", "    g()", "except (E, F):", "    h()"]),
    ],
)
def test_what_nothing_reads_goes(before: list[str], after: list[str]) -> None:
    assert afters(UnusedVariable(), function(*before)) == [function(*after)]


@pytest.mark.parametrize(
    "body",
    [
        "x = 0\n    return x",
        "x = 0\n    return lambda: x",
        "x = y = a\n    return y",
        "x = 0\n    return locals()",
        "global x\n    x = 0",
        "_ = a",
        "self.x = a",
        "x = 0\n    x += 1",
        "if x := a: pass",
    ],
)
def test_what_is_read_or_seen_from_outside_stays(body: str) -> None:
    assert afters(UnusedVariable(), function(body)) == []


def test_names_and_selection_narrow() -> None:
    before = function("x = 0", "y = 1", "return a")
    without_x, without_y = function("y = 1", "return a"), function("x = 0", "return a")
    assert afters(UnusedVariable(), before) == [without_x, without_y]
    assert afters(UnusedVariable(), before, "F841 local variable 'y' is assigned to but never used") == [without_y]
    assert afters(UnusedVariable(), before, "drop this", (1, 1)) == [without_x]
