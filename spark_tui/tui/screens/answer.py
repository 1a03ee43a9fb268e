"""The panel that shows a chat model's answer to a question, as Markdown; nothing is edited."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from spark_tui.editing.formats.code_blocks import code_blocks
from spark_tui.errors import ConsentMissing
from spark_tui.providers.base import PromptProgress, Waits
from spark_tui.safe_text import visible
from spark_tui.session.ask import Anew, Spoken
from spark_tui.session.controller import Controller
from spark_tui.tui.screens.modals import Panel, consent_to_send, every
from spark_tui.tui.widgets.answer_text import AnswerText
from spark_tui.tui.widgets.status_bars import Bar, BarPiece

_RULE = "\n\n---\n\n"
"""Stands between a text that turned out not to be the answer, and the answer."""
_EVERY_S = 1 / 20  # seconds between two looks at what has arrived


class AnswerScreen(Panel[Sequence[str] | None]):
    """Shows an answer as it is written. Esc stops the answer; pressed again, Esc closes the panel.

    Question and answer stay in the conversation: the next question goes on from them.

    Returns:
        The block of code that the user wants to review as hunks, if any.

    Args:
        controller: Has the session.
        question: The question as it was typed. It may name a place; otherwise it is about the lines
            in view.
        clock: Returns seconds, for how long a question was on the screen.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "stop it; then close", show=False, priority=True),
        Binding("q,enter", "close", "close when it has ended", show=False),
        Binding("j", "scroll('down')", show=False),
        Binding("k", "scroll('up')", show=False),
    ]

    def __init__(
        self, controller: Controller, question: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._controller = controller
        self._question = question
        self._clock = clock
        # Filled on the engine's thread, emptied by `_look`: a deque needs no lock for that.
        self._arrived = deque[str | Anew]()
        self._said = ""  # the answer alone, without what a rule separates from it
        self._number = 0
        self._ended = False
        self._stopped = False
        self._failed = False
        self._withheld: ConsentMissing | None = None
        """Why the question was not sent, until the user is asked about that."""
        self._waits = ""
        """The words for what the answer waits for, or ""."""

    def compose(self) -> ComposeResult:
        """The widgets, from top to bottom."""
        with Vertical(id="panel"):
            yield Bar(id="question")
            yield AnswerText()
            yield Bar(id="state")

    def on_mount(self) -> None:
        """Ask."""
        self.query_one("#question", Bar).show(
            [BarPiece("?", "accent", 9), BarPiece(visible(self._question), "text", 8)]
        )
        self.query_one(AnswerText).focus()
        every(_EVERY_S, self, self._look)
        self._begin()
        self._look()

    def _begin(self) -> None:
        self._number = self._controller.session.runner.start(
            self._answer(), self._on_piece, self._on_end
        )

    async def _ask_to_send(self, error: ConsentMissing) -> None:
        """Ask once the user consents to send files that may hold secrets; else close."""
        if await self.app.push_screen_wait(consent_to_send(error, self._clock)):
            self._controller.session.disclosure.allow(error.paths)
            self._begin()
        else:
            self.dismiss()

    def on_unmount(self) -> None:
        """Stop the answer: nobody reads it any more."""
        self._controller.session.runner.cancel(self._number)

    def _answer(self) -> Spoken:
        """The answer; as a generator, which has the engine's thread look for the place, too."""
        yield from self._controller.answer(self._question)

    def _on_piece(self, piece: str | Waits | PromptProgress | Anew) -> None:
        if isinstance(piece, str):
            self._waits = ""
            self._arrived.append(piece)
        elif isinstance(piece, Waits):
            self._waits = piece.line or self._waits
        elif isinstance(piece, PromptProgress):
            self._waits = f"reading, {piece.done:,} of {piece.total:,} tokens"
        else:
            self._arrived.append(piece)

    def _on_end(self, error: Exception | None) -> None:
        if isinstance(error, ConsentMissing):
            self._withheld = error
            return
        self._failed = error is not None
        if error is not None:
            self._arrived.append(f"\n\n{error}\n")
        self._ended = True

    def action_stop(self) -> None:
        """Stop the answer; when it has ended, close the panel."""
        if self._ended:
            self.dismiss()
        else:
            self._stopped = True
            self._controller.session.runner.cancel(self._number)

    def action_close(self) -> None:
        """Close the panel, if the answer has ended."""
        if self._ended:
            self.dismiss()

    @on(AnswerText.Taken)
    def _on_taken(self, event: AnswerText.Taken) -> None:
        """Have a block of the answer's code reviewed as hunks, once the answer has ended."""
        blocks = code_blocks(self._said)
        if self._ended and event.number <= len(blocks):
            self.dismiss(blocks[event.number - 1])

    def action_scroll(self, where: str) -> None:
        """Scroll by a line."""
        view = self.query_one(AnswerText)
        view.scroll_down() if where == "down" else view.scroll_up()

    def _look(self) -> None:
        """Show what has arrived since the last look, and the state of the answer."""
        if (withheld := self._withheld) is not None:
            self._withheld = None
            self.run_worker(self._ask_to_send(withheld), group="consent")
        # Read before the pieces: once it is true, no piece arrives behind those that are taken now.
        ended = self._ended
        view = self.query_one(AnswerText)
        text = view.text
        for _ in range(len(self._arrived)):
            piece = self._arrived.popleft()
            if isinstance(piece, Anew):
                text += f"\n\n*{piece.reason}*{_RULE}" if piece.reason else _RULE
                self._said = ""
            else:
                text += piece
                self._said += piece
        view.show(text)
        self.query_one("#state", Bar).show(
            self._state(ended=ended), [BarPiece("nothing is edited", "faint", 1)]
        )

    def _state(self, *, ended: bool) -> list[BarPiece]:
        """The state of the answer, its speaker, and the keys that mean something now."""
        key = BarPiece("Esc", "text", 5)
        speaker = self._controller.session.asking.speaker
        name = [BarPiece(f"by {speaker}", "muted", 6)] if speaker else []
        if not ended:
            words = "stopping" if self._stopped else self._waits or "answering"
            stop = BarPiece(" stop it", "muted", 5, joined=True)
            return [BarPiece(words, "accent", 9), *name, key, stop]
        if self._failed:
            state = BarPiece("broke off", "error", 9)
        elif self._stopped:
            state = BarPiece("stopped", "warning", 9)
        else:
            state = BarPiece("answered", "ok", 9)
        pieces = [state, *name, key, BarPiece(" close", "muted", 5, joined=True)]
        if count := len(code_blocks(self._said)):
            numbers = "1" if count == 1 else f"1-{min(count, 9)}"
            pieces += [
                BarPiece(numbers, "text", 4),
                BarPiece(" review the code as hunks", "muted", 4, joined=True),
            ]
        return pieces
