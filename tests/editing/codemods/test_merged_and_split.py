"""Statements made one, and one made several, where that is asked for."""

import pytest

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.statements.merged_statements import merged
from spark_tui.editing.codemods.statements.split_statements import split
from spark_tui.editing.snippet import Snippet


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        ("make it one statement", "n = a - b\nn += 1\nf(n)", "n = a - b + 1\nf(n)"),
        ("one statement please", "n += 2\nn = n % k\nf(n)", "n = (n + 2) % k\nf(n)"),
        ("one nested call will do", "t = load(x)\nt = strip(t)\nf(t)", "t = strip(load(x))\nf(t)"),
        ("return it directly", "n = a(\n    b\n)\n\nreturn_me = 1", None),
        (
            "return that directly",
            "def f():\n    n = (a or\n         b)\n    return n",
            "def f():\n    return (a or\n         b)",
        ),
        (
            "would you inline low and high?",
            "low = x.find('<') + 1\nhigh = x.find('>')\ny = x[low:high]",
            "y = x[x.find('<') + 1:x.find('>')]",
        ),
        (
            "inline the table local",
            "table = self.table\ns = f'{k}: {table[k]}'\nt(table)",
            "s = f'{k}: {self.table[k]}'\nt(self.table)",
        ),
        ("inline total", "total = a + b\nprint(total * 2)", "print((a + b) * 2)"),
        ("say more about total", "total = a + b\nprint(total * 2)", None),
        ("inline out", "out = open(path)\nout.write(x)\nout.close()", None),
        ("inline out", "out = [a]\nout.append(b)\nf(out)", None),
        ("inline row", "row = f(x)\nfor n in range(9):\n    g(row)", None),
        ("inline rows", "rows = f(x)\nfor n in rows:\n    g(n)", "for n in f(x):\n    g(n)"),
        ("inline half", "half = n / 2\nn = g(n)\nprint(half)", None),
    ],
)
def test_two_steps_become_one(words: str, before: str, after: str | None) -> None:
    found = ["\n".join(lines) for lines in merged(Snippet(tuple(before.split("\n"))), Request(words))]
    assert after in found if after else not found


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        ("two plain assignments", "a = b[k] = f(x)", "a = f(x)\nb[k] = a"),
        ("split the chained assignment", "a.x = a.y = ''", "a.x = ''\na.y = ''"),
        ("two asserts would tell which", "assert a and b > 1", "assert a\nassert b > 1"),
        ("undo the walrus", "if (m := f(x)) is not None:\n    g(m)", "m = f(x)\nif m is not None:\n    g(m)"),
        ("no walrus, please", "if m := f(x):\n    g(m)", "m = f(x)\nif m:\n    g(m)"),
        ("g() on its own line", "if x: g()  # why", "if x:\n    g()  # why"),
        (
            "assign that to `found` first",
            "def f():\n    return (yield x)",
            "def f():\n    found = yield x\n    return found",
        ),
        ("EM101 no literal in an exception\nmsg", "raise E('no')", "msg = 'no'\nraise E(msg)"),
        (
            "bind the text to `msg`",
            "raise E(\n    'no '\n    'way'\n)",
            "msg = (\n    'no '\n    'way'\n)\nraise E(msg)",
        ),
        ("the walrus is fine", "x = 1", None),
    ],
)
def test_one_statement_becomes_several(words: str, before: str, after: str | None) -> None:
    found = ["\n".join(lines) for lines in split(Snippet(tuple(before.split("\n"))), Request(words))]
    assert found[0] == after if after else not found


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        ("await first, then a bare return", "    return await f(\n        x)", "    await f(\n        x)\n    return"),
        ("make the two calls separate lines", "s = s.strip(c).lower()", "s = s.strip(c)\ns = s.lower()"),
        ("a = b = 0 -> separate", "a = b = 0", "a = 0\nb = 0"),
    ],
)
def test_a_return_and_a_chain_come_apart(words: str, before: str, after: str) -> None:
    snippet = Snippet(tuple(before.split("\n")))
    assert after.split("\n") in list(split(snippet, Request(words)))
