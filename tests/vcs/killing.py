"""Operations that are killed at every call, really: by SIGKILL, in a process of their own.

`python -m tests.vcs.killing` kills one at each call its Disk makes, or by strace at each system
call; `tests/vcs/kills.py` starts that. An operation takes part by having a line in `OPERATIONS`.
"""

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path

from spark_tui.errors import Conflict
from spark_tui.session.turn_store import SavedSession, SavedTurn, SessionStore
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.commit import Committer
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.history import BatchState, Chosen
from spark_tui.vcs.own_folder import NOTE
from spark_tui.vcs.policy import Trust
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.staging import Stager
from tests.vcs.repos import git, make_repo, name_somebody, tree, write_files

# Source: prctl(2): PR_SET_CHILD_SUBREAPER, PR_SET_PTRACER, PR_SET_PTRACER_ANY.
_ADOPT_ORPHANS = 36
_SET_TRACER = 0x59616D61
_ANYBODY = 2**64 - 1

OLD = {
    "a.py": b"one\ntwo\n",
    "h/linked.py": b"a = 1\nb = 2\n",
    "h/twin.py": b"a = 1\nb = 2\n",
    "pkg/b.py": b"x = 1\r\n",
}
NEW = {
    "a.py": b"one\n2\n",
    "h/linked.py": b"a = 1\nb = 22\nc = 3\n",
    "h/twin.py": b"a = 1\nb = 22\nc = 3\n",
    "new/c.py": b"c\n",
}


@dataclass(frozen=True, slots=True)
class Operation:
    """Something that must be done wholly or not at all, all in one folder of its own.

    Args:
        prepare: Makes what it needs in an empty folder.
        run: Does it, all changes to the disk by the Disk given.
        recover: What the next start of spark does.
        end: "old" where nothing was done, "new" where all was, and any other words for what must
            not be.
    """

    prepare: Callable[[Path], None]
    run: Callable[[Path, Disk], None]
    recover: Callable[[Path, Disk], None]
    end: Callable[[Path], str]


def batches_in(folder: Path, disk: Disk | None = None) -> Batches:
    """Those of the repository in a folder."""
    return Batches(Repository.discover(folder / "work"), folder / "state", disk=disk)


def _prepare(folder: Path) -> None:
    root = make_repo(folder / "work", OLD)
    (root / "h/twin.py").unlink()
    (root / "h/twin.py").hardlink_to(root / "h/linked.py")


def _accept(folder: Path, disk: Disk | None = None) -> None:
    paths = sorted((OLD.keys() | NEW.keys()) - {"h/twin.py"})
    changes = [FileChange(path, OLD.get(path), NEW.get(path)) for path in paths]
    batches_in(folder, disk).accept(changes, "killed")


def _prepare_undo(folder: Path) -> None:
    _prepare(folder)
    _accept(folder)


def _prepare_redo(folder: Path) -> None:
    _prepare_undo(folder)
    batches_in(folder).undo()


def _undo(folder: Path, disk: Disk) -> None:
    batches_in(folder, disk).undo()


def _redo(folder: Path, disk: Disk) -> None:
    batches_in(folder, disk).redo()


def _recover(folder: Path, disk: Disk) -> None:
    batches_in(folder, disk).recover()


def _end(folder: Path, *, back: bool = False) -> str:
    files = tree(folder / "work")
    if not (folder / "work/h/twin.py").samefile(folder / "work/h/linked.py"):
        return "the link is gone"
    if files not in (OLD, NEW):
        return f"mixed: {files}"
    return "new" if (files == NEW) is not back else "old"


EDITED = {"a.py": b"one\nzwei\n"}
"""A later edit, in the very line that the accept changed."""


def _prepare_undo_and_keep(folder: Path) -> None:
    _prepare_undo(folder)
    write_files(folder / "work", EDITED)


