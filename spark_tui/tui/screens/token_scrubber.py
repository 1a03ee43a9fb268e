"""The screen that looks back at a turn, token by token, and goes on from a token with other words.

`Scrub` is a place in the tokens and knows no widgets; `LookBackScreen` shows the place.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar

from rich.segment import Segment
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from spark_tui.errors import SparkError
from spark_tui.safe_text import is_plain, visible
from spark_tui.session import turn_factory
from spark_tui.session.hunk_items import HunkLike, live_line
from spark_tui.session.turn import Turn
from spark_tui.session.turn_factory import NOTHING_WRITTEN
from spark_tui.tui.keymap import Keymap
from spark_tui.tui.themes import look
from spark_tui.tui.widgets.diff_rows import DiffRows
from spark_tui.tui.widgets.diff_view import DiffView
from spark_tui.tui.widgets.message_line import Note
from spark_tui.tui.widgets.prompt import Prompt
from spark_tui.tui.widgets.status_bars import Bar, BarPiece, keys

# Probabilities of about 98 %, 90 % (`UNSURE` of the session's token log) and 50 %.
_DOUBT_MARKS = (-0.02, -0.105, -0.7)
"""Log-probabilities at which the doubt of a token rises by one."""
_BACK = 3  # tokens to look back for one that changed the hunks; each takes a diff of the file


class Scrub:
    """A place in the tokens of a turn; `at` is the index of the token.

    Mutable.

    Args:
        turn: A turn that wrote something.
    """

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self.at = len(turn.tape) - 1

    @property
    def count(self) -> int:
        """The number of tokens."""
        return len(self._turn.tape)

    def step(self, tokens: int) -> bool:
        """Go on by so many tokens, or back.

        Returns:
            Whether the place has changed.
        """
        before = self.at
        self.at = max(0, min(self.at + tokens, self.count - 1))
        return self.at != before

    def to_whole(self) -> bool:
        """Go back to a token that ends with a whole character, as words cannot follow half of one.

        Returns:
            Whether the place has changed.
        """
        tape = self._turn.tape
        # A character may take several tokens. Where an attempt begins with half a character,
        # `whole` is a token of the attempt before, or none at all.
        whole = self.at - tape.half(self.at)
        known = whole < self.at and whole >= 0 and tape[whole].attempt == tape[self.at].attempt
        return known and self.step(whole - self.at)

    def to_unsure(self) -> bool:
        """Go to the next uncertain token; behind the last one, to the first.

        Returns:
            Whether any token is uncertain.
        """
        found = self._turn.tape.unsure(self.at)
        self.at = self.at if found is None else found
        return found is not None

    @property
    def path(self) -> str:
        """The file of the turn."""
        return self._turn.region.path

    def rows(self) -> tuple[DiffRows, int | None]:
        """The diff after the token, and the row that was being written."""
        hunks = turn_factory.hunks_at(self._turn, self.at)
        region = self._turn.region
        before = self._hunks_before(hunks)
        rows = DiffRows(
            self._turn.base.lines, hunks, shown=[(region.start_line - 1, region.end_line)]
        )
        live = live_line(before, hunks)
        return rows, rows.row_of(*live) if live else None

    def _hunks_before(self, hunks: Sequence[HunkLike]) -> Sequence[HunkLike]:
        """The hunks before the last token that changed them; a token alone may change nothing."""
        for index in range(self.at - 1, max(0, self.at - _BACK) - 1, -1):
            before = turn_factory.hunks_at(self._turn, index)
            if before != hunks:
                return before
        return ()

    def words(self) -> tuple[str, str, str]:
        """The number of the token, how sure the model was, and the token's text."""
        token = self._turn.tape[self.at]
        attempt = f" (attempt {token.attempt})" if token.attempt > 1 else ""
        # `+ 0.0` turns a rounded -0.0 into 0.0.
        return (
            f"token {self.at + 1} of {self.count}{attempt}",
            f"logprob {round(token.logprob, 2) + 0.0:.2f}".replace("-", "−"),
            visible(self._turn.tape.meaning(self.at)),
        )

    def doubts(self, width: int) -> list[int]:
        """The doubt of the tokens, from 0 to 3, over at most `width` columns.

        A column has the greatest doubt of the tokens that it stands for.
        """
        count = self.count  # once: the engine may not stand still yet
        levels = [
            sum(self._turn.tape.logprob(index) <= doubt for doubt in _DOUBT_MARKS)
            for index in range(count)
        ]
        columns = min(width, count)
        # Column i stands for the tokens from edge i up to edge i + 1; each gets at least one.
        edges = [column * count // columns for column in range(columns + 1)]
        return [max(levels[first:last]) for first, last in pairwise(edges)]

    def column(self, width: int) -> int:
        """The column of the place among those of `doubts`."""
        count = self.count
        columns = min(width, count)
        return next(
            column for column in range(columns) if (column + 1) * count // columns > self.at
        )

    @property
    def changes_nothing(self) -> bool:
        """Whether the file is unchanged after the token."""
        return not turn_factory.hunks_at(self._turn, self.at)

    @property
    def takes_words(self) -> bool:
        """Whether words can go on from here."""
        return turn_factory.takes_words(self._turn, self.at)

    @property
    def in_name(self) -> bool:
        """Whether a name is being written at the token, and not a line."""
        return self._turn.tape.read(self.at).in_name

    def line(self) -> str | None:
        """The half-written line, if there is one that can be shown as it is."""
        line = self._turn.tape.read(self.at).open_line
        return line if line is not None and is_plain(line) else None

    def branch(self, words: str, *, fixed: bool) -> str:
        """The text that a branch begins with.

        Args:
            fixed: The words are the whole line.

        Raises:
            UsageError: They do not fit.
        """
        if fixed:
            return turn_factory.with_line(self._turn, self.at, words)
        return turn_factory.with_words(self._turn, self.at, words)


_STEPS = {"less_than_sign": -10, "greater_than_sign": 10, "left": -1, "right": 1}
_DOUBTS = (("─", "faint"), ("▂", "muted"), ("▅", "warning"), ("█", "error"))
_TITLE = 400
_NAME = "a name is being written here, or what does not show as it is: type how it goes on"


class Film(DiffView, can_focus=False, inherit_bindings=False):
    """The diff as it was at a token; no key decides about its hunks."""


class Ribbon(Widget):
    """All tokens in one line, by how unsure the model was of each."""

    DEFAULT_CSS = "Ribbon { height: 1; padding: 0 1; }"

    def __init__(self, scrub: Scrub) -> None:
        super().__init__()
        self._scrub = scrub

    def render_line(self, y: int) -> Strip:
        """Draw the tokens, with the present place marked."""
        width = self.size.width
        here = self._scrub.column(width)
        page = look(self, "page")
        signs = [_DOUBTS[doubt] for doubt in self._scrub.doubts(width)]
        signs[here] = ("●", "accent")
        return Strip(
            [Segment(sign, page + look(self, name)) for sign, name in signs]
        ).adjust_cell_length(width, page)

    def on_click(self, event: events.Click) -> None:
        """Go where the mouse points."""
        columns = min(self.size.width, self._scrub.count)
        self._scrub.at = max(0, min(event.x - 1, columns - 1)) * self._scrub.count // columns
        self.screen.post_message(LookBackScreen.Moved())


class LookBackScreen(Screen[Any]):
    """Shows a turn at one of its tokens.

    Returns:
        The text that a branch begins with; None where the user only looked.

    Args:
        scrub: The place to begin at.
        title: The instruction.
        how: What to do first: back, on, unsure or fix.
        keys: The keys in force.
        beside: Whether the diff has two sides.
    """

    DEFAULT_CSS = """
    LookBackScreen {
        background: $spark-background; layout: vertical;
        #title, #hints { background: $spark-surface; }
        Film { height: 1fr; }
        #writing { height: auto; }
        #mark { width: 3; height: 1; padding: 0 0 0 1; color: $spark-accent; }
        Prompt { width: 1fr; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "back to the end", show=False),
        # These move the film, though the prompt has the focus and page keys of its own.
        Binding("pageup", "page(-1)", show=False, priority=True),
        Binding("pagedown", "page(1)", show=False, priority=True),
    ]

    class Moved(Message):
        """The place in the tokens has changed."""

    def __init__(self, scrub: Scrub, title: str, how: str, keys: Keymap, *, beside: bool) -> None:
        super().__init__()
        self.scrub = scrub
        self._title = title
        self._how = how
        self._keys = keys
        self._beside = beside
        self._fixing = False
        """Whether the half-written line stands in the prompt, to be rewritten."""
        self._had_text = False  # whether the prompt had text at its last change
        self.typed = ""
        """The words that the user sent, for the branch to begin with."""

    def compose(self) -> ComposeResult:
        """The widgets, from top to bottom."""
        yield Bar(id="title")
        yield Film()
        yield Ribbon(self.scrub)
        yield Bar(id="token")
        yield Note()
        with Horizontal(id="writing"):
            yield Static("›", id="mark")
            yield Prompt()
        yield Bar(id="hints")

    @property
    def prompt(self) -> Prompt:
        """The prompt for the words to go on with."""
        return self.query_one(Prompt)

    @property
    def film(self) -> Film:
        """The diff as it was."""
        return self.query_one(Film)

    @property
    def _branches(self) -> bool:
        """Whether words can be typed here."""
        return self._fixing or self.scrub.takes_words

    @property
    def _type(self) -> str:
        """The meaning of words that are typed here."""
        return f"type how the {'name' if self.scrub.in_name else 'code'} goes on"

    def on_mount(self) -> None:
        """Show the place, and do what the key that opened the screen asks for."""
        self.query_one("#title", Bar).show(
            [BarPiece("looking back", "accent", 9), BarPiece(self._title[:_TITLE], "text", 8)]
        )
        self.film.beside = self._beside
        self.prompt.helper = self.takes
        self.prompt.focus()
        match self._how:
            case "back":
                self.scrub.step(-1)
            case "unsure":
                self._to_unsure()
            case "fix":
                self._fix()
        self.call_after_refresh(self._show)  # the film has a height only then

    def takes(self, key: str) -> bool:
        """Do what a key means while the prompt is empty.

        Returns:
            False when the key is text, or the prompt's own.
        """
        if key == "escape" or self.prompt.text or self._fixing:
            return False
        self.query_one(Note).say("")
        return self._moved(key) or self._did(key)

    def _moved(self, key: str) -> bool:
        step = _STEPS.get(key, 0)
        step += (key in self._keys.keys("token.on")) - (key in self._keys.keys("token.back"))
        if key in {"home", "end"}:
            step = self.scrub.count if key == "end" else -self.scrub.count
        if step and self.scrub.step(step):
            self._show()
        return bool(step)

    def _did(self, key: str) -> bool:
        does = dict.fromkeys(self._keys.keys("token.unsure"), self._to_unsure) | {"up": self._fix}
        if key in does:
            does[key]()
        return key in does

    def action_page(self, step: int) -> None:
        """Look further up or down."""
        self.film.action_page(step)

    def action_leave(self) -> None:
        """Drop the text in the prompt; without text, go back to the end of the turn."""
        if self.prompt.text or self._fixing:
            self._fixing = False
            self.prompt.set_text("")
            self._show()
        else:
            self.dismiss(None)

    @on(Prompt.Sent)
    def _on_sent(self, event: Prompt.Sent) -> None:
        """Go on from this token with the words; words that do not fit stay in the prompt."""
        event.stop()
        if not event.text and not self._fixing:
            words = NOTHING_WRITTEN
            if self._branches:
                words = f"{self._type}; Esc goes back to the end"
            self.query_one(Note).say(words)
            return
        try:
            begun = self.scrub.branch(event.text, fixed=self._fixing)
        except SparkError as e:
            self.query_one(Note).say(str(e), look="error")
            return
        self.typed = event.text
        self.dismiss(begun)

    @on(Prompt.HelpAsked)
    async def _on_help_asked(self) -> None:
        await self.app.run_action("app.help")

    @on(Prompt.Changed)
    def _on_changed(self) -> None:
        # The first letter shows whether words can go on from this token at all.
        begun = bool(self.prompt.text) and not self._had_text
        if begun and not self._branches:
            self.query_one(Note).say(NOTHING_WRITTEN)
            if self.prompt.is_typed:  # what was pasted is not to be lost
                self.prompt.set_text("")
        elif begun and self.scrub.to_whole():
            self._show()
        self._had_text = bool(self.prompt.text)
        self._show_words()

    def _to_unsure(self) -> None:
        if self.scrub.to_unsure():
            self._show()
        else:
            self.query_one(Note).say("the model was sure of every token")

    def _fix(self) -> None:
        """Take the half-written line into the prompt."""
        line = self.scrub.line()
        if line is None:
            words = _NAME if self.scrub.takes_words else NOTHING_WRITTEN
            self.query_one(Note).say(words)
            return
        self._fixing = True
        self.prompt.set_text(line)
        self._show_words()

    @on(Moved)
    def _show(self) -> None:
        """Show the place as it is now."""
        # Shown without a height, the film would get a scroll bar, and keep it.
        if self.film.size.height:
            rows, live = self.scrub.rows()
            self.film.following = True
            self.film.show(rows, cursor=live or 0, live=live, path=self.scrub.path)
        self.query_one(Ribbon).refresh()
        self._show_words()

    def _show_words(self) -> None:
        which, sure, token = self.scrub.words()
        left = [
            BarPiece(which, "text", 9),
            BarPiece(f"· {sure}", "muted", 7),
            BarPiece(f"· {token}", "accent", 8),
        ]
        right = []
        if self._fixing:
            right = [BarPiece("fixing the line", "warning", 5)]
        elif self.scrub.changes_nothing:
            right = [BarPiece("no change yet", "muted", 6)]
        self.query_one("#token", Bar).show(left, right)
        placeholder = "no words go on from this token"
        if self._branches:
            placeholder = f"{self._type} from here"
        self.prompt.placeholder = placeholder
        mark = "✎" if self._fixing else "›"
        self.query_one("#mark", Static).update(mark)
        self.query_one("#hints", Bar).show(keys(*self._hints()))

    def _hints(self) -> list[tuple[str, str]]:
        """The keys that mean something now."""
        if self._fixing or self.prompt.text:
            give_up = ("Esc", "give it up")
            return [("Enter", "go on from this"), give_up] if self._branches else [give_up]
        known = [
            ("Esc", "back"),
            (self._keys.fill("{token.back} {token.on}", most=1), "token"),
            ("< >", "ten"),
            (self._keys.key("token.unsure"), "uncertain"),
        ]
        if self._branches:
            known.append(("type", "to branch"))
        if self.scrub.line() is not None:
            known.append(("Up", "fix the line"))
        return known
