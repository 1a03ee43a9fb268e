"""An edit that plainly does something else than what was asked for is found out."""

import pytest

from spark_tui.context.regions import Region
from spark_tui.session.rules.facts import Code
from spark_tui.session.rules.obstacles import obstacle
from spark_tui.session.rules.unasked import unasked

FILE = """def parse(text):
    amount = int(text)
    print(amount)
    return amount
""".splitlines()


def _said(words: str, after: list[str]) -> str:
    return unasked(words, Code(words, "a.py:1-4", Region("a.py", 1, 4, None, None, "", "file"), FILE, FILE), after)


TESTED = [FILE[0], "    if text < 0:", "        return 0", *FILE[1:]]
EMPTY = [FILE[0], "    if not text:", "        return", *FILE[1:]]
SILENT = [FILE[0], FILE[1], FILE[3]]
DOCUMENTED = [FILE[0], '    """The amount."""', *FILE[1:]]


@pytest.mark.parametrize(
    ("words", "after", "why"),
    [
        ("return the parsed thing", [*FILE[:3], "    return self"], "returns self"),
        ("return everything if text is empty", EMPTY, "returns nothing, and not everything"),
        ("only print if there was something", SILENT, "takes it away altogether"),
        ("negative amounts become 0", TESTED, "tests text, and not amount"),
        ("parse('3') gives 3 but should be 4", [*FILE, "assert parse('3') == 4"], "writes a test"),
        ("skip the header", [FILE[0], *(one.replace("amount", "_") for one in FILE[1:])], "renames a variable to _"),
        ("use commas instead", [*FILE[:3], "    amount", "    return"], "returns it no more"),
        ('give it a help text "the amount"', DOCUMENTED, "writes a docstring"),
    ],
)
def test_what_was_not_asked_for_is_said(words: str, after: list[str], why: str) -> None:
    assert why in _said(words, after)


@pytest.mark.parametrize(
    ("words", "after"),
    [
        ("return self so that calls can be chained", [*FILE[:3], "    return self"]),
        ("return early if text is empty", EMPTY),
        ("return None if text is empty", EMPTY),
        ("dont print", SILENT),
        ("if text is negative return 0 as amount", TESTED),
        ('add a docstring "The amount."', DOCUMENTED),
    ],
)
def test_what_was_asked_for_is_let_through(words: str, after: list[str]) -> None:
    assert not _said(words, after)


def test_what_is_empty_has_no_number_of_its_own() -> None:
    lines = ["def mean(rows):", "    return sum(rows) / len(rows)"]
    code = Code("return early if empty", "a.py:1-2", Region("a.py", 1, 2, None, None, "", "file"), lines, lines)
    after = [lines[0], "    if not rows:", "        return", lines[1]]
    assert "and a number else" in unasked("return early if empty", code, after)
    assert not unasked("return None if empty", code, [lines[0], "    if not rows:", "        return None", lines[1]])
    assert obstacle("return early if empty", code) == (
        "mean gives back a number; say which, as in “return 0 if it is empty”"
    )
