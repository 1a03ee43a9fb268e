import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = []\nfor a in b:\n    x.append(f(a))", ["x = [f(a) for a in b]"]),
        ("x = []\nfor a in b:\n    if a:\n        x.append(a)\nreturn x", ["return [a for a in b if a]"]),
        (
            "x: set[int] = set()\nfor a in b:\n    if not a:\n        continue\n    for c in a:\n        x.add(c)",
            ["x: set[int] = {c for a in b if a for c in a}"],
        ),
        ("x = {}\ny = 1\nfor a, c in b:\n    x[a] = c", ["y = 1\nx = {a: c for a, c in b}"]),
        (
            "x = []\nfor a in b:\n    if f(a):\n        x.append(g(a))\n    else:\n        x.append(a)",
            ["x = [g(a) if f(a) else a for a in b]"],
        ),
        (
            "x = []\nfor a in b:\n    if f(a):\n        x.append(g(a))\n    else:\n        y.append(a)",
            [],
        ),
        ("x = []\nfor a in b:\n    x.append(len(x))", []),
        ("x = []\nfor a in b:\n    x.append(a)\nprint(a)", []),
        ("x = []\nfor a in b:\n    x.append(a)  # why", []),
        ("x = [1]\nfor a in b:\n    x.append(a)", []),
        ("x = []\ng(x)\nfor a in b:\n    x.append(a)", []),
    ],
)
def test_a_loop_that_fills_becomes_a_comprehension(before: str, after: list[str]) -> None:
    assert results("to_comprehension", before) == after
