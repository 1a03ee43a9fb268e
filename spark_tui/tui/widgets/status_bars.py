"""The bars above and below the work: title, place, keys and meters.

A `Bar` is one line of pieces on the left and on the right; a narrow screen leaves out the pieces
that are needed least. `FooterState` says which keys mean something now, `where_to` where the turn
or the words lead, `meters` what was measured.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from spark_tui.safe_text import visible
from spark_tui.session.throttle import Pacer
from spark_tui.session.turn_state import STREAMING, TurnPhase, TurnState
from spark_tui.tui.keymap import Keymap
from spark_tui.tui.themes import look
from spark_tui.tui.widgets.highlight import shortened

_GAP = 2


@dataclass(frozen=True, slots=True)
class BarPiece:
    """Words in one color, by its name in `themes`.

    A piece with a lower `weight` is left out before one with a higher weight. A `joined` piece has
    no gap before it. A piece with a `least` is shortened, to that many columns at least, before any
    piece is left out.
    """

    text: str
    look: str = "muted"
    weight: int = 1
    joined: bool = False
    least: int = 0


def keys(*words: tuple[str, str]) -> list[BarPiece]:
    """Keys and what they do; Esc, the way out, is left out last."""
    pieces: list[BarPiece] = []
    for key, does in words:
        weight = 2 if key == "Esc" else 1
        pieces += hint(key, does, weight=weight)
    return pieces


def hint(key: str, does: str, *, weight: int) -> tuple[BarPiece, BarPiece]:
    """A key and what it does."""
    return BarPiece(key, "key", weight), BarPiece(f" {does}", "muted", weight, joined=True)


class Bar(Widget):
    """A line of pieces. Set `left` and `right` through `show`; equal values cost no paint."""

    DEFAULT_CSS = "Bar { height: 1; padding: 0 1; color: $spark-muted; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self.left: tuple[BarPiece, ...] = ()
        self.right: tuple[BarPiece, ...] = ()

    def show(self, left: Sequence[BarPiece], right: Sequence[BarPiece] = ()) -> None:
        """Show these pieces."""
        if (tuple(left), tuple(right)) != (self.left, self.right):
            self.left = tuple(left)
            self.right = tuple(right)
            self.refresh()

    @property
    def words(self) -> str:
        """All the text of the line, for tests and screen readers."""
        return " ".join(piece.text for piece in (*self.left, *self.right))

    def render_line(self, y: int) -> Strip:
        """The line, cut to the width there is."""
        width = self.size.width
        return self._strip(*_fit(self.left, self.right, width), width)

    def _strip(self, left: Sequence[BarPiece], right: Sequence[BarPiece], width: int) -> Strip:
        style = self.rich_style
        space = Segment(" " * max(0, width - _width(left) - _width(right)), style)
        return Strip(
            [*self._segments(left, style), space, *self._segments(right, style)]
        ).adjust_cell_length(width, style)

    def _segments(self, pieces: Sequence[BarPiece], style: Style) -> list[Segment]:
        segments = []
        for number, piece in enumerate(pieces):
            if number and not piece.joined:
                segments.append(Segment(" " * _GAP, style))
            segments.append(Segment(visible(piece.text), style + look(self, piece.look)))
        return segments


class KeyHints(Bar):
    """The keys of a sheet, in as many rows as they take: no key is left out."""

    DEFAULT_CSS = "KeyHints { height: auto; margin: 1 0 0 0; padding: 0; }"

    def __init__(self) -> None:
        super().__init__(id="keys")

    def show(self, left: Sequence[BarPiece], right: Sequence[BarPiece] = ()) -> None:
        """See `Bar`."""
        super().show(left, right)
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The number of rows that the keys take."""
        return len(_rows(self.left, width))

    def render_line(self, y: int) -> Strip:
        """Draw one of the rows."""
        width = self.size.width
        rows = _rows(self.left, width)
        pieces: list[BarPiece] = []
        if y < len(rows):
            pieces = [_short(piece, width) for piece in rows[y]]
        return self._strip(pieces, (), width)


def _rows(pieces: Sequence[BarPiece], width: int) -> list[list[BarPiece]]:
    """Break pieces into rows of this width; joined pieces stay together."""
    rows: list[list[BarPiece]] = []
    starts = [index for index, piece in enumerate(pieces) if not piece.joined]
    for start, end in pairwise([*starts, len(pieces)]):
        group = list(pieces[start:end])
        if rows and _width([*rows[-1], *group]) <= width:
            rows[-1] += group
        else:
            rows.append(group)
    return rows


def _width(pieces: Sequence[BarPiece]) -> int:
    gaps = sum(_GAP for number, piece in enumerate(pieces) if number and not piece.joined)
    return gaps + sum(cell_len(visible(piece.text)) for piece in pieces)


