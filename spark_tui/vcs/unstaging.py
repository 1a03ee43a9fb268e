"""What spark staged for which batch, and what becomes of the index when one is taken back, or done again, in the files.

What spark staged for it goes out of the index, too, where the entry still is the one that spark put there. In all
other cases the index stays as it is, and the user is told what it holds.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from spark_tui.editing.rebase import transplant
from spark_tui.editing.text import Text
from spark_tui.errors import SparkError, UsageError
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.framing import frame, unframe
from spark_tui.vcs.index import Entry, Index
from spark_tui.vcs.journal import Tell
from spark_tui.vcs.lock import exclusive
from spark_tui.vcs.paths import check_path
from spark_tui.vcs.preview import Preview
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.write import FileChange

_NAME = "spark-staged"
_MOST = 200
"""Steps that are remembered."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a change came to in the index. Args: batch: its id. before, after: the entry of `path`; None: none."""

    batch: str
    path: str
    before: Entry | None
    after: Entry | None


class Staged:
    """The steps taken in the index of one work tree, kept beside it; its lock guards them."""

    def __init__(self, repo: Repository, index: Index) -> None:
        self._file = repo.git_dir / _NAME
        self._index = index

    def note(self, steps: Sequence[Step]) -> None:
        """Remember steps that are about to be taken. The caller holds the index. Raises: FileError."""
        kept = [*self._read(), *(each for each in steps if each.before != each.after)][-_MOST:]
        self._index.keep(_NAME, b"".join(frame(asdict(each)) for each in kept))

    def last(self, batch: str) -> dict[str, Step]:
        """What was last staged for a batch, by path."""
        return {each.path: each for each in self._read() if each.batch == batch}

    def _read(self) -> list[Step]:
        """Those that can be read: without one, the user is told what the index holds."""
        try:
            lines = self._file.read_bytes().splitlines()
        except OSError:
            return []
        steps = (_step(body) for body in map(unframe, lines) if body is not None)
        return [step for step in steps if step is not None]


class Unstaging:
    """Follows what is done to the files of one work tree. The caller holds spark's lock on the repository."""

    def __init__(self, repo: Repository, disk: Disk, tell: Tell) -> None:
        self._index = Index(repo, disk)
        self._staged = Staged(repo, self._index)
        self._tell = tell

    def tidy(self) -> None:
        """Remove what a spark that was killed left in the git directory: the user's git may be waiting for that."""
        if self._index.is_littered():
            self._index.tidy()

    def tidy_alone(self, lock: Path) -> None:
        """Do so where no other spark is at work. Args: lock: spark's on the repository."""
        if self._index.is_littered():
            with suppress(SparkError), exclusive(lock, patience=0.0):
                self._index.tidy()

    def follow(self, done: Preview) -> None:
        """Bring the index along, or say that it was not. Args: done: what was just carried out."""
        steps = {path: each for path, each in self._staged.last(done.subject.id).items() if path in done.paths}
        try:
            if done.back:
                self._taken_back(done, steps)
            else:
                now = self._index.entries(steps) if steps else {}
                if out := ", ".join(path for path, step in steps.items() if now.get(path) == step.before):
                    self._tell(f"this was staged in {out} before it was taken back, not now; `git add` stages it")
        except SparkError as e:
            self._tell(f"the files are as you want them, but git's index may not be: {e}")

    def _taken_back(self, done: Preview, steps: Mapping[str, Step]) -> None:
        out = self._take_out(steps)
        left = {each.path: each for each in done.changes if each.path not in out}
        staged = self._index.differing(left) if left else {}
        held = [path for path, entry in staged.items() if self._holds(entry, left[path])]
        branch = self._index.committed(held) if held else {}
        committed = [path for path in held if path in branch and self._holds(branch[path], left[path])]
        if committed:
            self._tell(
                f"git's branch still has this edit of {', '.join(committed)}; `git diff` shows what you took back"
            )
        if kept := [path for path in held if path not in committed]:
            self._tell(f"git's index still holds this edit of {', '.join(kept)}; `git diff --staged` shows it")

    def _take_out(self, steps: Mapping[str, Step]) -> Collection[str]:
        """Set the entries that still are what spark made of them to what they were. Returns: their paths."""
        if not self._still_there(steps):
            return ()
        with self._index.replacing() as copy:
            entries = self._still_there(steps)
            self._index.change(copy, entries)
        return entries.keys()

    def _still_there(self, steps: Mapping[str, Step]) -> dict[str, Entry | None]:
        now = self._index.differing(steps) if steps else {}
        return {path: steps[path].before for path, entry in now.items() if entry == steps[path].after}

    def _holds(self, entry: Entry | None, change: FileChange) -> bool:
        """Whether an entry still has what a change took away."""
        data = None if entry is None else self._index.read(entry, change.path)
        if data is None or change.before is None or change.after is None:
            return data == change.before
        try:
            target = Text.from_bytes(data, change.path)
            return transplant(*change.texts, target) != target
        except SparkError:
            return False


def _step(body: Mapping[str, Any]) -> Step | None:
    """What a record says; None where spark cannot have written it."""
    try:
        step = Step(body["batch"], body["path"], _entry(body["before"]), _entry(body["after"]))
        entries = [entry for entry in (step.before, step.after) if entry is not None]
        texts = [step.batch, step.path]
        for entry in entries:
            texts += [entry.mode, entry.blob]
        if not all(isinstance(text, str) for text in texts):
            return None
        check_path(step.path)
    except (KeyError, TypeError, UsageError):
        return None
    return step


def _entry(body: Mapping[str, Any] | None) -> Entry | None:
    return None if body is None else Entry(body["mode"], body["blob"])
