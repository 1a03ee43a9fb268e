"""The journal (`Journal`): an append-only log of what was done to the files of one work tree.

A line is `LENGTH CHECKSUM JSON`, which shows whether the line is whole (`frame`, `unframe`). A
damaged line is skipped when reading, and copied to a file of its own before the journal is ever
rewritten.

A work tree keeps its journal wherever it is moved; a copy of the work tree, or another one in its
place, has another journal (`JournalName`). A file `spark-id` in the git directory names the
journal. The file moves along with the work tree but is copied along, too, so the journal notes
beside itself where it was used last: path and inode of the git directory. A moved work tree still
has that inode; a copy has neither inode nor path.
"""

import hashlib
import json
import os
import re  # noqa: TID251 - reads names and settings
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any

from spark_tui import system
from spark_tui.errors import DiskError, FileError, SparkError, UsageError
from spark_tui.own_folders import remedy
from spark_tui.remedies import words_of
from spark_tui.small_files import opened, read_small
from spark_tui.vcs.blob_store import append_line, set_aside, sync_folder, write_whole
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.disk_errors import as_disk_error
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.safe_paths import check_path


def frame(body: Mapping[str, Any]) -> bytes:
    """The line for a JSON object, its end included."""
    payload = json.dumps(body, separators=(",", ":")).encode("ascii")
    return b"%d %s %s\n" % (len(payload), _checksum(payload), payload)


def unframe(line: bytes) -> dict[str, Any] | None:
    """The JSON object of a line without its end; None where the line is damaged or has none."""
    length, _, rest = line.partition(b" ")
    checksum, _, payload = rest.partition(b" ")
    if length != b"%d" % len(payload) or checksum != _checksum(payload):
        return None
    try:
        body = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _checksum(payload: bytes) -> bytes:
    # 64 bits are plenty: this is about torn and rotten lines, not about forgery.
    return hashlib.sha256(payload).hexdigest()[:16].encode("ascii")


FORMAT = 3
"""The version of the journal's format; a newer one is refused, not guessed at."""

# Ids and hashes become parts of file names: nothing else may come from a damaged journal.
_ID = re.compile(r"[A-Za-z0-9-]{1,64}")
_HASH = re.compile(r"[0-9a-f]{64}")
_MODES = 0o10000
"""All permission bits are less than this."""

_TAIL_BYTES = 1024
"""The line that ends a batch is shorter."""

Tell = Callable[[str], None]
"""Takes one plain sentence that the user must know and that is no error."""


def tell_nobody(_sentence: str) -> None:
    """For callers that have nobody to tell."""


class BatchPhase(StrEnum):
    """How far a batch got.

    PREPARE: only temporary files were written to the work tree. COMMITTING: files are being
    replaced. WRITTEN: all files were replaced; the index may have to follow, and the copies to go.
    DONE: nothing is left to do. ABORTED: no file has its new content. INTERRUPTED: some files were
    replaced before a crash, and a file was edited after the crash.
    """

    PREPARE = "prepare"
    COMMITTING = "committing"
    WRITTEN = "written"
    DONE = "done"
    ABORTED = "aborted"
    INTERRUPTED = "interrupted"

    def may_follow(self, earlier: "BatchPhase") -> bool:
        """Whether a batch can come to this phase from an earlier one; a batch never goes back."""
        return _STEPS.get(self, len(_STEPS)) >= _STEPS.get(earlier, len(_STEPS))


