"""Turns the words in the prompt into a turn that runs: begin, redirect, resume, read ahead."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from spark_tui.crash_report import problem_of
from spark_tui.errors import ConsentMissing, SparkError
from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.screens.background import drive
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.modals import consent_to_send

if TYPE_CHECKING:
    from spark_tui.session.controller import Controller
    from spark_tui.session.playback import Start
    from spark_tui.session.turn import Turn

AHEAD_S = 0.15  # seconds without a key that count as a pause in typing


class PromptDispatch:
    """Asks the engine for what the prompt says.

    Whatever may wait runs in workers of `screen`.

    Args:
        choosing: Tells whether the user has begun to name a place.
    """

    def __init__(self, screen: Host, choosing: Callable[[], bool]) -> None:
        self._screen = screen
        self._choosing = choosing
        self.sent = ""
        """The instruction of the turn that is about to begin."""
        self.came_by_itself = False
        """Whether the last turn began without any act of the user."""
        self.reading_ahead = False
        """Whether the place is being looked for, or will be at the next pause in typing."""
        self._waiting: str | None = None
        """The words that were sent, and wait for the model or for the turn that is about to begin.
        """

    def open(self) -> None:
        """Once the model is loaded, send the words that wait, if the prompt still has them."""
        text = self._take_waiting()
        if text is not None:
            self.send(text)
        else:
            self.read_ahead()

    def _take_waiting(self) -> str | None:
        """Return the words that wait, if the prompt still has them; nothing waits afterwards."""
        waiting = self._waiting
        self._waiting = None
        # Words that were sent early stay in the prompt; a user who edits them has not sent the new
        # words.
        return waiting if waiting == self._screen.prompt.full else None

    def send(self, text: str) -> None:
        """Begin a turn, or redirect the running turn; without words resume a paused turn.

        Words that are sent while a turn is about to begin wait for that turn, just as words that
        are sent during loading wait for the model.
        """
        screen = self._screen
        controller = screen.controller
        if controller is None:
            self._waiting = text if text.strip() else None
            words = "it will start as soon as the model is loaded" if self._waiting else ""
            screen.say(words)
        elif controller.start is not None:
            self._waiting = text if text.strip() else None
            # Enter resumes a turn that Esc paused before it began, but none that was given up.
            controller.start.is_paused = controller.start.is_discarded
            screen.paint_words()
        elif text.strip():
            screen.prompt.put_away(text)
            on_begin = self._words_of_begin(controller)
            again = partial(self.send, text)
            controller.send(self._new_start(controller, text, on_begin, again))
            self._show_start("")
        elif controller.phase is TurnPhase.PAUSED:
            screen.say("")
            controller.resume()
            screen.paint()
            screen.run_frames()

    def _words_of_begin(self, controller: "Controller") -> "Callable[[Turn], str]":
        """The message once the turn runs: where a redirect leads, or what is left undecided."""
        from spark_tui.session.controller import moved  # noqa: PLC0415 - see `begin`

        if controller.redirects:
            return partial(moved, controller.turn)
        left = len(controller.view.hunks)  # counted now: the new turn brings a new view
        return lambda _: self._words_of_undecided(left)

    def begin(
        self,
        controller: "Controller",
        text: str,
        make: "Callable[[str], Turn]",
        words: "Callable[[Turn], str]" = lambda _: "",
        *,
        by_itself: bool = False,
    ) -> None:
        """Begin a turn that `make` makes.

        Args:
            text: The instruction, as the title shows it.
            make: Makes the turn; it may wait.
            words: Gives the message once the turn runs; what is left undecided is said before it.
            by_itself: Whether the turn begins without any act of the user.
        """
        # The first paint waits for no session.
        from spark_tui.session.playback import at_once  # noqa: PLC0415

        left = 0
        if controller.view.phase is TurnPhase.REVIEW:
            left = len(controller.view.hunks)
        undecided = self._words_of_undecided(left)

        def all_words(turn: "Turn") -> str:
            if turn.asked_at is not None:  # it writes one hunk anew; the others stay in view
                return words(turn)
            return "; ".join(filter(None, [undecided, words(turn)]))

        again = partial(self.begin, controller, text, make, words, by_itself=by_itself)
        start = self._new_start(controller, text, all_words, again)
        self.came_by_itself = by_itself
        controller.send(start, at_once(partial(make, text)))
        self._show_start("")

    def _new_start(
        self,
        controller: "Controller",
        text: str,
        words: "Callable[[Turn], str]",
        again: Callable[[], None],
    ) -> "Start":
        """Make the `Start` of a turn that is about to begin.

        Args:
            words: Gives the message once the turn runs.
            again: Begins the turn once more, after a consent.
        """
        from spark_tui.session.playback import Start  # noqa: PLC0415 - see `begin`

        screen = self._screen
        self.sent = text
        self.came_by_itself = False

        def show(turn: "Turn") -> None:
            screen.bench.follow()
            controller.show(turn, text)

        def on_begin(turn: "Turn") -> None:
            if message := words(turn):
                screen.say(message)
            self._go_on()

        def on_refuse(error: Exception | None) -> None:
            if isinstance(error, ConsentMissing):
                work = self._ask_to_send(controller, text, error, again)
                screen.run_worker(work, group="consent")
            else:
                self._refuse(text, error)

        return Start(text, show, on_begin, on_refuse)

    async def _ask_to_send(
        self,
        controller: "Controller",
        text: str,
        error: ConsentMissing,
        again: Callable[[], None],
    ) -> None:
        """Begin the turn once the user consents to send files that may hold secrets."""
        screen = self._screen
        if await screen.app.push_screen_wait(consent_to_send(error, screen.clock)):
            controller.session.disclosure.allow(error.paths)
            again()
        else:
            self._refuse(text, error)

    def _show_start(self, words: str) -> None:
        """Show that a turn is about to begin."""
        self._screen.say(words)
        self._screen.paint_words()
        self._screen.run_frames()

    def _refuse(self, text: str, error: Exception | None) -> None:
        """Give the words back to the prompt: no turn was made, and what is open stays open."""
        screen = self._screen
        # Words that the user has begun meanwhile are worth more.
        if not screen.prompt.text:
            screen.prompt.offer(text)
        self._waiting = None
        if error is not None:
            screen.say(str(problem_of(error)), look="error")
        screen.paint_words()

    def take_over(
        self,
        controller: "Controller",
        turn: "Turn",
        error: Exception | None,
        words: str,
        settle: "Callable[[str], None]",
    ) -> None:
        """Let another model take a request over; from here on, words and keys are for its turn.

        Args:
            controller: Has the session.
            turn: The turn that ended.
            error: The error that ended the turn, if one did.
            words: The message why the other model is asked.
            settle: Called where no other model can be asked, with the reason.
        """
        from spark_tui.session.playback import Start, at_once  # noqa: PLC0415 - see `begin`

        screen = self._screen

        def show(heir: "Turn") -> None:
            screen.bench.follow()
            controller.show_heir(heir)

        def refuse(problem: Exception | None) -> None:
            # Words that wait were for a turn that cannot come; they stay in the prompt.
            if problem is not None:
                self._waiting = None
            settle(str(problem_of(problem)) if problem is not None else "")

        start = Start(turn.request.instruction, show, lambda _: self._go_on(), refuse)
        maker = at_once(partial(controller.session.take_over, turn, error))
        controller.send(start, maker)
        screen.say(words)
        screen.paint()  # what the turn had begun may be gone
        screen.run_frames()

    def _go_on(self) -> None:
        """Send the words that came while the turn was about to begin."""
        if (waiting := self._take_waiting()) is not None:
            self.send(waiting)
        self._screen.paint_words()

    def _words_of_undecided(self, count: int) -> str:
        """The message about hunks of the last turn that are undecided, or ""."""
        if not count:
            return ""
        key = self._screen.keys.key("journal.undo")
        hunks = "hunks" if count > 1 else "hunk"
        them = "them" if count > 1 else "it"
        return f"{count} {hunks} of the last turn left undecided; {key} goes back to {them}"

    @property
    def stopping(self) -> bool:
        """Whether the turn that is about to begin is to stop."""
        controller = self._screen.controller
        return controller is not None and (
            controller.start is not None and controller.start.is_paused
        )

    def pause(self) -> bool:
        """Stop at the token.

        Returns:
            Whether there is, or is about to be, a token to stop at.
        """
        controller = self._screen.controller
        if controller is None or not controller.pause():
            return False
        if controller.start is not None:  # the turn stands still as soon as it is made
            self._screen.paint_words()
            return True
        if controller.has_hung_up and controller.turn is not None:
            name = controller.session.host_of(controller.turn).in_use
            self._screen.say(
                f"{name} had not begun: its connection is closed, and going on asks again"
            )
        self._screen.paint()
        return True

    def stop(self) -> bool:
        """Stop at the token; a turn that stands still already is given up, even before it began.

        Returns:
            As `pause`.
        """
        # Words that wait are taken back first: the turn before them goes on untouched.
        controller = self._screen.controller
        if self._take_waiting() is not None:
            self._screen.say("not sent: the words are still in the prompt; Enter sends them")
            return True
        if controller is None or controller.phase not in {TurnPhase.PAUSED, TurnPhase.STOPPING}:
            return self.pause()
        controller.discard()
        self._screen.paint_words()
        self._screen.run_frames()
        return True

    def read_ahead(self) -> None:
        """Let the engine read the beginning of the prompt at each pause in typing."""
        if not self.reading_ahead:
            self.reading_ahead = True
            self._screen.run_worker(self._read_ahead(), group="ahead")

    async def _weigh(self, controller: "Controller", words: str) -> None:
        """Have the model say where words lead, until the prompt says something else."""
        runner = controller.session.runner
        numbers = list[int]()  # the one number by which the runner stops this

        def look(_: object) -> None:
            if self._screen.prompt.full != words:
                runner.cancel(numbers[0])

        await drive(runner, controller.weigh(words), numbers.append, look)

    async def _read_ahead(self) -> None:
        prompt = self._screen.prompt
        written = ""
        # One loop serves all typing: a round that finds other words than before waits once more.
        while written != prompt.full:
            written = prompt.full
            await asyncio.sleep(AHEAD_S)
            if written == prompt.full and prompt.is_instruction and not self._choosing():
                await self._read_beginning(written)
        self.reading_ahead = False
        self._screen.paint_words()

    async def _read_beginning(self, written: str) -> None:
        screen = self._screen
        if screen.controller is None or screen.controller.is_busy:
            return
        controller = screen.controller
        # First the place by the index, which shows at once; then the model weighs the places, as
        # long as the engine has nothing better to do; at last the engine reads the file there.
        token_ids = await asyncio.to_thread(controller.look_ahead, written)
        screen.paint_words()
        if controller.session.runner.is_free:
            with suppress(SparkError):
                await self._weigh(controller, written)
        screen.paint_words()
        if not screen.busy:
            controller.read_ahead(token_ids)
