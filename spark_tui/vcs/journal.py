"""What was done to the files of one work tree: an append-only file of checksummed lines.

A line is `LENGTH CHECKSUM JSON`. A damaged line is skipped when reading and stays where it is.
"""

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from threading import Lock
from typing import Any

from spark_tui.errors import FileError, SparkError
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.store import sync_folder

FORMAT = 1
"""The version of the journal's format; a newer one is refused, not guessed at."""

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
    """One batch: an accept, or the undo or redo of one, named by its id. `time` is in UTC."""

    id: str
    time: datetime
    description: str
    files: tuple[FileRecord, ...]
    undoes: str | None = None
    redoes: str | None = None

    @property
    def subject(self) -> str:
        """The id of the accept this is about: its own, or the one it undoes or redoes."""
        return self.undoes or self.redoes or self.id

    @property
    def is_accept(self) -> bool:
        """Whether this is a change of its own, not the undo or redo of one."""
        return self.subject == self.id


@dataclass(frozen=True, slots=True)
class Record:
    """An entry of the journal and how far it got."""

    entry: JournalEntry
    phase: Phase


class Journal:
    """The journal of one work tree, in a folder that exists. One process at a time may append."""

    def __init__(self, folder: Path, disk: Disk, *, tell: Tell = tell_nobody) -> None:
        self._path = folder / "journal"
        self._disk = disk
        self._tell = tell
        self._records: dict[str, Record] = {}
        self._damaged = 0
        self._read_to = 0
        self._reading = Lock()

    def prepare(self, entry: JournalEntry) -> None:
        """Write down what is about to happen; it is on stable storage once this returns."""
        body = asdict(entry) | {"time": entry.time.isoformat()}
        self._append({"v": FORMAT, "phase": Phase.PREPARE, "entry": body})
        sync_folder(self._path.parent, self._disk)

    def mark(self, entry: JournalEntry, phase: Phase) -> None:
        """Write down that an entry got further; it is on stable storage once this returns."""
        self._append({"v": FORMAT, "phase": phase, "id": entry.id})

    def read(self) -> tuple[Record, ...]:
        """Every entry, oldest first; damaged lines are left out.

        Raises: SparkError: written by a newer spark. FileError: cannot be read.
        """
        with self._reading:
            lines, end = self._new_lines()
            bodies = [_decode(line) for line in lines]
            for body in bodies:
                if body is not None:
                    self._take(body)
            self._damaged += bodies.count(None)
            self._read_to = end
            return tuple(self._records.values())

    def damaged(self) -> int:
        """How many lines cannot be read; they are kept."""
        self.read()
        return self._damaged

    def _take(self, body: dict[str, Any]) -> None:
        if body.get("v") != FORMAT:
            raise SparkError(f"{self._path} was written by a newer spark; update spark to go on")
        phase = Phase(body["phase"])
        if phase is Phase.PREPARE:
            entry = _entry(body["entry"])
            self._records[entry.id] = Record(entry, phase)
        elif body["id"] in self._records:
            self._records[body["id"]] = replace(self._records[body["id"]], phase=phase)

    def _new_lines(self) -> tuple[list[bytes], int]:
        """The whole lines added since the last read, and where they end: what was read once stays as it is."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._read_to)
                whole = file.read().rpartition(b"\n")[0]
        except FileNotFoundError:
            return [], self._read_to
        except OSError as e:
            raise FileError(f"cannot read the journal {self._path}: {e.strerror}") from e
        return [line for line in whole.split(b"\n") if line], self._read_to + len(whole)

    def _append(self, body: dict[str, Any]) -> None:
        file = self._disk.open_log(str(self._path))
        try:
            self._disk.write(file, self._separator() + _encode(body))
            self._disk.sync(file)
        finally:
            os.close(file)

    def _separator(self) -> bytes:
        """A line break where the last line was cut short, so that only that one is lost."""
        with self._path.open("rb") as file:
            if file.seek(0, os.SEEK_END) == 0:
                return b""
            file.seek(-1, os.SEEK_END)
            return b"" if file.read() == b"\n" else b"\n"


def _encode(body: dict[str, Any]) -> bytes:
    payload = json.dumps(body, separators=(",", ":")).encode("ascii")
    return b"%d %s %s\n" % (len(payload), _checksum(payload), payload)


def _decode(line: bytes) -> dict[str, Any] | None:
    length, _, rest = line.partition(b" ")
    checksum, _, payload = rest.partition(b" ")
    if length != b"%d" % len(payload) or checksum != _checksum(payload):
        return None
    body: dict[str, Any] = json.loads(payload)
    return body


def _checksum(payload: bytes) -> bytes:
    return hashlib.sha256(payload).hexdigest()[:16].encode("ascii")


def _entry(body: dict[str, Any]) -> JournalEntry:
    files = tuple(FileRecord(**file) for file in body["files"])
    return JournalEntry(**body | {"files": files, "time": datetime.fromisoformat(body["time"]).astimezone(UTC)})