def _fit(
    left: Sequence[BarPiece], right: Sequence[BarPiece], width: int
) -> tuple[list[BarPiece], list[BarPiece]]:
    """Shorten pieces, or leave out the least weighty and rightmost, until both sides fit."""
    left = list(left)
    right = list(right)
    while (
        len(left) + len(right) > 1
        and (over := _width(left) + _width(right) + _GAP * bool(right) - width) > 0
    ):
        # A long piece is shortened before any is lost.
        if _shorten(left, over) or _shorten(right, over):
            break
        # The right side gives way first; on a side, the rightmost of the least weighty pieces.
        least = min(piece.weight for piece in (*left, *right))
        side = right if any(piece.weight == least for piece in right) else left
        _leave_out(side, max(at for at, piece in enumerate(side) if piece.weight == least))
    # The last piece is never left out, so it may be wider than the line.
    return [_short(piece, width) for piece in left], [_short(piece, width) for piece in right]


def _short(piece: BarPiece, width: int) -> BarPiece:
    """Shorten a piece that is wider than the whole line."""
    return replace(piece, text=shortened(visible(piece.text), width))


def _shorten(side: list[BarPiece], columns: int) -> bool:
    """Take this many columns away from a piece that can spare them.

    Returns:
        Whether there is such a piece.
    """
    for index, piece in enumerate(side):
        left = cell_len(visible(piece.text)) - columns
        if left >= piece.least > 0:
            side[index] = replace(piece, text=shortened(visible(piece.text), left))
            return True
    return False


def _leave_out(side: list[BarPiece], index: int) -> None:
    """Remove a piece, and the pieces that are joined to it."""
    # A key without its words, or words without their key, would say nothing.
    while index > 0 and side[index].joined:
        index -= 1
    del side[index]
    while index < len(side) and side[index].joined:
        del side[index]


_LOOKS = {
    TurnPhase.PAUSED: "accent",
    TurnPhase.WRITING: "ok",
    TurnPhase.THINKING: "ok",
    TurnPhase.READING: "ok",
}


@dataclass(frozen=True, slots=True)
class FooterState:
    """The state that decides which keys the footer names.

    Args:
        phase: The phase of the turn.
        in_diff: Whether the diff has the focus; otherwise the prompt has it.
        has_text: Whether something is written in the prompt.
        hunks: The number of open hunks.
        is_written: Whether the selected hunk is fully written.
        leads_back: Whether a hunk is asked for again, so that giving up leads back to the first.
        may_commit: Whether anything that was accepted is not committed.
        is_offered: Whether the next typed letter replaces the whole text.
        has_others: Whether there are other answers besides a doubtful one, or besides none.
        is_guessed: Whether the place is uncertain.
        has_files: Whether several files are under review together.
        has_diff: Whether there is a diff to go to.
        has_answer: Whether an answer in words is shown instead.
        has_next: Whether an edit at the next place is offered.
    """

    phase: TurnPhase
    in_diff: bool
    has_text: bool
    hunks: int
    is_written: bool
    leads_back: bool = False
    may_commit: bool = True
    is_offered: bool = False
    has_others: bool = False
    is_guessed: bool = False
    has_files: bool = False
    has_diff: bool = False
    has_answer: bool = False
    has_next: bool = False

    def hints(self, keys: Keymap) -> list[BarPiece]:
        """The keys that mean something now, the most useful first."""
        if self.in_diff:
            known = self._in_diff()
        else:
            known = self._in_prompt()
        self._add_doubtful(known)
        self._add_after_turn(known)
        if self.is_offered and not self.in_diff:
            known.insert(1, ("Right", "keep the words"))
        filled = [(keys.fill(key, most=1, without="").strip(), does) for key, does in known]
        return _hint_pieces((key, does) for key, does in filled if key)

    def _add_doubtful(self, known: list[tuple[str, str]]) -> None:
        """Add the keys that lead on from a doubtful edit, as the first or second ones."""
        if self.is_guessed and self.phase is TurnPhase.REVIEW and not self.has_text:
            known.insert(0, ("{prompt.places}", "another place"))
        if self.has_others and self.phase in {TurnPhase.REVIEW, TurnPhase.READY}:
            index = 0 if self.in_diff or self.is_guessed else 1
            key = "{variation.next}" if self.in_diff else "{focus.diff}"
            known.insert(index, (key, "other answers"))

    def _add_after_turn(self, known: list[tuple[str, str]]) -> None:
        """Add what the user can do next, once no hunk is open."""
        if self.phase is not TurnPhase.READY:
            return
        # Each goes right behind Enter: of several, the one inserted last comes first.
        if self.has_diff and not self.in_diff:
            if self.may_commit:
                known.insert(1, ("/commit", "to git"))
            if not self.has_others:
                leads_to = "next edit" if self.has_next else "diff"
                known.insert(1, ("{focus.diff}", leads_to))
        if self.has_answer and not self.has_others:
            known.insert(1, ("{focus.diff}", "read on"))

    @property
    def _give_up(self) -> tuple[str, str]:
        """The key that gives a paused turn up."""
        does = "back to the earlier one" if self.leads_back else "drop the unfinished"
        return ("{turn.stop}", does)

    def _in_diff(self) -> list[tuple[str, str]]:
        """The keys of the diff."""
        review = []
        if self.hunks and self.is_written:
            review += [("{hunk.accept}", "accept"), ("{hunk.reject}", "reject")]
        if self.hunks:
            review.append(("{hunk.previous} {hunk.next}", "hunk"))
        if self.phase in STREAMING:
            return [*review, ("{turn.stop}", "pause"), ("{help}", "keys")]
        prompt_and_help = [("{focus.prompt}", "prompt"), ("{help}", "keys")]
        if self.phase is TurnPhase.PAUSED:
            known = [self._give_up, *review, *prompt_and_help]
            if self.hunks:
                known.append(("{hunk.edit}", "edit"))
            return known
        if self.hunks and self.has_files and self.phase is TurnPhase.REVIEW:
            review += [
                ("{file.previous} {file.next}", "file"),
                ("{files.accept}", "accept all files"),
            ]
        if self.hunks > 1:
            review.append(("{all.accept} {all.reject}", "all"))
        review.append(("{journal.undo}", "undo"))
        if self.may_commit and not self.hunks:
            review.append(("{git.commit}", "commit"))
        return [*review, *prompt_and_help]

    def _in_prompt(self) -> list[tuple[str, str]]:
        """The keys of the prompt."""
        review = [("{focus.diff}", "review")] if self.hunks else []
        if self.phase in STREAMING:
            return [("{turn.stop}", "pause"), ("type", "to redirect"), *review]
        if self.phase is TurnPhase.PAUSED and self.has_text:
            return [("Enter", "redirect"), self._give_up, *review]
        if self.phase is TurnPhase.PAUSED:
            return [("Enter", "go on"), ("type", "to redirect"), self._give_up, *review]
        known = [("Enter", "send"), *review, ("{prompt.earlier}", "history")]
        if not self.has_text:
            known.append(("?", "keys"))
        known.append(("{interrupt}", "quit"))
        return known