_STEPS = {BatchPhase.PREPARE: 0, BatchPhase.COMMITTING: 1, BatchPhase.WRITTEN: 2}
"""The order of the phases before the end."""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What a batch did to one file.

    Args:
        path: Relative to the root of the work tree.
        before, after: The hashes of the file's content; None: no file.
        mode: The permission bits; None: as usual.
        in_place: Whether the bytes are replaced in the file itself, as in a file with several
            names.
        folders: How many of the folders around the file, from the innermost on, the batch makes, or
            removes where it leaves them empty; None: all, as before format 3.
    """

    path: str
    before: str | None
    after: str | None
    mode: int | None
    in_place: bool = False
    folders: int | None = None


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One batch: an accept, or the undo or redo of an accept.

    Args:
        id: The name of the batch.
        time: In UTC.
        description: What was asked for, in a line.
        files: What the batch did.
        undoes, redoes: The id of the accept that this undoes, or redoes.
        only: The files of the accept that an undo or redo is about; None: all.
    """

    id: str
    time: datetime
    description: str
    files: tuple[FileRecord, ...]
    undoes: str | None = None
    redoes: str | None = None
    only: tuple[str, ...] | None = None

    def covers(self, path: str) -> bool:
        """Whether the batch is about a file of its accept, even if there was nothing to write."""
        return self.only is None or path in self.only

    @property
    def subject(self) -> str:
        """The id of the accept this is about: its own id, or the one undone or redone."""
        return self.undoes or self.redoes or self.id

    @property
    def asked(self) -> str:
        """What was asked for in the accept this is about, without the word for undo or redo."""
        if self.undoes:
            return self.description.removeprefix("undo ")
        if self.redoes:
            return self.description.removeprefix("redo ")
        return self.description

    @property
    def is_accept(self) -> bool:
        """Whether this is a change of its own, not the undo or redo of one."""
        return self.subject == self.id


@dataclass(frozen=True, slots=True)
class Record:
    """An entry of the journal and how far it got."""

    entry: JournalEntry
    phase: BatchPhase

    @property
    def open(self) -> bool:
        """Whether the batch is under way, or was when spark was cut short."""
        return self.phase in {BatchPhase.PREPARE, BatchPhase.COMMITTING, BatchPhase.WRITTEN}


