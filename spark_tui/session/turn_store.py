"""Turns kept on disk, so that later starts can show them.

`SessionStore` keeps one private file a session, written in one step. `Memory` saves the turns of
the present session as they begin and as they end, on threads of its own: nobody waits for the disk,
and no turn fails over it. A turn that changes a secret file is saved without its patch; the journal
has what undo needs.
"""

import os
import secrets
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock, Thread
from time import monotonic
from typing import Any

from spark_tui.errors import FileError, SparkError, UsageError
from spark_tui.mentions import at_place, mention
from spark_tui.own_folders import files_in
from spark_tui.session.events import Status
from spark_tui.session.json_output import proposed_by
from spark_tui.session.request import Request
from spark_tui.session.turn import Turn
from spark_tui.small_files import read_small
from spark_tui.vcs.blob_store import set_aside, sync_folder, write_whole
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.journal import JournalEntry, Tell, frame, tell_nobody, unframe
from spark_tui.vcs.policy import may_hold_secrets
from spark_tui.vcs.repository import Repository

FORMAT = 2
"""The version of the format; newer files are left out.

Version 1 did not say how large turns were.
"""
MOST_SESSIONS = 200
MOST_BYTES = 32 << 20
"""Bytes of all sessions of one repository."""
MOST_TURNS = 200
"""Turns of one session; beyond it the oldest are forgotten."""
_MOST_READ = 4 * MOST_BYTES
_SAVED = ".session"
_RESERVED = ".reserved"
"""The endings of the files of sessions; an empty file reserves an id."""
CUT_OFF = "spark ended before this did"
"""The message of a turn during which spark was killed."""
_STALE_SECONDS = 86_400
"""The age from which an unfinished copy is nobody's work in progress any more."""


@dataclass(frozen=True, slots=True)
class SavedTurn:
    """A turn as saved.

    Args:
        instruction: What was asked, with the place where one was told.
        start_line, end_line: 1-based.
        status: The state of the turn, or how it ended.
        journal_ids: The journal's ids of what was accepted.
        taken: How many lines each of those is about.
        extent: How many lines the whole turn is about; None: saved by an older spark.
    """

    id: str
    time: datetime
    instruction: str
    path: str
    start_line: int
    end_line: int
    status: str
    message: str = ""
    patch: str = ""
    journal_ids: tuple[str, ...] = ()
    taken: tuple[int, ...] = ()
    extent: int | None = None


@dataclass(frozen=True, slots=True)
class SavedSession:
    """The turns of a session, the oldest first.

    Attributes:
        id: The name of its file.
    """

    id: str
    turns: tuple[SavedTurn, ...]