def hints_in_answer(keys: Keymap, blocks: int) -> list[BarPiece]:
    """The keys of an answer in words that has the focus.

    Args:
        blocks: The number of code blocks in the answer.
    """
    known = [("Up Down", "scroll"), ("type", "to go on from it"), (keys.key("turn.stop"), "prompt")]
    if blocks:
        numbers = "1" if blocks == 1 else f"1-{min(blocks, 9)}"
        known.insert(0, (numbers, "review the code as hunks"))
    return _hint_pieces(known)


def hints_in_list(*, sends: bool) -> list[BarPiece]:
    """The keys of the list above the prompt.

    Args:
        sends: Whether Enter sends the instruction to the chosen place.
    """
    known = [("Tab", "take"), ("Up Down", "choose"), ("Esc", "close")]
    if sends:
        known.insert(0, ("Enter", "send"))
    return _hint_pieces(known)


def _hint_pieces(known: Iterable[tuple[str, str]]) -> list[BarPiece]:
    """Make the pieces of keys and of what they do."""
    pieces: list[BarPiece] = []
    for key, does in known:
        pieces += hint(key, does, weight=_weight(does))
    return pieces


def _weight(does: str) -> int:
    """The weight of a hint; the key that lists all keys is left out last."""
    return 3 if does == "keys" else 2


def where_to(
    view: TurnState,
    ahead: str | None,
    keys: Keymap,
    *,
    guessed: bool = False,
    looking: bool = False,
    refused: str = "",
) -> list[BarPiece]:
    """The place of the turn, or where what is written leads.

    Args:
        ahead: The place to which the words lead, "" while it is not clear; None to show the place
            of the turn.
        guessed: Whether the place of the turn is uncertain.
        looking: Whether the search for the place is still going on.
        refused: Why the instruction would be refused, unless the note says so already.
    """
    if ahead is None:
        return _place_of_turn(view, guessed=guessed)
    look = "muted"
    does = " choose one"
    if ahead:
        where = f"edits {ahead}"
        does = " another place"
    elif looking:
        where = "place not known yet"
    elif refused:
        where = refused
        look = "warning"
    else:
        where = "no clear place yet"
    return [
        BarPiece(where, look, 2),
        BarPiece(keys.key("prompt.places"), "text", 1),
        BarPiece(does, "faint", 1, joined=True),
    ]


