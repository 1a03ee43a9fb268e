"""Lines that do not parse for their brackets or colons."""

import pytest

from spark_tui.editing.brackets import asks_for_syntax, mended


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(t):\n    print(t.upper()\n    return t", "def f(t):\n    print(t.upper())\n    return t"),
        ("def f(xs):\n    return xs[0", "def f(xs):\n    return xs[0]"),
        ("def f(a, b:\n    x = 1\n    return x", "def f(a, b):\n    x = 1\n    return x"),
        ("if f(g(x):\n    y()", "if f(g(x)):\n    y()"),
        ("x = foo(\n    a,\n    b\n\ny = 2", "x = foo(\n    a,\n    b)\n\ny = 2"),
        ("    def f(t):\n        print(t\n        x = 3", "    def f(t):\n        print(t)\n        x = 3"),
        ("x = {'a': 1,\n 'b': [1, 2}", "x = {'a': 1,\n 'b': [1, 2]}"),
        ("x = (a))", "x = (a)"),
        ("x = [1, 2)", "x = [1, 2]"),
        ("for x in y\n    print(x)", "for x in y:\n    print(x)"),
        ("f(a\n\ng(b[0", "f(a)\n\ng(b[0])"),
    ],
)
def test_what_lacks_comes_where_its_statement_ends(before: str, after: str) -> None:
    assert mended(before.split("\n")) == after.split("\n")


@pytest.mark.parametrize("lines", ["x = f(\n    a,\n)", "x = '''a", "x = = 1", "def f(:\n    pass pass"])
def test_what_parses_or_is_broken_otherwise_is_left(lines: str) -> None:
    assert mended(lines.split("\n")) == []


def test_it_is_done_for_words_that_speak_of_it() -> None:
    assert asks_for_syntax("missing closing paren")
    assert asks_for_syntax("SyntaxError: '(' was never closed")
    assert not asks_for_syntax("rename x to y")
