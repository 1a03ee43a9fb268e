"""What was asked before: the history of the prompt, and earlier turns.

What outlives a session: its turns, what was sent, what was accepted.

What the user sent before, kept for later starts: a line each in a file of the repository's own,
private to the user.

Knows no secrets, and so keeps nothing that begins with a space, as shells do.

What was done before, here and in earlier sessions: batches of the journal and saved turns, to see
and to turn.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from spark_tui.errors import FileError
from spark_tui.session.accept import broken
from spark_tui.session.turn_store import CUT_OFF, Memory, SavedTurn, SessionStore
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.blob_store import append_line, remove_temporaries, sync_folder, write_whole
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.history import BatchState, Chosen, JournaledBatch, Preview
from spark_tui.vcs.journal import JournalEntry, frame, unframe

MOST_KEPT = 1000
"""Of what was sent; the oldest are forgotten when the file is read."""
MOST_CHARACTERS = 20_000
"""Of one that is kept."""
MOST_BYTES = 4 << 20
"""What is read of the file: its end."""


class PromptHistory:
    """A file of what was sent.

    A crash while one is added loses that one at most.

    Args:
        file: Outside the repository; made with the first.
        disk: The system calls to use.
    """

    def __init__(self, file: Path, disk: Disk | None = None) -> None:
        self._file = file
        self._disk = disk or Disk()

    def add(self, text: str) -> None:
        """Keep a text that says something and does not begin with a space.

        Raises:
            FileError: The disk refused.
        """
        if not text.strip() or text.startswith(" ") or len(text) > MOST_CHARACTERS:
            return
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            append_line(self._file, frame({"text": text}), self._disk, sync=False)
        except OSError as e:
            raise FileError(f"cannot keep what was sent in {self._file}: {e.strerror}") from e

    def load(self) -> list[str]:
        """What was sent, the oldest first, each only where it was sent last.

        Damaged lines are left out.

        Raises:
            FileError: It cannot be read.
        """
        try:
            lines, cut = self._lines()
        except FileNotFoundError:
            return []
        except OSError as e:
            raise FileError(
                f"cannot read what was sent before in {self._file}: {e.strerror}"
            ) from e
        texts = [
            text for line in lines if isinstance(text := (unframe(line) or {}).get("text"), str)
        ]
        newest = list(dict.fromkeys(reversed(texts)))[:MOST_KEPT][::-1]
        if cut or len(lines) > 2 * MOST_KEPT:
            self._shorten(newest)
        return newest

    def _lines(self) -> tuple[list[bytes], bool]:
        """The lines at the end of the file, and whether there are others."""
        with self._file.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - MOST_BYTES))
            lines = file.read(MOST_BYTES).split(b"\n")[:-1]
        return lines[size > MOST_BYTES :], size > MOST_BYTES

    def _shorten(self, texts: list[str]) -> None:
        try:
            write_whole(self._file, b"".join(frame({"text": text}) for text in texts), self._disk)
            sync_folder(self._file.parent, self._disk)
            remove_temporaries(self._file.parent, self._disk)
        except OSError:
            return  # it stays long; what is in it was read


@dataclass(frozen=True, slots=True)
class EarlierTurn:
    """A saved turn, the session it belongs to, and what became of what was accepted of it."""

    session_id: str
    turn: SavedTurn
    state: str


class Past:
    """Reads the journal and the saved sessions; every method may wait for the disk.

    Args:
        sessions: None: none are saved.
        follow: Hears of what was turned, and brings the review up to it.
    """

    def __init__(
        self,
        batches: Batches,
        sessions: SessionStore | None,
        memory: Memory,
        follow: Callable[[JournalEntry], JournalEntry],
    ) -> None:
        self._batches = batches
        self._sessions = sessions
        self._memory = memory
        self._follow = follow
        self.session_id = memory.session_id if sessions is not None else ""
        """What this session is resumed by; "" when nothing of it is saved."""

    def log(self) -> tuple[JournaledBatch, ...]:
        """All batches, the newest first."""
        return self._batches.log()

    def patch(self, batch: JournaledBatch) -> str:
        """What a batch did, in git's format; bytes that are no UTF-8 are surrogates.

        Raises:
            SparkError: Damaged.
        """
        return self._batches.patch(batch.entry).decode("utf-8", "surrogateescape")

    def preview(self, batch: JournaledBatch, chosen: Chosen | None = None) -> Preview:
        """What turning a batch would change: taking back what is in force, else doing it again.

        Args:
            chosen: Of a conflict that the user saw.

        Raises:
            SparkError.
        """
        turned = self._batches.preview_undo if batch.in_force else self._batches.preview_redo
        return judged(turned(batch.entry.id, chosen=chosen))

    def preview_last(self, chosen: Chosen | None = None, *, back: bool) -> Preview:
        """What taking back the last accept, or doing again what was undone last, would change.

        As `preview`.
        """
        return judged(
            self._batches.preview_undo(chosen=chosen)
            if back
            else self._batches.preview_redo(chosen=chosen)
        )

    def turn(self, preview: Preview) -> JournalEntry:
        """Carry out what was previewed.

        Raises:
            SparkError: Nothing was written.
        """
        return self._follow(self._batches.turn(preview))

    def cut_off(self) -> SavedTurn | None:
        """The turn that was begun last here, if spark was killed in its midst."""
        session = self._sessions.last() if self._sessions is not None else None
        last = session.turns[-1] if session and session.turns else None
        return last if last and last.message == CUT_OFF else None

    def turns(self, session_id: str = "") -> tuple[EarlierTurn, ...]:
        """Saved turns of earlier sessions, the newest first.

        Args:
            session_id: Of this one only; its start will do.

        Raises:
            UsageError: No such session.
            FileError: It is damaged.
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


def _state(turn: SavedTurn, states: dict[str, BatchState]) -> str:  # noqa: PLR0911 - a table
    """What became of what was accepted of a turn, in words; of one that an older spark saved
    only what is known.
    """
    if not turn.journal_ids:
        return "nothing accepted"
    known = [each for each in turn.journal_ids if each in states]
    if not known:
        return "accepted, no longer in the log"
    if any(states[each] is BatchState.INTERRUPTED for each in known):
        return "interrupted"
    in_force = [each for each in known if states[each] is not BatchState.UNDONE]
    if not in_force:
        return "taken back"
    sizes = dict(zip(turn.journal_ids, turn.taken, strict=False))
    if turn.extent is not None and sum(sizes[each] for each in in_force) >= turn.extent:
        return "applied"
    if turn.extent is None or len(known) < len(turn.journal_ids):
        return "accepted"
    return "partly applied"


def judged(preview: Preview) -> Preview:
    """An undo or a redo with what it would break."""
    wrong = broken(preview.changes)
    does = "taking it back" if preview.back else "doing it again"
    return replace(preview, warning=f"{does} breaks {wrong}" if wrong else "")
