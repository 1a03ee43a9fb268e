"""What was done to the files of one work tree: an append-only file of checksummed lines.

A damaged line is skipped when reading; a copy of it is set aside before the file is ever rewritten.
"""

import os
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from threading import Lock
from typing import Any

from spark_tui.errors import FileError, SparkError, UsageError
from spark_tui.own_folders import remedy
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.framing import frame, unframe
from spark_tui.vcs.paths import check_path
from spark_tui.vcs.store import append_line, set_aside, sync_folder, write_whole

FORMAT = 2
"""The version of the journal's format; a newer one is refused, not guessed at."""

_ID = re.compile(r"[A-Za-z0-9-]{1,64}")
_HASH = re.compile(r"[0-9a-f]{64}")
_MODES = 0o10000
"""Permission bits are less."""

_TAIL_BYTES = 1024
"""Of a journal; the line that ends a batch is shorter."""

Tell = Callable[[str], None]
"""Takes one plain sentence that the user must know and that is no error."""


def tell_nobody(_sentence: str) -> None:
    """For callers that have nobody to tell."""


class Phase(StrEnum):
    """How far a batch got.

    PREPARE: nothing in the work tree was changed but for temporaries. COMMITTING: files are being replaced.
    DONE: all were. ABORTED: none was. INTERRUPTED: stopped between the two by a crash and a later edit.
    """

    PREPARE = "prepare"
    COMMITTING = "committing"
    DONE = "done"
    ABORTED = "aborted"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One file of a batch: the hashes of its content before and after (None: no file) and its permission bits.

    `in_place`: its bytes were to be replaced in the file itself, as where it has several names.
    """

    path: str
    before: str | None
    after: str | None
    mode: int | None
    in_place: bool = False


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One batch: an accept, or the undo or redo of one, named by its id. `time` is in UTC.

    `only`: the files of the accept that an undo or redo is about; None: all.
    """

    id: str
    time: datetime
    description: str
    files: tuple[FileRecord, ...]
    undoes: str | None = None
    redoes: str | None = None
    only: tuple[str, ...] | None = None

    def covers(self, path: str) -> bool:
        """Whether this is about a file of its subject, even if there was nothing to write."""
        return self.only is None or path in self.only

    @property
    def subject(self) -> str:
        """The id of the accept this is about: its own, or the one it undoes or redoes."""
        return self.undoes or self.redoes or self.id

    @property
    def asked(self) -> str:
        """What was asked for in the accept this is about, without what tells an undo or a redo from it."""
        return self.description.removeprefix("undo " if self.undoes else "redo " if self.redoes else "")

    @property
    def is_accept(self) -> bool:
        """Whether this is a change of its own, not the undo or redo of one."""
        return self.subject == self.id


@dataclass(frozen=True, slots=True)
class Record:
    """An entry of the journal and how far it got."""

    entry: JournalEntry
    phase: Phase

    @property
    def open(self) -> bool:
        """Whether it is under way, or was when spark was cut short."""
        return self.phase in {Phase.PREPARE, Phase.COMMITTING}


@dataclass(frozen=True, slots=True)
class Dropped:
    """The batches that gave way to newer ones: how many, and when the latest of them was made."""

    count: int = 0
    until: datetime | None = None


