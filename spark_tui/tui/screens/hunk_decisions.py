"""Accepting and rejecting hunks: whether the user means it, and whether the files may be written.

`HunkDecisions.decide` begins a decision, `_carry_out` asks for consents and reports, and `_write`
writes, or has the user settle clashes with later edits.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from textual.screen import Screen

from spark_tui.editing.line_diff import whole_file
from spark_tui.editing.multi_file import Files
from spark_tui.errors import Conflict, SparkError
from spark_tui.session.hunk_items import HunkLike, HunkState
from spark_tui.session.turn_state import IN_TURN, TurnPhase
from spark_tui.tui.screens.cancellable_work import CancellableWork
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.modals import ConsentScreen
from spark_tui.tui.screens.prompt_dispatch import PromptDispatch
from spark_tui.tui.screens.undo import Choice, ConflictScreen

if TYPE_CHECKING:
    from spark_tui.session.controller import Controller
    from spark_tui.session.turn import Turn

T = TypeVar("T")
_MOST_NAMED = 2  # files that a message names; more are counted
_FRAME_S = 1 / 60
_READ_S = 0.45
"""Seconds before the same key answers a question; a key that is held down repeats sooner."""
_KEEP = "keep what is there"
_AND_THE_REST = ", accept the rest"


class Seen(NamedTuple):
    """Hunks as they are on the screen; by their ids, the rows that the user took out of them."""

    hunks: Sequence[HunkLike]
    out: Mapping[str, Collection[int]]


class _WentOn(SparkError):
    """A question came up before an accept, but the user has gone on; nothing was written."""


class HunkDecisions:
    """Accepts and rejects hunks. Work that may wait runs in workers of `screen`."""

    def __init__(self, screen: Host, pending: CancellableWork, dispatch: PromptDispatch) -> None:
        self._screen = screen
        self._pending = pending
        self._dispatch = dispatch
        self._missed = False
        """Whether a decision was asked for while one was on its way to the disk."""
        self._presses = 0
        """The count of presses at the last decision, or at the last answer to a question."""
        self._asked: tuple[Sequence[HunkLike], str, float] = (), "", 0.0
        """The question about hunks that fail a check: the hunks, the words, and when it was asked.
        """
        self._wrote = False
        """Whether the last decision wrote to a file; a decision may take several writes."""

    def accept_all(self, written: Sequence[HunkLike]) -> None:
        """Accept hunks that are fully written, except those that the user has to look at first."""
        screen = self._screen
        unseen = [hunk for hunk in written if screen.view.is_unseen(hunk)]
        if unseen and len(unseen) == len(written):
            keys = screen.keys.fill("{hunk.previous} and {hunk.next} go there", most=1)
            screen.say(
                f"look at it first ({keys}): {screen.view.odd[unseen[0].id].words}", look="warning"
            )
        else:
            self.decide(
                [hunk for hunk in written if hunk not in unseen], accept=True, everything=True
            )

    def decide(self, hunks: Sequence[HunkLike], *, accept: bool, everything: bool = False) -> None:
        """Accept or reject hunks, unless one has only just come under the cursor.

        Args:
            hunks: The hunks, as the screen shows them.
            accept: Whether to accept them.
            everything: Whether the key was about all hunks of a file, or of all files.
        """
        screen = self._screen
        # A press during a decision does nothing, as the hunk that the user saw may be gone by then.
        # The message of that decision will say so.
        self._missed = screen.is_deciding
        controller = screen.controller
        if controller is None or controller.turn is None or screen.is_deciding or not hunks:
            return
        if screen.refuses():
            return
        if not screen.bench.seen:
            screen.say(
                "this has just appeared, so nothing was decided; look at it, then press again",
                look="warning",
            )
            return
        # The hunks of a merge conflict are decided together: one alone would leave markers behind.
        bound = controller.turn.file.with_conflict_peers([hunk.id for hunk in hunks])
        if len(bound) > len(hunks):
            hunks = [hunk for hunk in screen.bench.written if hunk.id in bound]
        if accept:
            # A hunk whose lines are all out has nothing to write, and stays open beside others.
            hunks = [hunk for hunk in hunks if not screen.view.is_out(hunk)] or hunks
        if any(screen.view.state(hunk) is HunkState.WRITING for hunk in hunks):
            screen.say(
                "this hunk is still being written",
                look="warning",
                holds=lambda: screen.bench.is_growing,
            )
            return
        self._presses = self._pending.presses
        state = HunkState.ACCEPTING if accept else HunkState.REJECTING
        screen.view.under_way = {hunk.id: state for hunk in hunks}
        screen.paint()  # the key shows itself before anything is written
        # What the user saw is fixed here: the turn may go on writing before the worker runs, and
        # the controller refuses hunks that are no longer as they were on the screen.
        seen = Seen(hunks, screen.view.out)
        work = self._carry_out(
            controller, controller.turn, seen, accept=accept, everything=everything
        )
        screen.run_worker(work, group="disk")

    def _accept_key(self, *, everything: bool) -> str:
        """The key that accepts: all hunks of the file, or one."""
        action = "all.accept" if everything else "hunk.accept"
        return self._screen.keys.key(action)

    async def _asks_again(
        self, turn: "Turn", hunks: Sequence[HunkLike], *, everything: bool
    ) -> bool:
        """Say that hunks fail a check, or that they leave the user's version of the file broken.

        The same key accepts them as long as the message stands.

        Returns:
            Whether the user has to press the key again.
        """
        # The first paint waits for no session.
        from spark_tui.session.accept import left_broken  # noqa: PLC0415

        screen = self._screen
        broken = ""
        faults = [fault for hunk in hunks if (fault := screen.view.wrong(hunk))]
        # The verdict "" says that all open hunks together are sound: what these hunks alone would
        # break, a later accept can mend. Otherwise the file with these hunks alone is checked.
        if not faults and screen.view.phase is TurnPhase.REVIEW and screen.view.verdict != "":
            broken = await asyncio.to_thread(left_broken, turn, [hunk.id for hunk in hunks])
        if not (faults or broken):
            return False
        if broken and len(hunks) > 1:
            which = "what is left does"
        elif broken:
            which = "the file with this hunk does"
        elif everything and len(hunks) > 1:
            which = f"{len(faults)} of {len(hunks)} hunks do"
        else:
            which = "this hunk does"
        key = self._accept_key(everything=everything)
        accepted = "all" if everything else "it"
        words = f"{which} not pass a check; {key} again accepts {accepted}: {broken or faults[0]}"
        hunks_before, words_before, asked_at = self._asked
        if (hunks, words) == (hunks_before, words_before) and screen.shows_message(words):
            # A key that was held was pressed before the words could be read.
            return screen.clock() - asked_at < _READ_S
        self._asked = hunks, words, screen.clock()
        screen.say(words, look="warning")
        return True

    async def _carry_out(
        self,
        controller: "Controller",
        turn: "Turn",
        seen: "Seen",
        *,
        accept: bool,
        everything: bool,
    ) -> None:
        screen = self._screen
        view = controller.view  # held: another turn may bring a view of its own meanwhile
        self._wrote = False
        try:
            if accept and await self._asks_again(turn, seen.hunks, everything=everything):
                return
            left = ""
            # One key for everything consents to no file that needs a consent of its own.
            if accept and everything:
                seen, left = await self._without_consent(controller, turn, seen)
            elif not await self._consents(controller, turn, seen, accept=accept):
                return
            if not seen.hunks:
                screen.say(left, look="warning")
                return
            # before the write: the hunks count their lines in the files as they are now
            where = _where(controller, seen)
            written = _what_is_written(seen, where)
            decided = await self._write(controller, turn, seen, accept=accept, over={})
        except _WentOn as e:
            key = self._accept_key(everything=everything)
            self._pending.report(f"{e}: {key} asks again")
            return
        except SparkError as e:
            screen.say(str(e), look="error")
            return
        finally:
            # However it ends, the hunks no longer show as being decided, and keys act again.
            view.under_way = {}
            screen.paint()
            screen.show_notices()
        if decided is not None and decided.hunks:
            kept = len(seen.hunks) - len(decided.hunks)
            self._report_accepted(
                controller,
                turn,
                decided,
                everything=everything,
                kept=kept,
                written=written,
                left=left,
            )
            screen.post_message(screen.Written())
        elif decided is not None:
            await self._report_rejected(controller, turn, seen, where)
            if self._wrote:
                screen.post_message(screen.Written())

    async def _write(
        self,
        controller: "Controller",
        turn: "Turn",
        seen: Seen,
        *,
        accept: bool,
        over: Mapping[str, str],
    ) -> Seen | None:
        """Carry a decision out; where hunks clash with the file as it is now, the user chooses.

        Args:
            over: By file, the details of the clashes that the user saw and settled in favor of the
                hunks, which then replace the lines that are there.

        Returns:
            The accepted hunks, which are none after a rejection; None if nothing was decided.

        Raises:
            SparkError: Nothing was written.
        """
        screen = self._screen
        try:
            async with screen.disk:
                entry_id = None
                if accept:
                    taken, entry_id = await asyncio.to_thread(
                        controller.accept, turn, *seen, over=over
                    )
                else:
                    taken, entry_id = await asyncio.to_thread(controller.reject, turn, *seen)
        except Conflict as e:
            # The diff shows the file as it is now before anybody decides about it.
            if await asyncio.to_thread(controller.look_at_file, turn):
                controller.refresh()
            screen.run_frames()
            if not e.choosable:
                raise
            return await self._choose(controller, turn, seen, e, over)
        self._wrote |= entry_id is not None
        # A further turn has a view of its own, in which this decision does not belong.
        if controller.turn is turn:
            controller.view.decisions.add(taken, accepted=accept, entry_id=entry_id)
        controller.refresh()
        screen.run_frames()
        # The next message names a key or a command for undo, by where the focus is. With the last
        # hunk gone, the focus moves to the prompt, but only once the view is current.
        while controller.turn is turn and not controller.current:
            await asyncio.sleep(_FRAME_S)
        self._dispatch.read_ahead()
        if accept:
            return seen
        return seen._replace(hunks=())

    async def _choose(
        self,
        controller: "Controller",
        turn: "Turn",
        seen: Seen,
        clash: Conflict,
        over: Mapping[str, str],
    ) -> Seen | None:
        """Have the user choose a side in one file; all hunks but those given up are accepted.

        Where a further file clashes, the user is asked about that file too, and the earlier choices
        hold.

        Returns and raises as `_write` does.
        """
        screen = self._screen
        clashing, rest = _apart(turn, seen, clash)
        keep = _KEEP
        if rest.hunks:
            keep += _AND_THE_REST
        offered = {Choice.KEEP: keep, Choice.TAKE: "take the edit"}
        sheet = ConflictScreen(clash, offered, screen.clock, screen.write)
        choice = await self._ask(sheet, clash.fact)
        if choice is None:
            return None
        if choice is Choice.TAKE:
            # The detail goes along: should the file change again, the user has not seen that clash,
            # and is asked once more.
            chosen = {**over, clash.path: clash.detail}
            return await self._write(controller, turn, seen, accept=True, over=chosen)
        # The rest first: where the user then leaves a question about a further file, nothing is
        # written, and nothing is given up either.
        accepted: Seen | None = rest
        if rest.hunks:
            accepted = await self._write(controller, turn, rest, accept=True, over=over)
        if accepted is not None:
            await self._write(controller, turn, clashing, accept=False, over={})
        return accepted

    async def _report_rejected(
        self, controller: "Controller", turn: "Turn", seen: Seen, where: str
    ) -> None:
        """Report a rejection; once nothing is open, check that the accepted hunks stand alone.

        Args:
            where: The files that the hunks were in.
        """
        # The first paint waits for no session.
        from spark_tui.session.accept import verdict  # noqa: PLC0415

        is_over = controller.view.phase not in IN_TURN
        fault = ""
        # While a hunk is open, it may still complete what was accepted.
        if is_over and not controller.view.hunks:
            fault = await asyncio.to_thread(verdict, turn)
        words = f"rejected {_counted(seen)}"
        # A change that was in the work tree before the review is taken out of its file.
        if self._wrote:
            words = f"took {_counted(seen)} back in {where}"
        if fault:
            words += f"; what was accepted breaks the file ({fault})"
        if self._wrote:
            words += f"; {self._screen.way_to('undo')} brings {_it(seen)} back"
        elif is_over:
            words += self._back
        look = "warning" if fault or self._missed else ""
        self._screen.say(f"{words}{self._ignored}", look=look)

    def _report_accepted(
        self,
        controller: "Controller",
        turn: "Turn",
        seen: Seen,
        *,
        everything: bool,
        kept: int,
        written: str,
        left: str,
    ) -> None:
        """Say what was accepted and written, and what was not.

        Args:
            kept: How many other hunks were rejected in favor of the lines in the file.
            written: What was done to the files.
            left: What was not accepted with the others, and why.
        """
        words = f"accepted {_counted(seen)}"
        back = self._back
        # A change that was in the work tree before the review is accepted without a write.
        if not self._wrote:
            words = f"kept {_counted(seen)}"
            back = f"; {self._screen.way_to('undo')} opens {_it(seen)} again"
        if kept:
            words += f", rejected {kept} for what is there"
        left = (left and f"; {left}") + self._ignored
        if warning := controller.session.told_warning(turn):
            self._screen.say(f"{words}{warning}{self._back}{left}", look="warning")
            return
        rest = ""
        if everything and any(map(controller.view.is_unseen, controller.view.hunks)):
            rest = "; look at the others first"
        if any(seen.out.get(hunk.id) for hunk in seen.hunks):
            key = self._screen.keys.key("hunk.reject")
            rest += f"; what is out stays open; {key} gives it up"
        look = "warning" if left else ""
        if self._wrote:
            words += f" and {written}"
        self._screen.say(f"{words}{back}{rest}{left}", look=look)

    @property
    def _ignored(self) -> str:
        return "; what was pressed meanwhile did nothing" if self._missed else ""

    @property
    def _back(self) -> str:
        return f"; {self._screen.way_to('undo')} takes it back"

    async def _consents(
        self, controller: "Controller", turn: "Turn", seen: Seen, *, accept: bool
    ) -> bool:
        """Whether every file may be written; the user is asked about each unusual one."""
        if not (accept or controller.is_in_place(turn)):
            return True  # nothing is written
        concerns = await self._concerns(controller, turn, seen, accept=accept)
        for path, reasons in concerns.items():
            words = f"{path} {'; '.join(reasons)}; nothing was written"
            sheet = ConsentScreen(path, reasons, self._screen.clock, self._screen.write)
            if not await self._ask(sheet, words):
                self._pending.report(words)
                return False
        return True

    async def _without_consent(
        self, controller: "Controller", turn: "Turn", seen: Seen
    ) -> tuple[Seen, str]:
        """The hunks that need no consent, and the message about the others.

        Hunks that are decided together stay together.
        """
        concerns = await self._concerns(controller, turn, seen, accept=True)
        if not concerns:
            return seen, ""
        files = controller.view.files
        free = []
        for hunk in seen.hunks:
            # `about` names no file where the turn has only one: the concern is about that file.
            paths = set(files.about([hunk]) or concerns)
            if paths.isdisjoint(concerns):
                free.append(hunk)
        if not concerns.keys() <= set(files.about(seen.hunks) or concerns):
            free = []  # a file has another name by now, under which no hunk knows it
        # Half a merge conflict must not be accepted: with one of its hunks held back, all are.
        if len(turn.file.with_conflict_peers([hunk.id for hunk in free])) > len(free):
            free = []
        reasons = "; ".join(f"{path} {'; '.join(why)}" for path, why in concerns.items())
        key = self._accept_key(everything=False)
        words = f"not accepted with the others ({key} asks for one): {reasons}"
        return seen._replace(hunks=free), words

    async def _concerns(
        self, controller: "Controller", turn: "Turn", seen: Seen, *, accept: bool
    ) -> Mapping[str, Sequence[str]]:
        ids = [hunk.id for hunk in seen.hunks]
        return await asyncio.to_thread(controller.session.concerns, turn, ids, accept=accept)

    async def _ask(self, sheet: Screen[T], why: str) -> T:
        """Show a sheet and return the answer of the user.

        Args:
            why: What the sheet asks about, for the message where it does not open.

        Raises:
            _WentOn: The user has pressed other keys since the decision; the next key would answer a
                question that nobody has read.
        """
        if self._pending.presses != self._presses:
            raise _WentOn(why)
        answer = await self._screen.app.push_screen_wait(sheet)
        self._presses = self._pending.presses  # the keys of the answer were meant for it
        return answer


def _apart(turn: "Turn", seen: Seen, clash: Conflict) -> tuple[Seen, Seen]:
    """The hunks that clash, with those that are decided together with them; and the others."""
    files = Files(turn.review.base.raw)
    clashing = []
    for hunk in seen.hunks:
        # A clash counts the lines of its own file, a hunk those of all files of the turn.
        spot = files.spot(hunk)
        is_there = spot.path in {"", clash.path}
        if is_there and clash.touches(spot.line, spot.line + len(hunk.old_lines)):
            clashing.append(hunk.id)
    # Where no hunk can be told apart, the choice is about all of them.
    bound = turn.file.with_conflict_peers(clashing or [hunk.id for hunk in seen.hunks])
    together = [hunk for hunk in seen.hunks if hunk.id in bound]
    rest = [hunk for hunk in seen.hunks if hunk.id not in bound]
    return seen._replace(hunks=together), seen._replace(hunks=rest)


def _where(controller: "Controller", seen: Seen) -> str:
    """The files that hunks are about; many are counted."""
    paths = (
        controller.view.files.about(seen.hunks)
        if controller.view.files
        else [controller.view.path or ""]
    )
    return ", ".join(paths) if len(paths) <= _MOST_NAMED else f"{len(paths)} files"


def _what_is_written(seen: Seen, where: str) -> str:
    """What accepting hunks does to the files `where`; a lone deletion is called one."""
    is_deletion = len(seen.hunks) == 1 and not seen.hunks[0].new_lines
    if is_deletion and whole_file(seen.hunks[0].old_lines, ()):
        return f"deleted {where}"
    return f"wrote {where}"


def _counted(seen: Seen) -> str:
    return "the hunk" if len(seen.hunks) == 1 else f"{len(seen.hunks)} hunks"


def _it(seen: Seen) -> str:
    return "it" if len(seen.hunks) == 1 else "them"