def _place_of_turn(view: TurnState, *, guessed: bool) -> list[BarPiece]:
    """The place of the turn, and the size of the repository map that the model got."""
    where = "spark finds the place"
    if view.place:
        where = f"{view.place}{'?' * guessed}"
        if view.files.count > 1:
            where += f" and {view.files.count - 1} more file{'s' * (view.files.count > 2)}"
    look = "warning" if guessed else "muted"
    pieces = [BarPiece(where, look, 2)]
    if view.map_tokens:
        pieces.append(BarPiece(f"map of {view.map_tokens:,} tokens", "faint", 1))
    return pieces


def meters(
    model: str,
    view: TurnState,
    phase: TurnPhase,
    limit: int | None,
    *,
    pacer: Pacer | None = None,
    simulated: float | None = None,
    cost: float | None = None,
    waiting: bool = False,
    wrote: str = "",
    full: bool = True,
) -> tuple[list[BarPiece], list[BarPiece]]:
    """The pieces of the last line, left and right, without figures that were not measured yet.

    Args:
        pacer: Holds tokens back, if a pace is set.
        simulated: Tokens a second of the simulated wafer.
        cost: The cost of the last answer, in the currency of the configured prices.
        wrote: The model that wrote what is shown, if it is not the first one.
        waiting: Whether a turn is about to begin, or another model has come: the figures of the
            last turn no longer hold.
        full: Whether to show all figures. A pace is always shown, because it hides the real speed.
    """
    figures = view.figures.lasting if waiting else view.figures
    speed = _speed(figures.rate, pacer, waiting=waiting)
    # Words, weight in the bar, and the value; a figure without a value is left out.
    measured = [
        *speed,
        (f"TTFT {_milliseconds(figures.ttft_ms)}", 5, figures.ttft_ms),
        (f"Esc {_milliseconds(figures.stop_ms)}", 6, figures.stop_ms),
        (f"{figures.per_pass or 0:.1f} tok/pass", 3, figures.per_pass),
        (f"thought {figures.thought:,} tok", 5, figures.thought or None),
        (f"cost {cost or 0:.4f}", 7, cost),
        (f"{figures.used}/{limit} ctx", 4, figures.used if limit else None),
        (f"wafer {simulated or 0:,.0f} tok/s simulated", 0, simulated),
    ]
    left = [BarPiece(model, "text", 1), BarPiece(phase.value, _LOOKS.get(phase, "muted"), 9)]
    if not full:
        is_paced = pacer is not None and pacer.pace is not None
        measured = speed if is_paced else []
    if wrote:
        left.append(BarPiece(f"written by {wrote}", "muted", 8))
    left += [
        BarPiece(words, "muted", weight) for words, weight, value in measured if value is not None
    ]
    if not view.hunks:
        return left, []
    added, removed = view.sizes()
    hunks = f"{len(view.hunks)} hunk{'s' * (len(view.hunks) != 1)}"
    return left, [
        BarPiece(hunks, "muted", 3),
        BarPiece(f"+{added}", "added", 7),
        BarPiece(f" −{removed}", "removed", 7, joined=True),
    ]


def _speed(
    real: float | None, pacer: Pacer | None, *, waiting: bool
) -> list[tuple[str, int, float | None]]:
    """The speed of tokens, as shown and as measured; the figures of a device are simulated."""
    if pacer is None or (pace := pacer.pace) is None:
        return [(f"{real or 0:.0f} tok/s", 8, real)]
    # No speed to show yet, or an engine slower than the pace, which then is only a limit.
    if waiting or (shown := pacer.rate) is None or (real is not None and real < pace.rate):
        limit = f"{pace.device} {_rate(pace.rate)} simulated" if pace.device else _rate(pace.rate)
        measured = "" if real is None else f", real {_rate(real)} tok/s"
        return [(f"paced: {limit}{measured}", 8, pace.rate)]
    named = f" ({pace.device}, {pace.model} simulated)" if pace.device else ""
    return [(f"{_rate(shown)} tok/s paced{named}", 8, shown), (f"real {real or 0:,.0f}", 7, real)]


def _rate(value: float) -> str:
    """Format tokens a second; a slow pace with its tenths."""
    # From 9.95 on, the first form would round to 10.0.
    return f"{value:,.1f}".removesuffix(".0") if value < 9.95 else f"{value:,.0f}"


def _milliseconds(value: float | None) -> str:
    value = value or 0.0
    return f"{value:.1f} ms" if value < 9.95 else f"{value:.0f} ms"
