"""Accepting and rejecting hunks: did the user mean it, may the file be written, and how."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from textual.screen import Screen

from spark_tui.errors import Conflict, SparkError
from spark_tui.tui.screens.host import Host
from spark_tui.tui.screens.key_guard import DECIDE_S, CancellableWork
from spark_tui.tui.screens.modals import ConsentScreen
from spark_tui.tui.screens.prompt_dispatch import PromptDispatch
from spark_tui.tui.screens.undo import Choice, ConflictScreen
from spark_tui.tui.turn_state import IN_TURN, HunkState, TurnPhase
from spark_tui.tui.widgets.diff_rows import HunkLike
from spark_tui.tui.widgets.work import GUARD_S

if TYPE_CHECKING:
    from spark_tui.session.turn import Turn
    from spark_tui.tui.desk import Desk

T = TypeVar("T")
_MOST_NAMED = 2
_FRAME_S = 1 / 60
_KEEP = "keep what is there"
_AND_THE_REST = ", accept the rest"


class Seen(NamedTuple):
    """Hunks as they are on the screen, with the rows that are out there, by their ids."""

    hunks: Sequence[HunkLike]
    out: Mapping[str, Collection[int]]


class _WentOn(SparkError):
    """A question came up before an accept, but the user has gone on; nothing was written."""


class HunkDecisions:
    """What the user decides about hunks. What may wait runs in workers of `screen`."""

    def __init__(self, screen: Host, preparing: CancellableWork, sending: PromptDispatch) -> None:
        self._screen = screen
        self._preparing = preparing
        self._sending = sending
        self._missed = False
        """Whether a decision was asked for while one was on its way to the disk."""
        self._presses = 0
        """How often anything had been pressed when that was decided, or answered last."""
        self._asked: tuple[Sequence[HunkLike], str, float] = (), "", 0.0
        """The hunks that were to be accepted though a check fails, what was said of that, and
        when.
        """

    def accept_all(self, written: Sequence[HunkLike]) -> None:
        """Accept hunks that are fully written, but for those to be looked at first."""
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
        """Accept or reject hunks, unless one has only just come under the cursor."""
        screen = self._screen
        self._missed = screen.is_deciding
        if (
            screen.desk is None
            or screen.desk.turn is None
            or screen.is_deciding
            or not hunks
            or screen.refuses()
        ):
            return
        if not screen.bench.seen:
            screen.say(
                "this has just appeared, so nothing was decided; look at it, then press again",
                look="warning",
            )
            return
        bound = screen.desk.turn.file.bound([hunk.id for hunk in hunks])
        if len(bound) > len(hunks):
            hunks = [hunk for hunk in screen.bench.written if hunk.id in bound]
        if accept:  # of those whose lines are all out nothing is written
            hunks = [hunk for hunk in hunks if not screen.view.is_out(hunk)] or hunks
        if any(screen.view.state(hunk) is HunkState.WRITING for hunk in hunks):
            screen.say(
                "this hunk is still being written",
                look="warning",
                holds=lambda: screen.bench.is_growing,
            )
        else:
            screen.is_deciding = True
            self._presses = self._preparing.presses
            screen.decides_last = len(hunks) == len(screen.view.hunks)
            seen = Seen(hunks, screen.view.out)
            work = self._carry_out(
                screen.desk, screen.desk.turn, seen, accept=accept, everything=everything
            )
            screen.run_worker(work, group="disk")

    async def _asks_again(
        self, turn: "Turn", hunks: Sequence[HunkLike], *, everything: bool
    ) -> bool:
        """Say that hunks fail a check, or that they leave the user's version of the file broken.

        The same key accepts them as long as that can be read.

        Returns:
            Whether the user has to press the key again.
        """
        from spark_tui.session.accept import left_broken  # noqa: PLC0415 - the first paint waits for no session

        screen = self._screen
        left = ""
        wrong = [why for hunk in hunks if (why := screen.view.wrong(hunk))]
        if not wrong and screen.view.phase is TurnPhase.REVIEW and screen.view.verdict != "":
            left = await asyncio.to_thread(left_broken, turn, [hunk.id for hunk in hunks])
        if not (wrong or left):
            return False
        key = screen.keys.key("all.accept" if everything else "hunk.accept")
        if everything and len(hunks) > 1:
            which = f"{len(wrong)} of {len(hunks)} hunks do"
        else:
            which = "this hunk does"
        if left:
            which = "what is left does" if len(hunks) > 1 else "the file with this hunk does"
        words = (
            f"{which} not pass a check; {key} again accepts "
            f"{'all' if everything else 'it'}: {left or wrong[0]}"
        )
        before, words_before, at = self._asked
        if (hunks, words) == (before, words_before) and screen.said(words):
            return (
                screen.clock() - at < GUARD_S + DECIDE_S
            )  # a key that was held was pressed before
        self._asked = hunks, words, screen.clock()
        screen.say(words, look="warning")
        return True

    async def _carry_out(
        self, desk: "Desk", turn: "Turn", seen: "Seen", *, accept: bool, everything: bool
    ) -> None:
        screen = self._screen
        try:
            if accept and await self._asks_again(turn, seen.hunks, everything=everything):
                return
            left = ""
            if accept and everything:
                seen, left = await self._without_consent(desk, turn, seen)
            elif accept and not await self._consents(desk, turn, seen):
                return
            if not seen.hunks:
                screen.say(left, look="warning")
                return
            where = _where(desk, seen)  # before what is accepted moves the others
            decided = await self._write(desk, turn, seen, accept=accept)
        except _WentOn as e:
            key = screen.keys.key("all.accept" if everything else "hunk.accept")
            self._preparing.tell(f"{e}: {key} asks again")
            return
        except SparkError as e:
            screen.say(str(e), look="error")
            return
        finally:
            screen.is_deciding = screen.decides_last = False
            self._screen.show_notices()
        if decided is not None and decided.hunks:
            kept = len(seen.hunks) - len(decided.hunks)
            self._tell_accepted(
                desk, turn, decided, everything=everything, kept=kept, where=where, left=left
            )
            screen.post_message(screen.Written())
        elif decided is not None:
            await self._tell_rejected(desk, turn, seen)

    async def _write(
        self, desk: "Desk", turn: "Turn", seen: Seen, *, accept: bool, over: str = ""
    ) -> Seen | None:
        """Carry a decision out; where hunks clash with the file as it is now, the user chooses.

        Args:
            over: The clash that the user saw, and wants the hunks in the place of what is there.

        Returns:
            What was accepted; None: nothing was decided.

        Raises:
            SparkError: Nothing was written.
        """
        screen = self._screen
        try:
            async with screen.disk:
                taken, entry_id = await asyncio.to_thread(
                    desk.decide, turn, *seen, accept=accept, over=over
                )
        except Conflict as e:
            if await asyncio.to_thread(desk.look_at_file, turn):
                desk.refresh()
                screen.run_frames()
            if not e.choosable:
                raise
            return await self._choose(desk, turn, seen, e)
        if desk.turn is turn:
            desk.view.decisions.add(taken, accepted=accept, entry_id=entry_id)
        desk.refresh()
        screen.run_frames()
        while (
            desk.turn is turn and not desk.current
        ):  # what is said next depends on where that leaves the focus
            await asyncio.sleep(_FRAME_S)
        self._sending.read_ahead()
        return seen if accept else seen._replace(hunks=())

    async def _choose(self, desk: "Desk", turn: "Turn", seen: Seen, clash: Conflict) -> Seen | None:
        """Have the user choose a side; hunks that clash with nothing are accepted.

        Returns and raises as `_write` does.
        """
        kept, rest = _apart(turn, seen, clash)
        offered = {
            Choice.KEEP: _KEEP + _AND_THE_REST * bool(rest.hunks),
            Choice.TAKE: "take the edit",
        }
        choice = await self._ask(
            ConflictScreen(clash, offered, self._screen.clock, self._screen.write), clash.fact
        )
        if choice is Choice.TAKE:
            return await self._write(desk, turn, seen, accept=True, over=clash.detail)
        if choice and rest.hunks:
            accepted = await self._write(desk, turn, rest, accept=True)
        else:
            accepted = rest
        if choice is None or accepted is None:
            return None
        await self._write(desk, turn, kept, accept=False)
        return accepted

    async def _tell_rejected(self, desk: "Desk", turn: "Turn", seen: Seen) -> None:
        """With nothing left open, what was accepted has to stand alone."""
        from spark_tui.session.accept import verdict  # noqa: PLC0415 - the first paint waits for no session

        over = desk.view.phase not in IN_TURN
        wrong = await asyncio.to_thread(verdict, turn) if over and not desk.view.hunks else ""
        broken = f"; what was accepted breaks the file ({wrong})" if wrong else ""
        said = f"rejected {_counted(seen)}{broken}{self._back if over else ''}{self._ignored}"
        self._screen.say(said, look="warning" if wrong or self._missed else "")

    def _tell_accepted(
        self,
        desk: "Desk",
        turn: "Turn",
        seen: Seen,
        *,
        everything: bool,
        kept: int,
        where: str,
        left: str,
    ) -> None:
        """Say what was accepted and written, and what was not.

        Args:
            kept: How many others were given up for what is there.
            where: The files that were written.
            left: What was not accepted with the others, and why.
        """
        what = _counted(seen) + (f", rejected {kept} for what is there" if kept else "")
        left = (left and f"; {left}") + self._ignored
        if warning := desk.session.told_warning(turn):
            self._screen.say(f"accepted {what}{warning}{self._back}{left}", look="warning")
        else:
            if everything and any(map(desk.view.is_unseen, desk.view.hunks)):
                rest = "; look at the others first"
            else:
                rest = ""
            if any(seen.out.get(hunk.id) for hunk in seen.hunks):
                rest += (
                    f"; what is out stays open; {self._screen.keys.key('hunk.reject')} gives it up"
                )
            words = f"accepted {what} and wrote {where}{self._back}{rest}{left}"
            self._screen.say(words, look="warning" if left else "")

    @property
    def _ignored(self) -> str:
        return "; what was pressed meanwhile did nothing" if self._missed else ""

    @property
    def _back(self) -> str:
        return f"; {self._screen.way_to('undo')} takes it back"

    async def _consents(self, desk: "Desk", turn: "Turn", seen: Seen) -> bool:
        """Whether every file may be written to; the user is asked about unusual ones."""
        for path, why in (await self._concerns(desk, turn, seen)).items():
            told = f"{path} {'; '.join(why)}; nothing was written"
            if not await self._ask(
                ConsentScreen(path, why, self._screen.clock, self._screen.write), told
            ):
                self._preparing.tell(told)
                return False
        return True

    async def _without_consent(self, desk: "Desk", turn: "Turn", seen: Seen) -> tuple[Seen, str]:
        """The hunks that need no consent, and what to say of the others.

        Hunks that go as a whole are not parted.
        """
        if not (asked := await self._concerns(desk, turn, seen)):
            return seen, ""
        free = [
            hunk
            for hunk in seen.hunks
            if not asked.keys() & set(desk.view.files.about([hunk]) or asked)
        ]
        if len(turn.file.bound([hunk.id for hunk in free])) > len(free):
            free = []
        told = "; ".join(f"{path} {'; '.join(why)}" for path, why in asked.items())
        key = self._screen.keys.key("hunk.accept")
        return seen._replace(
            hunks=free
        ), f"not accepted with the others ({key} asks for one): {told}"

    async def _concerns(
        self, desk: "Desk", turn: "Turn", seen: Seen
    ) -> Mapping[str, Sequence[str]]:
        return await asyncio.to_thread(
            desk.session.concerns, turn, [hunk.id for hunk in seen.hunks]
        )

    async def _ask(self, sheet: Screen[T], why: str) -> T:
        """What the user answers.

        Raises:
            _WentOn: a key that was meant for something else would answer.
        """
        if self._preparing.presses != self._presses:
            raise _WentOn(why)
        answer = await self._screen.app.push_screen_wait(sheet)
        self._presses = self._preparing.presses
        return answer


def _apart(turn: "Turn", seen: Seen, clash: Conflict) -> tuple[Seen, Seen]:
    """The hunks that clash, or go with one that does, and the others."""
    clashing = [
        hunk.id
        for hunk in seen.hunks
        if clash.touches(hunk.start, hunk.start + len(hunk.old_lines))
    ]
    bound = turn.file.bound(clashing or [hunk.id for hunk in seen.hunks])
    sides = (
        [hunk for hunk in seen.hunks if (hunk.id in bound) is clashes] for clashes in (True, False)
    )
    kept, rest = (seen._replace(hunks=hunks) for hunks in sides)
    return kept, rest


def _where(desk: "Desk", seen: Seen) -> str:
    """The files that hunks are about; many are counted."""
    paths = desk.view.files.about(seen.hunks) if desk.view.files else [desk.view.path or ""]
    return ", ".join(paths) if len(paths) <= _MOST_NAMED else f"{len(paths)} files"


def _counted(seen: Seen) -> str:
    return "the hunk" if len(seen.hunks) == 1 else f"{len(seen.hunks)} hunks"
