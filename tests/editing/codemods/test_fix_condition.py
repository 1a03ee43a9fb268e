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


@pytest.mark.parametrize(
    ("before", "told", "after"),
    [
        ("if a.size != 1: f(a)", "only when size > 1 or -1", "if self.size > 1 or self.size == -1: f(a)"),
        ("if self.size != 1: f()", "only when size > 1 or -1", "if self.size > 1 or self.size == -1: f()"),
        ("if level < 2: f(level)", "just when level is 0 or 4", "if level in (0, 4): f(level)"),
        ("if level < 2: f(level)", "the test should be level >= 4", "if level >= 4: f(level)"),
        ("if isinstance(row, str): f()", "bytes are left out too", "if isinstance(row, (str, bytes)): f()"),
        ("if isinstance(row, (str, int)): f()", "and sets", "if isinstance(row, (str, int, set)): f()"),
        ("if kind == 'a': f()", "same for 'b'", "if kind in ('a', 'b'): f()"),
        ("if code != 3: f()", "and not for 5 either", "if code not in (3, 5): f()"),
        ("if isinstance(row, str): f()", "None is skipped as well", "if row is None or isinstance(row, str): f()"),
        ("if row in old: f()", "rows starting with 'x-' too", 'if row in old or row.startswith("x-"): f()'),
        ("if row in old: f()", "but not if it contains '#'", 'if row in old and "#" not in row: f()'),
        ("if row.done(): f()", "not for empty ones", "if row and row.done(): f()"),
    ],
)
def test_conditions_are_widened_or_replaced_by_what_is_told(before: str, told: str, after: str) -> None:
    assert (after in fixes(FixCondition(), before, told)[:8]) is ("a.size" not in before)


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("if rows[0]:\n    f()", "IndexError when nothing is there", "if rows and rows[0]:"),
        ("if n < least:\n    f()", "'<' not supported, least is None", "if least is not None and n < least:"),
        ("def f(old_x, x):\n    if g:\n        call(x)", "called though it is the same", "    if g and old_x != x:"),
        ("def f(v):\n    return v.startswith('-')", "'-' alone isn't one", "    return v.startswith('-') and v != '-'"),
        ("if size and a:\n    f()", "an explicit > 0 in the first", "if size > 0 and a:"),
        ("if size > 0:\n    f()", "the > 0 is superfluous", "if size:"),
        (
            "for name in xs:\n    if a not in table[name]:\n        f()",
            "skip empty names",
            "    if name and a not in table[name]:",
        ),
    ],
)
def test_a_condition_looks_first_or_compares_as_the_symptom_or_the_words_say(
    before: str, instruction: str, after: str
) -> None:
    assert any(after in one.split("\n") for one in fixes(FixCondition(), before, instruction))
