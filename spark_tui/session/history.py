"""What outlives a session: the history of the prompt, earlier turns, accepted batches.

`PromptHistory` keeps what the user sent, one line each, in a private file of the repository's own.
It cannot tell secrets; as in shells, what begins with a space is not kept.

`Past` lists the batches of the journal and the saved turns, and takes batches back.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from spark_tui.errors import FileError
from spark_tui.session.accept import broken
from spark_tui.session.turn_store import CUT_OFF, Memory, SavedTurn, SessionStore
from spark_tui.small_files import opened
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.blob_store import append_line, remove_temporaries, sync_folder, write_whole
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.history import BatchState, Chosen, JournaledBatch, Preview
from spark_tui.vcs.journal import JournalEntry, frame, unframe

MOST_KEPT = 1000
"""Texts kept; the oldest are forgotten when the file is read."""
MOST_CHARACTERS = 20_000
"""Characters of one text; longer ones are not kept."""
MOST_BYTES = 4 << 20
"""Bytes read of the file: its end."""


class PromptHistory:
    """A file of the texts that were sent.

    A crash while a text is added loses at most that text.

    Args:
        file: The file, outside the repository; created with the first text.
        disk: The system calls to use.
    """

    def __init__(self, file: Path, disk: Disk | None = None) -> None:
        self._file = file
        self._disk = disk or Disk()

    def add(self, text: str) -> None:
        """Keep a text, unless it is blank or begins with a space.

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
        """The texts that were sent, the oldest first; of equal texts, only the last one.

        Damaged lines are left out.

        Raises:
            FileError: The file cannot be read.
        """
        try:
            lines, cut = self._lines()
        except FileNotFoundError:
            return []
        except OSError as e:
            raise FileError(
                f"cannot read what was sent before in {self._file}: {e.strerror}"
            ) from e
        texts = []
        for line in lines:
            text = (unframe(line) or {}).get("text")
            if isinstance(text, str):
                texts.append(text)
        # Reversed twice: of equal texts the last one stays, in the order of sending.
        newest = list(dict.fromkeys(reversed(texts)))[:MOST_KEPT][::-1]
        if cut or len(lines) > 2 * MOST_KEPT:
            self._shorten(newest)
        return newest

    def _lines(self) -> tuple[list[bytes], bool]:
        """The lines at the end of the file, and whether there are others before them."""
        with opened(self._file) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - MOST_BYTES))
            lines = file.read(MOST_BYTES).split(b"\n")[:-1]
        # Where reading began in the middle of the file, the first line is most likely cut.
        return lines[size > MOST_BYTES :], size > MOST_BYTES

    def _shorten(self, texts: list[str]) -> None:
        try:
            write_whole(self._file, b"".join(frame({"text": text}) for text in texts), self._disk)
            sync_folder(self._file.parent, self._disk)
            remove_temporaries(self._file.parent, self._disk)
        except OSError:
            return  # the file stays long; its texts were read


@dataclass(frozen=True, slots=True)
class EarlierTurn:
    """A saved turn, its session, and what became of its accepted hunks."""

    session_id: str
    turn: SavedTurn
    state: str


class Past:
    """Reads the journal and the saved sessions; every method may wait for the disk.

    Args:
        sessions: None: none are saved.
        follow: Brings the review up to a batch that was taken back or done again.
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

    @property
    def session_id(self) -> str:
        """The id to resume this session by; "" when nothing of it is saved."""
        return self._memory.session_id if self._sessions is not None else ""

    def log(self) -> tuple[JournaledBatch, ...]:
        """All batches, the newest first."""
        return self._batches.log()

    def patch(self, batch: JournaledBatch) -> str:
        """The patch of a batch, in git's format; bytes that are not UTF-8 become surrogates.

        Raises:
            SparkError: The batch is damaged.
        """
        return self._batches.patch(batch.entry).decode("utf-8", "surrogateescape")

    def preview(self, batch: JournaledBatch, chosen: Chosen | None = None) -> Preview:
        """What toggling a batch would change: undo when it is in force, else redo.

        Args:
            chosen: The side chosen in a conflict that the user saw.

        Raises:
            SparkError.
        """
        preview = self._batches.preview_undo if batch.in_force else self._batches.preview_redo
        return judged(preview(batch.entry.id, chosen=chosen))

    def preview_last(self, chosen: Chosen | None = None, *, back: bool) -> Preview:
        """What undoing the last accept, or redoing the last undo, would change.

        As `preview`.
        """
        preview = self._batches.preview_undo if back else self._batches.preview_redo
        return judged(preview(chosen=chosen))

    def apply(self, preview: Preview) -> JournalEntry:
        """Carry out a previewed undo or redo.

        Raises:
            SparkError: Nothing was written.
        """
        return self._follow(self._batches.apply(preview))

    def cut_off(self) -> SavedTurn | None:
        """The last turn begun here, if spark was killed while it ran."""
        session = self._sessions.last() if self._sessions is not None else None
        last = session.turns[-1] if session and session.turns else None
        return last if last and last.message == CUT_OFF else None

    def turns(self, session_id: str = "") -> tuple[EarlierTurn, ...]:
        """Saved turns of earlier sessions, the newest first.

        Args:
            session_id: Only this session, by its id or the start of it.

        Raises:
            UsageError: No such session.
            FileError: The session is damaged.
        """
        if self._sessions is None:
            return ()
        sessions = (self._sessions.load(session_id),) if session_id else self._sessions.list()
        states = {batch.entry.id: batch.state for batch in self.log()}
        earlier: list[EarlierTurn] = []
        for session in sessions:
            if session_id or session.id != self._memory.session_id:
                earlier += [EarlierTurn(session.id, t, _state(t, states)) for t in session.turns]
        return tuple(sorted(earlier, key=lambda each: each.turn.time, reverse=True))


def _state(turn: SavedTurn, states: dict[str, BatchState]) -> str:  # noqa: PLR0911 - a table
    """What became of the accepted hunks of a turn, in words.

    An older spark did not save how large turns are; of such a turn less is known.
    """
    if not turn.journal_ids:
        return "nothing accepted"
    known = [batch_id for batch_id in turn.journal_ids if batch_id in states]
    if not known:
        return "accepted, no longer in the log"
    if any(states[batch_id] is BatchState.INTERRUPTED for batch_id in known):
        return "interrupted"
    in_force = [batch_id for batch_id in known if states[batch_id] is not BatchState.UNDONE]
    if not in_force:
        return "taken back"
    sizes = dict(zip(turn.journal_ids, turn.taken, strict=False))
    if turn.extent is not None and sum(sizes[batch_id] for batch_id in in_force) >= turn.extent:
        return "applied"
    if turn.extent is None or len(known) < len(turn.journal_ids):
        return "accepted"
    return "partly applied"


def judged(preview: Preview) -> Preview:
    """An undo or a redo with a warning of what it would break."""
    faults = broken(preview.changes)
    action = "taking it back" if preview.back else "doing it again"
    return replace(preview, warning=f"{action} breaks {faults}" if faults else "")
