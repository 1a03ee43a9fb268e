import pytest

from spark_tui.editing.codemods.swap_arguments import SwapArguments
from tests.editing.codemods.helper_slips import fixes


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("isinstance(str, x)", ["isinstance(x, str)"]),
        ("f(a, b, *c)", ["f(b, a, *c)"]),
        ("f(a, b, c)", ["f(b, a, c)", "f(a, c, b)"]),
        ("f(w=h, h=w)", ["f(w=w, h=h)"]),
        ("f(\n    a,\n    b,\n)", ["f(\n    b,\n    a,\n)"]),
        ("f(\n    a,  # first\n    b,\n)", []),
        ("x = (a + b) - c", ["x = c - (a + b)"]),
        ("x = a - b - c", ["x = b - a - c"]),
        ("x = d in key", ["x = key in d"]),
        ("x = a + b * c == d", []),
        ("x = 'a' + b", ["x = b + 'a'"]),
        ("x = 'a%s' % b", []),
        ("for v, k in d.items(): pass", ["for k, v in d.items(): pass"]),
        ("x = a if b else c", ["x = c if b else a"]),
        ("f(a, a)", []),
    ],
)
def test_neighbours_are_swapped(before: str, after: list[str]) -> None:
    assert fixes(SwapArguments(), before) == after


def test_what_is_said_comes_first() -> None:
    assert fixes(SwapArguments(), "f(a, b)\ng(c, d)", "swap `c` and `d`")[0] == "f(a, b)\ng(d, c)"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = max(min(n, 1), 60)", "x = max(min(n, 60), 1)"),
        ("x = f'{a} {b}'", "x = f'{b} {a}'"),
        ("x = given or usual", "x = usual or given"),
        ("old = new", "new = old"),
    ],
)
def test_bounds_fields_alternatives_and_sides_change_places(before: str, after: str) -> None:
    assert after in fixes(SwapArguments(), before)


def test_a_fallback_that_is_written_out_stays_behind() -> None:
    assert fixes(SwapArguments(), "x = given or []") == []
