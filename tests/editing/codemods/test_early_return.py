import pytest

from tests.editing.codemods.results import results


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
