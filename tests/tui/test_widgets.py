"""The widgets by themselves."""

from collections.abc import Iterator, Sequence

import pytest
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.strip import Strip

from spark_tui.resources import themes_dir
from spark_tui.session.hunk_items import HunkItem, HunkState, Items
from spark_tui.tui.themes import read_themes
from spark_tui.tui.widgets.completion import Completion, CompletionItem
from spark_tui.tui.widgets.diff_rows import DiffRows, RowKind
from spark_tui.tui.widgets.diff_view import DiffView
from spark_tui.tui.widgets.highlight import Ink, Part, Span, colored
from spark_tui.tui.widgets.hunk_list import HunkList
from spark_tui.tui.widgets.message_line import Note
from spark_tui.tui.widgets.status_bars import Bar, BarPiece, KeyHints, keys
from tests.tui.support import until
from tests.tui.test_rows import change


class Frame(App[None]):
    """A widget on an otherwise empty screen."""

    def __init__(self, widget: Bar | Completion | DiffView | HunkList | Note) -> None:
        self._own = read_themes([themes_dir()]).known
        super().__init__()
        self._widget = widget

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return self._own["spark-dark"].variables

    def compose(self) -> ComposeResult:
        yield self._widget


def line(widget: Bar | Completion | DiffView | HunkList | Note, y: int = 0) -> str:
    return widget.render_line(y).text


async def test_a_bar_leaves_out_the_least_needed_first_and_never_breaks() -> None:
    bar = Bar()
    async with Frame(bar).run_test(size=(40, 5)) as pilot:
        left = [
            BarPiece("model", "text", 1),
            BarPiece("writing", "ok", 9),
            BarPiece("88 tok/s", "muted", 8),
        ]
        right = [
            BarPiece("2 hunks", "muted", 3),
            BarPiece("+14", "added", 7),
            BarPiece(" −12", "removed", 7, joined=True),
        ]
        bar.show(left, right)
        assert line(bar).split() == ["writing", "88", "tok/s", "2", "hunks", "+14", "−12"]
        for width in (30, 20, 10, 4):
            await pilot.resize_terminal(width, 5)
            await pilot.pause()
            assert bar.render_line(0).cell_length == bar.size.width
        assert line(bar) == "w…"


async def test_what_can_be_shorter_is_shortened_before_anything_is_left_out() -> None:
    bar = Bar()
    async with Frame(bar).run_test(size=(42, 5)) as pilot:
        bar.show(
            [BarPiece("storage.py:10-14  total", "muted", 2)],
            [BarPiece("rename: 2 hunks, checked", "faint", 0, least=9)],
        )
        assert line(bar) == "storage.py:10-14  total" + "rename: 2…".rjust(17)
        await pilot.resize_terminal(33, 5)
        await until(pilot, lambda: line(bar).rstrip() == "storage.py:10-14  total")


async def test_a_long_note_takes_two_rows_where_it_is_narrow_up_to_a_third_of_the_screen() -> None:
    note = Note("/message")
    words = " ".join(f"word{number:03}" for number in range(35))  # four in a row
    async with Frame(note).run_test(size=(40, 30)) as pilot:
        note.say(words)
        for columns, rows, last in (
            (40, 30, "word034"),
            (40, 24, "word026 word… /message"),
            (80, 30, "word016 word… /message"),
        ):
            await pilot.resize_terminal(columns, rows)
            await pilot.pause()
            drawn = " ".join(line(note, y).strip() for y in range(note.size.height))
            assert drawn == f"{words.partition(last[:7])[0]}{last}"


async def test_long_lines_end_in_a_mark_and_can_be_walked_along() -> None:
    diff = DiffView()
    async with Frame(diff).run_test(size=(40, 5)) as pilot:
        diff.show(DiffRows(["x" * 100 + "END"]), cursor=0)
        assert line(diff).endswith("x›")
        diff.focus()
        await pilot.press(*["right"] * 10)
        assert "END" in line(diff)
        assert "›" not in line(diff)
        await pilot.press(*["left"] * 20)
        assert line(diff).strip().startswith("1")


LONG = "    return separator.join([name, amount, date, " + "currency, " * 6


