import pytest

from tests.editing.codemods.results import results

LOOP = "for x in xs:\n    if x:\n        y = x\n    z(x)"
BREAK = "for x in xs:\n    if x:\n        y = x\n        break\n    z(x)"
CONTINUE = "for x in xs:\n    if x:\n        y = x\n        continue\n    z(x)"


def test_a_branch_could_leave_the_loop_or_the_round() -> None:
    assert results("add_break", LOOP) == [BREAK, CONTINUE]
    assert results("add_break", LOOP, "i forgot the continue") == [CONTINUE]
    assert results("add_break", LOOP, "add a `break`") == [BREAK]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("while True:\n    if x():\n        y()", ["while True:\n    if x():\n        y()\n        break"]),
        ("while x:\n    if y:\n        pass", ["while x:\n    if y:\n        break"]),
        ("for x in xs:\n    z(x)", []),
        ("if x:\n    y = x", []),
        ("for x in xs:\n    if x: y = x", []),
        ("for x in xs:\n    if x:\n        return x\n    z(x)", []),
        ("for x in xs:\n    def f():\n        if x:\n            y = x", []),
    ],
)
def test_only_branches_within_a_loop_end_in_a_word(before: str, after: list[str]) -> None:
    assert results("add_break", before) == after


@pytest.mark.parametrize(
    ("old", "new"), [("break", ["continue"]), ("continue", ["break"]), ("return", ["continue", "break", "pass"])]
)
def test_a_loop_may_be_left_in_the_wrong_way(old: str, new: list[str]) -> None:
    before = "for x in xs:\n    if x:\n        {}\n    z(x)"
    assert results("add_break", before.format(old)) == [before.format(one) for one in new]
    assert results("add_break", before.format(old), "add the missing break") == []
