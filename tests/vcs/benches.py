"""One work tree on which a batch can be tried with a fault at a chosen call, without git and
without waiting for disks.

The batch changes a file, makes one in a new folder, deletes one, changes one that has two names,
and another.
"""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from spark_tui.vcs.blob_store import Store, content_hash
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.journal import BatchPhase, FileRecord, Journal, JournalEntry
from spark_tui.vcs.transaction import Protocol
from tests.vcs.repos import tree, write_files

OLD = {
    "a.py": b"one\ntwo\n",
    "h/linked.py": b"a = 1\nb = 2\n",
    "h/twin.py": b"a = 1\nb = 2\n",
    "pkg/b.py": b"x = 1\r\n",
    "pkg/keep.py": b"keep\n",
    "z/last.py": b"last",
}
NEW = {
    "a.py": b"one\n2\n",
    "h/linked.py": b"a = 1\nb = 22\nc = 3\n",
    "h/twin.py": b"a = 1\nb = 22\nc = 3\n",
    "new/deep/c.py": b"c\n",
    "pkg/keep.py": b"keep\n",
    "z/last.py": b"last\nmore",
}
PATHS = ["a.py", "new/deep/c.py", "pkg/b.py", "h/linked.py", "z/last.py"]

Hook = Callable[[str], None]


class Crash(BaseException):
    """The process is gone: no handler of an ordinary exception sees this."""


class Unsynced(Disk):
    """Announces what it would bring to stable storage, and spares the test the wait; writes
    into files bit by bit.
    """

    def sync(self, file: int) -> None:
        self._before("fsync")

    def write_at(self, file: int, data: bytes, start: int) -> None:
        for at in range(0, len(data), 8):
            super().write_at(file, data[at : at + 8], start + at)


def silent(_call: str) -> None:
    """A hook that does nothing."""


class Bench:
    """One work tree and its state. `told` is what the user was told."""

    def __init__(self, folder: Path) -> None:
        self.root, self.state = folder / "work", folder / "state"
        self.told: list[str] = []
        (self.state / "contents").mkdir(parents=True)
        write_files(self.root, {path: data for path, data in OLD.items() if path != "h/twin.py"})
        (self.root / "h/twin.py").hardlink_to(self.root / "h/linked.py")
        files = tuple(
            FileRecord(
                path,
                _hash(OLD.get(path)),
                _hash(NEW.get(path)),
                0o755 if path == "pkg/b.py" else None,
            )
            for path in PATHS
        )
        (self.root / "pkg" / "b.py").chmod(0o755)
        self.entry = JournalEntry("0badcafe", datetime.now(UTC), "batch", files)

    def protocol(self, before: Hook = silent) -> tuple[Protocol, Journal]:
        disk = Unsynced(before)
        journal = Journal(self.state, disk)
        store = Store(self.state / "contents", disk)
        return Protocol(self.root, journal, store, disk, tell=self.told.append), journal

    def accept(self, before: Hook = silent) -> None:
        images = [
            data for path in PATHS for data in (OLD.get(path), NEW.get(path)) if data is not None
        ]
        protocol, _ = self.protocol(before)
        protocol.carry_out(self.entry, images)
        protocol.settle(self.entry)

    def recover(self, before: Hook = silent) -> None:
        protocol, journal = self.protocol(before)
        for record in journal.read():
            if record.open:
                protocol.recover(record.entry, record.phase)

    @property
    def phase(self) -> BatchPhase | None:
        return next((record.phase for record in self.protocol()[1].read()), None)

    def files(self) -> dict[str, bytes]:
        """What is in the work tree, copies of spark's own left out while a batch is under way."""
        under_way = self.phase not in {None, BatchPhase.DONE, BatchPhase.ABORTED}
        return {
            path: data
            for path, data in tree(self.root).items()
            if not (under_way and path.endswith(".tmp"))
        }

    def check_settled(self) -> None:
        """All old or all new, as the journal says; no copy and no folder left over, and links
        are links still.
        """
        files = self.files()
        assert files == (NEW if self.phase is BatchPhase.DONE else OLD)
        assert self.phase in {None, BatchPhase.DONE, BatchPhase.ABORTED}
        folders = {path.name for path in self.root.rglob("*") if path.is_dir()}
        assert folders == ({"h", "new", "deep", "pkg", "z"} if files == NEW else {"h", "pkg", "z"})
        assert (self.root / "h/twin.py").samefile(self.root / "h/linked.py")
        if files == OLD:
            assert (self.root / "pkg" / "b.py").stat().st_mode & 0o777 == 0o755


def _hash(data: bytes | None) -> str | None:
    return None if data is None else content_hash(data)


def dies_at(number: int) -> Hook:
    """A hook that kills at the call with this number, counted from 0, and lets nothing be done
    afterwards.
    """
    calls = count()

    def hook(_call: str) -> None:
        if next(calls) >= number:
            raise Crash

    return hook


def fails_at(
    number: int, code: int, *, calls: set[str] | None = None, lasting: bool = False
) -> Hook:
    """A hook that makes one call fail, or all such calls from there on."""
    numbers = count()

    def hook(call: str) -> None:
        at = next(numbers)
        if (at == number or (lasting and at > number)) and (calls is None or call in calls):
            raise OSError(code, os.strerror(code))

    return hook


def calls_of(run: Callable[[Hook], None]) -> list[str]:
    """The names of the calls that a run makes."""
    names: list[str] = []
    run(names.append)
    return names
