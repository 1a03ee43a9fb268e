from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.training.script import (
    TOP,
    Dedent,
    Delete,
    Indent,
    Insert,
    LineOp,
    Replace,
    ScriptError,
    Substitute,
    apply_script,
    write_script,
)

some_lines = st.lists(
    st.sampled_from(["", " ", "    ", "a", "    a", "        a", "b", "    b", "c", "  c"]), max_size=9
)
LINES = ["def f(x):", "    if x:", "        return x", "", "    return 0"]


@given(some_lines, some_lines)
def test_a_written_script_turns_before_into_after(before: list[str], after: list[str]) -> None:
    assert apply_script(before, write_script(before, after)) == after


@given(some_lines, some_lines, st.randoms(use_true_random=False))
def test_the_order_of_operations_does_not_matter(before: list[str], after: list[str], rng: Random) -> None:
    ops = list(write_script(before, after))
    assert apply_script(before, rng.sample(ops, len(ops))) == after


@given(some_lines)
def test_equal_lines_need_no_operation(lines: list[str]) -> None:
    assert write_script(lines, lines) == ()


@pytest.mark.parametrize(
    ("after", "ops"),
    [
        (["def f(x):", "    if x:", "        return 1", "", "    return 0"], (Replace(2, 2, ("        return 1",)),)),
        (["import a", *LINES], (Insert(TOP, ("import a",)),)),
        ([*LINES, "f(1)"], (Insert(4, ("f(1)",)),)),
        (LINES[:3], (Delete(3, 4),)),
        (
            [LINES[0], "    try:", *("    " * bool(line) + line for line in LINES[1:])],
            (Insert(0, ("    try:",)), Indent(1, 4)),
        ),
        (["def f(x):", "    return x", "", "    return 0"], (Delete(1, 1), Dedent(2, 2))),
    ],
)  # fmt: skip
def test_the_canonical_script_is_short(after: list[str], ops: tuple[LineOp, ...]) -> None:
    assert write_script(LINES, after) == ops


@pytest.mark.parametrize(
    ("ops", "after"),
    [
        ([Replace(1, 2, ("    return x",))], ["def f(x):", "    return x", "", "    return 0"]),
        ([Insert(TOP, ("@a",)), Insert(4, ("",))], ["@a", *LINES, ""]),
        ([Delete(0, 4)], []),
        ([Indent(2, 4)], ["def f(x):", "    if x:", "            return x", "", "        return 0"]),
        ([Dedent(1, 4)], ["def f(x):", "if x:", "    return x", "", "return 0"]),
        ([Substitute("x", "y")], ["def f(y):", "    if y:", "        return y", "", "    return 0"]),
        ([Substitute("x", "y"), Replace(2, 2, ("        return x + 1",))], [
            "def f(y):", "    if y:", "        return y + 1", "", "    return 0"]),
        ([Insert(1, ("        pass",)), Replace(1, 1, ("    if not x:",))], [
            "def f(x):", "    if not x:", "        pass", "        return x", "", "    return 0"]),
    ],
)  # fmt: skip
def test_each_operation_does_what_it_says(ops: list[LineOp], after: list[str]) -> None:
    assert apply_script(LINES, ops) == after


def test_blank_lines_keep_their_spaces_when_a_block_moves() -> None:
    lines = ["    a", "    ", "    b"]
    assert apply_script(lines, [Dedent(0, 2)]) == ["a", "    ", "b"]
    assert apply_script(lines, [Indent(0, 2)]) == ["        a", "    ", "        b"]


def test_a_level_is_the_unit_given() -> None:
    assert apply_script(["\ta"], [Indent(0, 0)], unit="\t") == ["\t\ta"]
    assert write_script(["  a"], ["a"], unit="  ") == (Dedent(0, 0),)


@pytest.mark.parametrize(
    "ops",
    [
        [Delete(0, 5)],
        [Delete(-1, 0)],
        [Delete(2, 1)],
        [Insert(5, ("x",))],
        [Insert(-2, ("x",))],
        [Insert(1, ("x",)), Insert(1, ("y",))],
        [Delete(0, 2), Indent(2, 3)],
        [Dedent(0, 0)],
    ],
)
def test_what_does_not_fit_is_a_script_error(ops: list[LineOp]) -> None:
    with pytest.raises(ScriptError):
        apply_script(LINES, ops)
