"""The prompt, the text field in which the user writes instructions.

Enter sends, Ctrl+J and Alt+Enter break the line, Up brings back earlier instructions.
"""

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import TextArea

from spark_tui.tui.pastes import Pastes, as_lines

_MOST_SENT = 1000
SAY = "say what to change"


class Prompt(TextArea):
    """The instruction being written, with the history of those sent.

    `text` is the text as shown, `full` the text with its pastes in full. `helper` sees keys first.
    """

    DEFAULT_CSS = """
    Prompt {
        height: auto;
        max-height: 6;
        padding: 0;
        border: none;
        background: $spark-background;
        color: $spark-text;
        scrollbar-size-vertical: 1;
        &:focus { border: none; }
        .text-area--cursor-line { background: $spark-background; }
        .text-area--placeholder { color: $spark-faint; }
    }
    Prompt:dark .text-area--cursor, Prompt:light .text-area--cursor {
        background: $spark-accent; color: $spark-background;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "recall(-1)", "earlier instruction", show=False, id="prompt.earlier"),
        Binding("down", "recall(1)", "later instruction", show=False, id="prompt.later"),
        Binding(
            "ctrl+j,alt+enter,shift+enter", "newline", "new line", show=False, id="prompt.newline"
        ),
        Binding("ctrl+r", "screen.search", "search the history", show=False, id="prompt.search"),
    ]

    class Sent(Message):
        """Enter was pressed; `text` may be empty. `by_hand`: a key wrote its first character."""

        def __init__(self, text: str, *, by_hand: bool) -> None:
            super().__init__()
            self.text = text
            self.by_hand = by_hand

    class Typed(Message):
        """The user wrote something by key or paste."""

    class HelpAsked(Message):
        """`?` in an empty prompt."""

    def __init__(self, text: str = "", *, placeholder: str = SAY) -> None:
        super().__init__(
            as_lines(text),
            compact=True,
            highlight_cursor_line=False,
            placeholder=Content(placeholder),
        )
        self.cursor_blink = False
        self.move_cursor(self.document.end)
        self.helper: Callable[[str], bool] = _helps_not
        """Does what a key means elsewhere, such as in the list above; False if it means nothing."""
        self.sent: list[str] = []
        """The instructions sent before, the oldest first."""
        self._pastes = Pastes()
        self._shown_as: dict[str, str] = {}
        """Instructions with pastes, and how the prompt showed them."""
        self._at: int | None = None
        """The index in `sent` of the text shown; None for the user's own text."""
        self._draft = ""
        """The user's own text, from before the history was shown."""
        # What `set_aside` keeps: the index in `sent`, and the text.
        self._aside: tuple[int | None, str] = (None, "")
        self._by_hand = False
        self._put_there: str | None = None
        """The text that the program put there last."""

    @staticmethod
    def edit_keys() -> frozenset[str]:
        """The keys that move, edit or send the text; nothing behind the prompt ever gets them."""
        keys = {"enter"}
        for binding in TextArea.BINDINGS:
            if isinstance(binding, Binding):
                keys.update(key.strip() for key in binding.key.split(","))
        return frozenset(keys)

    @property
    def full(self) -> str:
        """The text with its pastes."""
        return self._pastes.unfold(self.text)

    @property
    def is_written(self) -> bool:
        """Whether the user wrote the text, instead of getting it from the program."""
        return self.text != self._put_there

    @property
    def is_typed(self) -> bool:
        """Whether the text began with a key, not with a paste or with words from the program."""
        return self._by_hand and self.is_written

    @property
    def is_instruction(self) -> bool:
        """Whether the text is words for the model, not a command."""
        return bool(self.text.strip()) and not self.text.startswith(("/", "!"))

    @property
    def cursor_offset(self) -> int:
        """The number of characters before the cursor."""
        row, column = self.cursor_location
        return sum(len(line) + 1 for line in self.document.lines[:row]) + column

    def set_text(self, text: str) -> None:
        """Replace the text, with the cursor at its end."""
        shown = self._shown_as.get(text) or self._pastes.fold(text)
        self.text = shown
        self._put_there = shown
        self.move_cursor(self.document.end)
        self._by_hand = True

    def offer(self, text: str | None = None) -> None:
        """Propose a text, or the present one.

        Typing replaces the text, moving the cursor keeps it, a space goes on behind it.
        """
        if text is not None:
            self.set_text(text)
        self.select_all()

    @property
    def is_offered(self) -> bool:
        """Whether the next typed letter replaces the whole text."""
        return bool(self.text) and self.selected_text == self.text

    def replace_part(self, start: int, end: int, text: str) -> None:
        """Write a text in the place of these characters, with the cursor behind it."""
        first = _location(self.text, start)
        last = _location(self.text, end)
        self.move_cursor(self.replace(as_lines(text), first, last).end_location)

    def remember(self, text: str) -> None:
        """Add an instruction to the history, unless it begins with a space, as in shells."""
        if text.strip() and not text.startswith(" ") and self.sent[-1:] != [text]:
            self.sent.append(text)
            del self.sent[:-_MOST_SENT]
        # The prompt folded a paste in this text: bring it back in the same words later.
        if text != self.text and text == self.full:
            self._shown_as[text] = self.text
        self._at = None

    def put_away(self, text: str) -> None:
        """Add a text, which may be the one in the prompt, to the history; then empty the prompt."""
        self.remember(text)
        self.set_text("")

    def set_aside(self) -> None:
        """Keep the text, to bring it back later.

        If it is the user's own text, it becomes the draft, where going down the history ends.
        """
        full = self.full
        if full != self.text:
            self._shown_as[full] = self.text
        if self._at is None:
            self._draft = full
        self._aside = self._at, full

    def bring(self, text: str) -> None:
        """Show an instruction that was sent before, in place of the text that was set aside."""
        self.set_text(text)
        self._at = len(self.sent) - 1 - self.sent[::-1].index(text)

    def take_back(self) -> None:
        """Show the text that was set aside."""
        self._at, text = self._aside
        if text != self.full:
            self.set_text(text)

    async def on_key(self, event: events.Key) -> None:
        """Enter sends, `?` alone asks for help; everything else that prints is text.

        Keys of the prompt's own act at once: left to Textual, they would act after the letters
        typed behind them.
        """
        if self.helper(event.key):
            event.stop()
            event.prevent_default()
        elif event.key == "enter":
            event.stop()
            event.prevent_default()
            self.post_message(self.Sent(self.full, by_hand=self._by_hand))
        elif event.character == "?" and not self.text:
            event.stop()
            event.prevent_default()
            self.post_message(self.HelpAsked())
        elif event.is_printable:
            # TextArea inserts the character after this handler. Behind a proposal, a space keeps
            # the words, and any other character replaces them.
            if event.character == " ":
                self._keep_proposal()
            self._wrote(by_hand=True)
        elif action := self._own_action(event.key):
            event.stop()
            event.prevent_default()
            await self.run_action(action)

    def _own_action(self, key: str) -> str:
        """The action of a key here, by the prompt's own bindings and the user's keys, or ""."""
        # The chain holds the bindings with the user's own keys applied.
        for node, bindings in self.screen._modal_binding_chain:
            if node is self:
                own = bindings.key_to_bindings.get(key, ())
                return own[0].action if own else ""
        return ""

    def on_paste(self, event: events.Paste) -> None:
        """Insert a paste as text, with a mark for each character that does not print."""
        event.stop()
        event.prevent_default()
        self._insert(self._pastes.fold(event.text), by_hand=False)

    def put(self, text: str, *, by_hand: bool = False) -> None:
        """Write text at the cursor, as if pasted.

        Args:
            by_hand: The text was typed, while another widget had the focus.
        """
        self._insert(self._pastes.fold(text), by_hand=by_hand)

    def _insert(self, text: str, *, by_hand: bool) -> None:
        self._wrote(by_hand=by_hand)
        if done := self._replace_via_keyboard(text, *self.selection):
            self.move_cursor(done.end_location)

    def _wrote(self, *, by_hand: bool) -> None:
        """Note that the user is about to write at the cursor."""
        self._at = None
        # Only what is written at the very beginning decides how the text began.
        if self.selection.start == (0, 0) or self.selection.end == (0, 0):
            self._by_hand = by_hand
        self.post_message(self.Typed())

    def action_newline(self) -> None:
        """Break the line; a proposal is kept, and the new line goes below it.

        An empty prompt stays empty: tmux turns an Esc and an Enter soon behind it into Alt+Enter.
        """
        self._keep_proposal()
        if self.text:
            self._insert("\n", by_hand=True)

    def _keep_proposal(self) -> None:
        if self.selected_text == self.text:
            self.move_cursor(self.document.end)

    def action_delete_left(self) -> None:
        """Delete what is selected, the whole paste before the cursor, or a character."""
        start = self.cursor_offset
        if self.selection.is_empty and (length := self._pastes.before(self.text[:start])):
            self.replace_part(start - length, start, "")
        else:
            super().action_delete_left()

    def action_delete_to_start_of_line(self) -> None:
        """Delete up to the start of the line, even if the line is wrapped into several rows."""
        row, column = self.selection.end
        if column:
            self._delete_via_keyboard((row, 0), (row, column))
        else:
            super().action_delete_to_start_of_line()

    def action_recall(self, step: int) -> None:
        """Move the cursor a line, or beyond the first and last one through the history."""
        if step < 0 and not self.cursor_at_first_line:
            self.action_cursor_up()
        elif step > 0 and not self.cursor_at_last_line:
            self.action_cursor_down()
        else:
            self._recall(step)

    def _recall(self, step: int) -> None:
        """Go through the history; behind the latest instruction comes the draft."""
        newest = len(self.sent)
        index = (newest if self._at is None else self._at) + step
        # Nothing is before the oldest instruction, and nothing behind the draft.
        if not 0 <= index <= newest or (self._at is None and step > 0):
            return
        self.set_aside()
        if index < newest:
            self._at = index
            self.set_text(self.sent[index])
        else:
            self._at = None
            self.set_text(self._draft)


def _helps_not(_: str) -> bool:
    return False


def _location(text: str, offset: int) -> tuple[int, int]:
    """Row and column of the character with this number."""
    before = text[:offset]
    return before.count("\n"), offset - (before.rfind("\n") + 1)