class Journal:
    """The journal of one work tree, in a folder that exists. One process at a time may append."""

    def __init__(self, folder: Path, disk: Disk, *, tell: Tell = tell_nobody) -> None:
        self._path = folder / "journal"
        self._disk = disk
        self._tell = tell
        self._reading = Lock()
        self._forget()

    def _forget(self) -> None:
        self._records: dict[str, Record] = {}
        self._damaged: list[bytes] = []
        self._dropped = Dropped()
        self._first = b""
        self._read_to = 0

    def prepare(self, entry: JournalEntry) -> None:
        """Write down what is about to happen; it is on stable storage once this returns."""
        append_line(self._path, frame(_body(Record(entry, Phase.PREPARE))), self._disk, sync=True)
        sync_folder(self._path.parent, self._disk)

    def mark(self, entry: JournalEntry, phase: Phase) -> None:
        """Write down that an entry got further; it is on stable storage once this returns."""
        append_line(self._path, frame({"v": FORMAT, "phase": phase, "id": entry.id}), self._disk, sync=True)

    def read(self) -> tuple[Record, ...]:
        """Every entry, oldest first; damaged lines are left out.

        Raises: SparkError: written by a newer spark. FileError: cannot be read.
        """
        with self._reading:
            lines, end = self._new_lines()
            for line in lines:
                body = unframe(line)
                if body is None or not self._take(body):
                    self._damaged.append(line)
            self._read_to = end
            return tuple(self._records.values())

    def at_rest(self) -> bool:
        """Whether the last batch surely came to an end; read off the last line alone, however long the journal is."""
        try:
            with self._path.open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
                tail = file.read()
        except OSError:
            return not os.path.lexists(self._path)
        if not tail:
            return True
        body = unframe(tail.removesuffix(b"\n").rpartition(b"\n")[2]) if tail.endswith(b"\n") else None
        ends = (Phase.DONE, Phase.ABORTED, Phase.INTERRUPTED)  # no set: a phase may be a list
        return body is not None and body.get("phase") in ends

    def damaged(self) -> tuple[bytes, ...]:
        """The lines that cannot be read; they are kept."""
        self.read()
        return tuple(self._damaged)

    def dropped(self) -> Dropped:
        """What is no longer here."""
        self.read()
        return self._dropped

    def size(self) -> int:
        """How many bytes the journal has."""
        return self._path.stat().st_size

    def set_damaged_aside(self) -> None:
        """Copy damaged lines to files of their own, and tell of each once. The caller may append."""
        for line in self.damaged():
            copy = set_aside(self._path.parent, line, self._disk)
            if copy is not None:
                self._tell(f"a record of the journal is damaged and left out; what is left of it is kept in {copy}")

    def aside(self) -> bytes:
        """All that was ever set aside as damaged, contents included."""
        return b"\n".join(path.read_bytes() for path in self._path.parent.glob("damaged-*"))

    def rewrite(self, records: Sequence[Record], dropped: Dropped) -> None:
        """Replace the journal by a shorter one, in one step. The caller may append, and set damaged lines aside.

        Args: records: those that stay, oldest first. dropped: those that ever went.
        """
        until = dropped.until and dropped.until.isoformat()
        # The id makes a rewritten file differ in its first line, by which other readers notice it.
        head = {"v": FORMAT, "dropped": dropped.count, "until": until, "id": secrets.token_hex(4)}
        write_whole(self._path, b"".join(map(frame, [head, *map(_body, records)])), self._disk)
        sync_folder(self._path.parent, self._disk)

    def _take(self, body: dict[str, Any]) -> bool:
        """Add what a line says; returns whether spark can have written the line.

        Raises:
            SparkError: A newer spark wrote it.
        """
        version = body.get("v")
        if type(version) is not int or version < 1:
            return False
        if version > FORMAT:
            raise SparkError(f"{self._path} was written by a newer spark; update spark to go on")
        try:
            if "dropped" in body:
                self._dropped = _dropped(body)
            elif "entry" in body:
                record = Record(_entry(body["entry"]), Phase(body["phase"]))
                self._close_last()
                self._records[record.entry.id] = record
            else:
                phase = Phase(body["phase"])
                record_id = _text(body["id"])
                if record_id in self._records:
                    self._records[record_id] = replace(self._records[record_id], phase=phase)
        except (KeyError, TypeError, ValueError, OverflowError, UsageError):
            return False
        return True

    def _close_last(self) -> None:
        """A batch only begins when the one before has ended; if no line says so, that line is damaged."""
        last = next(reversed(self._records.values()), None)
        if last is not None and last.open:
            end = Phase.DONE if last.phase is Phase.COMMITTING else Phase.ABORTED
            self._records[last.entry.id] = replace(last, phase=end)

    def _new_lines(self) -> tuple[list[bytes], int]:
        """The whole lines added since the last read, and where they end: all, if this is another file than before."""
        try:
            with self._path.open("rb") as file:
                first = file.readline()
                if first != self._first:
                    self._forget()
                    self._first = first
                file.seek(self._read_to)
                whole = file.read().rpartition(b"\n")[0]
        except FileNotFoundError:
            self._forget()
            return [], 0
        except OSError as e:
            advice = remedy(e, self._path, "XDG_STATE_HOME")
            raise FileError(f"cannot read the journal {self._path}: {e.strerror}; {advice}") from e
        return [line for line in whole.split(b"\n") if line], self._read_to + len(whole)


def _body(record: Record) -> dict[str, Any]:
    entry = asdict(record.entry) | {"time": record.entry.time.isoformat()}
    return {"v": FORMAT, "phase": record.phase, "entry": entry}


def _dropped(body: dict[str, Any]) -> Dropped:
    """Raises: KeyError, TypeError, ValueError: spark cannot have written this."""
    if type(body["dropped"]) is not int:
        raise TypeError
    until = body["until"]
    return Dropped(body["dropped"], None if until is None else _time(until))


def _entry(body: dict[str, Any]) -> JournalEntry:
    """Raises: KeyError, TypeError, ValueError, UsageError: spark cannot have written this."""
    files = tuple(_file(file) for file in body["files"])
    only = None if body.get("only") is None else tuple(map(_text, body["only"]))
    entry = JournalEntry(**body | {"files": files, "only": only, "time": _time(body["time"])})
    _text(entry.description)
    for name in (entry.id, entry.undoes, entry.redoes):
        if name is not None and not _ID.fullmatch(_text(name)):
            raise ValueError
    _text(entry.id)
    is_accept = entry.undoes is None and entry.redoes is None
    if (entry.undoes and entry.redoes) or (is_accept and only is not None):
        raise ValueError
    return entry


def _file(body: dict[str, Any]) -> FileRecord:
    """Raises: TypeError, ValueError, UsageError: spark cannot have written this."""
    file = FileRecord(**body)
    check_path(_text(file.path))
    for name in (file.before, file.after):
        if name is not None and not _HASH.fullmatch(_text(name)):
            raise ValueError
    if file.mode is not None and (type(file.mode) is not int or file.mode not in range(_MODES)):
        raise TypeError
    if type(file.in_place) is not bool:
        raise TypeError
    return file


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _time(text: str) -> datetime:
    return datetime.fromisoformat(_text(text)).astimezone(UTC)
