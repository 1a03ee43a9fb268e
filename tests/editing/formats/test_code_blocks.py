"""Code of an answer: found as it is shown, and put where the lines that it shares stand."""

from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.formats.code_blocks import code_blocks, placed

METHOD = [
    "class A:",
    "    def f(self, x):",
    "        y = x",
    "        return y",
    "",
    "    def g(self):",
    "        pass",
]
LINES = st.lists(st.sampled_from(["a", "  b", "    c", "", "d"]), min_size=1, max_size=8)


def test_blocks_are_what_stands_within_fences_that_close() -> None:
    answer = (
        "So:\n\n```py\nx = 1\n\ny = 2\n```\n\n```\n\n```\n- or\n   ~~~\n   z\n   "
        "~~~\n```py\nunfinished"
    )
    assert code_blocks(answer) == [("x = 1", "", "y = 2"), ("z",)]


def test_a_block_takes_the_place_of_the_lines_it_shares_with_their_indentation() -> None:
    block = ["def f(self, x):", "    if x is None:", "        return 0", "", "    return y"]
    become = [
        "    def f(self, x):",
        "        if x is None:",
        "            return 0",
        "",
        "        return y",
    ]
    assert placed(METHOD, block) == (range(1, 4), become)
    assert placed(METHOD[5:], ["def g(self, x):", "    return x"], whole=True) == (
        range(2),
        ["    def g(self, x):", "        return x"],
    )


def test_a_block_that_shares_nothing_stands_below() -> None:
    assert placed(["x = 1", "z = 1"], ["y = 2"]) == (range(1, 2), ["z = 1", "y = 2"])


@given(lines=LINES, block=LINES)
def test_a_block_is_in_it_whole_and_the_lines_as_a_block_change_nothing(
    lines: list[str], block: list[str]
) -> None:
    where, become = placed(lines, block)
    stripped = [line.strip() for line in become]
    assert stripped[-len(block) :] == [line.strip() for line in block]
    assert 0 <= where.start < where.stop <= len(lines)
    if any(map(str.strip, lines)):
        where, become = placed(lines, lines)
        assert lines[where.start : where.stop] == become[where.start : where.stop]


def test_code_after_the_opening_fence_is_the_first_line_of_a_block() -> None:
    assert code_blocks("```a = 1\nb = 2\n```\n```js title='x'\nc\n```\n") == [
        ("a = 1", "b = 2"),
        ("c",),
    ]