@pytest.mark.parametrize(
    ("old", "new", "seen"),
    [
        (f"{LONG}rows[0]])", f"{LONG}rows[-1]])", ["rows[0]])", "rows[-1]])"]),
        (f"{LONG}a])", f"{LONG}a])  # in order", ["a])", "# in order"]),
        (f"\t日本{LONG}a + b{LONG}", f"\t日本{LONG}a - b{LONG}", ["a + b", "a - b"]),
    ],
    ids=["near the end", "at the end", "between"],
)
async def test_what_changes_in_a_long_line_is_in_sight_also_beyond_the_edge(
    old: str, new: str, seen: list[str]
) -> None:
    diff = DiffView()
    async with Frame(diff).run_test(size=(80, 6)) as pilot:
        diff.show(DiffRows(["def f():", old], [change(1, (old,), (new,))]), cursor=1)
        drawn = [line(diff, y) for y in (1, 2)]
        assert [words in row for words, row in zip(seen, drawn, strict=True)] == [True, True]
        assert drawn[0].find("‹") == drawn[1].find("‹"), "one stands below the other"
        diff.focus()
        await pilot.press(*["left"] * 20)
        assert ["separator.join" in line(diff, y) for y in (1, 2)] == [True, True]
        diff.shift = None
        assert [line(diff, y) for y in (1, 2)] == drawn


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ((f"x = {LONG}1",), (f"y = {LONG}2",)),
        ((), (f"{LONG}日本語日本語日本語)",)),
        ((), ("日本語" * 40, "x = 1")),
    ],
    ids=["at both ends", "a new line", "wide characters"],
)
@pytest.mark.parametrize("width", [40, 41, 80])
async def test_a_change_that_is_wider_than_a_row_takes_several_rows(
    old: tuple[str, ...], new: tuple[str, ...], width: int
) -> None:
    diff = DiffView()
    async with Frame(diff).run_test(size=(width, 30)) as pilot:
        diff.show(DiffRows(["def f():", *old], [change(1, old, new)]), cursor=1)
        drawn = [line(diff, y) for y in range(30)]
        text = "".join(row[11:] for row in drawn).replace(" ", "")
        assert text == "".join(["def f():", *old, *new]).replace(" ", "")
        assert all(cell_len(row) <= width for row in drawn)
        diff.focus()
        await pilot.press("home", *["down"] * 5)
        assert diff.cursor == len(diff.rows) - 1
        await pilot.press(*["up"] * 5)
        assert diff.cursor == 0


async def test_wide_characters_never_make_a_row_longer_than_the_screen() -> None:
    diff = DiffView()
    async with Frame(diff).run_test(size=(41, 5)):
        diff.show(DiffRows(["日本語" * 30, "é" * 80, "\t\t\x1b" * 10]), cursor=0)
        assert [diff.render_line(y).cell_length for y in range(4)] == [41] * 4


async def growing(pilot: Pilot[None], diff: DiffView, lines: int) -> None:
    """The diff while a hunk of so many lines is being written."""
    base = [f"line {n}" for n in range(200)]
    rows = DiffRows(
        base, [change(50, (), tuple(f"new {n}" for n in range(lines)))], shown=[(0, 200)]
    )
    diff.show(rows, cursor=diff.cursor, live=rows.row_of(0, lines - 1))
    await pilot.pause()


async def test_the_diff_follows_the_live_line_until_the_user_moves_and_again_after_end() -> None:
    diff = DiffView()
    async with Frame(diff).run_test(size=(60, 10)) as pilot:
        diff.focus()
        await growing(pilot, diff, 1)
        assert "new 0" in screen(diff)
        await growing(pilot, diff, 30)
        assert "new 29" in screen(diff)
        await pilot.press("home")
        await growing(pilot, diff, 40)
        assert "line 0" in screen(diff)
        assert "new 39" not in screen(diff)
        await pilot.press("end")
        await growing(pilot, diff, 50)
        assert "new 49" in screen(diff)


async def test_a_scroll_with_the_wheel_ends_the_following_too() -> None:
    diff = DiffView()
    async with Frame(diff).run_test(size=(60, 10)) as pilot:
        await growing(pilot, diff, 5)
        diff.on_mouse_scroll_up()
        top = diff.scroll_offset.y
        await growing(pilot, diff, 60)
        assert diff.scroll_offset.y == top


