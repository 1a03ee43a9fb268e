"""The upper part of the screen: the diff with its hunks, an answer in words, or a welcome."""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.widget import Widget
from textual.widgets import Static

from spark_tui.safe_text import visible
from spark_tui.session.hunk_items import HunkLike, HunkState, Lines
from spark_tui.session.turn_state import IN_TURN, TurnState
from spark_tui.tui.keymap import Keymap
from spark_tui.tui.widgets.diff_rows import LEAST_WIDTH, DiffRows, same_place, widened
from spark_tui.tui.widgets.diff_view import DiffView
from spark_tui.tui.widgets.hunk_list import HunkList

if TYPE_CHECKING:
    from spark_tui.tui.widgets.answer_text import AnswerText

# A key that was meant for the hunk before must not hit one that has just come.
GUARD_S = 0.150
"""How long a hunk must have been under the cursor before a key can decide about it."""

WELCOME = """\
Say what to change, and watch it being written.
Nothing reaches a file until you accept it.

Name the function or the file, or point at the place:
@file  @file:10-20  @file::function
"""
_KEYS = (
    ("Enter", "send it"),
    ("{prompt.earlier}", "what was sent before"),
    ("/", "a command; /undo takes back what was accepted"),
    ("!", "a command of your shell"),
    ("?", "every key"),
)
"""The keys that work while nothing is there to be reviewed."""