@dataclass(frozen=True, slots=True)
class Dropped:
    """The batches that gave way to newer ones.

    Args:
        count: How many.
        until: When the latest of them was made.
    """

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
        """Start reading from the first line again."""
        self._records: dict[str, Record] = {}
        self._damaged: list[bytes] = []
        self._dropped = Dropped()
        self._first = b""
        self._read_to = 0

    def prepare(self, entry: JournalEntry) -> None:
        """Write down what is about to happen; the line is on stable storage once this returns."""
        line = frame(_record_body(Record(entry, BatchPhase.PREPARE)))
        append_line(self._path, line, self._disk, sync=True)
        # The file may be new, and a crash would take its name along with the line.
        sync_folder(self._path.parent, self._disk)

    def mark(self, entry: JournalEntry, phase: BatchPhase, *, sync: bool = True) -> None:
        """Write down that an entry got further.

        Args:
            sync: Return only once the line is on stable storage.
        """
        line = frame({"v": FORMAT, "phase": phase, "id": entry.id})
        append_line(self._path, line, self._disk, sync=sync)

    def sync(self) -> None:
        """Return once all lines are on stable storage."""
        file = self._disk.open_log(str(self._path))
        try:
            self._disk.sync(file)
        finally:
            os.close(file)

    def read(self) -> tuple[Record, ...]:
        """Every entry, oldest first; damaged lines are left out.

        Raises:
            SparkError: A newer spark wrote the journal.
            FileError: The journal cannot be read.
        """
        with self._reading:
            lines, end = self._new_lines()
            for line in lines:
                body = unframe(line)
                if body is None or not self._take_line(body):
                    self._damaged.append(line)
            self._read_to = end
            return tuple(self._records.values())

    def at_rest(self) -> bool:
        """Whether the last batch has come to an end for certain.

        Only the last line is read, so that the start of spark stays quick with a long journal.
        """
        try:
            with opened(self._path) as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
                tail = file.read()
        except OSError:
            return not os.path.lexists(self._path)
        if not tail:
            return True
        if not tail.endswith(b"\n"):
            return False
        body = unframe(tail.removesuffix(b"\n").rpartition(b"\n")[2])
        # A tuple, as a set would raise for a phase that is a list, in a line spark did not write.
        ends = (BatchPhase.DONE, BatchPhase.ABORTED, BatchPhase.INTERRUPTED)
        return body is not None and body.get("phase") in ends

    def damaged(self) -> tuple[bytes, ...]:
        """The lines that are damaged; they are kept."""
        self.read()
        return tuple(self._damaged)

    def dropped(self) -> Dropped:
        """The batches that are no longer in the journal."""
        self.read()
        return self._dropped

    def size(self) -> int:
        """The size of the journal in bytes."""
        return self._path.stat().st_size

    def set_damaged_aside(self) -> None:
        """Copy damaged lines to files of their own, and tell the user about each once.

        The caller is the one process that may append.
        """
        for line in self.damaged():
            copy = set_aside(self._path.parent, line, self._disk)
            if copy is not None:
                self._tell(
                    f"a record of the journal is damaged and left out; what is left of it is "
                    f"kept in {copy}"
                )

    def aside(self) -> bytes:
        """All bytes that were ever set aside as damaged, contents included."""
        return b"\n".join(path.read_bytes() for path in self._path.parent.glob("damaged-*"))

    def rewrite(self, records: Sequence[Record], dropped: Dropped) -> None:
        """Replace the journal by a shorter one, in one step.

        The caller is the one process that may append, and has set damaged lines aside.

        Args:
            records: The records that stay, oldest first.
            dropped: All batches that were ever dropped.
        """
        until = dropped.until and dropped.until.isoformat()
        # The id makes the first line of each rewritten journal another; readers notice it by that.
        head = {"v": FORMAT, "dropped": dropped.count, "until": until, "id": secrets.token_hex(4)}
        bodies = [head, *map(_record_body, records)]
        write_whole(self._path, b"".join(map(frame, bodies)), self._disk)
        sync_folder(self._path.parent, self._disk)

    def _take_line(self, body: dict[str, Any]) -> bool:
        """Take in what a line says.

        Returns:
            Whether spark can have written the line.

        Raises:
            SparkError: A newer spark wrote the line.
        """
        version = body.get("v")
        if type(version) is not int or version < 1:
            return False
        if version > FORMAT:
            raise SparkError(f"{self._path} was written by a newer spark; update spark to go on")
        try:
            if "dropped" in body:
                self._dropped = _read_dropped(body)
            elif "entry" in body:
                record = Record(_read_entry(body["entry"]), BatchPhase(body["phase"]))
                if not self._may_become(record.entry.id, record.phase):
                    return False
                self._close_last()
                self._records[record.entry.id] = record
            else:
                phase = BatchPhase(body["phase"])
                record_id = _require_text(body["id"])
                if not self._may_become(record_id, phase):
                    return False
                if record_id in self._records:
                    self._records[record_id] = replace(self._records[record_id], phase=phase)
        except (KeyError, TypeError, ValueError, OverflowError, UsageError):
            return False
        return True

    def _may_become(self, record_id: str, phase: BatchPhase) -> bool:
        """Whether a line about a batch can stand after the lines before."""
        known = self._records.get(record_id)
        return known is None or phase.may_follow(known.phase)

    def _close_last(self) -> None:
        """End the last batch before another begins.

        No batch begins while one is open, so a line that ended the last one was there and is
        damaged.
        """
        last = next(reversed(self._records.values()), None)
        if last is not None and last.open:
            end = BatchPhase.DONE
            if last.phase is BatchPhase.PREPARE:
                end = BatchPhase.ABORTED
            self._records[last.entry.id] = replace(last, phase=end)

    def _new_lines(self) -> tuple[list[bytes], int]:
        """The whole lines added since the last read, and the byte at which they end.

        These are all lines if the journal is another file than before.

        Raises:
            FileError: The journal cannot be read.
        """
        try:
            with opened(self._path) as file:
                first = file.readline()
                if first != self._first:  # rewritten since, so `_read_to` means nothing any more
                    self._forget()
                    self._first = first
                file.seek(self._read_to)
                # A last line without its end is being written just now; it is read next time.
                whole = file.read().rpartition(b"\n")[0]
        except FileNotFoundError:
            self._forget()
            return [], 0
        except OSError as e:
            advice = remedy(e, self._path, "XDG_STATE_HOME")
            raise FileError(f"cannot read the journal {self._path}: {words_of(e)}; {advice}") from e
        # The next read begins at the line end behind `whole`, and the empty line this gives is left
        # out.
        return [line for line in whole.split(b"\n") if line], self._read_to + len(whole)