async def test_what_was_written_before_the_diff_had_room_is_seen_from_the_top() -> None:
    diff = DiffView()
    rows = DiffRows(
        [f"line {n}" for n in range(20)], [change(4, ("line 4",), ("new",))], shown=[(0, 20)]
    )
    diff.display = False
    async with Frame(diff).run_test(size=(40, 10)) as pilot:
        diff.display = True
        diff.show(rows, cursor=0)
        diff.go_to(0)
        diff.select(0)
        await pilot.pause()
        assert diff.scroll_offset.y == 0


async def test_only_the_rows_that_changed_are_painted_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    diff = DiffView()
    async with Frame(diff).run_test(size=(60, 20)) as pilot:
        base = [f"line {n}" for n in range(10)]
        diff.show(
            before := DiffRows(base, [change(5, ("line 5",), ("n",))], shown=[(0, 10)]),
            cursor=0,
            live=6,
        )
        await pilot.pause()
        painted: list[int] = []
        monkeypatch.setattr(diff, "refresh_line", painted.append)
        diff.show(
            DiffRows(base, [change(5, ("line 5",), ("ne",))], shown=[(0, 10)]), cursor=6, live=6
        )
        assert painted == [before.first_rows[0], before.row_of(0, 0)]


def drawn_rows(diff: DiffView, monkeypatch: pytest.MonkeyPatch) -> dict[int, Strip]:
    """What is on the screen, row by row; a row that is drawn again is put in anew."""
    drawn: dict[int, Strip] = {}
    draw = diff.render_line

    def draw_and_note(y: int) -> Strip:
        drawn[y] = draw(y)
        return drawn[y]

    monkeypatch.setattr(diff, "render_line", draw_and_note)
    return drawn


@pytest.mark.usefixtures("every_frame")
async def test_a_step_of_the_cursor_draws_the_row_it_leaves_and_the_row_it_comes_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    diff = DiffView()
    async with Frame(diff).run_test(size=(60, 20)) as pilot:
        diff.focus()
        diff.show(DiffRows([f"line {n}" for n in range(10)], shown=[(0, 10)]), cursor=4)
        await pilot.pause()
        drawn = drawn_rows(diff, monkeypatch)
        await pilot.press("j")
        await pilot.pause()
        assert sorted(drawn) == [4, 5]


