from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.hunks import Hunk
from spark_tui.tui.widgets.diff_rows import CONTEXT, DiffRow, DiffRows, RowKind, same_place, widened

LINES = st.lists(st.sampled_from("abcdef"), max_size=40)


def change(start: int, old: tuple[str, ...], new: tuple[str, ...], id_: str = "") -> Hunk:
    return Hunk(id_, start, old, new)


def changes(before: Sequence[str], after: Sequence[str]) -> list[Hunk]:
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return [
        change(i1, tuple(before[i1:i2]), tuple(after[j1:j2]))
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]


def all_rows(rows: DiffRows) -> list[DiffRow]:
    return [rows[index] for index in range(len(rows))]


@given(LINES, LINES)
def test_every_row_carries_its_own_line_number_and_every_change_is_there(
    before: list[str], after: list[str]
) -> None:
    rows = all_rows(DiffRows(before, changes(before, after)))
    for row in rows:
        if row.kind is not RowKind.FOLD:
            assert row.old is None or before[row.old - 1] == row.text
            assert row.new is None or after[row.new - 1] == row.text
    shown = {row.old for row in rows if row.kind is RowKind.CONTEXT}
    olds = [row.old for row in rows if row.kind is RowKind.OLD]
    folded = sum(
        int(row.text.split()[0].replace(",", "")) for row in rows if row.kind is RowKind.FOLD
    )
    assert len(shown) + len(olds) + folded == len(before)
    assert [row.new for row in rows if row.new is not None] == sorted(
        row.new for row in rows if row.new is not None
    )


@given(LINES, LINES)
def test_first_and_last_rows_frame_each_hunk(before: list[str], after: list[str]) -> None:
    hunks = changes(before, after)
    rows = DiffRows(before, hunks)
    for number, (first, last) in enumerate(zip(rows.first_rows, rows.last_rows, strict=True)):
        assert {rows[at].hunk for at in range(first, last + 1)} == {number}
        assert last - first + 1 == len(hunks[number].old_lines) + len(hunks[number].new_lines)
        assert rows.hunk_at(first) == rows.hunk_at(last) == number


def test_far_lines_fold_and_say_how_many_they_are() -> None:
    base = [f"line {n}" for n in range(100)]
    rows = all_rows(DiffRows(base, [change(50, ("line 50",), ("new",))]))
    assert [row.text for row in rows] == [
        "47 unchanged lines",
        "line 47",
        "line 48",
        "line 49",
        "line 50",
        "new",
        "line 51",
        "line 52",
        "line 53",
        "46 unchanged lines",
    ]


def test_a_single_line_between_two_hunks_is_shown_not_folded() -> None:
    base = [str(n) for n in range(2 * CONTEXT + 3)]
    rows = all_rows(DiffRows(base, [change(0, ("0",), ()), change(len(base) - 1, (base[-1],), ())]))
    assert RowKind.FOLD not in {row.kind for row in rows}


def test_lines_asked_for_are_not_folded_and_accepted_ones_are_marked() -> None:
    base = [str(n) for n in range(40)]
    rows = all_rows(DiffRows(base, [], shown=[(10, 13)], done=[(20, 22)]))
    assert [row.text for row in rows if row.kind is RowKind.CONTEXT] == ["10", "11", "12"]
    assert [row.text for row in rows if row.kind is RowKind.DONE] == ["20", "21"]


class Looked(Sequence[str]):
    """A million lines, and which of them were looked at."""

    def __init__(self) -> None:
        self.at: set[int] = set()

    def __len__(self) -> int:
        return 1_000_000

    def __getitem__(self, number: Any) -> Any:
        self.at.add(number)
        return "x"


def test_of_a_million_lines_with_ten_thousand_hunks_only_the_rows_asked_for_are_looked_at() -> None:
    base = Looked()
    hunks = [change(at, ("x",), ("y", "z")) for at in range(0, 1_000_000, 100)]
    rows = DiffRows(base, hunks, shown=[(0, 1_000_000)])
    assert len(rows) == 1_020_000
    assert [rows[index].new for index in range(600_000, 600_005)] == [
        594_118,
        594_119,
        594_120,
        594_121,
        594_122,
    ]
    assert base.at == {0, *range(588_234, 588_239)}, "the first line tells whether it is a heading"


@given(LINES, LINES)
def test_an_unchanged_line_is_found_again_by_its_number(
    before: list[str], after: list[str]
) -> None:
    rows = DiffRows(before, changes(before, after))
    for index, row in enumerate(all_rows(rows)):
        if row.kind in {RowKind.CONTEXT, RowKind.FOLD}:
            assert rows.nearest(row) == index


def test_an_empty_file_shows_what_comes_in() -> None:
    assert all_rows(DiffRows([], [change(0, (), ("a",))])) == [
        DiffRow(RowKind.NEW, "a", None, 1, 0, None)
    ]
    assert len(DiffRows()) == 0


def test_between_two_hunks_the_later_one_is_selected_and_after_the_last_that_one() -> None:
    base = [str(n) for n in range(6)]
    rows = DiffRows(base, [change(1, ("1",), ("one",)), change(4, ("4",), ("four",))])
    assert [rows.hunk_at(row) for row in range(len(rows))] == [0, 0, 0, 1, 1, 1, 1, 1]
    assert DiffRows(base).hunk_at(0) is None


def test_the_cursor_stays_in_its_hunk_when_lines_come_in_above() -> None:
    base = [str(n) for n in range(20)]
    later = change(15, ("15",), ("fifteen", "more"))
    before = DiffRows(base, [later])
    after = DiffRows(base, [change(2, (), ("a", "b", "c")), later])
    cursor = before.first_rows[0] + 1
    assert after[same_place(before, cursor, after)] == DiffRow(
        RowKind.NEW, "fifteen", None, 19, 1, "15"
    )


def test_the_cursor_stays_on_its_line_when_it_is_in_no_hunk() -> None:
    base = [str(n) for n in range(30)]
    before, after = DiffRows(base), DiffRows(base, [change(10, ("10",), ("ten",))], shown=[(0, 30)])
    assert after[same_place(before, 20, after)].text == "20"


@pytest.mark.parametrize("height", [11, 12, 20, 40, 100])
def test_stretches_widen_as_far_as_all_rows_fit(height: int) -> None:
    base = [f"line {number}" for number in range(60)]
    hunk = change(30, ("line 30",), ("new", "newer"))
    shown = widened(len(base), [hunk], [(28, 33)], height)
    rows = DiffRows(base, [hunk], shown=shown)
    assert len(rows) <= height
    wider = [(start - 1, end + 1) for start, end in shown]
    is_whole = len(rows) == len(base) + 2
    assert is_whole or len(DiffRows(base, [hunk], shown=wider)) > height


def test_stretches_that_do_not_fit_are_not_widened() -> None:
    assert widened(60, [], [(10, 50)], 20) == ()
