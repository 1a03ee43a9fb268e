"""What was done before, here and in earlier sessions: batches of the journal and saved turns, to see and to turn."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from spark_tui.session.keeping.memory import Memory
from spark_tui.session.keeping.store import CUT_OFF, SavedTurn, SessionStore
from spark_tui.session.rebase_hunks import broken
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.history import Batch, State
from spark_tui.vcs.journal import JournalEntry
from spark_tui.vcs.preview import Chosen, Preview


@dataclass(frozen=True, slots=True)
class EarlierTurn:
    """A saved turn, the session it belongs to, and what became of what was accepted of it."""

    session_id: str
    turn: SavedTurn
    state: str


class Past:
    """Reads the journal and the saved sessions; every method may wait for the disk.

    Args: sessions: None: none are saved. follow: hears of what was turned, and brings the review up to it.
    """

    def __init__(
        self,
        batches: Batches,
        sessions: SessionStore | None,
        memory: Memory,
        follow: Callable[[JournalEntry], JournalEntry],
    ) -> None:
        self._batches, self._sessions, self._memory, self._follow = batches, sessions, memory, follow
        self.session_id = memory.session_id if sessions is not None else ""
        """What this session is resumed by; "" when nothing of it is saved."""

    def log(self) -> tuple[Batch, ...]:
        """All batches, the newest first."""
        return self._batches.log()

    def patch(self, batch: Batch) -> str:
        """What a batch did, in git's format; bytes that are no UTF-8 are surrogates. Raises: SparkError: damaged."""
        return self._batches.patch(batch.entry).decode("utf-8", "surrogateescape")

    def preview(self, batch: Batch, chosen: Chosen | None = None) -> Preview:
        """What turning a batch would change: taking back what is in force, else doing it again.

        Args: chosen: of a conflict that the user saw. Raises: SparkError.
        """
        turned = self._batches.preview_undo if batch.in_force else self._batches.preview_redo
        return judged(turned(batch.entry.id, chosen=chosen))

    def preview_last(self, chosen: Chosen | None = None, *, back: bool) -> Preview:
        """What taking back the last accept, or doing again what was undone last, would change. As `preview`."""
        return judged(self._batches.preview_undo(chosen=chosen) if back else self._batches.preview_redo(chosen=chosen))

    def turn(self, preview: Preview) -> JournalEntry:
        """Carry out what was previewed. Raises: SparkError: nothing was written."""
        return self._follow(self._batches.turn(preview))

    def cut_off(self) -> SavedTurn | None:
        """The turn that was begun last here, if spark was killed in its midst."""
        session = self._sessions.last() if self._sessions is not None else None
        last = session.turns[-1] if session and session.turns else None
        return last if last and last.message == CUT_OFF else None

    def turns(self, session_id: str = "") -> tuple[EarlierTurn, ...]:
        """Saved turns of earlier sessions, the newest first. Args: session_id: of this one only; its start will do.

        Raises: UsageError: no such session. FileError: it is damaged.
        """
        if self._sessions is None:
            return ()
        sessions = (self._sessions.load(session_id),) if session_id else self._sessions.list()
        states = {batch.entry.id: batch.state for batch in self.log()}
        found = [
            EarlierTurn(session.id, turn, _state(turn, states))
            for session in sessions
            for turn in session.turns
            if session_id or session.id != self._memory.session_id
        ]
        return tuple(sorted(found, key=lambda each: each.turn.time, reverse=True))


def _state(turn: SavedTurn, states: dict[str, State]) -> str:
    """What became of what was accepted of a turn, in words; of one that an older spark saved only what is known."""
    if not turn.journal_ids:
        return "nothing accepted"
    known = [each for each in turn.journal_ids if each in states]
    if not known:
        return "accepted, no longer in the log"
    if any(states[each] is State.INTERRUPTED for each in known):
        return "interrupted"
    in_force = [each for each in known if states[each] is not State.UNDONE]
    if not in_force:
        return "taken back"
    sizes = dict(zip(turn.journal_ids, turn.taken, strict=False))
    if turn.extent is not None and sum(sizes[each] for each in in_force) >= turn.extent:
        return "applied"
    return "accepted" if turn.extent is None or len(known) < len(turn.journal_ids) else "partly applied"


def judged(preview: Preview) -> Preview:
    """An undo or a redo with what it would break."""
    wrong = broken(preview.changes)
    does = "taking it back" if preview.back else "doing it again"
    return replace(preview, warning=f"{does} breaks {wrong}" if wrong else "")
