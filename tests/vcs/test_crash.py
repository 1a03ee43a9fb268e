"""The write protocol under faults: at every system call it makes, the process dies, the call fails, or an editor saves.

The batch changes one file, makes one in a new folder and deletes one; whatever happens, the work tree must end up
wholly old or wholly new.
"""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from spark_tui.errors import Conflict, FileError
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.journal import FileRecord, Journal, JournalEntry, Phase
from spark_tui.vcs.protocol import Protocol
from spark_tui.vcs.store import Store, content_hash
from tests.vcs.repos import tree, write_files

OLD = {"a.py": b"one\ntwo\n", "pkg/b.py": b"x = 1\r\n", "pkg/keep.py": b"keep\n", "z/last.py": b"last"}
NEW = {"a.py": b"one\n2\n", "new/deep/c.py": b"c\n", "pkg/keep.py": b"keep\n", "z/last.py": b"last\nmore"}
PATHS = ["a.py", "new/deep/c.py", "pkg/b.py", "z/last.py"]


class Crash(BaseException):
    """The process is gone: no handler of an ordinary exception sees this."""


class Unsynced(Disk):
    """Announces what it would bring to stable storage, and spares the test the wait."""

    def sync(self, file: int) -> None:
        self._before("fsync")


class Bench:
    """One work tree and its state, on which a batch can be tried with a fault at a chosen call."""

    def __init__(self, folder: Path) -> None:
        self.root, self.state = folder / "work", folder / "state"
        (self.state / "contents").mkdir(parents=True)
        write_files(self.root, OLD)
        files = tuple(
            FileRecord(path, _hash(OLD.get(path)), _hash(NEW.get(path)), 0o755 if path == "pkg/b.py" else None)
            for path in PATHS
        )
        (self.root / "pkg" / "b.py").chmod(0o755)
        self.entry = JournalEntry("0badcafe", datetime.now(UTC), "batch", files)

    def protocol(self, before: Callable[[str], None] = lambda _call: None) -> tuple[Protocol, Journal]:
        disk = Unsynced(before)
        journal = Journal(self.state, disk)
        return Protocol(self.root, journal, Store(self.state / "contents", disk), disk), journal

    def accept(self, before: Callable[[str], None]) -> None:
        images = [data for path in PATHS for data in (OLD.get(path), NEW.get(path)) if data is not None]
        self.protocol(before)[0].carry_out(self.entry, images)

    def recover(self, before: Callable[[str], None] = lambda _call: None) -> None:
        protocol, journal = self.protocol(before)
        for record in journal.read():
            if record.phase in {Phase.PREPARE, Phase.COMMITTING}:
                protocol.recover(record.entry, record.phase)

    @property
    def phase(self) -> Phase | None:
        return next((record.phase for record in self.protocol()[1].read()), None)

    def files(self) -> dict[str, bytes]:
        return tree(self.root)

    def check_settled(self) -> None:
        """All old or all new, as the journal says; no copy and no folder left over."""
        files = self.files()
        assert files == (NEW if self.phase is Phase.DONE else OLD)
        assert self.phase in {None, Phase.DONE, Phase.ABORTED}
        folders = {path.name for path in self.root.rglob("*") if path.is_dir()}
        assert folders == ({"new", "deep", "pkg", "z"} if files == NEW else {"pkg", "z"})
        if files == OLD:
            assert (self.root / "pkg" / "b.py").stat().st_mode & 0o777 == 0o755


def _hash(data: bytes | None) -> str | None:
    return None if data is None else content_hash(data)


def dies_at(number: int) -> Callable[[str], None]:
    """A hook that kills at the call with this number, counted from 0, and lets nothing be done afterwards."""
    calls = count()

    def hook(_call: str) -> None:
        if next(calls) >= number:
            raise Crash

    return hook


def fails_at(number: int, code: int, *, calls: set[str] | None = None, lasting: bool = False) -> Callable[[str], None]:
    """A hook that makes one call fail, or all such calls from there on."""
    numbers = count()

    def hook(call: str) -> None:
        at = next(numbers)
        if (at == number or (lasting and at > number)) and (calls is None or call in calls):
            raise OSError(code, os.strerror(code))

    return hook


def calls_of(run: Callable[[Callable[[str], None]], None]) -> list[str]:
    names: list[str] = []
    run(names.append)
    return names