def _undo_and_keep(folder: Path, disk: Disk) -> None:
    batches = batches_in(folder, disk)
    try:
        batches.preview_undo()
    except Conflict as e:
        preview = batches.preview_undo(chosen=Chosen(e.detail, keep=True))
        batches.apply(preview)


def _end_of_undo_and_keep(folder: Path) -> str:
    """The other files go back, and the log says what the files are."""
    files = tree(folder / "work")
    states = [batch.state for batch in batches_in(folder).log()]
    if files == {**NEW, **EDITED} and states == [BatchState.APPLIED]:
        return "old"
    if files == {**OLD, **EDITED} and states == [BatchState.APPLIED, BatchState.UNDONE]:
        return "new"
    return f"mixed: {files}, {states}"


class _Trusted(Trust):
    """A user who trusts every repository."""

    def __init__(self) -> None:
        """Look at none."""

    def require(self, what: str) -> None:
        """Refuse nothing."""


BY_HAND = {"a.py": b"by hand\none\ntwo\n", "pkg/b.py": OLD["pkg/b.py"] + b"y = 2\r\n"}
STAGED = {**BY_HAND, "a.py": b"by hand\none\n2\n", "new/c.py": b"c\n"}
COMMITTED = {**OLD, "a.py": b"one\n2\n", "new/c.py": b"c\n"}
INTO_GIT = (
    FileChange("a.py", b"by hand\none\ntwo\n", STAGED["a.py"]),
    FileChange("new/c.py", None, b"c\n"),
)


def _prepare_index(folder: Path) -> None:
    """Some files are staged by hand, and edited on."""
    root = make_repo(folder / "work", OLD)
    name_somebody(root)
    write_files(root, BY_HAND)
    git(root, "add", "--all")
    write_files(root, {**STAGED, "pkg/b.py": b"not staged\n"})


_STAGED_EDIT = (FileChange("a.py", OLD["a.py"], NEW["a.py"]), FileChange("new/c.py", None, b"c\n"))


def _prepare_undo_of_staged(folder: Path) -> None:
    """An edit is accepted and staged, among others that are not."""
    root = make_repo(folder / "work", OLD)
    entry = batches_in(folder).accept(_STAGED_EDIT, "killed")
    _stager(folder).stage(_STAGED_EDIT, [entry.id, entry.id])
    write_files(root, {"pkg/b.py": b"not staged\n"})


def _end_of_undo_of_staged(folder: Path) -> str:
    """The files go back, and the index along with them."""
    root = folder / "work"
    litter = [path.name for path in (root / ".git").glob("spark-*.tmp*")]
    if litter or (root / ".git/index.lock").exists():
        return f"left: {litter}"
    new = {"a.py": NEW["a.py"], "new/c.py": b"c\n"}
    staged = {path: git(root, "cat-file", "blob", f":{path}") for path in _staged(root)}
    files = {path: data for path, data in tree(root).items() if path in new}
    match files == new, staged == new, files == {"a.py": OLD["a.py"]}, staged == {}:
        case (True, True, _, _):
            return "old"
        case (_, _, True, True):
            return "new"
    return f"mixed: {files}, {staged}"


def _staged(root: Path) -> list[str]:
    return _lines(git(root, "diff", "--cached", "--name-only"))


def _stager(folder: Path, disk: Disk | None = None) -> Stager:
    return Stager(Repository.discover(folder / "work"), _Trusted(), folder / "state", disk=disk)


def _stage(folder: Path, disk: Disk) -> None:
    _stager(folder, disk).stage(INTO_GIT)


def _commit(folder: Path, disk: Disk) -> None:
    repo = Repository.discover(folder / "work")
    Committer(repo, _Trusted(), folder / "state", disk=disk).commit("killed", INTO_GIT)


def _tidy(folder: Path, disk: Disk) -> None:
    _stager(folder, disk).tidy()


