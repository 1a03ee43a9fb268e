"""A name is renamed where it means the same, and nowhere else."""

import pytest

from spark_tui.editing.rename import rename
from spark_tui.editing.snippet import Snippet

CASES = {
    "everywhere": (
        "n -> count",
        "def f(n):\n    return n + g(n)",
        "def f(count):\n    return count + g(count)",
    ),
    "a local, not the builtin": (
        "id -> key",
        "def f():\n    id = 1\n    return id\n\n\ndef g(a):\n    return id(a)",
        "def f():\n    key = 1\n    return key\n\n\ndef g(a):\n    return id(a)",
    ),
    "a local, not the method of its name": (
        "total -> found",
        "class A:\n    def total(self):\n        return 1\n\n    def f(self):\n        return self.total()",
        "class A:\n    def found(self):\n        return 1\n\n    def f(self):\n        return self.found()",
    ),
    "a local of the function's own name": (
        "total -> found",
        "def total(rows):\n    total = 0\n    return total",
        "def total(rows):\n    found = 0\n    return found",
    ),
    "a name of the module": (
        "rows -> lines",
        "rows = []\n\n\ndef f():\n    return rows",
        "lines = []\n\n\ndef f():\n    return lines",
    ),
    "an attribute": (
        ".size -> .width",
        "def f(self, size):\n    self.size = size",
        "def f(self, size):\n    self.width = size",
    ),
    "an import": ("json -> js", "import json\n\nA = json.loads('json')", "import json as js\n\nA = js.loads('json')"),
    "an import of several": (
        "b -> c",
        "from a import x, b\n\nA = b(b)",
        "from a import x, b as c\n\nA = c(c)",
    ),
    "a parameter and what passes it": (
        "n -> count",
        "def f(n):\n    return n\n\n\nA = f(n=1), g(n=2)",
        "def f(count):\n    return count\n\n\nA = f(count=1), g(n=2)",
    ),
    "a parameter of a constructor": (
        "n -> count",
        "class A:\n    def __init__(self, n):\n        self.n = n\n\n\nB = A(n=1)",
        "class A:\n    def __init__(self, count):\n        self.n = count\n\n\nB = A(count=1)",
    ),
    "what does not parse": ("a -> b", "def f(a:\n    return a", "def f(b:\n    return b"),
    "a field of an f-string": ("a -> b", 'def f(a):\n    return f"a {a}"', 'def f(b):\n    return f"a {b}"'),
}


@pytest.mark.parametrize("name", CASES)
def test_a_name_is_renamed_by_its_scope(name: str) -> None:
    pair, before, after = CASES[name]
    old, _, new = pair.split(" ")
    assert rename(Snippet(tuple(before.split("\n"))), old, new) == after.split("\n")


@pytest.mark.parametrize(
    ("pair", "code"),
    [
        ("n -> count", "def f(n, count):\n    return n"),
        ("rows -> lines", "def f(n):\n    return n"),
        (".a -> .b", "def f(self):\n    self.a = self.b"),
        ("os -> x", "import os.path\n\nA = os.path"),
        ("f -> g", "class A:\n    def f(self):\n        return 1"),
    ],
)
def test_no_name_is_renamed_to_one_that_is_taken_or_where_others_may_use_it(pair: str, code: str) -> None:
    old, _, new = pair.split(" ")
    assert rename(Snippet(tuple(code.split("\n"))), old, new) is None
