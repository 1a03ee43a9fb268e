import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("for a in b:\n    if a > 1:\n        return True\nreturn False", ["return any(a > 1 for a in b)"]),
        ("for a in b:\n    if a > 1:\n        return False\nreturn True", ["return all(a <= 1 for a in b)"]),
        ("x = False\nfor a in b:\n    if c(a):\n        x = True\n        break", ["x = any(c(a) for a in b)"]),
        ("x = 0\nfor a in b:\n    if a:\n        x += 1", ["x = sum(1 for a in b if a)"]),
        ("x = 0\nfor a in b:\n    x += a", ["x = sum(b)"]),
        ("x = 0\nfor a in b:\n    x = x + a * 2", ["x = sum(a * 2 for a in b)"]),
        ("x = 0\nfor a in b:\n    x = y + a", []),
        ("x = b[0]\nfor a in b[1:]:\n    if a > x:\n        x = a", ["x = max(b)"]),
        ("x = None\nfor a in b:\n    if x is None or a < x:\n        x = a", ["x = min(b, default=None)"]),
        ("x = b[0]\nfor a in b:\n    if len(a) > len(x):\n        x = a", ["x = max(b, key=len)"]),
        (
            "x = None\nfor a in b:\n    if not x or x.cost > a.cost:\n        x = a",
            ["x = min(b, key=lambda a: a.cost, default=None)"],
        ),
        (
            "for a in b:\n    if a in self.c:\n        raise E(f(b))\nreturn b",
            ["if any(a in self.c for a in b):\n    raise E(f(b))\nreturn b"],
        ),
        ("for a in b:\n    if a in self.c:\n        raise E(a)\nreturn b", []),
        (
            "def f(b):\n    if b:\n        for a in c:\n            if a: return True\n    return False",
            ["def f(b):\n    if b:\n        return any(a for a in c)\n    return False"],
        ),
        ("x = 0\nfor a in b:\n    if a > x:\n        x = a", []),
        ("x = 0.0\nfor a in b:\n    x += a", []),
        ("for a in b:\n    if a > 1:\n        c()\n        return True\nreturn False", []),
        ("x = 0\nfor a in b:\n    x += a\nprint(a)", []),
    ],
)
def test_a_loop_becomes_a_call(before: str, after: list[str]) -> None:
    assert results("any_all", before) == after
