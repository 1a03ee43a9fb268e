"""The diff side by side: the same rows, the same cursor."""

from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.hunks import diff
from spark_tui.editing.text import Text
from spark_tui.session.events import HunkClosed, HunkUpdated
from spark_tui.session.turn_state import TurnPhase, TurnState
from spark_tui.tui.widgets.diff_rows import DiffRow, DiffRows, RowKind, Sides, same_place
from spark_tui.tui.widgets.diff_view import DiffView
from tests.tui.support import Stage, until
from tests.tui.test_rows import LINES, all_rows, change, changes
from tests.tui.test_widgets import Frame, line, screen


def some_rows(before: list[str], after: list[str], folded: list[bool]) -> DiffRows:
    """The rows of a diff, some hunks of which are folded."""
    found = [
        change(each.start, each.old_lines, each.new_lines, str(number))
        for number, each in enumerate(changes(before, after))
    ]
    return DiffRows(
        before,
        found,
        closed={each.id: "+1 −1 ok" for each, fold in zip(found, folded, strict=False) if fold},
    )


FOLDED = st.lists(st.booleans(), max_size=12)


@given(LINES, LINES, FOLDED)
def test_every_row_stands_in_exactly_one_row_side_by_side(
    before: list[str], after: list[str], folded: list[bool]
) -> None:
    rows = some_rows(before, after, folded)
    sides = Sides(rows)
    pairs = [sides.pair(place) for place in range(len(sides))]
    shown = [index for pair in pairs for index in set(pair) if index is not None]
    assert sorted(shown) == list(range(len(rows)))
    for place, pair in enumerate(pairs):
        assert all(sides.of(index) == place for index in pair if index is not None)
        assert sides.of(sides.index(place)) == place


@given(LINES, LINES, FOLDED)
def test_old_lines_stand_left_and_new_ones_right_and_the_rest_on_both(
    before: list[str], after: list[str], folded: list[bool]
) -> None:
    rows = some_rows(before, after, folded)
    sides = Sides(rows)
    for place in range(len(sides)):
        left, right = sides.pair(place)
        kinds = [None if each is None else rows[each].kind for each in (left, right)]
        assert (
            kinds[0] in {RowKind.OLD, None} and kinds[1] in {RowKind.NEW, None}
            if left != right
            else kinds[0] == kinds[1]
        )
        assert sides.index(place) in {left, right}


@given(LINES, LINES, FOLDED, st.data())
def test_the_selected_hunk_is_the_same_in_both(
    before: list[str], after: list[str], folded: list[bool], data: st.DataObject
) -> None:
    rows = some_rows(before, after, folded)
    if not len(rows):
        return
    cursor = data.draw(st.integers(0, len(rows) - 1))
    sides = Sides(rows)
    assert rows.hunk_at(sides.index(sides.of(cursor))) == rows.hunk_at(cursor)


@given(LINES, LINES, FOLDED, FOLDED)
def test_a_cursor_stays_in_its_hunk_however_hunks_are_folded(
    before: list[str], after: list[str], first: list[bool], then: list[bool]
) -> None:
    one, other = some_rows(before, after, first), some_rows(before, after, then)
    for number in range(len(one.hunks)):
        content = (one.hunks[number].old_lines, one.hunks[number].new_lines)
        at = other[same_place(one, one.first_rows[number], other)].hunk
        assert at is not None
        assert (other.hunks[at].old_lines, other.hunks[at].new_lines) == content


@given(LINES, LINES)
def test_a_folded_hunk_is_one_row_and_hides_no_line_of_the_file(
    before: list[str], after: list[str]
) -> None:
    rows = some_rows(before, after, [True] * 12)
    assert [row.kind for row in all_rows(rows) if row.hunk is not None] == [RowKind.CLOSED] * len(
        rows.hunks
    )
    assert not {row.kind for row in all_rows(rows)} & {RowKind.OLD, RowKind.NEW}
    old = sum(len(each.old_lines) for each in rows.hunks)
    context = sum(row.kind is RowKind.CONTEXT for row in all_rows(rows))
    folded = sum(int(row.text.split()[0]) for row in all_rows(rows) if row.kind is RowKind.FOLD)
    assert old + context + folded == len(before)


BASE = [f"line {n}" for n in range(60)]
EDITED = change(20, ("line 20", "line 21"), ("one", "two", "three"), "a")


async def test_v_shows_two_sides_where_there_is_room_and_the_cursor_stays_on_its_line() -> None:
    view = DiffView()
    async with Frame(view).run_test(size=(120, 30)) as pilot:
        view.focus()
        view.show(DiffRows(BASE, [EDITED]), cursor=0)
        view.select(0)
        await pilot.press("j", "j", "v")
        assert view.rows[view.cursor].text == "one"
        shown = screen(view).splitlines()
        assert any("line 20" in row and "one" in row and "│" in row for row in shown)
        assert any("three" in row and "line 22" not in row for row in shown)
        assert {row_strip.cell_length for row_strip in map(view.render_line, range(30))} == {120}
        await pilot.press("j")
        assert view.rows[view.cursor].text == "two"
        await pilot.press("j", "j")
        assert view.rows[view.cursor] == DiffRow(RowKind.CONTEXT, "line 22", 23, 24)
        await pilot.resize_terminal(90, 30)
        await until(pilot, lambda: "│" not in screen(view))
        await pilot.resize_terminal(120, 30)
        await until(pilot, lambda: "│" in screen(view))
        await pilot.press("v")
        assert "│" not in screen(view)
        assert view.rows[view.cursor].text == "line 22"


