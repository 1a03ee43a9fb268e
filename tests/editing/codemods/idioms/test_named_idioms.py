"""An idiom named with its pattern there is the one edit that `simplify` lists: whole, and in all places."""

import pytest

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.idioms.named_idioms import named_idioms, names_only
from spark_tui.editing.snippet import Snippet
from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        ("use setdefault", "if k not in d:\n    d[k] = []\nd[k].append(v)", "d.setdefault(k, []).append(v)"),
        (
            "use setdefault",
            "if k in d:\n    d[k].add(v)\nelse:\n    d[k] = {v}",
            "d.setdefault(k, set()).add(v)",
        ),
        (
            "setdefault does that",
            'v = d.get("k")\nif v is None:\n    v = d["k"] = []',
            'v = d.setdefault("k", [])',
        ),
        (
            "use setdefault",
            'if "a" not in d:\n    d["a"] = 1\nif not "b" in d:\n    d["b"] = 2',
            'd.setdefault("a", 1)\nd.setdefault("b", 2)',
        ),
        ("i += 1", "i = i+1\nj = j+1\ni = i+2", "i += 1\nj = j+1\ni = i+2"),
        ("use +=", 'x = x + "a" + b\ny = b + y', 'x += "a" + b\ny = b + y'),
        (
            "use lazy logging",
            'log.info("a %s" % b)\nlog.warning(f"{a!r} b")',
            'log.info("a %s", b)\nlog.warning("%r b", a)',
        ),
        ("use writerows", "for row in rows:\n    w.writerow(row)", "w.writerows(rows)"),
        (
            "use a list comprehension",
            "def f(a):\n    for i in range(len(a)):\n        a[i] = g(a[i], 2)",
            "def f(a):\n    a[:] = [g(item, 2) for item in a]",
        ),
        (
            "turn the loop into a list comprehension",
            "def f(s):\n    rows = s.split()\n    for i in range(len(rows)):\n        rows[i] = int(rows[i])",
            "def f(s):\n    rows = s.split()\n    rows = [int(row) for row in rows]",
        ),
        (
            "use booleans for ok",
            "def f():\n    ok = 1\n    if g():\n        ok = 0\n    return ok",
            "def f():\n    ok = True\n    if g():\n        ok = False\n    return ok",
        ),
        (
            "return booleans",
            "def f(n):\n    if n > 1:\n        return 1\n    return 0",
            "def f(n):\n    if n > 1:\n        return True\n    return False",
        ),
        ("use vars", "d = x.y.__dict__", "d = vars(x.y)"),
        (
            "use capture_output",
            "run(c, stdout=PIPE, stderr=PIPE, check=True)",
            "run(c, capture_output=True, check=True)",
        ),
        ("use get", "if w in n:\n    n[w] += 1\nelse:\n    n[w] = 1", "n[w] = n.get(w, 0) + 1"),
        (
            "use a defaultdict",
            "d = {}\nfor k, v in pairs:\n    if k not in d:\n        d[k] = []\n    d[k].append(v)",
            "d = defaultdict(list)\nfor k, v in pairs:\n    d[k].append(v)",
        ),
        ("use Counter", "n = {}\nfor w in words:\n    n[w] = n.get(w, 0) + 1\nuse(n)", "n = Counter(words)\nuse(n)"),
        ("use `in` here", 'if s.find("@") != -1:\n    go()', 'if "@" in s:\n    go()'),
        ("use the in operator", "ok = s.find(part) == -1", "ok = part not in s"),
        (
            "use next()",
            "def f(xs):\n    for x in xs:\n        if x.ok:\n            return x\n    return 0",
            "def f(xs):\n    return next((x for x in xs if x.ok), 0)",
        ),
        (
            "use startswith instead of slicing",
            'a = s[:2] == "ab"\nb = s[: len(p)] != p',
            'a = s.startswith("ab")\nb = not s.startswith(p)',
        ),
        ("use startswith", 'a = s[0] in "+-"', 'a = s.startswith(("+", "-"))'),
        ("use endswith", 'a = s[-3:] == ".gz"', 'a = s.endswith(".gz")'),
        ("use removeprefix", "if s.startswith(p):\n    s = s[len(p):]", "s = s.removeprefix(p)"),
        ("use removesuffix", 'return s[:-3] if s.endswith(".py") else s', 'return s.removesuffix(".py")'),
        (
            "use join",
            'out = ""\nfor r in rows:\n    out += r.text\nuse(out)',
            'out = "".join(r.text for r in rows)\nuse(out)',
        ),
        ("use join", 'x = a + "/" + b + "/" + c', 'x = "/".join([a, b, c])'),
        (
            "clamp with min and max",
            "def f(x, a, b):\n    if x < a:\n        return a\n    if x > b:\n        return b\n    return x",
            "def f(x, a, b):\n    return max(a, min(x, b))",
        ),
        ("use divmod", "m = t // 60\ns = t % 60", "m, s = divmod(t, 60)"),
        ("use abs", "if d < 0:\n    d = -d", "d = abs(d)"),
        ("use reversed", "for x in xs[::-1]:\n    go(x)", "for x in reversed(xs):\n    go(x)"),
        ("swap without tmp", "tmp = a\na = b\nb = tmp", "a, b = b, a"),
        ("unpack in the loop", "for p in ps:\n    use(p[0], p[1])", "for first, second in ps:\n    use(first, second)"),
        (
            "make it a generator",
            "def f(xs):\n    out = []\n    for x in xs:\n        out.append(x * 2)\n    return out",
            "def f(xs):\n    for x in xs:\n        yield x * 2",
        ),
        (
            "for instead of while",
            "i = 0\nwhile i < n:\n    go(i)\n    i += 1",
            "for i in range(n):\n    go(i)",
        ),
        (
            "start enumerate at 1",
            "for i, x in enumerate(xs):\n    show(i + 1, x)",
            "for i, x in enumerate(xs, start=1):\n    show(i, x)",
        ),
        ("use dict(zip())", "d = {}\nfor a, b in zip(x, y):\n    d[a] = b", "d = dict(zip(x, y))"),
        ("use a frozenset", 'KNOWN = {"a", "b"}', 'KNOWN = frozenset({"a", "b"})'),
        ("combine the startswith calls", 's.startswith("a") or s.startswith("b")', 's.startswith(("a", "b"))'),
        (
            "use Path.read_text",
            'with open(p, encoding="utf-8") as f:\n    text = f.read()',
            'text = Path(p).read_text(encoding="utf-8")',
        ),
        (
            "use try instead of checking first",
            "def f(d, k):\n    if k in d:\n        return d[k]\n    return 0",
            "def f(d, k):\n    try:\n        return d[k]\n    except KeyError:\n        return 0",
        ),
        (
            "replace the if/elif chain with a dict lookup",
            "def f(a):\n    if a == 1:\n        return 'x'\n    elif a == 2:\n        return 'y'\n    return b",
            "def f(a):\n    return {1: 'x', 2: 'y'}.get(a, b)",
        ),
        ("use a raw string", 're.match("\\\\d+", s)', 're.match(r"\\d+", s)'),
        ("integer division", "return int(a / b)", "return a // b"),
        ("sort by name", "xs.sort(key=lambda x: x.age)", "xs.sort(key=lambda x: x.name)"),
        ("sort by name", 'a = sorted(xs, key=itemgetter("age"))', 'a = sorted(xs, key=itemgetter("name"))'),
        ("sort by name", "a = q.order_by(X.age.desc())", "a = q.order_by(X.name.desc())"),
        ("sort by name", 'a = q.order_by("-age")', 'a = q.order_by("-name")'),
        (
            "sort by age then name, descending",
            'sorted(rows, key=lambda r: r["id"])',
            'sorted(rows, key=lambda r: (r["age"], r["name"]), reverse=True)',
        ),
        ("merge with |", "c = a.copy()\nc.update(b)", "c = a | b"),
    ],
)
def test_a_named_idiom_is_done_whole_and_nothing_beside_it(words: str, old: str, new: str) -> None:
    assert results("simplify", old, words) == [new]