@pytest.mark.usefixtures("every_frame")
async def test_after_any_change_the_screen_shows_what_a_drawing_from_scratch_would_show(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    diff = DiffView()
    base = ["def f():", *(f"    a = {n}" for n in range(5)), "", "", "def g():", "    return 2"]
    written = (
        '    """One,',
        "    two",
        '    three."""',
        "    x = " + "1 + " * 20 + "1",
        "    y = 2",
    )
    async with Frame(diff).run_test(size=(100, 12)) as pilot:
        diff.focus()
        drawn = drawn_rows(diff, monkeypatch)
        for count in range(len(written) + 1):
            hunks = [
                change(1, ("    a = 0", "    a = 1"), written[:count]),
                change(9, ("    return 2",), ("    return 3",), "1"),
            ]
            live = max(0, count - 1)
            rows = DiffRows(base, hunks, shown=[(0, 10)])
            diff.show(rows, cursor=0, live=rows.row_of(0, live), path="a.py")
            for key in ("", "j", "]", "v", "right", "left", "end", "v", "home"):
                if key:
                    await pilot.press(key)
                await pilot.pause()
                shown = dict(drawn)
                for y in range(diff.size.height):
                    assert shown[y] == diff.render_line(y), (count, key, y)


CHANGES = [change(10 * n, ("old",), ("new",), str(n)) for n in range(10_000)]


def item(number: int) -> HunkItem:
    return HunkItem(HunkState.OK, 10 * number, number, 1, index=number)


def screen(diff: DiffView) -> str:
    return "\n".join(line(diff, y) for y in range(diff.size.height))


async def test_a_long_list_of_hunks_keeps_the_selected_one_in_sight() -> None:
    hunks = HunkList()
    hunks.styles.height = 5
    async with Frame(hunks).run_test(size=(60, 10)):
        items = Items(CHANGES[:30], item, ())
        for selected in range(30):
            hunks.show(items, selected)
            assert any(line(hunks, y).startswith("▎") for y in range(5))
        assert "290" in line(hunks, 4)


async def test_of_ten_thousand_hunks_only_those_in_sight_are_looked_at() -> None:
    hunks, looked_at = HunkList(), set[int]()

    def looked(number: int) -> HunkItem:
        looked_at.add(number)
        return item(number)

    hunks.styles.height = 5
    async with Frame(hunks).run_test(size=(60, 10)):
        items = Items(CHANGES, looked, ())
        hunks.show(items, 5_000)
        assert "50000" in line(hunks, 2)
        assert looked_at <= set(range(4_990, 5_010)) | set(range(10))


async def test_what_is_left_out_on_the_left_is_marked_and_labels_stay_where_they_are() -> None:
    diff = DiffView()
    async with Frame(diff).run_test(size=(40, 6)):
        changed = change(30, ("        = old",), ("        = new",))
        diff.show(DiffRows([*["line"] * 30, "        = old"], [changed]), cursor=0)
        rows = {kind: index for index in range(len(diff.rows)) for kind in [diff.rows[index].kind]}
        label = line(diff, rows[RowKind.FOLD])
        diff.action_shift(1)
        assert line(diff, rows[RowKind.FOLD]) == label
        assert line(diff, rows[RowKind.CONTEXT]).split() == ["30", "30", "‹"]
        assert line(diff, rows[RowKind.NEW]).split()[1:] == ["31", "+", "=", "new"]


async def test_of_a_line_of_ten_megabytes_only_what_is_in_sight_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_at: list[int] = []

    def counting(
        text: str, words: Sequence[Span], parts: Sequence[Part], column: int = 0
    ) -> Iterator[tuple[str, Ink, str]]:
        looked_at.append(len(text))
        return colored(text, words, parts, column)

    monkeypatch.setattr("spark_tui.tui.widgets.diff_view.colored", counting)
    diff = DiffView()
    async with Frame(diff).run_test(size=(40, 5)):
        diff.show(DiffRows(["é\x1b" * 5_000_000]), cursor=0)
        assert line(diff).endswith("›")
        assert sum(looked_at) < 1000
        diff.action_shift(500)
        assert line(diff).endswith("›")
        looked_at.clear()
        diff.action_shift(1)
        assert line(diff).endswith("›")
        assert sum(looked_at) < 4000


async def test_a_list_tells_how_many_items_are_out_of_sight() -> None:
    shown = Completion()
    async with Frame(shown).run_test(size=(40, 20)) as pilot:
        shown.show(
            [
                CompletionItem(f"/{number}", "", "what it does, in more words than fit")
                for number in range(10)
            ]
        )
        await pilot.pause()
        assert shown.size.height == 8
        assert line(shown, 7).endswith("  ↓ 2 more ")
        assert "↑" not in line(shown)
        shown.move(-1)
        assert line(shown).endswith("  ↑ 2 more ")
        assert "↓" not in line(shown, 7)


async def test_a_list_takes_up_to_half_of_the_screen_however_high_that_is() -> None:
    shown = Completion()
    async with Frame(shown).run_test(size=(40, 24)) as pilot:
        shown.show([CompletionItem(f"@{number}", "", "") for number in range(30)])
        for height, rows in ((1, 1), (10, 3), (24, 10), (40, 18), (120, 30)):
            await pilot.resize_terminal(40, height)
            await pilot.pause()
            assert shown.size.height == rows


async def test_keys_of_a_sheet_take_another_row_where_it_is_narrow_and_none_is_lost() -> None:
    shown = KeyHints()
    async with Frame(shown).run_test(size=(73, 10)) as pilot:
        shown.show(
            keys(("Enter", "commit all the same"), ("Ctrl+S", "stage only"), ("Esc", "cancel"))
        )
        for width, rows in ((73, 1), (40, 2), (25, 3), (73, 1)):
            await pilot.resize_terminal(width, 10)
            await pilot.pause()
            assert shown.size.height == rows
            told = [line(shown, y).strip() for y in range(rows)]
            assert "  ".join(told) == "Enter commit all the same  Ctrl+S stage only  Esc cancel"


async def test_of_keys_in_one_line_the_way_out_stays_longest() -> None:
    bar = Bar()
    async with Frame(bar).run_test(size=(30, 5)):
        bar.show(keys(("Up Down", "choose"), ("PgDn", "read on"), ("Esc", "close")))
        assert line(bar).rstrip() == "Up Down choose  Esc close"