class Work(Container):
    """A turn's diff and hunks, and which hunk is selected.

    Args:
        clock: Seconds.
        keys: The keys in force.
    """

    DEFAULT_CSS = """
    Work {
        height: 1fr;
        #welcome { height: 1fr; padding: 1 3; color: $spark-muted; }
        DiffView { display: none; height: 1fr; width: 1fr; }
        HunkList { display: none; height: auto; max-height: 5; }
        #withdrawn {
            display: none;
            dock: top;
            height: auto;
            max-height: 33vh;
            padding: 0 1;
            color: $spark-warning;
        }
    }
    """

    def __init__(self, clock: Callable[[], float], keys: Keymap) -> None:
        super().__init__()
        self._clock = clock
        self._keys = keys
        self._view = TurnState()
        self._items = self._view.items()
        self._withdrawn = ""
        self._answer: AnswerText | None = None
        """The widget for an answer in words; made when the first such answer comes."""
        self._under_cursor: object = None
        """The identity of the hunk that a key would decide about, when it was looked at last."""
        self._appeared_at = 0.0
        """When that hunk came under the cursor without a key of the user."""
        self._by_itself: set[str] = set()
        """The ids of hunks that folded by themselves."""
        self._by_hand: set[str] = set()
        """The ids of hunks that the user folded or opened."""

    def compose(self) -> ComposeResult:
        """Make the parts; the style sheet shows them side by side, or one above the other."""
        keys = (f"\n{self._keys.fill(keys, most=1):<8}{does}" for keys, does in _KEYS)
        yield Static(Text(WELCOME + "".join(keys)), id="welcome")
        yield Static(id="withdrawn")
        yield DiffView()
        yield HunkList()

    @property
    def diff(self) -> DiffView:
        """The diff."""
        return self.query_one(DiffView)

    @property
    def front(self) -> Widget:
        """The widget in the middle: the diff, or the words of an answer in its place."""
        if self._answer is not None and self._answer.display:
            return self._answer
        return self.diff

    @property
    def is_read(self) -> bool:
        """Whether the words of an answer have the focus."""
        return self._answer is not None and self._answer.has_focus

    @property
    def code_count(self) -> int:
        """The number of blocks of code in the words of an answer."""
        return len(self._answer.blocks) if self._answer is not None else 0

    @property
    def selected(self) -> Sequence[HunkLike]:
        """The hunk a key would decide about, or none."""
        index = self.diff.selected
        return [] if index is None else [self._view.hunks[index]]

    @property
    def written(self) -> Sequence[HunkLike]:
        """The hunks that are fully written."""
        return [
            hunk for hunk in self._view.hunks if self._view.state(hunk) is not HunkState.WRITING
        ]

    @property
    def in_file(self) -> Sequence[HunkLike]:
        """The hunks that are fully written, and are in the file under the cursor."""
        files = self._view.files
        if not self.selected:
            return self.written
        here = files.spot(self.selected[0]).path
        return [hunk for hunk in self.written if files.spot(hunk).path == here]

    @property
    def is_growing(self) -> bool:
        """Whether one of the hunks is not fully written."""
        return len(self.written) < len(self._view.hunks)

    @property
    def seen(self) -> bool:
        """Whether the user has had time to see the selected hunk."""
        return self._clock() - self._appeared_at >= GUARD_S

    def show(self, view: TurnState) -> None:
        """Show a turn as it is now."""
        self._view = view
        self._items = view.items()
        done = view.done()
        gone = view.gone()
        diff = self.diff
        self._show_withdrawn(view.withdrawn)
        self._show_words(view.words)
        # An answer in words takes the place of the diff; with neither, the welcome is shown.
        diff.display = bool(view.base or view.hunks) and not view.words
        self.query_one("#welcome").display = not (diff.display or view.words)
        self.query_one(HunkList).display = bool(self._items)
        rows = DiffRows(
            view.base,
            view.hunks,
            shown=self._shown(view, [*done, *gone]),
            done=done,
            gone=view.missing(),
            odd=view.odd,
            out=view.out,
            closed=self._folds(view),
            decided={
                hunk_id: state is HunkState.ACCEPTING for hunk_id, state in view.under_way.items()
            },
            edits=view.edits,
        )
        live = rows.row_of(*view.live) if view.live else None
        cursor = same_place(diff.rows, diff.cursor, rows)
        diff.show(rows, cursor=cursor, live=live, path=view.path or "")
        self._show_list()
        # Another hunk has come under the cursor by itself: keys wait until it can be seen.
        if self._at_cursor() != self._under_cursor:
            self._appear()

    def _shown(self, view: TurnState, decided: Sequence[Lines]) -> Sequence[Lines]:
        """The base lines that are never folded, besides those around open hunks.

        While something is written, this is the place of the turn and lines around it. Room is left
        for as many new lines as the place has, so that only what is written moves. Afterwards it is
        as much as fits on the screen around the place and the hunks, or around the hunks alone.

        Args:
            decided: Lines that accepted hunks brought.
        """
        height = self.diff.size.height
        place = view.place_shown
        beside = [(start - 1, end + 1) for start, end in decided]
        if place and view.phase in IN_TURN:
            lines = place[1] - place[0]
            # Twice the lines of the place, old and new, and a row for a fold at each end.
            more = max(0, (height - 2 * lines - 2) // 2)
            return [(place[0] - more, place[1] + more)]
        if not (view.hunks or decided):
            return [place] if place else []
        # Preferably the whole place; if that is more than a screen, only the hunks.
        around = [(hunk.start, hunk.start + len(hunk.old)) for hunk in view.hunks[:height]]
        candidates = [[*beside, *around]]
        if place:
            candidates.insert(0, [place, *beside, *around])
        for stretches in candidates:
            if fitting := widened(len(view.base), view.hunks, stretches, height):
                return fitting
        return beside

    @on(DiffView.Resized)
    def _on_diff_resized(self) -> None:
        self.show(self._view)

    def _show_words(self, words: str) -> None:
        """Show an answer in words, in the place of the diff."""
        if self._answer is None and words:
            # Markdown takes a while to import, and most turns edit.
            from spark_tui.tui.widgets.answer_text import AnswerText  # noqa: PLC0415

            self._answer = AnswerText()
            self.mount(self._answer, before=self.diff)
        if self._answer is not None:
            self._answer.display = bool(words)
            self._answer.show(words)

    def _show_withdrawn(self, why: str) -> None:
        """Say above the diff why an edit was withdrawn."""
        words = f"✗ withdrawn: {visible(why)}" if why else ""
        if words != self._withdrawn:
            self._withdrawn = words
            line = self.query_one("#withdrawn", Static)
            line.display = bool(words)
            line.update(Text(words))

    def _folds(self, view: TurnState) -> dict[str, str]:
        """The row that stands for a folded hunk, by the id of the hunk.

        While the edit is longer than the screen and the user follows it, each hunk folds as soon as
        it is written.
        """
        if view.phase not in IN_TURN:
            self._by_itself.clear()
        elif view.any_closed and self.diff.following and view.rows > self.diff.size.height:
            live = view.live[0] if view.live else None
            for number, hunk in enumerate(view.hunks):
                if number != live and view.state(hunk) in {HunkState.OK, HunkState.UNCHECKED}:
                    self._by_itself.add(hunk.id)
        # The user's key turns a hunk over, whether it had folded by itself or not.
        folded = self._by_itself ^ self._by_hand
        if folded:
            return {hunk.id: view.summary(hunk) for hunk in view.hunks if hunk.id in folded}
        return {}

    @on(DiffView.FoldAsked)
    def _on_fold_asked(self, event: DiffView.FoldAsked) -> None:
        self._by_hand ^= {event.hunk_id}
        self.show(self._view)

    @on(DiffView.Turned)
    def on_resize(self) -> None:
        """Two sides get all the width there is."""
        self.set_class(self.diff.beside and self.size.width >= LEAST_WIDTH, "-beside")

    def follow(self) -> None:
        """Keep what is being written in sight."""
        self.diff.following = True
        self.diff.shift = None

    def begin_review(self, *, focus: bool, at: int | None = None) -> None:
        """Go to the first hunk; a user who only watched sees the diff from its top.

        Args:
            at: The index of another hunk to go to.
        """
        if self.diff.following and at is None:
            self.diff.go_to(0)
        self.diff.select(at or 0)
        if focus:
            self.diff.focus()
            self._appear()

    @property
    def known(self) -> frozenset[object]:
        """The identities of all open hunks: their lines, and which rows are out."""
        return frozenset(map(self._identity, self._view.hunks))

    def _identity(self, hunk: HunkLike) -> object:
        return hunk.old_lines, hunk.new_lines, frozenset(self._view.out.get(hunk.id, ()))

    def select_other_than(self, known: Collection[object]) -> None:
        """Go to the first hunk that is not among the known ones: undo has opened or restored it."""
        for index, hunk in enumerate(self._view.hunks):
            if self._identity(hunk) not in known:
                self.diff.select(index)
                return

    def _appear(self) -> None:
        """Note when a hunk came under the cursor, or was finished there, by itself."""
        self._under_cursor = self._at_cursor()
        self._appeared_at = self._clock()

    def _at_cursor(self) -> object:
        """The identity of the hunk under the cursor; another text in the same place is another."""
        if not (selected := self.selected):
            return None
        hunk = selected[0]
        return hunk.id, hunk.old_lines, hunk.new_lines, self._view.state(hunk) is HunkState.WRITING

    def _show_list(self) -> None:
        self.query_one(HunkList).show(self._items, self.diff.selected)

    @on(DiffView.Moved)
    def _on_moved(self) -> None:
        self._under_cursor = self._at_cursor()
        self._show_list()

    @on(HunkList.Picked)
    def _on_picked(self, event: HunkList.Picked) -> None:
        self.diff.select(event.index, by_user=True)
        self.diff.focus()