class SessionStore:
    """A folder of sessions, created when the first is saved.

    Args:
        folder: Outside the repository.
        disk: The system calls to use.
        tell: Called with a notice of each damaged session, once.
    """

    def __init__(self, folder: Path, disk: Disk | None = None, *, tell: Tell = tell_nobody) -> None:
        self._folder = folder
        self._disk = disk or Disk()
        self._tell = tell

    def save(self, session: SavedSession) -> None:
        """Replace a saved session in one step: a crash leaves the old file or the new one.

        Raises:
            FileError: The disk refused; what was there before is still there.
        """
        turns = [asdict(turn) | {"time": turn.time.isoformat()} for turn in session.turns]
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            body = frame({"v": FORMAT, "id": session.id, "process": os.getpid(), "turns": turns})
            write_whole(self.path_of(session.id), body, self._disk)
            sync_folder(self._folder, self._disk)
            self._make_room(self.path_of(session.id))
        except OSError as e:
            raise FileError(f"cannot save this session in {self._folder}: {e.strerror}") from e

    def list(self) -> tuple[SavedSession, ...]:
        """All sessions, the last saved first; damaged ones are copied aside and left out."""
        sessions = (self._read(path) for path, _ in self._files())
        return tuple(session for session in sessions if session is not None)

    def last(self) -> SavedSession | None:
        """The session saved last, if it can be read."""
        files = self._files()
        return self._read(files[0][0]) if files else None

    def reserve(self, session_id: str) -> None:
        """Keep the id of a session without turns, so that it can be loaded.

        Raises:
            FileError: The disk refused.
        """
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(self._folder / f"{session_id}{_RESERVED}", b"", self._disk)
            for path, _ in self._files(_RESERVED)[MOST_SESSIONS:]:
                with suppress(FileNotFoundError):  # another spark made room
                    self._disk.remove(str(path))
        except OSError as e:
            raise FileError(f"cannot keep a session in {self._folder}: {e.strerror}") from e

    def load(self, session_id: str) -> SavedSession:
        """The one session whose id begins so, or that was reserved under exactly this id.

        Raises:
            UsageError: There is none, or several.
            FileError: The session is damaged.
        """
        found = [path for path, _ in self._files() if path.stem.startswith(session_id)]
        reserved = {path.stem for path, _ in self._files(_RESERVED)}
        if session_id in reserved and self.path_of(session_id) not in found:
            return SavedSession(session_id, ())
        if len(found) != 1:
            problem = "several sessions begin" if found else "no session begins"
            raise UsageError(f"{problem} with {session_id!r}")
        session = self._read(found[0])
        if session is None:
            raise FileError(f"the saved session {found[0].stem} cannot be read; start a new one")
        return session

    def path_of(self, session_id: str) -> Path:
        """The file that a session is saved in, or would be."""
        return self._folder / f"{session_id}{_SAVED}"

    def _files(self, suffix: str = _SAVED) -> Sequence[tuple[Path, os.stat_result]]:
        """The files of the sessions, the last saved first."""
        found = []
        for path in files_in(self._folder, suffix):
            with suppress(OSError):  # another spark made room, or the folder is not ours
                found.append((path, path.stat()))
        return sorted(found, key=lambda file: (-file[1].st_mtime_ns, file[0].name))

    def _read(self, path: Path) -> SavedSession | None:
        try:
            data = read_small(path, _MOST_READ)
        except OSError as e:
            self._tell(f"the saved session {path.stem} cannot be read: {e.strerror}")
            return None
        body = unframe(data.removesuffix(b"\n"))
        # Before anything else is read: a newer spark may keep other fields, and its file is not
        # damaged.
        version = None if body is None else body.get("v")
        if type(version) is int and version > FORMAT:
            words = f"the session {path.stem} was saved by a newer spark"
            self._tell(f"{words}; update spark to see it")
            return None
        session = None if body is None else _session(body, path.stem)
        if session is None:
            with suppress(OSError):
                if (copy := set_aside(self._folder, data, self._disk)) is not None:
                    kept = f"what is left of it is kept in {copy}"
                    self._tell(f"the saved session {path.stem} is damaged and left out; {kept}")
        return session

    def _make_room(self, saved: Path) -> None:
        total = 0
        for number, (path, status) in enumerate(self._files()):
            total += status.st_size
            if path != saved and (number >= MOST_SESSIONS or total > MOST_BYTES):
                self._disk.remove(str(path))
        # Copies that a crash left behind before they were renamed; see `write_whole`.
        for path in self._folder.glob("*.session.*"):
            with suppress(FileNotFoundError):  # another spark has finished it
                if path.stat().st_mtime < time.time() - _STALE_SECONDS:
                    self._disk.remove(str(path))


def _runs(process: int | None) -> bool:
    """Whether a process may still be at work."""
    try:
        # Signal 0 only asks. PermissionError means that the process is there, but another user's.
        os.kill(process or 0, 0)
    except (OverflowError, ProcessLookupError):
        return False
    except PermissionError:
        pass
    return bool(process)


def _session(body: dict[str, Any], session_id: str) -> SavedSession | None:
    """A session read from its file; None where spark cannot have saved it."""
    process = body.get("process")
    if type(body.get("v")) is not int or body["v"] < 1:
        return None
    try:
        turns = [_turn(each) for each in body["turns"]]
        if body["id"] != session_id or not isinstance(process, int | None):
            return None
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    # Only the last turn can still run, and only while its process does.
    if turns and not _runs(process):
        turns[-1] = _ended(turns[-1], CUT_OFF)
    return SavedSession(session_id, (*map(_ended, turns[:-1]), *turns[-1:]))


def _turn(body: dict[str, Any]) -> SavedTurn:
    """A turn read from its file.

    Raises:
        KeyError, TypeError, ValueError, OverflowError: Spark cannot have saved this.
    """
    when = datetime.fromisoformat(body["time"]).astimezone(UTC)
    tuples = {key: tuple(body.get(key, ())) for key in ("journal_ids", "taken")}
    turn = SavedTurn(**body | tuples | {"time": when})
    texts = (turn.id, turn.instruction, turn.path, turn.status, turn.message, turn.patch)
    counts = [turn.start_line, turn.end_line, *turn.taken]
    if turn.extent is not None:
        counts.append(turn.extent)
    if not all(isinstance(text, str) for text in (*texts, *turn.journal_ids)):
        raise TypeError
    if not all(type(number) is int for number in counts):
        raise TypeError
    return turn