def _end_in_git(folder: Path, *, commits: bool) -> str:
    """Staged without a commit is the old state of a commit; a commit that the index lacks is
    neither.
    """
    root = folder / "work"
    index = {
        path: git(root, "cat-file", "blob", f":{path}") for path in _lines(git(root, "ls-files"))
    }
    head = {
        path: git(root, "cat-file", "blob", f"HEAD:{path}")
        for path in _lines(git(root, "ls-tree", "-r", "HEAD"))
    }
    litter = [
        path.name
        for path in (root / ".git").iterdir()
        if path.name.startswith(("spark-", "index."))
    ]
    changed = (root / "pkg" / "b.py").read_bytes() != b"not staged\n"
    if litter or changed or b"missing" in git(root, "fsck", "--connectivity-only"):
        return f"lost or left: {litter}"
    match index == {**OLD, **STAGED}, index == {**OLD, **BY_HAND}, head == COMMITTED, head == OLD:
        case (True, _, True, _):
            return "new"
        case (True, _, _, True):
            return "old" if commits else "new"
        case (_, True, _, True):
            return "old"
    return f"mixed: {index}, {head}"


def _lines(listed: bytes) -> list[str]:
    return [line.partition(b"\t")[2].decode() or line.decode() for line in listed.splitlines()]


TURN = SavedTurn(
    "t1", datetime(2026, 1, 2, tzinfo=UTC), "rename it", "a.py", 1, 2, "ok", patch="+line\n" * 1000
)
SAVED = SavedSession("s1", (TURN,))
SAVED_NEXT = SavedSession("s1", (TURN, replace(TURN, id="t2")))


def _prepare_session(folder: Path) -> None:
    (folder / "work").mkdir()
    SessionStore(folder / "sessions").save(SAVED)


def _save_session(folder: Path, disk: Disk) -> None:
    SessionStore(folder / "sessions", disk).save(SAVED_NEXT)


def _nothing(folder: Path, disk: Disk) -> None:
    """A start has nothing to set right."""


def _end_of_session(folder: Path) -> str:
    found = SessionStore(folder / "sessions").list()
    names = {SAVED: "old", SAVED_NEXT: "new"}
    return names.get(found[0], "mixed") if len(found) == 1 else f"mixed: {found}"


OPERATIONS = {
    "accept": Operation(_prepare, _accept, _recover, _end),
    "undo": Operation(_prepare_undo, _undo, _recover, partial(_end, back=True)),
    "undo_and_keep": Operation(
        _prepare_undo_and_keep, _undo_and_keep, _recover, _end_of_undo_and_keep
    ),
    "redo": Operation(_prepare_redo, _redo, _recover, _end),
    "stage": Operation(_prepare_index, _stage, _tidy, partial(_end_in_git, commits=False)),
    "undo_staged": Operation(_prepare_undo_of_staged, _undo, _recover, _end_of_undo_of_staged),
    "commit": Operation(_prepare_index, _commit, _tidy, partial(_end_in_git, commits=True)),
    "save": Operation(_prepare_session, _save_session, _nothing, _end_of_session),
}


class Ground:
    """A folder in which an operation can be begun again and again, each time from the same
    state at the same place.
    """

    def __init__(self, operation: Operation, folder: Path) -> None:
        self.here = folder / "ground"
        self._kept = folder / "kept"
        self.here.mkdir(parents=True)
        operation.prepare(self.here)
        self._copy(self.here, self._kept)

    def reset(self) -> Path:
        """Make all as it was before the operation."""
        shutil.rmtree(self.here)
        self._copy(self._kept, self.here)
        # A copy is another folder, so the notes about the first one are none about it.
        for note in self.here.rglob(f"*{NOTE}"):
            note.unlink()
        return self.here

    @staticmethod
    def _copy(source: Path, target: Path) -> None:
        subprocess.run(["cp", "-a", str(source), str(target)], check=True)


def _dies_at(number: int) -> Disk:
    calls = count()

    def hook(_call: str) -> None:
        if next(calls) == number:
            os.kill(os.getpid(), signal.SIGKILL)

    return Disk(hook)


