import pytest

from spark_tui.editing.codemods.simplify import Simplify
from tests.editing.codemods.tables import listed

PAIRS = [
    ("if len(x) == 0: pass", "if not x: pass"),
    ("if len(x) > 0 and y: pass", "if x and y: pass"),
    ("ok = len(x) < 1", "ok = not x"),
    ("if x.a == True: pass", "if x.a: pass"),
    ("if x == '': pass", "if not x: pass"),
    ("if not x == y: pass", "if x != y: pass"),
    ("if (x): pass", "if x: pass"),
    ("return(a + b)", "return a + b"),
    ("x = x - (a + b)", "x -= a + b"),
    ("ok = x >= 0 and x < n", "ok = 0 <= x < n"),
    ("ok = a < b and b < c and d", "ok = a < b < c and d"),
    ("ok = x == 1 or x == 2", "ok = x in (1, 2)"),
    ("y = True if a == b else False", "y = a == b"),
    ("y = x if x else []", "y = x or []"),
    ("y = d.get(k, None)", "y = d.get(k)"),
    ("for i in range(0, n): pass", "for i in range(n): pass"),
    ("ok = k in d.keys()", "ok = k in d"),
    ("y = s[0:3]", "y = s[:3]"),
    ("y = map(lambda a: f(a), z)", "y = map(f, z)"),
    ("class A(object):\n    x = 1", "class A:\n    x = 1"),
]


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_what_has_a_plainer_form_gets_it(before: str, after: str) -> None:
    assert listed(Simplify(), before) == [after]


@pytest.mark.parametrize(
    "before",
    ["n = len(x) > 0", "x = a - x", "x = x * 2 + 1", "y = (a, b)", "ok = a < b and c < d", "ok = f() < 1 and f() > 0"],
)  # fmt: skip
def test_what_would_mean_something_else_stays(before: str) -> None:
    assert listed(Simplify(), before) == []


def test_the_words_or_the_selection_say_which() -> None:
    before = "if len(rows) == 0:\n    n = n + 1\nx = x + 1"
    assert len(listed(Simplify(), before)) == 5
    assert listed(Simplify(), before, "n = n + 1 can be shorter") == ["if len(rows) == 0:\n    n += 1\nx = x + 1"]
    assert listed(Simplify(), before, "simplify", (2, 2)) == ["if len(rows) == 0:\n    n = n + 1\nx += 1"]
