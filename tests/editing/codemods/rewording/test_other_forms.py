"""The same written in another form, as the words tell."""

import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("kind", "words", "old", "new"),
    [
        ("extract_function", "E731, use a def", "key = lambda a, b=1: a + b", "def key(a, b=1):\n    return a + b"),
        (
            "extract_function",
            "def (a: int) -> int for the lambda",
            "if x:\n    key = lambda a: a + 1",
            "if x:\n    def key(a: int) -> int:\n        return a + 1",
        ),
        (
            "split_if",
            "no walrus please",
            "if (hit := find(row)) is None and row:\n    go(hit)",
            "hit = find(row)\nif hit is None and row:\n    go(hit)",
        ),
        (
            "split_if",
            "undo the walrus",
            "def f():\n    return go(x := 1, x)",
            "def f():\n    x = 1\n    return go(x, x)",
        ),
        ("split_if", "E702 semicolon", "a = 1; b = 2  # both\nc = 3", "a = 1\nb = 2  # both\nc = 3"),
        (
            "split_if",
            "the return on its own line",
            "def f(x):\n    if x: return 1; go()",
            "def f(x):\n    if x:\n        return 1\n        go()",
        ),
        (
            "replace_text",
            "put the call behind a __main__ guard",
            "import app\n\napp.run()",
            'import app\n\nif __name__ == "__main__":\n    app.run()',
        ),
        (
            "from_ternary",
            "a plain if/else",
            "(good if ok else bad).append(1)\n(go if ok else stop)(1)",
            "(good if ok else bad).append(1)\nif ok:\n    go(1)\nelse:\n    stop(1)",
        ),
        (
            "remove_else",
            "plain ifs",
            "def f(x):\n    if x > 1:\n        return 1\n    elif x:\n        return 2\n    elif y:\n        return 3",
            "def f(x):\n    if x > 1:\n        return 1\n    if x:\n        return 2\n    if y:\n        return 3",
        ),
    ],
)
def test_it_is_listed(kind: str, words: str, old: str, new: str) -> None:
    assert new in results(kind, old, words)[:3]


@pytest.mark.parametrize(
    ("kind", "words", "code"),
    [
        ("split_if", "undo the walrus", "x = a or (b := c)"),
        ("split_if", "undo the walrus", "while x := go():\n    stop(x)"),
        ("split_if", "semicolons are odd", "x = 'a; b'"),
    ],
)
def test_what_would_do_something_else_is_not_listed(kind: str, words: str, code: str) -> None:
    assert results(kind, code, words) == []