@pytest.mark.parametrize(
    ("words", "code", "wrong"),
    [
        ("use startswith", 's[:3] == "http"', "startswith"),
        ("use endswith", 's[-3:] == "x.gz"', "endswith"),
        ("use removeprefix", 's = s[2:] if s.startswith("abc") else s', "removeprefix"),
        ("use defaultdict", "d = {}\nd.setdefault(a, []).append(1)\nd.setdefault(b, set()).add(1)", "defaultdict"),
        ("use divmod", "t = t // 60\ns = t % 60", "divmod"),
        ("swap without tmp", "tmp = a\na = b\nb = tmp\nuse(tmp)", "a, b = b, a"),
        ("use reversed", "back = text[::-1]", "reversed"),
        ("unpack in the loop", "for p in ps:\n    use(p[0], p[1], p)", "first"),
        ("for instead of while", "i = 0\nwhile i < n:\n    if go(i):\n        continue\n    i += 1", "for i in"),
        ("for instead of while", "i = 0\nwhile i < n:\n    go(i)\n    i += 1\nuse(i)", "for i in"),
        ("start enumerate at 1", "for i, x in enumerate(xs):\n    show(i, i + 1)", "start=1"),
        ("make it a generator", "def f(xs):\n    out = []\n    out.append(1)\n    use(out)\n    return out", "yield"),
        (
            "a dict lookup, not a chain",
            "def f(a):\n    if a == 1:\n        return g()\n    elif a == 2:\n        return 2",
            "get(",
        ),
        ("in one statement", "a = 1\nb = a + 1", "a, b ="),
        ("comprehension", "for i in range(len(a)):\n    a[i] = a[i] + i", ".update("),
    ],
)
def test_what_would_mean_something_else_is_not_listed(words: str, code: str, wrong: str) -> None:
    assert not any(wrong in one for one in results("simplify", code, words))


def test_a_comment_in_the_way_is_kept() -> None:
    code = "if k not in d:\n    # first time\n    d[k] = []\nd[k].append(v)"
    assert all("# first time" in one for one in results("simplify", code, "use setdefault"))


def test_sorts_are_not_undone_or_doubled_where_one_is_asked_for() -> None:
    found = results("fix_call", "return sorted(files)", "sort descending")
    assert not {"return files", "return sorted(sorted(files))"} & set(found)


def test_a_function_that_is_only_named_is_not_called_with_nothing() -> None:
    assert not any("next()" in one for one in results("replace_text", "return None", "use next() instead of None"))


def test_a_word_of_the_language_in_backticks_is_no_text() -> None:
    assert not any('"in"' in one for one in results("change_literal", 'x = s.find("@")', "use `in` here"))


@pytest.mark.parametrize(
    "words", ["integer division", "floor division here", "dict lookup instead of the ifs", "i += 1", "+= for b"]
)
def test_an_idiom_may_be_named_without_a_verb(words: str) -> None:
    assert names_only(Snippet(("a = 1",)), words)


@pytest.mark.parametrize("end", ["return a[i]", "return i + 1", "i = 2", "i = a", "i += 1"])
def test_numbers_are_no_flags(end: str) -> None:
    code = f"def f(a):\n    i = 0\n    if a:\n        i = 1\n    {end}"
    assert not named_idioms(Snippet(tuple(code.split("\n"))), Request("use booleans"))