@pytest.fixture
def benches(tmp_path: Path) -> Iterator[Bench]:
    return (Bench(tmp_path / str(number)) for number in count())


def told(run: Callable[[], None]) -> str:
    """The words of the file error that `run` ends in; none when it succeeds."""
    try:
        run()
    except FileError as e:
        return str(e)
    return ""


def test_the_protocol_makes_these_calls_in_this_order(benches: Iterator[Bench]) -> None:
    bench = next(benches)
    keep, line = ["create", "write", "fsync", "rename"], ["open", "write", "fsync"]
    prepare = [*keep * 6, "fsync", *line, "fsync"]
    change = ["create", "write", "chmod", "fsync"]
    stage = [*change, "mkdir", "fsync", "mkdir", "fsync", "create", "write", "fsync", "mkdir", *change]
    swap = ["rename", "fsync", "rename", "fsync", "unlink", "fsync", "rmdir", "rename", "fsync"]

    assert calls_of(bench.accept) == [*prepare, *stage, *line, *swap, *line]
    assert bench.files() == NEW
    bench.check_settled()


def test_killed_at_any_call_the_files_are_old_or_new_after_recovery(benches: Iterator[Bench]) -> None:
    ends = set()
    for number in range(len(calls_of(next(benches).accept))):
        bench = next(benches)
        with pytest.raises(Crash):
            bench.accept(dies_at(number))
        whole = {**OLD, **NEW}
        assert all(data in {OLD.get(path), whole[path]} for path, data in bench.files().items() if path in whole)
        bench.recover()
        bench.check_settled()
        ends.add(bench.phase)
        settled = bench.files()
        bench.recover()
        assert bench.files() == settled

    assert ends == {None, Phase.ABORTED, Phase.DONE}


def test_killed_again_at_any_call_of_the_recovery_the_next_one_succeeds(benches: Iterator[Bench]) -> None:
    for first in range(0, len(calls_of(next(benches).accept)), 2):
        for second in count(first % 3, 3):
            bench = next(benches)
            with pytest.raises(Crash):
                bench.accept(dies_at(first))
            try:
                bench.recover(dies_at(second))
            except Crash:
                bench.recover()
                bench.check_settled()
            else:
                bench.check_settled()
                break


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS])
def test_a_call_that_fails_changes_no_file_and_is_told_in_one_line(benches: Iterator[Bench], code: int) -> None:
    for number in range(len(calls_of(next(benches).accept))):
        bench = next(benches)
        words = told(partial(bench.accept, fails_at(number, code)))
        # A folder that cannot be pruned is no failure.
        assert os.strerror(code) in words or bench.files() == NEW
        assert bench.files() in (OLD, NEW)
        bench.recover()
        bench.check_settled()


def test_a_disk_that_stays_full_changes_no_file(benches: Iterator[Bench]) -> None:
    for number in range(len(calls_of(next(benches).accept))):
        bench = next(benches)
        hook = fails_at(number, errno.ENOSPC, calls={"create", "write", "mkdir"}, lasting=True)
        words = told(partial(bench.accept, hook))
        assert "No space left" in words or bench.files() == NEW
        assert {path: data for path, data in bench.files().items() if not path.endswith(".tmp")} in (OLD, NEW)
        bench.recover()
        bench.check_settled()


def test_a_file_that_cannot_be_replaced_takes_the_others_back(benches: Iterator[Bench]) -> None:
    renames = [at for at, call in enumerate(calls_of(next(benches).accept)) if call == "rename"]
    bench = next(benches)
    with pytest.raises(FileError, match=r"cannot replace z/last\.py: Operation not permitted"):
        bench.accept(fails_at(renames[-1], errno.EPERM))

    assert bench.phase is Phase.ABORTED
    bench.check_settled()


def test_ctrl_c_at_any_call_leaves_no_mixture_even_before_recovery(benches: Iterator[Bench]) -> None:
    def interrupts_at(number: int) -> Callable[[str], None]:
        numbers = count()

        def hook(_call: str) -> None:
            if next(numbers) == number:
                raise KeyboardInterrupt

        return hook

    for number in range(len(calls_of(next(benches).accept))):
        bench = next(benches)
        with pytest.raises(KeyboardInterrupt):
            bench.accept(interrupts_at(number))
        assert bench.files() in (OLD, NEW)
        bench.recover()
        bench.check_settled()