async def test_below_a_hundred_columns_it_says_why_there_are_no_two_sides_which_come_back(
    stage: Stage,
) -> None:
    async with stage.reviewing(size=(90, 30)) as pilot:
        await stage.says(
            pilot, "two sides need 100 columns; in fewer they stand one below the other", "v"
        )
        await pilot.resize_terminal(120, 30)
        await until(pilot, lambda: not stage.note)
        await stage.press(pilot, "v")
        await until(pilot, lambda: "│" in screen(stage.diff))
        assert (
            stage.diff.size.width
            == 120 - stage.diff.scrollbar_size_vertical * stage.diff.show_vertical_scrollbar
        )
        await pilot.resize_terminal(80, 30)
        await stage.says(pilot, "two sides need 100 columns")
        assert "│" not in screen(stage.diff)
        await pilot.resize_terminal(120, 30)
        await until(pilot, lambda: "│" in screen(stage.diff) and not stage.note)


async def test_what_is_read_stays_where_it_is_while_hunks_grow_above_it() -> None:
    view = DiffView()
    async with Frame(view).run_test(size=(60, 12)) as pilot:
        view.focus()

        async def grown(lines: int) -> None:
            hunks = [
                change(5, (), tuple(f"new {n}" for n in range(lines)), "a"),
                change(40, ("line 40",), ("x",), "b"),
            ]
            rows = DiffRows(BASE, hunks, shown=[(0, 60)])
            view.show(
                rows,
                cursor=same_place(view.rows, view.cursor, rows),
                live=rows.row_of(0, lines - 1),
            )
            await pilot.pause()

        await grown(1)
        await pilot.press(*["j"] * 30)
        before = screen(view)
        assert "line 33" in before
        for lines in (2, 5, 20):
            await grown(lines)
            assert [row.split()[-2:] for row in screen(view).splitlines()] == [
                row.split()[-2:] for row in before.splitlines()
            ]
        view.on_mouse_scroll_up()
        view.scroll_to(y=view.scroll_offset.y - 20, animate=False, force=True)
        await pilot.pause()
        top = line(view, 0).split()[-2:]
        await grown(33)
        assert line(view, 0).split()[-2:] == top


async def test_hunks_that_are_done_fold_while_more_is_written_and_open_again(stage: Stage) -> None:
    async with stage.reviewing(size=(80, 12)) as pilot:
        await stage.press(pilot, "z")
        await until(
            pilot, lambda: [stage.diff.rows.is_folded(number) for number in (0, 1)] == [True, False]
        )
        assert "▸ +1 −1 ok" in screen(stage.diff)
        await pilot.press("enter")
        assert not stage.diff.rows.is_folded(0)
        assert stage.diff.has_focus
        await stage.press(pilot, "z")
        await until(pilot, lambda: stage.diff.rows.is_folded(0))
        await stage.press(pilot, "z")
        await until(pilot, lambda: "▸" not in screen(stage.diff))


def writing(lines: int) -> TurnState:
    """A turn whose first hunk is done, while so many lines of the second one are written."""
    base = Text.from_bytes("".join(f"line {n}\n" for n in range(60)).encode(), "a.py")
    first = base.replace_lines(5, 6, [f"first {n}" for n in range(12)])
    view = TurnState("write", base.lines)
    view.phase, view.path, view.region = TurnPhase.WRITING, "a.py", (0, 60)
    view.take(HunkUpdated(diff(base, first)))
    view.take(HunkClosed(diff(base, first)[0]))
    for count in range(1, lines + 1):
        hunks = diff(base, first.replace_lines(60, 60, [f"second {n}" for n in range(count)]))
        view.take(HunkUpdated(hunks))
    view.sync(base.lines, hunks)
    return view


async def test_a_long_stream_folds_what_is_done_as_long_as_nobody_reads_it(stage: Stage) -> None:
    async with stage.app.run_test(size=(80, 16)) as pilot:
        bench = stage.main.bench
        bench.show(writing(3))
        await pilot.pause()
        bench.show(writing(4))
        assert [bench.diff.rows.is_folded(number) for number in (0, 1)] == [True, False]
        assert bench.diff.live_row is not None
        assert "second 3" in bench.diff.rows[bench.diff.live_row].text
        over = writing(5)
        over.finish()
        bench.show(over)
        assert not bench.diff.rows.is_folded(0)
        bench.diff.following = False
        bench.show(writing(6))
        assert not bench.diff.rows.is_folded(0), "someone reads"
