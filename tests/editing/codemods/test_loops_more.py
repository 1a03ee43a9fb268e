"""Loops that are comprehensions or searches though they branch, write back, or hand on what they filled."""

import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        (
            "to_comprehension",
            (
                "def f(rows):\n    out = []\n    for row in rows:\n        if row.ok:\n            out.append(row.a)\n"
                "        else:\n            out.append(None)\n    return out"
            ),
            "def f(rows):\n    return [row.a if row.ok else None for row in rows]",
        ),
        (
            "to_comprehension",
            "for i, x in enumerate(xs):\n    xs[i] = go(x)\nstop(xs)",
            "xs = [go(x) for x in xs]\nstop(xs)",
        ),
        (
            "to_comprehension",
            (
                "def f(self):\n    names = []\n    for row in self.rows:\n        names.append(row.name)\n"
                "    self.names = names\n    self.go()"
            ),
            "def f(self):\n    self.names = [row.name for row in self.rows]\n    self.go()",
        ),
        (
            "any_all",
            (
                "def f(rows):\n    if rows:\n        for row in rows:\n            if row.ok:\n"
                "                return True\n    return False"
            ),
            "def f(rows):\n    if rows:\n        return any(row.ok for row in rows)\n    return False",
        ),
    ],
)
def test_it_is_listed(kind: str, old: str, new: str) -> None:
    assert new in results(kind, old, "a comprehension would do")


@pytest.mark.parametrize(
    "code",
    [
        "for i, x in enumerate(xs):\n    xs[i] = xs[i - 1] + x",
        "for i, x in enumerate(xs):\n    ys[i] = go(x)",
        "a = []\nfor row in rows:\n    if row:\n        a.append(1)\n    else:\n        b.append(2)",
    ],
)
def test_other_loops_stay(code: str) -> None:
    assert results("to_comprehension", code, "a comprehension would do") == []


def test_what_is_handed_on_and_used_again_keeps_its_name() -> None:
    code = "def f(self):\n    a = []\n    for b in c:\n        a.append(b.d)\n    self.a = a\n    return a"
    wanted = code.replace("a = []\n    for b in c:\n        a.append(b.d)", "a = [b.d for b in c]")
    assert results("to_comprehension", code, "a comprehension would do") == [wanted]
