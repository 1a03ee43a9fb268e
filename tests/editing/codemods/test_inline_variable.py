from textwrap import indent

import pytest

from spark_tui.editing.codemods.inline_variable import InlineVariable
from tests.editing.codemods.table import afters


def in_function(body: str) -> str:
    return "def f(a, b):\n" + indent(body, "    ")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = a + b\nreturn x * 2", "return (a + b) * 2"),
        ("x = a * b\nreturn x + x", "return a * b + a * b"),
        ("x = a or b\nreturn x.y", "return (a or b).y"),
        ("x = g(a)\n\nreturn x", "return g(a)"),
        ("x = a, b\nreturn g(x)", "return g((a, b))"),
        ("x = a - b\nreturn a - x", "return a - (a - b)"),
        ("x: int = a.b\nif x:\n    g(x)", "if a.b:\n    g(a.b)"),
        ("x = g(a)\nfor i in x:\n    h(i)", "for i in g(a):\n    h(i)"),
        ("x = a.b\nreturn [x for _ in b]", "return [a.b for _ in b]"),
    ],
)
def test_a_value_takes_the_place_of_its_name(before: str, after: str) -> None:
    assert afters(InlineVariable(), in_function(before), "inline x") == [in_function(after)]


@pytest.mark.parametrize(
    "body",
    [
        "x = 1\nx = 2\nreturn x",
        "x = a\na = b\nreturn x",
        "x = g(a)\nreturn x + x",
        "x = g(a)\nfor i in b:\n    h(x)",
        "x = g(a)\nif b:\n    h(x)",
        "x = g(a)\nh(b)\nreturn x",
        "x = a.b\na.b = 1\nreturn x",
        "x = a\nreturn lambda: x",
        "x = a\nreturn f'{x}'",
        "if a:\n    x = b\nreturn x",
        "x = a  # why\nreturn x",
        "global x\nx = a\nreturn x",
        "x = a",
    ],
)
def test_what_would_change_the_meaning_is_left_out(body: str) -> None:
    assert afters(InlineVariable(), in_function(body)) == []


def test_a_variable_that_is_named_comes_alone() -> None:
    both = in_function("x = a\ny = b\nreturn x - y")
    assert len(afters(InlineVariable(), both)) == 2
    assert afters(InlineVariable(), both, "inline y") == [in_function("x = a\nreturn x - b")]