def _ended(turn: SavedTurn, message: str = "") -> SavedTurn:
    """A turn that nobody continues: the next one has begun, or its process is gone."""
    if turn.status != Status.RUNNING.value:
        return turn
    return replace(turn, status=Status.INTERRUPTED.value, message=message)


def added(session: SavedSession, turn: SavedTurn) -> SavedSession:
    """A session with one turn more, or with a newer state of a turn.

    The oldest turns beyond `MOST_TURNS` are forgotten.
    """
    others: Sequence[SavedTurn] = [each for each in session.turns if each.id != turn.id]
    return replace(session, turns=(*others, turn)[-MOST_TURNS:])


class Memory:
    """Saves the turns of a session in a store, on threads of its own.

    Args:
        store: None: nothing is saved.
        tell: Called once when nothing can be saved.
    """

    def __init__(self, repo: Repository, store: SessionStore | None, tell: Tell) -> None:
        self._repo = repo
        self._store = store
        self._tell = tell
        self._accepts: dict[str, dict[str, int]] = {}
        """For each turn the journal's ids of what was accepted, and their numbers of lines."""
        self.session_id = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
        """The id under which this session is saved."""
        self._session = SavedSession(self.session_id, ())
        self._writing = Lock()
        self._refused = False
        self._listing = Lock()
        self._under_way = list[Thread]()

    def accepted(self, turn: Turn, entry: JournalEntry, taken: int) -> None:
        """Save a turn of which something was just accepted.

        Args:
            taken: How many of its lines were taken; see `ReviewedFile.extent`.
        """
        self._accepts[turn.id] = {**self._accepts.get(turn.id, {}), entry.id: taken}
        self.keep(turn)

    def reserve(self) -> None:
        """Let this session be gone on with even if it gets no turn."""
        if self._store is None:
            return
        try:
            self._store.reserve(self.session_id)
        except FileError as e:
            self._tell(str(e))

    def go_on(self, session_id: str) -> SavedSession:
        """Save in a session that was saved or reserved before, from now on.

        Raises:
            UsageError: There is none.
            FileError: The session is damaged.
        """
        if self._store is None:
            raise UsageError("no sessions are saved here")
        saved = self._store.load(session_id)
        if saved.id != session_id:
            raise UsageError(f"there is no session {session_id!r}")
        with self._writing:
            self.session_id = saved.id
            self._session = saved
        return saved

    def keep(self, *turns: Turn) -> None:
        """Save turns as they are, a moment from now."""
        if self._store is not None:
            thread = Thread(target=self._write, args=(self._store, turns), name="spark-save")
            with self._listing:
                thread.start()
                self._under_way = [*filter(Thread.is_alive, self._under_way), thread]

    def wait(self, seconds: float) -> None:
        """Wait until everything is saved, at most for this time."""
        end = monotonic() + seconds
        for thread in self._under_way:
            thread.join(max(0.0, end - monotonic()))

    def _saved(self, turn: Turn) -> SavedTurn:
        path = str(turn.region.path)
        accepts = self._accepts.get(turn.id, {})
        patch = ""
        if turn.status is not Status.RUNNING and not may_hold_secrets(self._repo, path):
            patch = self._patch(turn)
        return SavedTurn(
            id=turn.id,
            time=turn.begun_at,
            instruction=_asked(turn.request),
            path=path,
            start_line=turn.region.start_line,
            end_line=turn.region.end_line,
            status=turn.status.value,
            message=turn.message,
            patch=patch,
            journal_ids=tuple(accepts),
            taken=tuple(accepts.values()),
            extent=turn.file.extent,
        )

    def _patch(self, turn: Turn) -> str:
        try:
            return proposed_by(self._repo, turn).decode("utf-8", "surrogateescape")
        except SparkError:  # the file cannot be read any more; the rest is worth saving
            return ""

    def _write(self, store: SessionStore, turns: Sequence[Turn]) -> None:
        with self._writing:
            for turn in turns:
                self._session = added(self._session, self._saved(turn))
            try:
                store.save(self._session)
            except SparkError as e:
                if not self._refused:
                    self._tell(str(e))
                self._refused = True


def _asked(request: Request) -> str:
    """The instruction with its place, so that the same can be asked again."""
    if not (path := request.path):
        return request.instruction
    place = mention(path, symbol=request.symbol, lines=request.lines)
    return at_place(request.instruction, place, lambda name: path if name == path else None)