@pytest.mark.parametrize("path", ["a.py", "pkg/b.py", "z/last.py", "new/deep/c.py"])
def test_what_an_editor_saves_during_a_batch_is_kept(benches: Iterator[Bench], path: str) -> None:
    """At every call but the one that swaps this very file: between looking and renaming there is a last instant."""
    for number in range(len(calls_of(next(benches).accept))):
        bench = next(benches)
        calls: list[str] = []

        def save(call: str, bench: Bench = bench, calls: list[str] = calls, number: int = number) -> None:
            if len(calls) == number and call not in {"rename", "unlink"}:
                write_files(bench.root, {path: b"saved by the editor\n"})
            calls.append(call)

        try:
            bench.accept(save)
        except Conflict:
            assert bench.phase in {Phase.ABORTED, None}
            assert {**bench.files(), path: b""} == {**OLD, path: b""}
        if calls[number] not in {"rename", "unlink"}:
            assert bench.files()[path] == b"saved by the editor\n"


@pytest.mark.parametrize("path", ["a.py", "z/last.py"])
def test_recovery_keeps_its_hands_off_files_edited_after_the_crash(benches: Iterator[Bench], path: str) -> None:
    seen = set()
    for number in range(len(calls_of(next(benches).accept))):
        bench = next(benches)
        with pytest.raises(Crash):
            bench.accept(dies_at(number))
        write_files(bench.root, {path: b"edited\n"})
        others = {**bench.files(), path: b"edited\n"}
        bench.recover()
        seen.add(bench.phase)

        assert bench.files()[path] == b"edited\n"
        assert not list(bench.root.rglob("*.tmp"))
        if bench.phase is Phase.INTERRUPTED:
            assert bench.files() == {name: data for name, data in others.items() if not name.endswith(".tmp")}
        else:
            assert {**bench.files(), path: b""} in ({**OLD, path: b""}, {**NEW, path: b""})

    assert seen >= {Phase.ABORTED, Phase.INTERRUPTED}


def test_recovery_is_not_stopped_by_a_file_that_became_a_link(benches: Iterator[Bench]) -> None:
    renames = [at for at, call in enumerate(calls_of(next(benches).accept)) if call == "rename"]
    bench = next(benches)
    with pytest.raises(Crash):
        bench.accept(dies_at(renames[-1]))
    (bench.root / "z" / "last.py").unlink()
    (bench.root / "z" / "last.py").symlink_to("../a.py")
    bench.recover()

    assert bench.phase is Phase.INTERRUPTED
    assert (bench.root / "z" / "last.py").is_symlink()


_KILLED = """
import json, os, shutil, signal, sys
from pathlib import Path
from spark_tui.vcs.batches import Batches, FileChange
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.repository import Repository

root, state = Path(sys.argv[1]), Path(sys.argv[2])
repo = Repository.discover(root)
old = {path: (root / path).read_bytes() for path in ("a.py", "pkg/b.py")}
changes = [FileChange(path, data, data + b"added\\n") for path, data in old.items()]
ends = []
while not ends or ends[-1] != "survived":
    for path, data in old.items():
        (root / path).write_bytes(data)
    left = [len(ends)]
    def hook(call):
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
    child = os.fork()
    if not child:
        Batches(repo, state, disk=Disk(hook)).accept(changes, "killed")
        os._exit(0)
    _, status = os.waitpid(child, 0)
    Batches(repo, state).recover()
    files = [(root / change.path).read_bytes() for change in changes]
    end = "old" if files == [c.before for c in changes] else "new" if files == [c.after for c in changes] else "MIXED"
    end = "LITTER" if list(root.rglob("*.tmp")) else end
    ends.append(end if os.WIFSIGNALED(status) else "survived")
print(json.dumps(ends))
"""


def test_really_killed_at_any_call_the_next_spark_finds_the_lock_free_and_the_files_whole(
    root: Path, state_dir: Path
) -> None:
    arguments = [sys.executable, "-c", _KILLED, str(root), str(state_dir)]
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    done = subprocess.run(arguments, env=environment, capture_output=True, check=False)
    ends = json.loads(done.stdout or "[]")

    assert done.stderr == b""
    assert set(ends) == {"old", "new", "survived"}
    assert len(ends) > 20
