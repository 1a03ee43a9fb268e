import pytest

from spark_tui.editing.codemods.base import Request, applied
from spark_tui.editing.codemods.change_operator import ChangeOperator
from spark_tui.editing.snippet import Snippet
from tests.editing.codemods.table import afters

BEFORE = "if a < b and (c + 1) in d: e += f.g"


@pytest.mark.parametrize(
    ("instruction", "old", "new"),
    [
        ("use <= instead of <", "<", "<="),
        ("change the plus to a minus", "+ 1", "- 1"),
        ("it says less than but should be greater than or equal", "<", ">="),
        ("make < inclusive", "<", "<="),
        ("or, not and", "and", "or"),
        ("`in` should be `not in`", "in", "not in"),
        ("`e += f.g` -> `e -= f.g`", "+=", "-="),
        ("make it a == b", "<", "=="),
        ("use > between a and b", "<", ">"),
        ("shouldn't the < be !=?", "<", "!="),
    ],
)
def test_the_operator_that_is_told_becomes_another(instruction: str, old: str, new: str) -> None:
    assert afters(ChangeOperator(), BEFORE, instruction) == [BEFORE.replace(old, new)]


@pytest.mark.parametrize(
    ("before", "instruction"),
    [
        (BEFORE, "this is wrong"),
        ("a = '%s' % b", "use + instead of %"),
        ("a = b is None", "use == instead of is"),
        ("a = b<c", "use in instead of <"),
        ("a = f'{b < c}'", "use > instead of <"),
    ],
)
def test_nothing_fits(before: str, instruction: str) -> None:
    assert afters(ChangeOperator(), before, instruction) == []


def test_selected_lines_and_expressions_narrow() -> None:
    before = "a = b < c\nd = e < f"
    first, second = "a = b > c\nd = e < f", "a = b < c\nd = e > f"
    assert sorted(afters(ChangeOperator(), before, "use >")[:2]) == sorted([first, second])
    assert afters(ChangeOperator(), before, "use > in e < f") == [second]
    assert afters(ChangeOperator(), before, "use >", (0, 0)) == [first]


@pytest.mark.parametrize("words", ["change < to >", "change the < to >", "it should be > not <", "use > instead of <"])
def test_the_only_such_operator_is_plainly_meant(words: str) -> None:
    before, request = Snippet(("if a < b:", "    c = d + e")), Request(words)
    assert [applied(before, ops)[0] for ops in ChangeOperator().plain(before, request)] == ["if a > b:"]
    several = Snippet(("a = b < c", "d = e < f"))
    assert not ChangeOperator().plain(several, request)
    assert len(ChangeOperator().plain(several, Request(words, (1, 1)))) == 1
