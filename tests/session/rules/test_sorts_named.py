"""Edits of another sort than the words name are not offered."""

import pytest

from spark_tui.context.source import Region
from spark_tui.session.rules.facts import Code
from spark_tui.session.rules.sorts_named import other_sort

LOOP = "def f(items):\n    found = []\n    for one in items:\n        found.append(one)\n    return found"
IFS = "def f(a, b):\n    if a:\n        return 1\n    elif b:\n        return 1\n    return 0"
SUPER = 'def f(self, size):\n    """Set up."""\n    self.size = size\n    super().f()'
GET = "def f(d):\n    return d.get('a', None)"
TWICE = "def f(self):\n    self.start()\n    register(self.stop)"
COUNT = "def f(counts, key):\n    count = counts.get(key, 0)\n    return count == 0"
FORCE = "def f(force):\n    if force is True:\n        return force\n    return None"


def _said(words: str, before: str, after: str) -> str:
    lines = before.split("\n")
    code = Code(words, "a.py:1-5", Region("a.py", 1, len(lines), None, None, "", "symbol"), lines, lines)
    return other_sort(words, code, after.split("\n"))


@pytest.mark.parametrize(
    ("words", "before", "wrong", "right", "why"),
    [
        (
            "use a comprehension for the loop", LOOP, LOOP.replace("append(", "insert(0, "),
            "def f(items):\n    found = [one for one in items]\n    return found", "brings no comprehension",
        ),
        (
            "merge the elifs", IFS, IFS.replace("elif", "if"),
            "def f(a, b):\n    if a or b:\n        return 1\n    return 0", "merges nothing",
        ),
        (
            "call super first", SUPER, SUPER.replace("super()", "super(A, self)"),
            'def f(self, size):\n    """Set up."""\n    super().f()\n    self.size = size', "does not call super first",
        ),
        ("use [] instead of get", GET, GET.replace(", None", ""), "def f(d):\n    return d['a']", "still uses get"),
        (
            "simplify the return", LOOP, LOOP.replace("in items", "in list(items)"),
            LOOP.replace("return found", "return found or []"), "changes no return",
        ),
        (
            "don't register the stop twice", TWICE, TWICE.replace("\n    register(self.stop)", ""),
            TWICE.replace("    register", "    if not self.on:\n        register"), "leaves out for good",
        ),
        (
            "make count default to 1", COUNT, COUNT.replace("== 0", "== 1"), COUNT.replace("key, 0", "key, 1"),
            "changes no default",
        ),
        (
            "force may be a tuple", FORCE, FORCE.replace("return force", "return (force,)"),
            FORCE.replace("is True", "in (True, ())"), "does not ask what force is",
        ),
    ],
)  # fmt: skip
def test_an_edit_is_of_the_sort_that_is_named(words: str, before: str, wrong: str, right: str, why: str) -> None:
    assert why in _said(words, before, wrong)
    assert not _said(words, before, right)


@pytest.mark.parametrize("words", ["simplify it", "rename f to g", "the return type should be int", "add a default"])
def test_words_that_name_no_sort_rule_nothing_out(words: str) -> None:
    assert not _said(words, GET, "def f(d):\n    return d.get('b', None)")


def test_a_statement_that_stands_there_twice_may_go_once() -> None:
    again = f"{TWICE}\n    register(self.stop)"
    assert not _said("it is registered twice", again, TWICE)
