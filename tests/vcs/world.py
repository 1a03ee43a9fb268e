"""A repository that spark, its user and their editor work in, in whatever order; and what must
hold all the while.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from spark_tui.editing.hunks import apply_hunks, diff
from spark_tui.editing.text import Text, undecodable
from spark_tui.errors import Conflict, SparkError, Transient, UsageError
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.batches import MOST_BYTES, Batches
from spark_tui.vcs.blob_store import content_hash
from spark_tui.vcs.commit import Committer
from spark_tui.vcs.history import BatchState, Preview
from spark_tui.vcs.journal import BatchPhase
from spark_tui.vcs.lock import exclusive
from spark_tui.vcs.policy import Trust
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.staging import Stager
from tests.vcs.benches import Crash, Unsynced
from tests.vcs.repos import AWKWARD, git

FILES = {
    "crlf.py": b"".join(b"value_%d = %d\r\n" % (n, n) for n in range(8)),
    "no_newline.py": b"def f():\n    return 1\n\n\ndef g():\n    return 2",
    "latin1.py": b"# caf\xe9\nx = 1\ny = '\xff\xfe'\nz = 3\n",
    "pkg/mixed.py": b"a\r\nb\nc\rd\r\n\x0ce\n" + AWKWARD["unicode line separators"],
    "pkg/mark.py": AWKWARD["byte order mark"],
}
WORDS = ["x = 1", "", "    return None", "# caf\u00e9", "print('\u2028')", "lone\rreturn", "\ufeff"]
NEW_PATHS = ["new.py", "deep/er/new.py"]
SMALL = 6_000
"""Bytes: a journal of this size soon has to let go of old batches."""

Files = dict[str, bytes]


class Standing(NamedTuple):
    """A file as it is on disk."""

    data: bytes
    mode: int


class CutShort(NamedTuple):
    """What a crash left behind: the files before the operation, as it would have left them, and
    as they were then.
    """

    before: Files
    after: Files
    found: Files


def propose(text: Text, random: Random) -> Text:
    """A few lines replaced, added or removed, where they may be edited."""
    for _ in range(random.randint(1, 3)):
        start = random.randint(0, len(text.lines))
        stop = min(len(text.lines), start + random.choice([0, 0, 1, 2]))
        if not any(map(undecodable, text.lines[start:stop])):
            text = text.replace_lines(start, stop, random.choices(WORDS, k=random.randint(0, 2)))
    return text


class World:
    """A repository, two sparks in it, and what must not be lost."""

    def __init__(self, folder: Path, template: Path) -> None:
        self.root, self.state = folder / "work", folder / "state"
        shutil.copytree(template, self.root)
        self.repo = Repository.discover(self.root)
        self.contents = self.state / "journals" / self.repo.key / "contents"
        self.told: list[str] = []
        self.calls_left: int | None = None
        self.at = ""
        """The calls that count; "": all."""
        self.then: Callable[[], None] = self._die
        self.most_bytes = MOST_BYTES
        self.sparks = [self.start(), self.start()]
        self.reader = self.start()
        self.dropped = 0
        self.commits = [str(self.repo.head)]
        self.committed = set(FILES.values())
        self.owed: set[bytes] = set()
        self.cut_short: CutShort | None = None
        self.before_undo: dict[tuple[str, str], tuple[bytes | None, bytes | None]] = {}

    def start(self) -> Batches:
        return Batches(
            self.repo,
            self.state,
            disk=Unsynced(self._call),
            tell=self.told.append,
            most_bytes=self.most_bytes,
        )

    def _call(self, call: str) -> None:
        if self.calls_left is not None and self.at in call:
            self.calls_left -= 1
            if self.calls_left < 0:
                self.then()

    def _die(self) -> None:
        raise Crash

    def standing(self) -> dict[str, Standing]:
        """All files of the work tree, spark's own copies included."""
        found = {}
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if name != ".git"]
            for path in (Path(folder, name) for name in names):
                found[path.relative_to(self.root).as_posix()] = Standing(
                    path.read_bytes(), path.stat().st_mode & 0o777
                )
        return found

    def files(self) -> Files:
        return {
            path: file.data for path, file in self.standing().items() if not path.endswith(".tmp")
        }

    @contextmanager
    def watched(self) -> Iterator[set[str]]:
        """Around anything spark does: what it replaces stays somewhere, and nothing of git's
        changes.

        Yields:
            A set for the files that somebody else replaced meanwhile.
        """
        before, index = self.files(), (self.root / ".git" / "index").read_bytes()
        theirs: set[str] = set()
        yield theirs
        now = self.files()
        self.owed.update(
            data for path, data in before.items() if now.get(path) != data and path not in theirs
        )
        assert (self.root / ".git" / "index").read_bytes() == index
        assert not list((self.root / ".git").glob("*.lock"))
        self.check_owed()

    def check_owed(self) -> None:
        """Whatever spark ever replaced is in git or among the saved copies, but for what the
        log says was dropped.
        """
        dropped = self.reader.missing()[1].count
        if dropped > self.dropped:
            files = (file for batch in self.reader.log() for file in batch.entry.files)
            named = {name for file in files for name in (file.before, file.after)}
            self.owed = {data for data in self.owed if content_hash(data) in named}
            self.dropped = dropped
        saved = {path.name for path in self.contents.iterdir()} if self.contents.exists() else set()
        assert not {data for data in self.owed - self.committed if content_hash(data) not in saved}

    def settle(self, random: Random) -> None:
        """Recover from a crash, perhaps with more of them; all or nothing, and a second time
        nothing happens.
        """
        if self.cut_short is None:
            return
        (before, after, found), self.cut_short = self.cut_short, None
        untouched = self.files() == found
        others = {
            path: data for path, data in self.files().items() if before.get(path) == after.get(path)
        }
        with self.watched():
            while random.random() < 0.3 and self.crashes(
                random.randrange(12), lambda spark: spark.recover()
            ):
                continue
            spark = self.sparks[0] = self.start()
            ends = [record.phase for record in spark.recover()]
            files = self.files()
            assert spark.recover() == ()
            assert self.files() == files
        assert others.items() <= files.items()
        assert len(ends) <= 1
        if untouched:
            changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
            now = {path: files.get(path) for path in changed}
            assert now in ({path: state.get(path) for path in changed} for state in (before, after))
            assert BatchPhase.INTERRUPTED not in ends
        self.check_tidy()

    def check_tidy(self) -> None:
        """No copies beside the files, no unfinished ones in the state folder."""
        assert not [path for path in self.standing() if ".spark-" in path]
        assert not list(self.contents.glob("*.*"))

    def crashes(self, number: int, operation: Callable[[Batches], object]) -> bool:
        """Let a spark die at a disk call.

        Returns:
            Whether it came to that.
        """
        self.calls_left = number
        end = self.attempt(lambda: operation(self.start()))
        self.calls_left = None
        return end is Crash

    def carry_out(
        self, spark: Batches, changes: dict[str, bytes | None], operation: Callable[[], object]
    ) -> None:
        """Do what changes these files to these contents, and see that it did so and nothing
        else.
        """
        before = self.standing()
        with self.watched():
            operation()
        after = self.standing()
        expected: dict[str, bytes | None] = {
            **{path: file.data for path, file in before.items()},
            **changes,
        }
        assert {path: file.data for path, file in after.items()} == {
            p: d for p, d in expected.items() if d is not None
        }
        assert all(file.mode == after[path].mode for path, file in before.items() if path in after)
        self.check_tidy()

    def proposal(self, random: Random) -> list[FileChange]:
        """Some hunks of what was proposed for some files; the others were rejected."""
        files = self.files()
        changes = []
        for path in random.sample(sorted(files), min(len(files), random.randint(1, 3))):
            base = Text.from_bytes(files[path])
            accepted = [hunk for hunk in diff(base, propose(base, random)) if random.random() < 0.7]
            after = apply_hunks(base, accepted).to_bytes()
            if after != files[path]:
                changes.append(FileChange(path, files[path], after))
        if random.random() < 0.15:
            path = random.choice(NEW_PATHS)
            if path in files:
                changes = [
                    *(each for each in changes if each.path != path),
                    FileChange(path, files[path], None),
                ]
            else:
                changes.append(
                    FileChange(path, None, propose(Text(("new\n",)), random).to_bytes() + b"#")
                )
        return changes

    def accept(self, random: Random) -> None:
        if changes := self.proposal(random):
            spark = random.choice(self.sparks)
            self.carry_out(
                spark,
                {change.path: change.after for change in changes},
                lambda: spark.accept(changes, "edit"),
            )

    def preview(self, spark: Batches, random: Random) -> Preview | None:
        """An undo or a redo of something, or None where it was refused."""
        log = spark.log()
        files = self.files()
        choice = random.random()
        try:
            if choice < 0.35:
                return spark.preview_undo()
            if choice < 0.6:
                return spark.preview_redo()
            if not log:
                return None
            batch = random.choice(log)
            only = (
                [random.choice(batch.entry.files).path]
                if batch.entry.files and choice > 0.85
                else None
            )
            return spark.preview_undo(batch.entry.id, only=only)
        except (Conflict, UsageError):
            assert self.files() == files
            return None

    def turn(self, random: Random) -> None:
        """Undo or redo; bytes nobody touched in between come back exactly."""
        spark = random.choice(self.sparks)
        preview = self.preview(spark, random)
        if preview is None:
            return
        before = self.files()
        changes = {change.path: change.after for change in preview.changes}
        assert changes.keys() <= set(preview.paths)
        self.carry_out(spark, changes, lambda: spark.apply(preview))
        after = self.files()
        for path in preview.paths:
            key = preview.subject.id, path
            if preview.back:
                self.before_undo[key] = before.get(path), after.get(path)
            elif (earlier := self.before_undo.pop(key, None)) and before.get(path) == earlier[
                1
            ] != earlier[0]:
                assert after.get(path) == earlier[0]

    def crash(self, random: Random) -> None:
        """Die somewhere within an accept, an undo or a redo."""
        before = self.files()
        preview = self.preview(self.sparks[0], random) if random.random() < 0.5 else None
        changes = list(preview.changes) if preview else self.proposal(random)
        if not changes:
            return
        after: dict[str, bytes | None] = {
            **before,
            **{change.path: change.after for change in changes},
        }
        with self.watched():
            died = self.crashes(
                random.randrange(80),
                lambda spark: (
                    spark.apply(preview) if preview else spark.accept(changes, "cut short")
                ),
            )
        if died:
            now = self.files()
            self.cut_short = CutShort(
                before, {path: data for path, data in after.items() if data is not None}, now
            )
            assert all(
                now.get(path) in {before.get(path), after.get(path)} for path in {*before, *after}
            )

    def race(self, random: Random) -> None:
        """An editor saves a file while spark writes it, and spark may die of it: the editor's
        version is kept.
        """
        changes = [change for change in self.proposal(random) if change.before is not None]
        if not changes:
            return
        before, after = self.files(), {change.path: change.after for change in changes}
        path = random.choice(sorted(after))
        data = (
            (before[path] + b"\nsaved %d" % random.randrange(1000))
            if random.random() < 0.9
            else after[path] or b"x"
        )
        saves: list[bytes] = []

        def save() -> None:
            saves.append(data)
            self.calls_left, self.then, self.at = (
                random.choice([None, None, 0, 1, 2, 3, 5]),
                self._die,
                "",
            )
            self.save(path, data, random)

        self.at = random.choice(["", "exchange"])
        self.calls_left, self.then = random.randrange(3 if self.at else 60), save
        try:
            with self.watched() as theirs:
                end = self.attempt(lambda: self.sparks[0].accept(changes, "raced"))
                theirs.update([path] if saves else [])
        finally:
            self.calls_left, self.then, self.at = None, self._die, ""
        if end is Crash:
            self.cut_short = CutShort(
                before, {p: d for p, d in {**before, **after}.items() if d is not None}, {}
            )
            self.settle(random)
        now = self.files()
        assert all(
            data in now.values() or (self.contents / content_hash(data)).exists() for data in saves
        )
        if end is not Crash:
            expected = {**before, **(after if end is None else {})}
            assert all(
                now.get(each) == expected[each] for each in before if each != path or not saves
            )
        for name in now.keys() - before.keys() - {path}:
            assert ".proposed-" in name or ".saved-" in name
            (self.root / name).unlink()
        self.check_tidy()

    def attempt(self, operation: Callable[[], object]) -> type[BaseException] | None:
        """Do something.

        Returns:
            What it ended in, refusals as SparkError.
        """
        try:
            operation()
        except SparkError:
            return SparkError
        except Crash:
            return Crash
        return None

    def edit(self, random: Random) -> None:
        """The user saves a file."""
        if files := self.files():
            path = random.choice(sorted(files))
            self.save(path, propose(Text.from_bytes(files[path]), random).to_bytes(), random)

    def save(self, path: str, data: bytes, random: Random) -> None:
        """As editors do: in place, or by renaming a new file over the old one."""
        target = self.root / path
        if random.random() < 0.5 or not target.exists():
            (self.root / "new~").write_bytes(data)
            target.parent.mkdir(parents=True, exist_ok=True)
            (self.root / "new~").replace(target)
        else:
            target.chmod(target.stat().st_mode | 0o200)
            target.write_bytes(data)

    def create_or_delete(self, random: Random) -> None:
        path = self.root / random.choice([*FILES, *NEW_PATHS])
        if path.exists():
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(random.choice(list(AWKWARD.values())))

    def chmod(self, random: Random) -> None:
        files = sorted(self.files())
        if files:
            (self.root / random.choice(files)).chmod(random.choice([0o644, 0o755, 0o600, 0o444]))

    def use_git(self, random: Random) -> None:
        """The user commits everything, or checks an earlier commit out over whatever there is."""
        choice = random.random()
        if choice < 0.2:
            git(self.root, "-c", "core.autocrlf=false", "add", "--all", "--", ":!*.tmp")
            git(self.root, "commit", "--quiet", "--allow-empty", "--message=more")
            self.commits.append(str(self.repo.head))
            self.committed.update(self.files().values())
        elif choice < 0.3 and (files := self.files()):
            git(self.root, "-c", "core.autocrlf=false", "add", "--", random.choice(sorted(files)))
        elif choice < 0.5:
            git(
                self.root, "checkout", "--quiet", "--force", "--detach", random.choice(self.commits)
            )

    def entries(self) -> dict[bytes, bytes]:
        """What the index has, by path."""
        listed = git(self.root, "ls-files", "--stage", "-z").split(b"\0")[:-1]
        return {path: facts for facts, _, path in (line.partition(b"\t") for line in listed)}

    def stage_or_commit(self, random: Random) -> None:
        """Bring a batch into the index or a commit, perhaps with a crash: only its files
        change, and only there.
        """
        accepted = [
            batch for batch in self.sparks[0].log() if batch.entry.is_accept and batch.in_force
        ]
        if not accepted or random.random() < 0.5:
            return
        batch = random.choice(accepted)
        standing, entries, head = self.standing(), self.entries(), str(self.repo.head)
        refused = not self.survives(random, self.sparks[0].changes(batch))
        Stager(self.repo, Trust(self.repo, self.state), self.state).tidy()
        now = self.entries()
        changed = {
            os.fsdecode(path) for path in {*entries, *now} if entries.get(path) != now.get(path)
        }
        assert self.standing() == standing
        assert changed <= (set() if refused else set(batch.in_force))
        assert not list((self.root / ".git").glob("*.lock"))
        if str(self.repo.head) != head:
            self.commits.append(str(self.repo.head))
            names = git(self.root, "diff-tree", "-r", "-z", "--name-only", head, "HEAD").split(
                b"\0"
            )[:-1]
            assert {os.fsdecode(name) for name in names} <= set(batch.in_force)

    def survives(self, random: Random, changes: Sequence[FileChange]) -> bool:
        """Stage or commit.

        Returns:
            Whether it was not refused.
        """
        trust, disk = Trust(self.repo, self.state), Unsynced(self._call)
        self.calls_left = random.randrange(20) if random.random() < 0.3 else None
        if random.random() < 0.6:
            end = self.attempt(
                lambda: Stager(self.repo, trust, self.state, disk=disk).stage(changes)
            )
        else:
            end = self.attempt(
                lambda: Committer(self.repo, trust, self.state, disk=disk).commit(
                    "spark's", changes
                )
            )
        self.calls_left = None
        return end is not SparkError

    def restart(self, random: Random) -> None:
        self.most_bytes = random.choice([MOST_BYTES, MOST_BYTES, SMALL])
        self.sparks[random.randrange(2)] = self.start()

    def while_locked(self, random: Random) -> None:
        """Another process holds the lock: nothing happens."""
        changes, before = self.proposal(random), self.standing()
        if not changes:
            return
        with exclusive(self.state / "locks" / self.repo.lock_key), pytest.raises(Transient):
            self.sparks[0].accept(changes, "locked out")
        assert self.standing() == before

    def check_whole(self) -> None:
        """At the end: every saved copy is what its name says, the log can be read, git finds
        nothing wrong.
        """
        self.settle(Random(0))
        for path in self.contents.iterdir() if self.contents.exists() else ():
            assert content_hash(path.read_bytes()) == path.name
        log = self.start().log()
        assert all(batch.state in BatchState for batch in log)
        git(self.root, "fsck", "--strict", "--no-dangling")
