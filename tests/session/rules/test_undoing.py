"""An edit against a command, or beside it, is found out."""

import pytest

from spark_tui.context.regions import Region
from spark_tui.session.rules.facts import Code
from spark_tui.session.rules.undoing import undoing


def _said(words: str, before: str, after: str) -> str:
    lines = before.split("\n")
    region = Region("a.py", 1, len(lines), None, None, "", "file")
    return undoing(words, Code(words, "a.py", region, lines, lines), after.split("\n"))


COUNT = "while n:\n    print(n)\n    n -= 1"
SILENT = COUNT.replace("    print(n)\n", "")
CLASS = "class A:\n    x = 1"
FIND = "def find(q, limit=10):\n    return db(q)[:limit]"
TEST = "def test_a(self):\n    self.assertEqual(f(), 1)"


@pytest.mark.parametrize(
    ("words", "before", "wrong", "right", "why"),
    [
        ("print in milliseconds", COUNT, SILENT, COUNT.replace("(n)", "(n * 1000)"), "takes print away"),
        ("don't print 0", COUNT, SILENT, COUNT.replace("print", "if n: print"), "takes print away altogether"),
        (
            "add a transfer method", CLASS, f"{CLASS}\n    def __repr__(self): ...",
            f"{CLASS}\n    def transfer(self): ...", "not add transfer",
        ),
        (
            "cap limit at 100", FIND, FIND.replace("10", "100"), FIND.replace("[:limit]", "[:min(limit, 100)]"),
            "caps nothing",
        ),
        (
            "n should be at most 60", "n = 2 ** a", "n = 60 ** a", "n = min(2 ** a, 60)", "caps nothing",
        ),
        (
            "return early for 2", FIND, FIND.replace("    return", "    if q:\n        return\n    return"),
            FIND.replace("    return", "    if q == 2:\n        return\n    return"), "not look for 2",
        ),
        (
            "support keyword arguments", FIND, FIND.replace("q, ", "q, *, "), FIND.replace("10", "10, **kwargs"),
            "not take keyword arguments",
        ),
        ("use a list comprehension", "a = f(b)", "a.extend(c for c in b)", "a = [c for c in b]", "list comprehension"),
        ("use max with a key", "a = b", "a = max(b)", "a = max(b, key=len)", "does not give a key"),
        ("use range", COUNT, COUNT.replace("print", "range"), "for n in range(3): print(n)", "nothing with range"),
        (
            "expect None for empty", TEST, TEST.replace("    self", "    if not self:\n        return\n    self"),
            TEST.replace("1", "None"), "expects nothing",
        ),
    ],
)  # fmt: skip
def test_what_goes_against_a_command_is_said(words: str, before: str, wrong: str, right: str, why: str) -> None:
    assert why in _said(words, before, wrong)
    assert not _said(words, before, right)


@pytest.mark.parametrize(
    "words", ["print -> logger.info", "print only once", "don't print", "print out, keep the rest"]
)
def test_a_call_that_is_to_go_may_go(words: str) -> None:
    assert not _said(words, COUNT, SILENT)


def test_a_call_may_go_where_a_block_does_its_work() -> None:
    before = "f = open(path)\ntext = f.read()\nf.close()"
    assert not _said("close the file", before, "with open(path) as f:\n    text = f.read()")
