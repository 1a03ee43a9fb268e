import pytest

from spark_tui.editing.codemods.use_zip import UseZip
from tests.editing.codemods.pairs import listed


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("for i in range(len(xs)):\n    f(xs[i], ys[i])", "", "for x, y in zip(xs, ys):\n    f(x, y)"),
        ("for i in range(len(xs)):\n    f(xs[i], ys[i])", "zip, for a, b in", "for a, b in zip(xs, ys):\n    f(a, b)"),
        (
            "for i in range(len(xs)):\n    out[i] = xs[i] * ys[i]",
            "",
            "for i, (x, y) in enumerate(zip(xs, ys)):\n    out[i] = x * y",
        ),
        (
            "for i in range(len(a.rows)):\n    row = a.rows[i]\n    n = b[i]\n    f(row, n)",
            "",
            "for row, n in zip(a.rows, b):\n    f(row, n)",
        ),
        ("for i, x in enumerate(xs):\n    f(x, ys[i])", "", "for x, y in zip(xs, ys):\n    f(x, y)"),
        ("sum(xs[i] * ys[i] for i in range(len(xs)))", "", "sum(x * y for x, y in zip(xs, ys))"),
    ],
)
def test_one_loop(before: str, instruction: str, after: str) -> None:
    assert listed(UseZip(), before, instruction) == [after]


@pytest.mark.parametrize(
    "before",
    ["for i in range(len(xs)):\n    f(xs[i])", "for i in range(len(xs)):\n    ys.pop(0)\n    f(xs[i], ys[i])"],
)
def test_nothing(before: str) -> None:
    assert listed(UseZip(), before) == []
