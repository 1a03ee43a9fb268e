"""Several statements that become fewer, where the words speak of their like."""

import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        ("get", "try:\n    a = d[k]\nexcept KeyError:\n    a = 0", "a = d.get(k, 0)"),
        ("no try, get", "def f(d):\n    try:\n        return d[1] or 2\n    except KeyError:\n        return 2",
         "def f(d):\n    return d.get(1) or 2"),
        ("use pop", "try:\n    del d[k]\nexcept KeyError:\n    pass", "d.pop(k, None)"),
        ("getattr", "if hasattr(o, 'a'):\n    x = o.a\nelse:\n    x = None", "x = getattr(o, 'a', None)"),
        ("getattr with o as default", "if hasattr(o, 'a'):\n    x = o.a.b\nelse:\n    x = o.b",
         "x = getattr(o, 'a', o).b"),
        ("setdefault", "try:\n    d[k].append(v)\nexcept KeyError:\n    d[k] = [v]", "d.setdefault(k, []).append(v)"),
        ("supress it", "try:\n    f()\nexcept OSError:  # gone\n    pass",
         "with contextlib.suppress(OSError):  # gone\n    f()"),
        ("ternary", "if a:\n    # why\n    b = 1\nelse:\n    b = 2", "# why\nb = 1 if a else 2"),
        ("`or` will do", "if a is None:\n    a = b", "a = a or b"),
        ("one update", "for k, v in d.items():\n    e[k] = v", "e.update(d)"),
        ("dict.fromkeys", "for k in d:\n    e[k] = 0", "e.update(dict.fromkeys(d, 0))"),
        ("yield from", "def f(d):\n    for _, v in d.items():\n        yield v",
         "def f(d):\n    yield from d.values()"),
        ("the loop is list()", "a = []\nfor b in c:\n    a.append(b)", "a = list(c)"),
        ("reversed()", "a.reverse()\nfor b in a:\n    f(b)", "for b in reversed(a):\n    f(b)"),
        ("sorted", "a = list(d.keys())\na.sort(key=f)", "a = sorted(d, key=f)"),
        ("daemon in the constructor", "def f():\n    t = T(g)\n    t.daemon = True\n    return t",
         "def f():\n    return T(g, daemon=True)"),
        ("one dict literal", "a = dict(b)\na.update(c)", "a = {**b, **c}"),
        ("return directly", "def f():\n    a = g(\n        1,\n    )\n    return a[0]",
         "def f():\n    return g(\n        1,\n    )[0]"),
        ("an f-string", "m = 'no {!r} in {}'\nlog(m.format(a, b))", "log(f'no {a!r} in {b}')"),
        ("return in the branches", "def f(a):\n    if a:\n        b = 1\n    else:\n        b = 2\n    return b",
         "def f(a):\n    if a:\n        return 1\n    return 2"),
        ("join the two conditions", "def f(a):\n    if not a:\n        return\n    if a.b:\n        g()",
         "def f(a):\n    if a and a.b:\n        g()"),
        ("a list of parts, join at the end", "def f(a):\n    s = ''\n    for b in a:\n        s += b\n    return s",
         "def f(a):\n    parts = []\n    for b in a:\n        parts.append(b)\n    return ''.join(parts)"),
        ("max", "if a < 0:\n    a = 0", "a = max(a, 0)"),
        ("min on one line", "a = f()\nif a > 6:\n    a = 6", "a = min(f(), 6)"),
        ("the annotation at the assignment", "a: int\nf()\na = 1", "f()\na: int = 1"),
        ("chain setdefault", "d.setdefault(k, [])\nd[k].append(v)", "d.setdefault(k, []).append(v)"),
        ("inline the alias", "def f(a):\n    add = a.add\n    for b in a:\n        add(b)",
         "def f(a):\n    for b in a:\n        a.add(b)"),
        ("pop it", "def f(d):\n    a = d[1]\n    g(a)\n    del d[1]", "def f(d):\n    a = d.pop(1)\n    g(a)"),
        ("partition", "i = p.find('=')\nif i < 0:\n    a = p\nelse:\n    a = p[:i].strip()",
         "a, sep, tail = p.partition('=')\nif not sep:\n    a = p\nelse:\n    a = a.strip()"),
        ("partition", "def f(p, a):\n    i = p.find('=')\n    if i >= 0:\n        a = p[:i]\n    return a",
         "def f(p, a):\n    head, sep, tail = p.partition('=')\n    if sep:\n        a = head\n    return a"),
        ("partition", "i = p.find('=')\nif i >= 0:\n    a = p[:i]\n    b = p[i + 1:].strip()",
         "a, sep, b = p.partition('=')\nif sep:\n    b = b.strip()"),
        ("merge the branches", "if a:\n    f()\nelif b:\n    f()\nelse:\n    g()",
         "if a or b:\n    f()\nelse:\n    g()"),
        ("the if is needless", "if a:\n    for b in a:\n        f(b)", "for b in a:\n    f(b)"),
        ("walrus", "n = g()\nwhile n and n.ok:\n    f(n)\n    n = g()", "while (n := g()) and n.ok:\n    f(n)"),
    ],
)  # fmt: skip
def test_statements_told_become_fewer(words: str, before: str, after: str) -> None:
    assert after in results("simplify", before, words)


def test_all_places_come_together_too() -> None:
    one, two = (f"try:\n    del d[{key}]\nexcept KeyError:\n    pass" for key in "ab")
    assert "d.pop(a, None)\nd.pop(b, None)" in results("simplify", f"{one}\n{two}", "pop")


@pytest.mark.parametrize(
    ("words", "before"),
    [
        ("return", "def f(a):\n    if a:\n        b = 1\n    else:\n        c = 2\n    return b"),
        ("get", "try:\n    a = d[k]\nexcept ValueError:\n    a = 0"),
        ("f-string", "m = 'no {}'\nlog(m.format(a, b))"),
        ("rename it", "try:\n    del d[k]\nexcept KeyError:\n    pass"),
    ],
)
def test_what_says_something_else_stays(words: str, before: str) -> None:
    assert not results("simplify", before, words)