def _record_body(record: Record) -> dict[str, Any]:
    """The JSON object of a record."""
    entry = asdict(record.entry) | {"time": record.entry.time.isoformat()}
    return {"v": FORMAT, "phase": record.phase, "entry": entry}


def _read_dropped(body: dict[str, Any]) -> Dropped:
    """Read a line about dropped batches.

    Raises:
        KeyError, TypeError, ValueError: Spark cannot have written this.
    """
    if type(body["dropped"]) is not int:
        raise TypeError
    until = None
    if body["until"] is not None:
        until = _read_time(body["until"])
    return Dropped(body["dropped"], until)


def _read_entry(body: dict[str, Any]) -> JournalEntry:
    """Read the entry of a line.

    Raises:
        KeyError, TypeError, ValueError, UsageError: Spark cannot have written this.
    """
    files = tuple(_read_file(file) for file in body["files"])
    only = None
    if body.get("only") is not None:
        only = tuple(map(_require_text, body["only"]))
    entry = JournalEntry(**body | {"files": files, "only": only, "time": _read_time(body["time"])})
    _require_text(entry.description)
    for name in (entry.id, entry.undoes, entry.redoes):
        if name is not None and not _ID.fullmatch(_require_text(name)):
            raise ValueError
    _require_text(entry.id)
    is_accept = entry.undoes is None and entry.redoes is None
    if (entry.undoes and entry.redoes) or (is_accept and only is not None):
        raise ValueError
    return entry


def _read_file(body: dict[str, Any]) -> FileRecord:
    """Read a file of an entry.

    Raises:
        TypeError, ValueError, UsageError: Spark cannot have written this.
    """
    file = FileRecord(**body)
    check_path(_require_text(file.path))
    for name in (file.before, file.after):
        if name is not None and not _HASH.fullmatch(_require_text(name)):
            raise ValueError
    if file.mode is not None and (type(file.mode) is not int or file.mode not in range(_MODES)):
        raise TypeError
    if type(file.in_place) is not bool:
        raise TypeError
    if file.folders is not None and (type(file.folders) is not int or file.folders < 0):
        raise TypeError
    return file


def _require_text(value: Any) -> str:
    """Return a value that is text.

    Raises:
        TypeError: It is not.
    """
    if not isinstance(value, str):
        raise TypeError
    return value


def _read_time(text: str) -> datetime:
    return datetime.fromisoformat(_require_text(text)).astimezone(UTC)


def _read_if_there(path: Path) -> bytes | None:
    """The bytes of a file; None where there is none, or only another user may read it.

    Other errors are raised: taken for a missing file, they would make spark begin another journal.

    Raises:
        DiskError: The file cannot be read.
    """
    try:
        with as_disk_error(f"cannot read {path}"):
            return read_small(path)
    except DiskError as e:
        missing = (FileNotFoundError, NotADirectoryError, IsADirectoryError)
        if isinstance(e.__cause__, missing):
            return None
        if isinstance(e.__cause__, PermissionError) and not _is_ours(path):
            return None
        raise


def _is_ours(path: Path) -> bool:
    """Whether a file belongs to the user; False where the system does not say."""
    try:
        return path.lstat().st_uid == system.own_id()
    except OSError:
        return False


_ID_FILE = "spark-id"
_PLACE_FILE = "place"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}")


@dataclass(frozen=True, slots=True)
class _WorkTree:
    """A work tree as a journal remembers it.

    Args:
        root: Its top.
        number: The device and inode of its git directory.
        marked: Whether the git directory names the journal.
    """

    root: str
    number: str
    marked: bool


