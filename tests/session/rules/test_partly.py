"""An edit that leaves out a part of what is told is found out."""

import pytest

from spark_tui.context.regions import Region
from spark_tui.session.rules.facts import Code
from spark_tui.session.rules.partly import partly

FILE = """def pay(name, amount):
    total = 0
    for one in amount:
        total += one
    print(total)
    return 0


def see(name, amount, seen):
    for one in seen.keys():
        print(one)
    if name not in seen:
        seen[name] = amount
    else:
        print(seen)


def begin():
    seen = {}
    return seen
""".splitlines()


def _said(words: str, old: str, new: str) -> str:
    """What is said of an edit that puts something for something."""
    after = "\n".join(FILE).replace(old, new).split("\n")
    return partly(words, Code(words, "a.py", Region("a.py", 1, len(FILE), None, None, "", "file"), FILE, FILE), after)


@pytest.mark.parametrize(
    ("words", "old", "new", "why"),
    [
        ("print to stderr and return 1", "(total)", "(total, file=sys.stderr)", "does not return 1"),
        ("use sum with a generator", "0\n", "1\n", "does not use sum"),
        ("swap name and amount", "name", "amount_name", "does not swap name and amount"),
        ("swap name and amount", "return 0", "return 1", "does not swap name and amount"),
        ("swap the names name and amount", "total", "sum", "does not swap name and amount"),
        ("use seen.setdefault", "seen[name] = amount", "seen.setdefault(name, amount)", "“if name not in seen”"),
        ("use seen.setdefault", "seen.keys()", "seen.setdefault()", "what setdefault is to set"),
        ("return seen", "seen = {}\n    return seen", "return {}", "does not return seen"),
    ],
)
def test_what_is_left_out_is_said(words: str, old: str, new: str, why: str) -> None:
    assert why in _said(words, old, new)


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        ("print to stderr and return 1", "return 0", "return 1"),
        ("use sum", "total = 0", "total = sum(amount)"),
        ("use max length of 3", "total = 0", "total = 3"),
        ("swap name and amount", "name, amount", "amount, name"),
        ("swap the names name and amount", "name, amount", "amount, name"),
        ("use seen.setdefault", "if name not in seen:\n        seen[name] = amount", "seen.setdefault(name, amount)"),
        ("return seen", "return seen", "return sorted(seen)"),
        ("swap total and result", "total", "result"),
    ],
)
def test_what_is_done_is_let_through(words: str, old: str, new: str) -> None:
    assert not _said(words, old, new)
