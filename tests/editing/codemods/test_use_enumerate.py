import pytest

from spark_tui.editing.codemods.use_enumerate import UseEnumerate
from tests.editing.codemods.pairs import listed

INDEXED = "for i in range(len(rows)):\n    print(i, rows[i])"


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        (INDEXED, "", "for i, row in enumerate(rows):\n    print(i, row)"),
        (INDEXED, "enumerate, call the item one", "for i, one in enumerate(rows):\n    print(i, one)"),
        (INDEXED, "for i, r in enumerate(rows)", "for i, r in enumerate(rows):\n    print(i, r)"),
        ("for i in range(len(a)):\n    x, y = a[i]\n    f(x, y)", "", "for i, (x, y) in enumerate(a):\n    f(x, y)"),
        ("for i in range(0, len(a)):\n    a[i] = a[i] + i", "", "for i, item in enumerate(a):\n    a[i] = item + i"),
        ("for i in range(len(a)):\n    x, y = a[i]\n    f(x)", "loop over a directly", "for x, y in a:\n    f(x)"),
        ("for i in range(len(rows)):\n    f(i, rows[i])", "no index", "for i, row in enumerate(rows):\n    f(i, row)"),
        ("[f(i, xs[i]) for i in range(len(xs))]", "", "[f(i, x) for i, x in enumerate(xs)]"),
        ("n = 0\ni = 0\nfor a, b in c:\n    f(i)\n    i += 1", "", "n = 0\nfor i, (a, b) in enumerate(c):\n    f(i)"),
        ("n = 0\ni = 0\nfor a in c:\n    i += 1\n    f(i)", "", "n = 0\nfor i, a in enumerate(c, start=1):\n    f(i)"),
    ],
)
def test_one_loop(before: str, instruction: str, after: str) -> None:
    assert listed(UseEnumerate(), before, instruction) == [after]


@pytest.mark.parametrize(
    "before",
    [
        "for i in range(len(a)):\n    f(i)",
        "for i in range(len(a)):\n    a[i] += 1\n    f(a[i])",
        "for i in range(len(a)):\n    a = g(a[i])",
        "n = 0\ni = 0\nfor a in c:\n    if a:\n        continue\n    f(i)\n    i += 1",
        "n = 0\ni = 0\nfor a in c:\n    f(i)\n    i += 1\nprint(i)",
    ],
)
def test_nothing(before: str) -> None:
    assert listed(UseEnumerate(), before) == []


def test_several_loops_alone_and_together() -> None:
    one, two = INDEXED, INDEXED.replace("rows", "names")
    new_one = "for i, row in enumerate(rows):\n    print(i, row)"
    new_two = "for i, name in enumerate(names):\n    print(i, name)"
    pairs = [(new_one, new_two), (one, new_two), (new_one, two)]
    assert listed(UseEnumerate(), f"{one}\n{two}") == ["\n".join(pair) for pair in pairs]
    assert listed(UseEnumerate(), f"{one}\n{two}", selected=(2, 2)) == [f"{one}\n{new_two}"]
