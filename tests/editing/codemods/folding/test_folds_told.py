"""Statements that say the same twice, stand in another order, or bind in another way, where the words ask for it."""

import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        ("walrus", "while True:\n    a = f()\n    if not a:\n        break\n    g(a)", "while a := f():\n    g(a)"),
        ("walrus", "while True:\n    a = f()\n    if a is None:\n        break\n    g(a)",
         "while (a := f()) is not None:\n    g(a)"),
        ("walrus for error", "if p.exc is not None:\n    raise p.exc",
         "if (error := p.exc) is not None:\n    raise error"),
        ("walrus", "while True:\n    a = f()\n    if a:\n        g(a)\n    else:\n        break",
         "while a := f():\n    g(a)"),
        ("walrus", "while True:\n    a = f()\n    if not a:\n        break\n    elif a == 1:\n        g()",
         "while a := f():\n    if a == 1:\n        g()"),
        ("walrus", "a = True\nwhile a:\n    a = f()\n    g(a)", "while a := f():\n    g(a)"),
        ("chain them", "a.b = f()\na.c = a.b", "a.b = a.c = f()"),
        ("dict literal", "d = dict(\n    a=1,\n    b=c,\n)", 'd = {\n    "a": 1,\n    "b": c,\n}'),
        ("plain or", "if any(\n    [\n        a,\n        b.c,\n    ]\n):\n    f()", "if a or b.c:\n    f()"),
        ("with or", "p = e.get(1)\nif not p:\n    p = o", "p = e.get(1) or o"),
        ("use `or` for both", "if not a:\n    a = x\ns.a = a\nif b is None:\n    b = y\ns.b = b",
         "s.a = a or x\ns.b = b or y"),
        ("one line with or", "def f():\n    a = g()\n    if a:\n        return a\n    else:\n        return h()",
         "def f():\n    return g() or h()"),
        ("ternary", "def f():\n    a = 1\n    if b:\n        a = 2\n    return a",
         "def f():\n    return 2 if b else 1"),
        ("conditional expression", "if a is None:\n    a = b", "a = a if a is not None else b"),
        ("assign the comparison", "if a > 1:\n    b.c = True", "b.c = a > 1"),
        ("two returns, no ternary", "def f(a):\n    return b if a else c",
         "def f(a):\n    if not a:\n        return c\n    return b"),
        ("return a generator", "def f(d):\n    for a in d:\n        yield a.b",
         "def f(d):\n    return (a.b for a in d)"),
        ("list comprehension", "a = []\nfor b in c:\n    a.extend(b.items)",
         "a = [item for b in c for item in b.items]"),
        ("any() for the inner loop", "for a in b:\n    for c in a:\n        if c in d:\n            return a",
         "for a in b:\n    if any(c in d for c in a):\n        return a"),
        ("chain these", "a.b = None\na.c = None\nd = 1", "a.b = a.c = None\nd = 1"),
        ("two plain assignments", "a.b, c = d, e", "a.b = d\nc = e"),
        ("swap with a tuple", "t = a\na = b\nb = t", "a, b = b, a"),
        ("unpack straight", "a, b = f()\nself.a = a\nself.b = b", "self.a, self.b = f()"),
        ("unpack", "b = p[1]\na = p[0]", "a, b = p"),
        ("unpack it into key, value", "for t in ts:\n    f(t[0], t[1])", "for key, value in ts:\n    f(key, value)"),
        ("one literal", "d = {'a': 1}\nd['b'] = 2", "d = {'a': 1, 'b': 2}"),
        ("one update", "d['a'] = 1\nd['b'] = 2", "d.update(a=1, b=2)"),
        ("ternary for the suffix", "if n == 1:\n    f(n, 'er')\nelse:\n    f(n, 'e')",
         "suffix = 'er' if n == 1 else 'e'\nf(n, suffix)"),
        ("pick it, call it once", "if w:\n    _go_there(a)\nelse:\n    _go_here(a)",
         "go = _go_there if w else _go_here\ngo(a)"),
        ("one return", "def f(a):\n    if not a:\n        return g(1)\n    return g(a)",
         "def f(a):\n    if not a:\n        a = 1\n    return g(a)"),
        ("loop over both paths", "if e(a.x):\n    rm(a.x)\nif e(a.y):\n    rm(a.y)",
         "for path in (a.x, a.y):\n    if e(path):\n        rm(path)"),
        ("turn it around", "def f(a):\n    if a:\n        return 1\n    g()\n    return 2",
         "def f(a):\n    if not a:\n        g()\n        return 2\n    return 1"),
        ("no continue", "for a in b:\n    if not a:\n        continue\n    f(a)",
         "for a in b:\n    if a:\n        f(a)"),
        ("else, no continue", "for a in b:\n    if a:\n        f()\n        continue\n    g()",
         "for a in b:\n    if a:\n        f()\n    else:\n        g()"),
        ("one with", "with a as b:\n    with c:\n        f()", "with a as b, c:\n    f()"),
        ("split the with in two", "with a as b, c:\n    f()", "with a as b:\n    with c:\n        f()"),
        ("flatten to elif", "if a:\n    f()\nelse:\n    # why\n    if b:\n        g()",
         "if a:\n    f()\n# why\nelif b:\n    g()"),
    ],
)  # fmt: skip
def test_statements_told_are_folded(words: str, before: str, after: str) -> None:
    assert after in results("simplify", before, words)


def test_nothing_is_folded_where_no_words_ask() -> None:
    assert results("simplify", "if w:\n    f(1)\nelse:\n    f(2)\na = 0\nb = 0", "log the result") == []


def test_what_gets_too_long_is_broken() -> None:
    name = "a" * 30
    before = f"def f():\n    for b in c:\n        yield {name}.{name}(b.{name}, b)"
    after = next(one for one in results("simplify", before, "return a generator") if "return" in one)
    assert after.split("\n")[1:3] == ["    return (", f"        {name}.{name}(b.{name}, b)"]


def test_a_condition_of_several_lines_is_turned_round() -> None:
    before = "if (\n    a\n    and b\n):\n    f()\nelse:\n    g()"
    assert results("invert_if", before, "invert") == ["if not a or not b:\n    g()\nelse:\n    f()"]


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        ("reset c even if close fails", "def f(a):\n    if a:\n        a.close()\n        a.c = None",
         "def f(a):\n    if a:\n        try:\n            a.close()\n        finally:\n            a.c = None"),
        ("always close", "def f(a):\n    a.x = 1\n    g(a)\n    a.x = 0\n    a.close()",
         "def f(a):\n    a.x = 1\n    try:\n        g(a)\n        a.x = 0\n    finally:\n        a.close()"),
    ],
)  # fmt: skip
def test_what_is_told_to_happen_anyway_goes_into_a_finally(words: str, before: str, after: str) -> None:
    assert after in results("use_finally", before, words)


def test_a_variable_comes_out_of_a_condition_of_several_lines() -> None:
    before = "def f(a):\n    if a.b.run(\n        1,\n    ):\n        g()"
    after = "def f(a):\n    done = a.b.run(1)\n    if done:\n        g()"
    assert after in results("extract_variable", before, "pull the run result into a variable `done`")
