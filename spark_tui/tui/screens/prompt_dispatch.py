"""From the words in the prompt to a turn that runs: begin, redirect, go on, read ahead."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from spark_tui.crash_report import problem_of
from spark_tui.errors import SparkError
from spark_tui.session.turn_state import IN_TURN, STREAMING, TurnPhase
from spark_tui.tui.screens.background import drive
from spark_tui.tui.screens.host import Host

if TYPE_CHECKING:
    from spark_tui.session.controller import Desk
    from spark_tui.session.turn import Turn

AHEAD_S = 0.15
WEIGHING_S = 1.0
"""How long a request that was sent waits for the places that the model has not weighed yet."""


class PromptDispatch:
    """What the prompt asks of the engine.

    What may wait runs in workers of `screen`.

    Args:
        choosing: Whether the user has begun to name a place.
    """

    def __init__(self, screen: Host, choosing: Callable[[], bool]) -> None:
        self._screen = screen
        self._choosing = choosing
        self.sent = ""
        """The instruction of the turn that is about to begin."""
        self.reading_ahead = False
        """Whether the place is being looked for, or will be at the next pause in typing."""
        self._pause_on_start = False
        """Whether the turn that is about to begin is to stop at once."""
        self._discard_on_start = False
        """Whether that turn is then to be given up."""
        self.gave_up = False
        """Whether Esc gave the turn up.

        That may take a moment; what is sent meanwhile is a new instruction, not a redirect.
        """
        self._waiting: str | None = None
        """What was sent, and waits for the model or for the turn that is about to begin."""

    def open(self) -> None:
        """Once the model is loaded, send what was sent before, unless it has changed since."""
        text = self._take_waiting()
        if text is not None:
            self.send(text)
        else:
            self.read_ahead()

    def _take_waiting(self) -> str | None:
        """What was sent and waits for the model, if the prompt still says that.

        Nothing waits afterwards.
        """
        waiting = self._waiting
        self._waiting = None
        return waiting if waiting == self._screen.prompt.full else None

    def send(self, text: str) -> None:
        """Begin a turn or redirect the one that runs; without words go on with one that is paused.

        What is sent while a turn is about to begin waits for that, as it does for the model.
        """
        screen = self._screen
        if screen.desk is None:
            self._waiting = text if text.strip() else None
            words = "it will start as soon as the model is loaded" if self._waiting else ""
            screen.say(words)
        elif self._screen.is_starting:
            self._waiting = text if text.strip() else None
            self._pause_on_start = False
            screen.paint_words()
        elif text.strip():
            screen.prompt.put_away(text)
            begin = screen.desk.begin
            if screen.view.phase in IN_TURN and not self.gave_up:
                begin = screen.desk.redirect
            self.begin(screen.desk, text, begin)
        elif screen.view.phase is TurnPhase.PAUSED and not self.gave_up:
            screen.say("")
            screen.desk.resume()
            screen.paint()
            screen.run_frames()

    @property
    def phase(self) -> TurnPhase:
        """How the turn stands that begins, or the one that is there."""
        begins = TurnPhase.PAUSED if self._pause_on_start else TurnPhase.READING
        return begins if self._screen.is_starting else self._screen.view.phase

    @property
    def stopping(self) -> bool:
        """Whether the turn that is about to begin is to stop."""
        return self._pause_on_start

    def pause(self) -> bool:
        """Stop at the token.

        Returns:
            Whether there is, or is about to be, one to stop at.
        """
        screen = self._screen
        if self._screen.is_starting:
            self._pause_on_start = True
            screen.paint_words()
            return True
        if screen.desk is None or screen.view.phase not in STREAMING:
            return False
        screen.desk.pause()
        screen.paint()
        return True

    def stop(self) -> bool:
        """Stop at the token; what was stopped already is given up, also before it began.

        Returns:
            As `pause`.
        """
        screen = self._screen
        if self._take_waiting() is not None:
            screen.say("not sent: the words are still in the prompt; Enter sends them")
            return True
        if self._screen.is_starting and self._pause_on_start:
            self._discard_on_start = True
            return True
        if not self._screen.is_starting and screen.desk and screen.view.phase is TurnPhase.PAUSED:
            self._give_up(screen.desk)
            return True
        return self.pause()

    def _give_up(self, desk: "Desk") -> None:
        self.gave_up = True
        desk.discard()
        self._screen.run_frames()

    def read_ahead(self) -> None:
        """Let the engine read the beginning of the prompt at each pause in typing."""
        if not self.reading_ahead:
            self.reading_ahead = True
            self._screen.run_worker(self._read_ahead(), group="ahead")

    def begin(self, desk: "Desk", text: str, begin: "Callable[[str], Turn]") -> None:
        """Begin a turn in the way that is given."""
        self._start()
        self.sent = text
        self._screen.say("")
        self._screen.paint_words()
        self._screen.run_worker(self._begin(desk, text, begin), group="turn")

    def _start(self) -> None:
        """Note that a turn is about to begin, and that no key was pressed for it yet."""
        self._screen.is_starting = True
        self._pause_on_start = False
        self._discard_on_start = False

    async def _begin(self, desk: "Desk", text: str, begin: "Callable[[str], Turn]") -> None:
        """Start a turn; when that fails, the words come back to the prompt."""
        screen = self._screen
        try:
            if begin == desk.begin:
                until = time.monotonic() + WEIGHING_S
                await self._weigh(
                    desk, text, lambda: self._pause_on_start or time.monotonic() > until
                )
            # One thread does both: what git says is as of the turn's begin.
            turn, desk.branch = await asyncio.to_thread(
                lambda: (begin(text), desk.session.staging.standing)
            )
        except Exception as e:  # noqa: BLE001 - what is open stays open, whatever goes wrong with the next turn
            if not screen.prompt.text:
                screen.prompt.offer(text)
            self._waiting = None
            screen.say(str(problem_of(e)), look="error")
            return
        finally:
            self._screen.is_starting = False
            screen.paint_words()
        words = ""
        if begin == desk.begin:
            words = self._words_of_undecided(len(desk.view.hunks))
        elif begin == desk.redirect:
            words = desk.moved(turn)
        screen.bench.follow()
        desk.play(turn, text)
        if words:
            screen.say(words)
        self._go_on(desk)

    def _words_of_undecided(self, count: int) -> str:
        """What to say of hunks of the last turn that are undecided, or ""."""
        if not count:
            return ""
        key = self._screen.keys.key("journal.undo")
        hunks = "hunks" if count > 1 else "hunk"
        them = "them" if count > 1 else "it"
        return f"{count} {hunks} of the last turn left undecided; {key} goes back to {them}"

    def take_over(
        self,
        desk: "Desk",
        turn: "Turn",
        error: Exception | None,
        words: str,
        settle: "Callable[[str], None]",
    ) -> None:
        """Let another model take a request over; meanwhile, words and keys are for its turn.

        Args:
            desk: Has the session.
            turn: The turn that ended.
            error: What ended it, if anything did.
            words: Why the other model is asked.
            settle: Is called with the reason where it cannot be asked.
        """
        self._start()
        self._screen.say(words)
        self._screen.paint()  # what the turn had begun may be gone
        work = self._take_over(desk, turn, error, settle)
        self._screen.run_worker(work, group="turn")

    async def _take_over(
        self, desk: "Desk", turn: "Turn", error: Exception | None, settle: "Callable[[str], None]"
    ) -> None:
        try:
            heir = await asyncio.to_thread(desk.session.take_over, turn, error)
        except Exception as e:  # noqa: BLE001 - the answer that is there stays, whatever goes wrong with the next
            self._screen.is_starting = False
            self._waiting = None
            settle(str(problem_of(e)))
            return
        self._screen.is_starting = False
        if heir is None:
            settle("")
            return
        self._screen.bench.follow()
        desk.take_over(heir, turn.request.instruction)
        self._go_on(desk)

    def _go_on(self, desk: "Desk") -> None:
        """Do what was asked for while the turn was about to begin."""
        self.gave_up = False
        if (waiting := self._take_waiting()) is not None:
            self.send(waiting)
        elif self._pause_on_start:
            desk.pause()
        if self._discard_on_start:
            self._give_up(desk)
        self._screen.paint_words()
        self._screen.run_frames()

    async def _weigh(self, desk: "Desk", words: str, ends: Callable[[], bool]) -> None:
        """Have the model say where words lead.

        Args:
            ends: Whether to do without that.
        """
        runner = desk.session.runner
        number = list[int]()

        def look(_: object) -> None:
            if ends():
                runner.cancel(number[0])

        await drive(runner, desk.weigh(words), number.append, look)

    async def _read_ahead(self) -> None:
        prompt = self._screen.prompt
        written = ""
        while written != prompt.full:
            written = prompt.full
            await asyncio.sleep(AHEAD_S)
            if written == prompt.full and prompt.is_instruction and not self._choosing():
                await self._read_beginning(written)
        self.reading_ahead = False
        self._screen.paint_words()

    async def _read_beginning(self, written: str) -> None:
        screen = self._screen
        if screen.desk is None or screen.busy or screen.view.phase in IN_TURN:
            return
        desk = screen.desk
        token_ids = await asyncio.to_thread(desk.look_ahead, written)
        screen.paint_words()
        if desk.session.runner.idle:
            with suppress(SparkError):
                await self._weigh(desk, written, lambda: screen.prompt.full != written)
        screen.paint_words()
        if not screen.busy:
            desk.read_ahead(token_ids)
