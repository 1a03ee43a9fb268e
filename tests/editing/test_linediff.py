from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing import line_diff
from spark_tui.editing.line_diff import Change, line_changes

some_lines = st.lists(st.sampled_from("abc"), max_size=10)


def by_table(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """The same walk over the textbook table of common lengths."""
    common = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            common[i][j] = (
                common[i + 1][j + 1] + 1
                if old[i] == new[j]
                else max(common[i + 1][j], common[i][j + 1])
            )
    found, i, j, start = [], 0, 0, (0, 0)
    while i < len(old) or j < len(new):
        if i < len(old) and j < len(new) and old[i] == new[j]:
            found.append((start[0], i, start[1], j))
            i, j = i + 1, j + 1
            start = i, j
        elif i < len(old) and common[i + 1][j] == common[i][j]:
            i += 1
        else:
            j += 1
    found.append((start[0], i, start[1], j))
    return [change for change in found if change[0] != change[1] or change[2] != change[3]]


@given(some_lines, some_lines)
def test_changes_are_those_of_the_textbook_table(old: list[str], new: list[str]) -> None:
    assert line_changes(old, new) == by_table(old, new)


@given(some_lines, some_lines)
def test_taking_one_change_in_leaves_the_others_as_they_were(
    old: list[str], new: list[str]
) -> None:
    changes = line_changes(old, new)
    for taken in changes:
        a, b, c, d = taken
        merged = old[:a] + new[c:d] + old[b:]
        shift = (d - c) - (b - a)
        rest = [
            x if x < taken else Change(x[0] + shift, x[1] + shift, x[2], x[3])
            for x in changes
            if x != taken
        ]
        assert line_changes(merged, new) == rest


@given(some_lines, some_lines)
def test_giving_one_change_up_leaves_the_others_as_they_were(
    old: list[str], new: list[str]
) -> None:
    changes = line_changes(old, new)
    for dropped in changes:
        a, b, c, d = dropped
        merged = new[:c] + old[a:b] + new[d:]
        shift = (b - a) - (d - c)
        rest = [
            x if x < dropped else Change(x[0], x[1], x[2] + shift, x[3] + shift)
            for x in changes
            if x != dropped
        ]
        assert line_changes(old, merged) == rest


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("", "", []),
        ("abc", "abc", []),
        ("", "ab", [(0, 0, 0, 2)]),
        ("ab", "", [(0, 2, 0, 0)]),
        ("aba", "aaba", [(1, 1, 1, 2)]),
        ("xc", "yczc", [(0, 1, 0, 1), (2, 2, 2, 4)]),
    ],
)
def test_literal_changes(old: str, new: str, changes: list[tuple[int, int, int, int]]) -> None:
    assert line_changes(old, new) == changes


def test_a_change_too_large_to_compare_is_one_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_diff, "MAX_CELLS", 8)
    monkeypatch.setattr(line_diff, "MAX_EDITS", 3)
    assert line_changes("saxbe", "saybe") == [(2, 3, 2, 3)]
    assert line_changes("sxaxe", "syaye") == [(1, 4, 1, 4)]


@given(some_lines, some_lines)
def test_large_files_that_differ_little_are_compared_as_exactly(
    old: list[str], new: list[str]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_diff, "MAX_CELLS", 0)
        assert line_changes(old, new) == by_table(old, new)


def test_changes_far_apart_in_a_million_lines_stay_apart() -> None:
    old = tuple(str(number % 5000) for number in range(1_000_000))
    new = ("first", *old[:500_000], "middle", *old[500_003:-1])
    assert line_changes(old, new) == [
        (0, 0, 0, 1),
        (500_000, 500_003, 500_001, 500_002),
        (999_999, 1_000_000, 999_998, 999_998),
    ]


def test_many_lines_all_different_are_one_change_without_looking_at_all_pairs() -> None:
    old, new = tuple(map(str, range(100_000))), tuple(map(str, range(100_000, 200_000)))
    assert line_changes(old, new) == [(0, 100_000, 0, 100_000)]


def test_one_changed_line_in_a_million_is_found_at_once() -> None:
    old = tuple(map(str, range(1_000_000)))
    new = (*old[:700_000], "new", *old[700_001:])
    assert line_changes(old, new) == [(700_000, 700_001, 700_000, 700_001)]


@pytest.mark.parametrize(("above", "below"), [(0, 0), (3, 0), (0, 3), (2, 2)])
def test_very_many_lines_that_are_added_or_removed_are_one_change_at_once(
    above: int, below: int
) -> None:
    many = [f"line {number}\n" for number in range(200_000)]
    head = [f"above {number}\n" for number in range(above)]
    tail = [f"below {number}\n" for number in range(below)]
    short = [*head, *tail]
    long = [*head, *many, *tail]
    end = above + len(many)
    assert line_changes(short, long) == [Change(above, above, above, end)]
    assert line_changes(long, short) == [Change(above, end, above, above)]
