"""Code that words name as what is to be changed is not left alone by an edit."""

import pytest

from spark_tui.context.regions import Region
from spark_tui.session.rules.facts import Code
from spark_tui.session.rules.passed_by import passed_by

CHOSEN = """def f(self, a, b):
    if a is None:
        self.one = 1
    else:
        self.one = a
    if b is None:
        self.two = 2
    else:
        self.two = b
    return open(
        self.path)"""


def _said(words: str, after: str) -> str:
    lines = CHOSEN.split("\n")
    region = Region("a.py", 1, len(lines), None, None, "", "file")
    return passed_by(words, Code(words, "a.py", region, lines, lines), after.split("\n"))


@pytest.mark.parametrize(
    ("words", "old", "new", "missed"),
    [
        ("use a ternary for self.two", "self.one = 1", "self.one = 2", "self.two"),
        ("use a ternary for self.one", "self.one = 1", "self.one = 2", ""),
        ("give open() an encoding", "self.one = 1", "self.one = 2", "open"),
        ("give open() an encoding", "self.path)", 'self.path, encoding="utf-8")', ""),
        ("log it before open() is reached", "self.one = 1", "log(self)", ""),
        ("set self.three to 4", "self.one = 1", "self.one = 4", ""),
        ("use 3 for b", "self.one = 1", "self.one = 3", "b"),
    ],
)
def test_what_is_named_is_touched(words: str, old: str, new: str, missed: str) -> None:
    said = _said(words, CHOSEN.replace(old, new, 1))
    assert (f"leaves {missed} as it is" in said) if missed else not said
