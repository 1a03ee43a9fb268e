"""The one screen: the diff above, the prompt below, and what a key means right now."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static

from spark_tui.errors import SparkError
from spark_tui.marks import visible
from spark_tui.tui.footer import hints, meters
from spark_tui.tui.places import in_our_words
from spark_tui.tui.rows import HunkLike
from spark_tui.tui.screens.commit import Answer, CommitScreen
from spark_tui.tui.screens.consent import ConsentScreen
from spark_tui.tui.view import IN_TURN, STREAMING, Phase, State, TurnView
from spark_tui.tui.widgets.bar import Bar, Piece
from spark_tui.tui.widgets.diff import DiffView
from spark_tui.tui.widgets.note import Note
from spark_tui.tui.widgets.prompt import Prompt
from spark_tui.tui.widgets.work import Work

if TYPE_CHECKING:
    from spark_tui.session.turn import Turn
    from spark_tui.tui.desk import Desk

FRAME_S = 1 / 60
AHEAD_S = 0.15


class MainScreen(Screen[None]):
    """Prompt, diff, hunks and meters, over a Desk that comes once the model is loaded.

    Args: text: what to begin the prompt with. clock: seconds, for the approval guard.
    """

    DEFAULT_CSS = """
    MainScreen {
        background: $spark-background; layout: vertical;
        #title, #region { background: $spark-surface; }
        #writing { height: auto; }
        #mark { width: 3; height: 1; padding: 0 0 0 1; color: $spark-accent; }
        Prompt { width: 1fr; }
    }
    MainScreen.-wide Work { layout: horizontal; }
    MainScreen.-wide HunkList { width: 48; height: 1fr; max-height: 100%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "escape", "pause; again: drop the unfinished", id="turn.stop"),
        Binding("ctrl+r", "redo", "redo", id="journal.redo"),
        Binding("tab", "to_diff", "to the diff", id="focus.diff"),
    ]

    def __init__(self, text: str, clock: Callable[[], float]) -> None:
        super().__init__()
        self._text, self._clock = text, clock
        self.desk: Desk | None = None
        self._idle_view = TurnView()
        self._idle_view.phase = Phase.LOADING
        self._frames: Timer | None = None
        self._starting = self._pause_on_start = self._deciding = self._reading_ahead = False
        self._waiting: str | None = None
        self._disk = asyncio.Lock()

    @property
    def view(self) -> TurnView:
        """The turn that is on the screen."""
        return self.desk.view if self.desk else self._idle_view

    @property
    def busy(self) -> bool:
        """Whether something is on its way to the disk or to the engine."""
        return self._starting or self._deciding

    @property
    def prompt(self) -> Prompt:
        """Where instructions are written."""
        return self.query_one(Prompt)

    @property
    def bench(self) -> Work:
        """The diff and its hunks."""
        return self.query_one(Work)

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield Bar(id="title")
        yield Work(self._clock)
        yield Note()
        yield Bar(id="region")
        with Horizontal(id="writing"):
            yield Static("›", id="mark")
            yield Prompt(self._text)
        yield Bar(id="hints")
        yield Bar(id="meters")

    def on_mount(self) -> None:
        """Paint at most once a frame, and only while there is something to paint."""
        self._frames = self.set_interval(FRAME_S, self._frame, pause=True)
        self.prompt.focus()
        self.paint()

    def open(self, desk: "Desk") -> None:
        """The model is loaded: from here on instructions are carried out."""
        self.desk = desk
        self.paint()
        if self._waiting is not None:
            self._send(self._waiting)
        else:
            self._read_ahead()

    # What the user asks for

    def action_escape(self) -> None:
        """Pause; when paused, drop what is unfinished; otherwise come back to the prompt."""
        self.say("")
        if self._starting or self.view.phase in STREAMING:
            self._pause()
        elif self.desk and self.view.phase is Phase.PAUSED:
            self.desk.discard()
            self._run_frames()
        self.prompt.focus()

    def action_to_diff(self) -> None:
        """Move to the diff, where letters are keys."""
        if self.view.base:
            self.bench.diff.focus()

    def action_to_prompt(self) -> None:
        """Move to the prompt, where letters are text."""
        self.prompt.focus()

    def action_accept(self) -> None:
        """Accept the selected hunk: write it to its file."""
        self._decide(self.bench.selected, accept=True)

    def action_reject(self) -> None:
        """Reject the selected hunk."""
        self._decide(self.bench.selected, accept=False)

    def action_accept_all(self) -> None:
        """Accept every hunk that is fully written, but for those to be looked at first."""
        written = self.bench.written
        unseen = [hunk for hunk in written if self.view.is_unseen(hunk)]
        if unseen and len(unseen) == len(written):
            self.say(f"look at it first ([ and ] go there): {self.view.odd[unseen[0].id].words}", look="warning")
        else:
            self._decide([hunk for hunk in written if hunk not in unseen], accept=True, everything=True)

    def action_reject_all(self) -> None:
        """Reject every hunk that is fully written."""
        self._decide(self.bench.written, accept=False)

    def action_undo(self) -> None:
        """Take back what was accepted last."""
        self._journal(back=True)

    def action_redo(self) -> None:
        """Do again what was undone last."""
        self._journal(back=False)

    def action_commit(self) -> None:
        """Stage and commit what was accepted."""
        self._offer_commit()

    def say(self, words: str, *, look: str = "") -> None:
        """Show a message until the next key."""
        self.query_one(Note).say(in_our_words(words), look=look)

    def _show_notices(self, desk: "Desk") -> None:
        """Show what the session wants the user to know."""
        for words in desk.session.take_notices():
            self.notify(visible(words), timeout=15.0, markup=False)

    @on(Prompt.Sent)
    def _on_sent(self, event: Prompt.Sent) -> None:
        self._send(event.text)

    def _send(self, text: str) -> None:
        phase = self.view.phase
        if self.desk is None:
            self._waiting = text if text.strip() else None
            self.say("it will start as soon as the model is loaded" if self._waiting else "")
        elif text.strip() and not self._starting:
            self._waiting = None
            self.prompt.remember(text)
            self.prompt.set_text("")
            self._begin(self.desk, text, again=phase in IN_TURN)
        elif phase is Phase.PAUSED:
            self.say("")
            self.desk.resume()
            self._run_frames()

    @on(Prompt.Typed)
    def _on_typed(self) -> None:
        self.say("")
        self._pause()
        self._paint_words()
        self._read_ahead()

    def _pause(self) -> None:
        if self._starting:
            self._pause_on_start = True
        elif self.desk and self.view.phase in STREAMING:
            self.desk.pause()
            self.paint()

    def _decide(self, hunks: Sequence[HunkLike], *, accept: bool, everything: bool = False) -> None:
        """Accept or reject, unless the user cannot have meant these hunks: one just came under the cursor."""
        if self.desk is None or self.desk.turn is None or self._deciding or not self.bench.seen:
            return
        if any(self.view.state(hunk) is State.WRITING for hunk in hunks):
            self.say("this hunk is still being written", look="warning")
        elif hunks:
            self._carry_out(self.desk, self.desk.turn, hunks, accept=accept, everything=everything)

    # What may wait for the disk or the engine, in threads

    @work(group="turn")
    async def _begin(self, desk: "Desk", text: str, *, again: bool) -> None:
        """Start a turn; when that fails, the words come back to the prompt."""
        self._starting, self._pause_on_start = True, False
        self.say("")
        self._paint_words()
        try:
            turn = await asyncio.to_thread(desk.redirect if again else desk.begin, text)
        except SparkError as e:
            self.prompt.set_text(self.prompt.text or text)
            self.say(str(e), look="error")
            return
        finally:
            self._starting = False
            self._paint_words()
        left = 0 if again else len(desk.view.hunks)
        self.bench.follow()
        desk.play(turn, text)
        if left:
            self.say(f"{left} hunk{'s' * (left != 1)} of the last turn left undecided, nothing of that was written")
        if self._pause_on_start:
            desk.pause()
        self._run_frames()

    @work(group="ahead")
    async def _read_ahead(self) -> None:
        """Whenever the user stops writing for a moment, let the engine read what the prompt will begin with."""
        if self._reading_ahead:
            return
        self._reading_ahead, written = True, ""
        while written != self.prompt.text:
            written = self.prompt.text
            await asyncio.sleep(AHEAD_S)
            if written == self.prompt.text and written.strip():
                await self._read_beginning(written)
        self._reading_ahead = False

    async def _read_beginning(self, written: str) -> None:
        desk = self.desk
        if desk is None or self.busy or self.view.phase in IN_TURN:
            return
        token_ids = await asyncio.to_thread(desk.look_ahead, written)
        if not self.busy:
            desk.read_ahead(token_ids)

    @work(group="disk")
    async def _carry_out(
        self, desk: "Desk", turn: "Turn", hunks: Sequence[HunkLike], *, accept: bool, everything: bool
    ) -> None:
        self._deciding = True
        try:
            if accept and not await self._consents(desk, turn, everything=everything):
                return
            async with self._disk:
                entry_id = await asyncio.to_thread(desk.decide, turn, hunks, accept=accept)
        except SparkError as e:
            self.say(str(e), look="error")
            return
        finally:
            self._deciding = False
            self._show_notices(desk)
        if desk.turn is turn:
            desk.view.decide(hunks, accepted=accept, entry_id=entry_id)
        desk.refresh()
        what = "the hunk" if len(hunks) == 1 else f"{len(hunks)} hunks"
        if accept and desk.session.warning:
            self.say(
                f"accepted {what}, which alone breaks the file ({desk.session.warning}); u takes it back",
                look="warning",
            )
        elif accept:
            rest = "; look at the others first" if everything and any(map(desk.view.is_unseen, desk.view.hunks)) else ""
            self.say(f"accepted {what} and wrote {desk.view.path}; u takes it back{rest}")
        else:
            self.say(f"rejected {what}")
        self._run_frames()

    async def _consents(self, desk: "Desk", turn: "Turn", *, everything: bool) -> bool:
        """Whether the file may be written to; one that is no ordinary one only when the user says so."""
        path, why = turn.region.path, await asyncio.to_thread(desk.session.concerns, turn)
        if not why:
            return True
        if everything:
            self.say(f"{path} {'; '.join(why)}: not accepted as one of all; a asks for a hunk", look="warning")
            return False
        return await self.app.push_screen_wait(ConsentScreen(path, why, self._clock))

    @work(group="disk")
    async def _journal(self, *, back: bool) -> None:
        if (desk := self.desk) is None:
            return
        before = self.view.hunks
        try:
            async with self._disk:
                words = await asyncio.to_thread(desk.undo if back else desk.redo)
        except SparkError as e:
            self.say(str(e), look="error")
            return
        finally:
            self._show_notices(desk)
        desk.refresh()
        self.say(words)
        self._run_frames()
        self.bench.select_other_than(before)

    @work(group="disk")
    async def _offer_commit(self) -> None:
        """Ask for the message, if there is something to commit."""
        if (desk := self.desk) is None:
            return
        try:
            paths, message, where = await asyncio.to_thread(desk.offer)
        except SparkError as e:
            self.say(str(e), look="error")
            return

        def decided(answer: Answer | None) -> None:
            if answer is not None:
                self._put_into_git(desk, answer)

        self.app.push_screen(CommitScreen(paths, message, where), decided)

    @work(group="disk")
    async def _put_into_git(self, desk: "Desk", answer: Answer) -> None:
        try:
            async with self._disk:
                words = await asyncio.to_thread(desk.put_into_git, answer.message)
        except SparkError as e:
            self.say(str(e), look="error")
            return
        self.say(words)
        self._show_notices(desk)

    # Painting

    def _run_frames(self) -> None:
        assert self._frames is not None
        self._frames.resume()
        self._frame()

    def _frame(self) -> None:
        """Take what the turn said, and paint once."""
        desk = self.desk
        if desk is None or self._frames is None:
            return
        was, failed = desk.view.phase, desk.view.problem
        news, error = desk.flush()
        if error is not None and not isinstance(error, SparkError):
            raise error
        if was in IN_TURN and desk.view.phase not in IN_TURN:
            self._over(str(error) if error else "")
        elif news:
            self.paint()
        if desk.view.problem and not failed:
            self.paint()
            self.say(f"the engine failed ({desk.view.problem}): Enter goes on from the last token", look="error")
        if desk.settled:
            self._frames.pause()

    def _over(self, problem: str) -> None:
        """The turn ended: on to the review, unless the user is writing."""
        self.paint()
        self.bench.begin_review(focus=bool(self.view.hunks) and not self.prompt.text)
        if problem:
            self.say(problem, look="error")
        elif self.view.abstained:
            self.say(self.view.message, look="warning")
        elif self.desk and self.desk.turn:
            odd = (self.view.odd[hunk.id].words for hunk in self.bench.selected if hunk.id in self.view.odd)
            if words := "; ".join(filter(None, [self.desk.turn.note, *odd])):
                self.say(words, look="warning")

    def paint(self) -> None:
        """Show everything as it is now; widgets that would look the same are not painted."""
        self.bench.show(self.view)
        self._paint_words()

    def _paint_words(self) -> None:
        """The lines above and below."""
        view, desk = self.view, self.desk
        phase = Phase.READING if self._starting else view.phase
        title = Piece(view.instruction, "text", 9) if view.instruction else Piece("spark", "accent", 9)
        where = [Piece(desk.folder, "muted", 3), Piece(desk.branch, "faint", 2)] if desk else []
        self.query_one("#title", Bar).show([title], where)
        outcome = [] if view.abstained else [Piece(view.message, "faint", 0)]
        self.query_one("#region", Bar).show([Piece(view.place or "spark finds the place", "muted")], outcome)
        in_diff, has_text = self.bench.diff.has_focus, bool(self.prompt.text)
        self.query_one("#hints", Bar).show(hints(phase, in_diff=in_diff, has_text=has_text, hunks=len(view.hunks)))
        model, limit = (desk.model, desk.context_limit) if desk else ("spark", None)
        self.query_one("#meters", Bar).show(*meters(model, view, phase, limit))

    # Small things the widgets tell

    @on(DiffView.Moved)
    def _on_moved(self, event: DiffView.Moved) -> None:
        """What is odd about the hunk that the user goes to is told; that is looking at it."""
        for hunk in self.bench.selected if event.by_user else ():
            if self.view.state(hunk) is not State.WRITING and (words := self.view.look_at(hunk)):
                self.say(words, look="warning")

    @on(Prompt.HelpAsked)
    async def _on_help_asked(self) -> None:
        await self.app.run_action("app.help")

    def on_descendant_focus(self) -> None:
        """Other keys mean something now."""
        self._paint_words()

    def on_key(self, event: events.Key) -> None:
        """A letter that is no key of the diff: text for the turn that is running, else only a word of advice."""
        if not self.bench.diff.has_focus or not event.is_printable or event.character is None:
            return
        if event.key in self.active_bindings:
            return
        if self.view.phase in IN_TURN:
            self._write(event.character)
        else:
            self.say(f"{event.character} is no key here; Enter goes to the prompt")

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text is text, wherever the cursor is."""
        self._write(event.text)

    def _write(self, text: str) -> None:
        self.prompt.focus()
        self.prompt.put(text)
