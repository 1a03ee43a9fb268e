"""The controller between a front end and its session: a user's commands, and the turn they change.

`Controller` joins session, turn and state. Its verbs are those of a user: send, pause, resume,
discard, accept, reject. A turn begins on the engine's thread (`begin`), which first finds out where
the words lead; `flush` is called once a frame and folds what the turn reported into the state.

`Controller.phase` tells what is going on. The module knows no widgets; `targets.py` finds where an
instruction leads.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any, TypeVar

from spark_tui.config import Settings
from spark_tui.errors import SparkError, UsageError
from spark_tui.mentions import mention
from spark_tui.session.accept import on_disk, paths_of
from spark_tui.session.events import Event, HunkUpdated
from spark_tui.session.file_review import EARLIER, KEPT, REJECTED
from spark_tui.session.hunk_items import HunkLike, OutsideEdit, as_edited
from spark_tui.session.inbox import Began, Failed, Over
from spark_tui.session.next_edit import NextEdit
from spark_tui.session.playback import Maker, Playback, Start, at_once
from spark_tui.session.request import too_long
from spark_tui.session.session import Session
from spark_tui.session.staging import Offer
from spark_tui.session.targets import TargetFinder, in_words, start_of
from spark_tui.session.turn import Turn
from spark_tui.session.turn_state import IN_TURN, STREAMING, TurnPhase, TurnState
from spark_tui.session.work_tree_review import WorkTreeFile
from spark_tui.vcs.history import Preview
from spark_tui.vcs.journal import JournalEntry

T = TypeVar("T")
_PATIENCE_S = 1.0  # how long `close` waits for the engine to leave the turn
_AGAIN = "what was undone last is redone"
Out = Mapping[str, Collection[int]]


class Controller(TargetFinder):
    """One session and the turn that is on the screen.

    `look_ahead`, `look_at_file`, `places`, `redirect`, `accept`, `reject`, `apply_preview`, `offer`
    and `put_into_git` may wait for the disk or for the engine and belong in a worker; everything
    else belongs to the interface's thread and never waits.
    """

    too_long = staticmethod(too_long)

    def __init__(self, session: Session, settings: Settings) -> None:
        super().__init__(session, settings)
        self.view = TurnState()
        self.folder = session.repo.root.name
        self.branch = session.staging.standing
        self._runner = session.runner
        self._playback = Playback(session)
        self.pacer = self._playback.pacer
        """What holds tokens back, when there is a pace."""
        self.start: Start | None = None
        """The turn that is about to begin."""
        self.has_hung_up = False
        """Whether the last pause closed the connection of a server that had not begun to answer."""
        self.is_varying = False
        """Whether other answers are being written."""
        self._stale = False
        """Whether the turn has changed since the view was last brought up to date."""
        self._still = False
        """Whether the engine stood still before the turn's events were last taken."""
        self.asked: int | None = None
        """The number of the hunk that a turn was asked to write again."""
        self._alternative_views: dict[Turn, TurnState] = {}
        """The turns at other places of the same request as they were shown last."""
        self._measured = ""
        """The model whose speed the figures in the view tell."""
        self.simulated: float | None = None
        """Tokens a second of the simulated wafer, once they were worked out."""
        self._file_mark: object = None
        """How the file looked from outside when it was last read again."""

    @property
    def phase(self) -> TurnPhase:
        """What is going on: the phase of the turn about to begin, else of the one on the screen.

        The phase of the turn on the screen is part of the view: it changes with the turn's events,
        and comes back with the view when an earlier turn is shown again.
        """
        if self.start is None:
            return self.view.phase
        return TurnPhase.PAUSED if self.start.is_paused else TurnPhase.READING

    @property
    def is_busy(self) -> bool:
        """Whether a turn runs or is about to begin, or a decision is on its way to the disk."""
        return self.phase in IN_TURN or bool(self.view.under_way)

    @property
    def model(self) -> str:
        """The model's name."""
        return self.session.host.name

    @property
    def writer(self) -> str:
        """The model that writes the running turn, else the model that will write the next one."""
        return self._measured if self.view.phase in IN_TURN else self.model

    @property
    def measured(self) -> bool:
        """Whether the figures of the last turn are those of a model that may write the next."""
        return self._measured in {"", self.writer, *self.session.succession.hosts}

    @property
    def named(self) -> str:
        """The models that the footer names: the writer, else those that may be asked next."""
        if self.view.phase in IN_TURN:
            return self.writer
        return " + ".join(filter(None, [self.model, self.session.succession.deep]))

    @property
    def wrote(self) -> str:
        """The model that wrote what is shown, where another one answers first; else ""."""
        writer = self.turn.writer if self.turn and self.view.phase not in IN_TURN else ""
        return "" if writer == self.model else writer

    def symbol_at(self, place: tuple[str, int] | None) -> str | None:
        """The function or class at a line (1-based) of a file, written as a mention.

        Without a place, the line where the prompt's words lead counts, else where the turn is.
        """
        region = self.session.mentions.ahead
        if not region and self.turn:
            region = self.turn.region
        path = ""
        line = 0
        if place:
            path, line = place
        elif region:
            line = region.start_line
        if region and not path:
            path = region.path
        functions = self.session.mentions.functions(path)
        around = [symbol for symbol in functions if symbol.contains(line, line)]
        innermost = min(around, key=attrgetter("length"), default=None)
        if innermost is None:
            return None
        lines = (innermost.start_line, innermost.end_line)
        return mention(path, symbol=innermost.name, lines=lines)

    def read_ahead(self, ahead: Any) -> None:
        """Have the engine read what `look_ahead` found, unless a turn is running."""
        if ahead and self.view.phase not in IN_TURN:
            self.session.read_ahead(ahead)

    def accept(
        self,
        turn: Turn,
        hunks: Collection[HunkLike],
        out: Out,
        *,
        over: Mapping[str, str] | None = None,
    ) -> tuple[Sequence[HunkLike], str | None]:
        """Accept hunks as the screen shows them, without the rows that are out.

        The user was asked about every file that needs a consent.

        Args:
            out: The hunks' rows that are out, by id.
            over: The details of the conflicts that the user saw, by file; in these files the hunks
                replace the lines that clash.

        Returns:
            What was accepted, and the journal's id of it; None where nothing was written.

        Raises:
            SparkError: Nothing was written.
            UsageError: The turn proposes something else now.
        """
        ids = [hunk.id for hunk in hunks]
        # One lock around look and decision: a stream that goes on must not change the hunks
        # between.
        with turn.lock:
            _refuse_others(turn, hunks, out)
            # Before the write: afterwards these ids name nothing that is open.
            accepted = turn.file.decided(ids, accept=True)
            if self.is_in_place(turn):
                entry = self._settle(turn, ids, accept=True)
            else:
                entry = self.session.accept(turn, ids, allow=None, over=over)
            # The screen shows these lines next: in a large file they take most of a frame.
            _ = turn.review.base.lines
        return accepted, entry.id if entry is not None else None

    @staticmethod
    def is_in_place(turn: Turn) -> bool:
        """Whether a turn reviews a change of the work tree, where rejecting takes a hunk back."""
        return isinstance(turn.file, WorkTreeFile)

    def ask_again(self, hunk: HunkLike, instruction: str) -> Turn:
        """As `TargetFinder.ask_again`; even a refusal shows what the work tree holds now."""
        try:
            return super().ask_again(hunk, instruction)
        finally:
            self.refresh()

    def _settle(self, turn: Turn, ids: Collection[str], *, accept: bool) -> JournalEntry | None:
        """As `Session.settle`; even a refusal shows what the work tree holds now."""
        try:
            return self.session.settle(turn, ids, accept=accept)
        finally:
            self.refresh()

    def reject(
        self, turn: Turn, hunks: Collection[HunkLike], out: Out
    ) -> tuple[Sequence[HunkLike], str | None]:
        """Reject hunks as the screen shows them, without the rows that are out.

        Args:
            out: The hunks' rows that are out, by id.

        Returns:
            What was rejected, and the journal's id of it; None where nothing was written.

        Raises:
            UsageError: The turn proposes something else now.
            SparkError: A hunk of the work tree cannot be taken back; nothing was written.
        """
        ids = [hunk.id for hunk in hunks]
        with turn.lock:
            _refuse_others(turn, hunks, out)
            rejected = turn.file.decided(ids, accept=False)
            if self.is_in_place(turn):
                entry = self._settle(turn, ids, accept=False)
                return rejected, entry.id if entry is not None else None
            self.session.reject(turn, ids)
        return rejected, None

    def reason_to_hand_over(self, turn: Turn, error: Exception | None) -> str:
        """See `Succession.reason_to_hand_over`."""
        return self.session.succession.reason_to_hand_over(turn, error)

    def look_at_file(self, turn: Turn) -> bool:
        """See what other programs have edited in the file of a turn that ended.

        Returns:
            Whether the edits are new.
        """
        try:
            # A stat is cheap enough for every look; only where it differs are the files read.
            mark = turn, [self._mark_of(path) for path in paths_of(turn)]
            if mark == self._file_mark:
                return False
            self._file_mark = mark
            news = turn.file.note_external_edits(on_disk(self.session.repo, turn))
        except (OSError, SparkError):  # gone, or no text any more: an accept says so
            return False
        # The other program may have been git, and what was accepted may be committed now.
        if news and turn.file.touched:
            self.session.staging.look_at_git()
        return news

    def _mark_of(self, path: str) -> object:
        """How a file looks from outside; None where there is none."""
        try:
            status = (self.session.repo.root / path).stat()
        except FileNotFoundError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino

    def step_back(self, *, again: bool = False) -> str:
        """Take back the last decision that wrote nothing, or do it again, if nothing changed since.

        Returns:
            What to tell the user, or "" where nothing was done.
        """
        words = self.turn.file.step_back(again=again) if self.turn else ""
        # These steps decided about hunks, so the list of decisions goes along.
        if words in {REJECTED, KEPT}:
            self.view.decisions.reopened(again=again)
        # The turn has no step to take back: the review that it replaced comes back instead.
        elif (
            not (words or again)
            and self.turn
            and self._earlier.can_step_back(self.turn)
            and self._bring_back()
        ):
            words = EARLIER
        if words:
            self.refresh()
        return _AGAIN if words and again else words

    def apply_preview(self, preview: Preview) -> JournalEntry:
        """Undo or redo a batch as the preview shows it; call `show_applied` next.

        Raises:
            SparkError: Nothing was written.
        """
        if self.turn is not None:
            # The review notes the edits of others first: they are part of the state that the
            # opposite step (a redo after this undo) leads back to.
            self.look_at_file(self.turn)
        entry = self.session.past.apply(preview)
        self.session.staging.look_again()
        # `past.apply` brings only the turn on the screen up to date; the reviews behind it may come
        # back.
        for earlier in self._earlier:
            self.session.follow(earlier.turn, entry)
        return entry

    def show_applied(self, entry: JournalEntry) -> str:
        """Show that a batch was taken back, or done again.

        Returns:
            What to tell the user.
        """
        for view in (self.view, *(earlier.view for earlier in self._earlier)):
            if entry.undoes is not None:
                view.decisions.undone(entry.undoes)
            if entry.redoes is not None:
                view.decisions.redone(entry.redoes)
        instruction = " ".join(entry.asked.split())
        where = ", ".join(file.path for file in entry.files)
        # In a conflict the user kept their own lines everywhere, so nothing was written.
        if all(file.before == file.after for file in entry.files):
            state = "taken back" if entry.undoes else "redone"
            return f"“{instruction}” counts as {state}; {where} stays as it is"
        did = "took back" if entry.undoes else "redid"
        return f"{did} “{instruction}” in {where}"

    def look_at_git(self) -> None:
        """Look at the branch and at what waits again: the user may have used git meanwhile."""
        self.branch = self.session.staging.standing
        self.session.staging.look_at_git()

    def offer(self) -> Offer:
        """What could be committed.

        Raises:
            SparkError: There is nothing, or not even staging is allowed.
        """
        offer = self.session.staging.offer()
        self.branch = offer.where
        turn = self.turn
        left = len(turn.parts) if turn and set(paths_of(turn)) & set(offer.paths) else 0
        if offer.warning and left:
            without = f"{left} undecided hunk{'s are' if left > 1 else ' is'} not in it"
            return replace(offer, warning=f"{offer.warning}; {without}")
        return offer

    def put_into_git(self, message: str | None) -> str:
        """Commit what was accepted; without a message only stage it.

        Returns:
            What to tell the user.

        Raises:
            SparkError.
        """
        if message is None:
            staged = self.session.staging.stage()
            return f"staged {', '.join(staged)}" if staged else "it was staged already"
        made = self.session.staging.commit(message)
        return f"committed {made.short} on {made.branch or 'no branch'}"

    def show_alternative(self, turn: Turn, events: Iterable[Event]) -> None:
        """Show the turn at another place of the same request in place of the one on the screen.

        Args:
            turn: A turn that came to its end while nobody watched.
            events: What the turn told.
        """
        assert self.turn is not None
        self._alternative_views[self.turn] = self.view
        # A turn seen before keeps its view, with what the user looked at there.
        view = self._alternative_views.get(turn)
        if view is None:
            view = TurnState(turn.request.instruction)
            for event in events:
                view.take(event)
        self.turn = turn
        self.view = view
        self.session.show_alternative(turn)
        self._ended()
        self._stale = True
        self._sync()

    def show_next(self, found: NextEdit) -> None:
        """Show an edit that was found while nobody watched, as a turn of its own."""
        turn = found.turn
        self.session.show_alternative(turn)
        self.show(turn, turn.request.instruction)
        for event in found.events:
            self.view.take(event)
        self._ended()
        self._stale = True
        self._sync()

    def show_heir(self, turn: Turn) -> None:
        """Show the turn of a model that takes over; the turn before stays an answer."""
        before = self.turn
        view = self.view
        assert before is not None
        if view.phase is TurnPhase.REVIEW:
            self._earlier.leave(before, view, goes_on=False)
        # `_show` forgets the views of other places; those here are of the same request, and stay.
        shown = self._alternative_views
        self._show(turn, before.request.instruction)
        self._alternative_views = {**shown, before: view}

    def play(self, turn: Turn, instruction: str, *, goes_on: bool = False) -> None:
        """Show a turn, and let it run; a turn that is still running is cancelled.

        Args:
            goes_on: Whether the decisions about the last turn hold for this one, too.
        """
        self.show(turn, instruction, goes_on=goes_on)
        self._playback.run(turn)

    def show(self, turn: Turn, instruction: str, *, goes_on: bool = False) -> None:
        """Put a turn on the screen that runs or is about to.

        Args:
            goes_on: Whether the decisions about the last turn hold for this one, too.
        """
        self._earlier.leave(self.turn, self.view, goes_on=goes_on)
        self._show(turn, instruction, goes_on=goes_on)

    @property
    def redirects(self) -> bool:
        """Whether words that are sent now are about the turn that runs, not a new instruction."""
        return self.view.phase in IN_TURN and self.view.phase is not TurnPhase.STOPPING

    def send(self, start: Start, maker: Maker | None = None) -> None:
        """Begin a turn: make it, then let it run. `flush` calls back.

        The turn on the screen goes on until the new one is made, and stays where none can be made.

        Args:
            maker: Makes the turn; None: the words redirect the turn that runs, or begin one where
                they lead.
        """
        self.start = start
        if maker is None and self.redirects:
            maker = at_once(partial(self.redirect, start.words))
        elif maker is None:
            maker = partial(self.begin, start.words, start.hurries)
        self._playback.begin(start, maker, beside=self.redirects)

    def _flush_start(self, start: Start) -> bool:
        """Take the first report about the turn that is about to begin; whether there was one."""
        item = start.inbox.take_first()
        if item is None:
            return False
        # From here on `pause` and `discard` act on the turn itself, not on its start.
        self.start = None
        if not isinstance(item, Began):
            error = item.error if isinstance(item, Over) else None
            start.on_refuse(error)
            return True
        self.branch = item.branch
        start.show(item.turn)
        self._playback.enter(start, item.turn)
        # What the user pressed while the turn was being made.
        if start.is_paused:
            self.pause()
        if start.is_discarded:
            self.discard()
        start.on_begin(item.turn)
        return True

    def _show(self, turn: Turn, instruction: str, *, goes_on: bool = False) -> None:
        before = self.view
        self.asked = turn.asked_at
        self.turn = turn
        self.view = TurnState(instruction)
        self._alternative_views = {}
        # A review that came back while this turn was being made has put its own turn there.
        self.session.turn = turn
        # A turn that rewrites one hunk shows the other hunks of its review from the start.
        if turn.asked_at is not None:
            self.view.go_on_from(before, turn.hunks)
            self.view.close(turn.others)
        elif goes_on:
            self.view.go_on_from(before)
        self.view.figures = before.figures.lasting
        self._measured = turn.writer or self.session.host.in_use
        self.view.phase = TurnPhase.READING
        self._stale = True
        self._sync()

    def come_back(self) -> bool:
        """Show the review from before the turn again, if the turn came to nothing.

        Returns:
            Whether a review came back.
        """
        return self.turn is not None and self._earlier.comes_back(self.turn) and self._bring_back()

    @property
    def leads_back(self) -> bool:
        """Whether giving the turn up brings the review before it back."""
        return self.turn is not None and self._earlier.leads_back(self.turn)

    def _bring_back(self) -> bool:
        before = self.turn
        if before is None or (earlier := self._earlier.take()) is None:
            return False
        # What the engine still reports of the turn given up must not reach the view that returns.
        self._playback.drop()
        asked = before.asked_at
        self.turn = earlier.turn
        self.view = earlier.view
        self.session.turn = self.turn
        self.asked = self.turn.asked_at if asked is None else asked
        # This turn was cancelled when the other took its place, and its view was never told of the
        # end.
        if self.view.phase in IN_TURN:
            self._ended()
        self.refresh()
        self._sync()
        return True

    def clear(self) -> None:
        """Show nothing of a turn that has ended."""
        figures = self.view.figures.lasting
        self.turn = None
        self.view = TurnState()
        self._stale = False
        self._earlier.clear()
        self.view.figures = figures

    def pause(self) -> bool:
        """Stop at the token.

        Returns:
            Whether a turn is writing, or about to, and so can be stopped.
        """
        if self.start is not None:
            self.start.is_paused = True
            return True
        if self.view.phase not in STREAMING:
            return False
        # The screen says so at once; the engine stands still a moment later (`_measured_stop`).
        self.view.phase = TurnPhase.PAUSED
        self.has_hung_up = self._playback.pause()
        return True

    def resume(self) -> None:
        """Go on exactly where it stopped."""
        if self.view.phase is TurnPhase.PAUSED:
            self.view.interrupted()
            # The phase before the pause is not kept; what has been written tells it.
            self.view.phase = TurnPhase.WRITING if self.view.figures.tokens else TurnPhase.READING
            if self.view.thinks:
                self.view.phase = TurnPhase.THINKING
            self.view.problem = ""
            self._playback.resume()

    def discard(self) -> None:
        """Give up what is unfinished; closed hunks stay."""
        if self.start is not None:
            self.start.is_discarded = True
        elif self.view.phase is TurnPhase.PAUSED:
            self.view.phase = TurnPhase.STOPPING
            self._playback.discard()

    def close(self) -> None:
        """End the turn, and wait a moment for the engine to leave it."""
        self._runner.cancel(self._runner.turn_id)
        self._runner.wait(_PATIENCE_S)
        self.session.close()

    @property
    def current(self) -> bool:
        """Whether the view shows the review as it is now; a turn may be changing it this moment."""
        return not self._stale

    @property
    def settled(self) -> bool:
        """Whether nothing more comes until the user does something."""
        if self.start is not None:
            return False
        # A pause counts once the engine stands still, as tokens may come until then.
        if self.view.phase is TurnPhase.PAUSED:
            halts = self._still
        else:
            halts = self.view.phase not in IN_TURN
        return halts and not self._stale

    def flush(self) -> tuple[bool, Exception | None]:
        """Fold what the turn has reported since the last call into the view.

        Returns:
            Whether the view has changed, and the error that ended the turn.
        """
        was_still = self._still
        # Asked before the items are taken: where the engine stands still, none follow them.
        self._still = self._runner.paused
        if self.start is not None and self._flush_start(self.start):
            # The front end sees the turn begin before it sees what the turn reported. Nothing is
            # news yet: a diff that is painted before the path is known has no syntax.
            return False, None
        items = self._playback.take()
        error = None
        for item in items:
            if isinstance(item, Over):
                error = item.error
                self._ended()
            # A turn that is being given up must not look paused again; its end is on the way.
            elif isinstance(item, Failed) and self.view.phase is not TurnPhase.STOPPING:
                self.view.phase = TurnPhase.PAUSED
                self.view.problem = item.problem
                # The engine holds the turn already, unless the user has just resumed an earlier
                # pause.
                self._playback.pause()
            elif not isinstance(item, Began | Failed):
                self.view.take(item)
        if items and self.turn is not None:
            self.view.words = self.turn.words
            if passes := self.turn.meter.decoding:
                self.view.figures.per_pass = self.turn.timing.generated_tokens / passes
        # The moment of standing still is news without an item: `_sync` then shows the text up to
        # the token.
        self._stale = self._stale or bool(items) or (self._still and not was_still)
        news = self._measured_stop()
        return self._sync() or news, error

    def _ended(self) -> None:
        """Take the outcome from the turn itself: a turn that is given up reports no end."""
        if self.turn is not None:
            self.view.words = self.turn.words
            self.view.ended(self.turn.status, self.turn.outcome)
            self.view.instruction = self.turn.request.instruction

    def _measured_stop(self) -> bool:
        """Take the time that the engine took to stand still; whether the time is new."""
        before = self.view.figures.stop_ms
        if self.view.phase is TurnPhase.PAUSED and self._still:
            self.view.figures.stop_ms = self._runner.last_stop_ms
            self.view.figures.stopped |= not self.view.problem
        return self.view.figures.stop_ms != before

    def refresh(self) -> None:
        """Read the review again at the next flush: the user decided something."""
        self._stale = True

    def _sync(self) -> bool:
        """Read base and hunks together.

        The interface never waits: where the turn holds the lock, the next frame tries again.

        Returns:
            Whether they were read.
        """
        if self.turn is None or not self._stale or not self.turn.lock.acquire(blocking=False):
            return False
        try:
            # Safe only while the engine stands still: the draft that is read belongs to its thread.
            if self._still and self.view.phase is TurnPhase.PAUSED:
                self.turn.show_written()
                self.view.take(HunkUpdated(self.turn.hunks))
            turn = self.turn
            parts = self.turn.parts
            if self.view.phase not in IN_TURN:
                self.view.take_outcome(turn.status, turn.outcome)
            # Cuts and edits make hunks that no event reported as complete.
            if turn.file.worked_on:
                self.view.close(turn.closed_hunks)
            out = {part.hunk.id: part.out for part in parts if part.out}
            hunks = [part.hunk for part in parts]
            edits = [OutsideEdit(edit.start, edit.stop, edit.growth) for edit in turn.file.edits]
            lines = as_edited(turn.review.base.lines, turn.file.edits)
            cut = len(parts) > len(turn.review.hunks)
            # The checks of the turn hold for its whole proposal as it was written, and for nothing
            # else.
            as_written = not (turn.review.worked_over or out or cut)
            self.view.sync(lines, hunks, self.session.odd(turn), out, edits, as_written=as_written)
            self.view.decisions.look(
                lambda decided: turn.file.is_reverted(
                    decided.start, decided.hunk.old, decided.hunk.new
                )
            )
        finally:
            self.turn.lock.release()
        self._stale = False
        return True


def moved(before: Turn | None, after: Turn) -> str:
    """The sentence that a redirect has moved a turn; "" if the place is the same."""
    if before is None or start_of(before.region) == start_of(after.region):
        return ""
    return f"moved to {in_words(after.region)}: “{' '.join(after.request.instruction.split())}”"


def _refuse_others(turn: Turn, hunks: Iterable[HunkLike], out: Out) -> None:
    """Refuse hunks, with these rows out, that are not what the turn proposes now.

    Raises:
        UsageError.
    """
    parts = [
        (part.hunk.id, part.hunk.old_lines, part.hunk.new_lines, part.out) for part in turn.parts
    ]
    for hunk in hunks:
        # The lines are compared as well as the id: a hunk that grows keeps its id.
        shown = (hunk.id, hunk.old_lines, hunk.new_lines, frozenset(out.get(hunk.id, ())))
        if shown not in parts:
            raise UsageError(
                "what is proposed has just changed; nothing was decided: look at it again"
            )
