"""Which lines of a change belong together."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.hunks import MOST_PAIRS, Cut, finest, levels

LINES = st.lists(
    st.sampled_from(["a = 1", "a = 2", "b(a)", "return b", "", "    pass"]), max_size=7
)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (["a = 1"], ["a = 2"], []),
        (["a = 1", "return b"], ["a = 2", "return c"], [((1, 1),)]),
        ([], ["x", "y", "z"], [((0, 1), (0, 2))]),
        (["x", "y"], [], [((1, 0),)]),
        (
            ["a = 1"],
            ["log(x)", "a = 2", "go()", "on()"],
            [((0, 1), (1, 2)), ((0, 1), (1, 2), (1, 3))],
        ),
        (["x"], ["y"], [((1, 0),)]),
    ],
    ids=["one pair", "two pairs", "only new", "only old", "blocks, then lines", "nothing alike"],
)
def test_a_change_is_cut_between_blocks_first_and_then_between_lines(
    old: list[str], new: list[str], expected: list[tuple[Cut, ...]]
) -> None:
    assert levels(old, new) == expected


@given(LINES, LINES)
def test_the_smallest_changes_hold_every_line_once_and_in_order(
    old: list[str], new: list[str]
) -> None:
    pieces = list(finest(old, new))
    assert [line for piece, _ in pieces for line in old[piece]] == old
    assert [line for _, piece in pieces for line in new[piece]] == new
    assert all(len(old[a]) <= 1 and len(new[b]) <= 1 for a, b in pieces)


@given(LINES, LINES)
def test_finer_levels_keep_the_cuts_of_the_coarser_ones(old: list[str], new: list[str]) -> None:
    found = levels(old, new)
    assert len(found) <= 2
    assert all(set(coarse) < set(fine) for coarse, fine in pairwise(found))


def test_a_change_too_large_to_compare_is_paired_by_place() -> None:
    count = int(MOST_PAIRS**0.5) + 1
    old, new = [f"x{n}" for n in range(count)], [f"y{n}" for n in range(count)]
    assert levels(old, new) == [tuple((n, n) for n in range(1, count))]