def _killed(run: Callable[[Path, Disk], None], folder: Path, number: int) -> bool:
    """Do something in a child that dies at the call with this number; returns whether it came
    so far.
    """
    child = os.fork()
    if not child:
        run(folder, _dies_at(number))
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def ends(
    name: str, folder: Path, *, start: int = 0, step: int = 1, again: bool = False
) -> Iterator[str]:
    """How an operation ended, once for each call it was killed at, after what the next start does.

    Args:
        start, step: The calls to take.
        again: Kill that as well, at each of its calls.
    """
    operation = OPERATIONS[name]
    ground = Ground(operation, folder)
    for number in count(start, step):
        for second in count(start % step, step):
            here = ground.reset()
            if not _killed(operation.run, here, number):
                return
            killed_again = again and _killed(operation.recover, here, second)
            operation.recover(here, Disk())
            yield _end_or_litter(operation, here)
            if not killed_again:
                break


def traced_ends(name: str, folder: Path, call: str, *, seldom: bool = False) -> Iterator[str]:
    """How an operation ended, once for each time that it made a system call and was killed there.

    At first only spark's own process is killed, and programs that it started come to their end.
    Then each of them is killed, too. The last end is that of a run in which nothing was killed.

    Args:
        seldom: Kill it at the first, the second, the fourth, the eighth time, and so on, alone.
    """
    operation = OPERATIONS[name]
    ground = Ground(operation, folder)
    for options in ([], ["-f"]):
        for turn in count(1):
            number = 2 ** (turn - 1) if seldom else turn
            here = ground.reset()
            inject = ["-e", f"trace={call}", "-e", f"inject={call}:signal=SIGKILL:when={number}"]
            is_killed = _killed_by_strace(operation.run, here, [*options, *inject])
            operation.recover(here, Disk())
            yield _end_or_litter(operation, here)
            if not is_killed:
                break


def _killed_by_strace(
    run: Callable[[Path, Disk], None], folder: Path, options: Sequence[str]
) -> bool:
    """Do something in a child under strace, until that and all it started has ended.

    Returns:
        Whether strace has killed anything.
    """
    trace = folder.parent / "trace"
    child = os.fork()
    if not child:
        ctypes.CDLL(None).prctl(_SET_TRACER, ctypes.c_ulong(_ANYBODY), 0, 0, 0)
        # Traced from here on, without the thousands of calls of a start.
        os.kill(os.getpid(), signal.SIGSTOP)
        with suppress(BaseException):
            run(folder, Disk())
        os._exit(0)
    os.waitpid(child, os.WUNTRACED)
    command = ["strace", "-o", str(trace), *options, "-p", str(child)]
    ctypes.CDLL(None).prctl(_ADOPT_ORPHANS, 1, 0, 0, 0)
    with subprocess.Popen(command, stderr=subprocess.PIPE) as tracer:
        assert tracer.stderr is not None
        assert b" attached" in tracer.stderr.readline()
        os.kill(child, signal.SIGCONT)
        tracer.stderr.read()  # to its end: strace goes on writing
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)
    return b"killed by SIGKILL" in trace.read_bytes()


def _end_or_litter(operation: Operation, here: Path) -> str:
    litter = [path.name for path in (here / "work").rglob("*.tmp")]
    return f"litter: {litter}" if litter else operation.end(here)


def main(words: Sequence[str]) -> None:
    """Kill the operation that the words of a command line name, and write how it ended."""
    name, folder, *rest = words
    if len(rest) == 2:
        call, how = rest
        found = traced_ends(name, Path(folder), call, seldom=how == "seldom")
    else:
        start, step, again = rest
        found = ends(name, Path(folder), start=int(start), step=int(step), again=again == "again")
    sys.stdout.write(json.dumps(list(found)))


if __name__ == "__main__":
    main(sys.argv[1:])
