"""Results returned where they are found, values set up front, and what all branches do done once."""

import pytest

from tests.editing.codemods.results import results

LOOP = "def f(rows):\n    found = None\n    for r in rows:\n        if r:\n            found = r\n            break\n"


@pytest.mark.parametrize(
    ("before", "words", "after"),
    [
        (
            "def f(a):\n    try:\n        x = int(a)\n    except ValueError:\n        x = 0\n    return x",
            "return directly in both",
            "def f(a):\n    try:\n        return int(a)\n    except ValueError:\n        return 0",
        ),
        (
            "def f(a):\n    if a:\n        return a\n    with h:\n        x = y = 2\n    return x",
            "return straight from the with",
            "def f(a):\n    if a:\n        return a\n    with h:\n        x = y = 2\n        return x",
        ),
        (
            LOOP + "    return found",
            "return inside the loop, no need for found",
            "def f(rows):\n    for r in rows:\n        if r:\n            return r\n    return None",
        ),
        (
            LOOP + "    if found is None:\n        raise KeyError\n    return found",
            "just return from the loop",
            "def f(rows):\n    for r in rows:\n        if r:\n            return r\n    raise KeyError",
        ),
    ],
)
def test_a_result_is_returned_where_it_is_found(before: str, words: str, after: str) -> None:
    assert results("early_return", before, words)[:1] == [after]


def test_what_is_read_on_the_way_is_not_returned_early() -> None:
    before = "def f(rows):\n    n = 0\n    for r in rows:\n        n = n + r\n    return n"
    assert results("early_return", before, "return directly") == []


def test_what_an_else_sets_is_set_up_front() -> None:
    before = "def f(a):\n    if a:\n        x = g(a)\n    else:\n        x = None\n    return x"
    after = "def f(a):\n    x = None\n    if a:\n        x = g(a)\n    return x"
    assert results("remove_else", before, "x = None up front so the else can go") == [after]
    assert results("remove_else", before, "rename x") == []


@pytest.mark.parametrize(
    ("before", "words", "after"),
    [
        (
            "if a:\n    b()\n    d(c)\nelif e:\n    d(c)\nelse:\n    d(c)",
            "d is called in every branch, do it once after the ifs",
            "if a:\n    b()\nelif e:\n    pass\nd(c)",
        ),
        (
            "if a:\n    b()\n    d(c)\nelse:\n    d(c)\n    g()",
            "d(c) in both branches, hoist above the if",
            "d(c)\nif a:\n    b()\nelse:\n    g()",
        ),
    ],
)
def test_what_all_branches_do_is_done_once(before: str, words: str, after: str) -> None:
    assert results("replace_text", before, words)[:1] == [after]
