import pytest

from spark_tui.editing.codemods.fix_condition import FixCondition
from tests.editing.codemods.helper_slips import fixes

LONG = "if (\n    a\n    and b\n    and c\n):\n    f()"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if a: f()", ["if not a: f()"]),
        ("if not a: f()", ["if a: f()"]),
        ("while a is None: f()", ["while a is not None: f()"]),
        ("x = [a for a in b if a]", ["x = [a for a in b if not a]"]),
        ("if a in b and (c or d): f()", None),
        (LONG, None),
        ("x = a + b", []),
        ("x = -a", []),
    ],
)
def test_conditions_are_turned_round(before: str, after: list[str] | None) -> None:
    assert after is None or fixes(FixCondition(), before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if a and b: f()", "if a: f()"),
        ("if (a or b) and c: f()", "if a or b: f()"),
        ("if a or b and c: f()", "if a or b: f()"),
        ("if a and not (b or c): f()", "if a and (b or c): f()"),
        (LONG, LONG.replace("    and c\n", "")),
    ],
)
def test_parts_are_left_out(before: str, after: str) -> None:
    assert after in fixes(FixCondition(), before)


@pytest.mark.parametrize(
    ("before", "told", "after"),
    [
        ("if a: f(b)", "also check that b is not None", "if a and b is not None: f(b)"),
        ("if a.x: f(a)", "a may be None", "if a is not None and a.x: f(a)"),
        ("if a or b: f(c)", "only when `c > 3`", "if (a or b) and c > 3: f(c)"),
        ("if a: f(b)", "only when b has at least 3 characters", "if a and len(b) >= 3: f(b)"),
        ('if a == "w": f()', 'same for "x"', 'if a == "w" or a == "x": f()'),
        ("if 'w' in a: f(b)", "`x` counts as well", "if 'w' in a or 'x' in a: f(b)"),
        ("if a: f(b)", "or if b is empty", "if a or not b: f(b)"),
        (LONG, "and only if d.ready()", LONG),
        (LONG.replace("f()", "f(d)"), "and d too", LONG.replace("f()", "f(d)").replace("and c", "and c\n    and d")),
    ],
)
def test_parts_that_are_told_are_added(before: str, told: str, after: str) -> None:
    assert (after in fixes(FixCondition(), before, told)) is (before != after)
