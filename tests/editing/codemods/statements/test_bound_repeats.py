"""Expressions that are there more than once get a name, and what is fixed becomes a parameter."""

import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("before", "words", "after"),
    [
        (
            "def f(name):\n    if name.lower() in a:\n        g(name.lower())",
            "name.lower() twice",
            "def f(name):\n    name_lower = name.lower()\n    if name_lower in a:\n        g(name_lower)",
        ),
        (
            "def f(m):\n    if m.group(1).strip():\n        label = m.group(1).strip()\n        g(label)",
            "strip the label once",
            "def f(m):\n    label = m.group(1).strip()\n    if label:\n        g(label)",
        ),
        (
            "def f(b):\n    d = b.c\n    for p in q:\n        g(d.e(p))\n    return d.e(2), d.e(2)",
            "d.e(2) is computed two times, keep it as pair",
            "def f(b):\n    d = b.c\n    for p in q:\n        g(d.e(p))\n    pair = d.e(2)\n    return pair, pair",
        ),
        (
            "if k:\n    a(self.sizes_for(k))\nelse:\n    b(self.sizes_for(k))\n    c(self.sizes_for(k))",
            "sizes_for(k) is there twice in the else, pull it out",
            "if k:\n    a(self.sizes_for(k))\nelse:\n    sizes = self.sizes_for(k)\n    b(sizes)\n    c(sizes)",
        ),
    ],
)
def test_what_is_there_twice_gets_a_name(before: str, words: str, after: str) -> None:
    assert after in results("extract_variable", before, words)


def test_what_changes_in_between_is_no_repetition() -> None:
    before = "def f(a):\n    g(a.b(), 1)\n    a = h(a)\n    g(a.b(), 2)"
    assert not [one for one in results("extract_variable", before, "a.b() twice") if one.count("a.b()") < 2]


@pytest.mark.parametrize(
    ("before", "words", "after"),
    [
        (
            "def f(self, a: int):\n    run(a, max_workers=1)",
            "make the number of workers a param",
            "def f(self, a: int, max_workers: int = 1):\n    run(a, max_workers=max_workers)",
        ),
        (
            "def f(self, a):\n    self.indent = 0",
            "starting indent as an argument",
            "def f(self, a, indent=0):\n    self.indent = indent",
        ),
    ],
)
def test_what_is_fixed_becomes_a_parameter(before: str, words: str, after: str) -> None:
    assert results("add_parameter", before, words)[:1] == [after]
