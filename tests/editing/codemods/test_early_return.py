import pytest

from spark_tui.editing.codemods.early_return import EarlyReturn
from tests.editing.codemods.results import results
from tests.editing.codemods.table import afters


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "def f(x):\n    if x:\n        a()\n        b()",
            ["def f(x):\n    if not x:\n        return\n    a()\n    b()"],
        ),
        (
            "def f(x):\n    if x:\n        a()\n        return 1",
            ["def f(x):\n    if not x:\n        return None\n    a()\n    return 1"],
        ),
        (
            "def f(x):\n    if x > 1:\n        a()\n        return 1\n    return 2",
            ["def f(x):\n    if x <= 1:\n        return 2\n    a()\n    return 1"],
        ),
        (
            "for a in b:\n    if a and not c:\n        d()  # why\n        e()",
            ["for a in b:\n    if not a or c:\n        continue\n    d()  # why\n    e()"],
        ),
        ("if a is None:\n    b()\n    c()\nelse:\n    raise d\ne()", ["if a is not None:\n    raise d\nb()\nc()\ne()"]),
        (
            "def f(x):\n    if x:\n        a()\n        if b:\n            c()\n            d()",
            [
                "def f(x):\n    if not x:\n        return\n    a()\n    if b:\n        c()\n        d()",
                "def f(x):\n    if not x:\n        return\n    a()\n    if not b:\n        return\n    c()\n    d()",
                "def f(x):\n    if x:\n        a()\n        if not b:\n            return\n        c()\n        d()",
            ],
        ),
        ("def f(x):\n    if x:\n        return 1\n    return 2", []),
        ("def f(x):\n    if x:  # why\n        a()\n        b()", []),
        ("def f(x):\n    if x:\n        a()\n        b('''\n''')", []),
        ("if x:\n    a()\n    b()", []),
    ],
)
def test_a_guard_takes_the_place_of_an_if_around_the_rest(before: str, after: list[str]) -> None:
    assert results("early_return", before) == after


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        (
            "other way round, the None first",
            "def f(x):\n    if x in y:\n        return y[x]\n    return None",
            "def f(x):\n    if x not in y:\n        return None\n    return y[x]",
        ),
        (
            "turn the condition around and return early",
            "def f(x):\n    if not x:\n        a()\n    return x",
            "def f(x):\n    if x:\n        return x\n    a()\n    return x",
        ),
        (
            "early return",
            "def f(x):\n    if x:\n        y = 1\n    else:\n        y = g()\n        log(y)\n    return y",
            "def f(x):\n    if x:\n        return 1\n    y = g()\n    log(y)\n    return y",
        ),
        (
            "continue after the first branch, no else",
            "for a in b:\n    if a:\n        c()\n    else:\n        d()\n        e()",
            "for a in b:\n    if a:\n        c()\n        continue\n    d()\n    e()",
        ),
        (
            "raise first, then without else",
            "if a in b:\n    c()\nelse:\n    raise KeyError(a)",
            "if a not in b:\n    raise KeyError(a)\nc()",
        ),
    ],
)
def test_where_it_is_asked_for_either_branch_may_leave(words: str, before: str, after: str) -> None:
    assert after in afters(EarlyReturn(), before, words)