class JournalName:
    """Finds the name of a work tree's journal, and has the work tree remember the name.

    Args:
        repo: The work tree's repository.
        folder: The folder of all journals.
        disk: The system calls to use.

    Raises:
        FileError: The git directory cannot be looked at.
    """

    def __init__(self, repo: Repository, folder: Path, disk: Disk | None = None) -> None:
        self._repo = repo
        self._folder = folder
        self._disk = disk or Disk()
        self._id_file = repo.git_dir / _ID_FILE
        self.older: Path | None = None
        """A journal that looks like this work tree's, or that of its place, and is not used."""
        self.name = self._find()

    def claim(self) -> None:
        """Have the work tree name its journal from now on.

        The journal's folder exists. Where the git directory takes no file, the journal is known by
        the place of the work tree alone.
        """
        wanted = self._place(marked=True)
        if self._named_journal() == self.name and self._last_place(self.name) == wanted:
            return
        marked = self._named_journal() == self.name or self._mark()
        place = {"root": wanted.root, "number": wanted.number, "marked": marked}
        with suppress(OSError):  # the name alone will do until the work tree is moved
            write_whole(self._folder / self.name / _PLACE_FILE, frame(place), self._disk)

    def _find(self) -> str:
        # The git directory names a journal. It is this work tree's if nobody else has used the
        # journal, if the git directory is the same (the work tree was moved), or if the place is
        # the same (the git directory was made anew, say from a backup). If neither is, this is a
        # copy.
        here = self._place(marked=True)
        named = self._named_journal()
        if named:
            known = self._last_place(named)
            if known is None or known.number == here.number or known.root == here.root:
                return named
            self.older = self._folder / named  # this work tree is a copy of another
        # A journal of its own, named after the path. The number tells it from the journal of
        # another work tree that was here before.
        name = self._repo.key
        for number in count(1):
            if self._is_free(name, here):
                break
            name = f"{self._repo.key}-{number}"
        return name

    def _is_free(self, name: str, here: _WorkTree) -> bool:
        """Whether no other work tree uses the journal of this name."""
        if not os.path.lexists(self._folder / name):
            return True
        known = self._last_place(name)
        # Unmarked: the git directory took no file when the journal was begun, so the place alone
        # tells whose it is.
        if known is None or (known.root == here.root and not known.marked):
            return True
        if known.root == here.root:
            self.older = self._folder / name
        return False

    def _place(self, *, marked: bool) -> _WorkTree:
        """The work tree as it is now.

        Raises:
            FileError: The git directory cannot be looked at.
        """
        with as_disk_error(f"cannot look at {self._repo.git_dir}"):
            status = self._repo.git_dir.stat()
        return _WorkTree(os.fspath(self._repo.root), f"{status.st_dev:x}-{status.st_ino:x}", marked)

    def _named_journal(self) -> str:
        """The journal that the git directory names; "" where it names none.

        Raises:
            DiskError: That cannot be read.
        """
        data = _read_if_there(self._id_file) or b""
        name = data[:200].decode("ascii", "replace").strip()
        return name if _NAME.fullmatch(name) else ""

    def _last_place(self, name: str) -> _WorkTree | None:
        """The work tree where a journal was used last; None where the journal does not say.

        Raises:
            DiskError: That cannot be read.
        """
        data = _read_if_there(self._folder / name / _PLACE_FILE) or b""
        body = unframe(data.rstrip(b"\n"))
        if body is None:
            return None
        root = body.get("root")
        number = body.get("number")
        marked = body.get("marked")
        if isinstance(root, str) and isinstance(number, str) and isinstance(marked, bool):
            return _WorkTree(root, number, marked)
        return None  # spark cannot have written this

    def _mark(self) -> bool:
        """Write the name into the git directory.

        Returns:
            Whether that was possible.
        """
        try:
            # Removed first, as `put` only creates: a link that stands there is not written through.
            self._disk.remove(str(self._id_file))
            self._disk.put(str(self._id_file), 0o600, self.name.encode("ascii") + b"\n")
        except OSError:
            return False
        return True
