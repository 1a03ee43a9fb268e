import os
import stat
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from spark_tui.errors import Conflict, FileError, SparkError, Transient, UsageError
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.history import BatchState
from spark_tui.vcs.journal import BatchPhase, JournalEntry, frame, unframe
from spark_tui.vcs.lock import exclusive
from spark_tui.vcs.policy import Trust
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.staging import Stager
from tests.vcs.benches import Crash, dies_at
from tests.vcs.repos import AWKWARD, git, tree, write_files

A = b"one\ntwo\nthree\n"
A2 = b"one\n2\nthree\n"
B = b"x = 1\r\ny = 2\r\n"
B2 = b"x = 1\r\ny = 2\r\nz = 3\r\n"


def change(path: str, before: bytes | None, after: bytes | None) -> FileChange:
    return FileChange(path, before, after)


def states(batches: Batches) -> list[tuple[str, BatchState]]:
    return [(batch.entry.description, batch.state) for batch in batches.log()]


def test_an_accept_writes_every_file_and_says_so(root: Path, batches: Batches) -> None:
    entry = batches.accept([change("a.py", A, A2), change("pkg/b.py", B, B2)], "rename two")

    assert tree(root) == {"a.py": A2, "pkg/b.py": B2}
    assert [file.path for file in entry.files] == ["a.py", "pkg/b.py"]
    assert [(batch.entry, batch.state) for batch in batches.log()] == [(entry, BatchState.APPLIED)]


def test_nothing_but_the_files_of_the_batch_changes(root: Path, batches: Batches) -> None:
    index = (root / ".git" / "index").read_bytes()
    batches.accept([change("a.py", A, A2)], "edit")
    batches.undo()

    assert (root / ".git" / "index").read_bytes() == index
    assert tree(root) == {"a.py": A, "pkg/b.py": B}
    assert sorted(path.name for path in root.iterdir()) == [".git", "a.py", "pkg"]


def test_files_come_into_being_with_their_folders_and_go_with_them(
    root: Path, batches: Batches
) -> None:
    batches.accept([change("new/deep/c.py", None, b"c\n"), change("pkg/b.py", B, None)], "move")
    assert tree(root) == {"a.py": A, "new/deep/c.py": b"c\n"}
    assert not (root / "pkg").exists()

    batches.undo()
    assert tree(root) == {"a.py": A, "pkg/b.py": B}
    assert not (root / "new").exists()

    batches.redo()
    assert tree(root) == {"a.py": A, "new/deep/c.py": b"c\n"}


NEW_IN_EMPTY = change("empty/deep/c.py", None, b"c\n")


def test_a_folder_that_was_empty_before_stays_when_what_came_into_it_goes(
    root: Path, batches: Batches
) -> None:
    (root / "empty").mkdir()
    batches.accept([NEW_IN_EMPTY], "make")
    for undo, redo in [(batches.undo, batches.redo)] * 2:
        undo()
        assert list((root / "empty").iterdir()) == []
        redo()
    batches.undo()
    (root / "empty/deep").mkdir()
    batches.redo()
    batches.undo()
    assert (root / "empty/deep").is_dir()


def test_a_folder_that_was_empty_before_stays_where_nothing_is_written(
    root: Path, batches: Batches
) -> None:
    (root / "empty").mkdir()
    with pytest.raises(Conflict):
        batches.accept([NEW_IN_EMPTY, change("a.py", A2, A)], "make")
    assert list((root / "empty").iterdir()) == []


def test_a_folder_that_was_empty_before_stays_wherever_a_batch_is_cut_short(
    root: Path, repo: Repository, batches: Batches, state_dir: Path
) -> None:
    (root / "empty").mkdir()
    for number in range(200):
        disk = Disk(dies_at(number))
        try:
            Batches(repo, state_dir, disk=disk).accept([NEW_IN_EMPTY], "make")
            Batches(repo, state_dir, disk=disk).undo()
        except Crash:
            batches.recover()
            if (root / "empty/deep/c.py").exists():
                batches.undo()
            assert list((root / "empty").iterdir()) == [], number
        else:
            break
    assert number > 20


def test_an_undo_of_a_batch_of_an_earlier_spark_removes_empty_folders(
    root: Path, repo: Repository, batches: Batches, state_dir: Path
) -> None:
    batches.accept([NEW_IN_EMPTY], "make")
    (journal,) = state_dir.glob("journals/*/journal")
    lines = list[bytes]()
    for line in journal.read_bytes().splitlines():
        body = unframe(line)
        assert body is not None
        for file in body.get("entry", {}).get("files", ()):
            assert file.pop("folders") == 2
        lines.append(frame(body | {"v": 2}))
    journal.write_bytes(b"".join(lines))
    Batches(repo, state_dir).undo()
    assert not (root / "empty").exists()


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_bytes_go_and_come_back_exactly(root: Path, batches: Batches, name: str) -> None:
    before = AWKWARD[name]
    (root / "a.py").write_bytes(before)
    batches.accept([change("a.py", before, before + b"\nadded")], "add")
    assert (root / "a.py").read_bytes() == before + b"\nadded"

    batches.undo()
    assert (root / "a.py").read_bytes() == before


@pytest.mark.parametrize("mode", [0o755, 0o644, 0o600, 0o444, 0o775])
def test_permission_bits_are_kept(root: Path, batches: Batches, mode: int) -> None:
    (root / "a.py").chmod(mode)

    steps: list[Callable[[], JournalEntry]] = [
        lambda: batches.accept([change("a.py", A, A2)], "edit"),
        batches.undo,
        batches.redo,
    ]
    for step in steps:
        step()
        assert stat.S_IMODE((root / "a.py").stat().st_mode) == mode


def test_a_deleted_script_comes_back_executable(root: Path, batches: Batches) -> None:
    (root / "a.py").chmod(0o755)
    batches.accept([change("a.py", A, None)], "delete")
    batches.undo()

    assert stat.S_IMODE((root / "a.py").stat().st_mode) == 0o755


def test_a_new_file_has_the_mode_asked_for(root: Path, batches: Batches) -> None:
    batches.accept([FileChange("run.py", None, b"x\n", mode=0o750)], "new")

    assert stat.S_IMODE((root / "run.py").stat().st_mode) == 0o750


@pytest.mark.parametrize(
    ("stale", "words"),
    [
        (change("pkg/b.py", b"older\n", B2), r"pkg/b\.py has changed on disk"),
        (change("pkg/b.py", None, B2), r"pkg/b\.py exists already"),
        (change("gone.py", B, B2), r"gone\.py is gone"),
    ],
)
def test_a_file_that_is_not_what_was_reviewed_stops_the_whole_batch(
    root: Path, batches: Batches, stale: FileChange, words: str
) -> None:
    with pytest.raises(Conflict, match=words):
        batches.accept([change("a.py", A, A2), stale], "stale")

    assert tree(root) == {"a.py": A, "pkg/b.py": B}
    assert batches.log() == ()


def test_the_same_size_and_time_do_not_hide_a_change(root: Path, batches: Batches) -> None:
    old = (root / "a.py").stat()
    (root / "a.py").write_bytes(A.replace(b"one", b"eno"))
    os.utime(root / "a.py", ns=(old.st_atime_ns, old.st_mtime_ns))

    with pytest.raises(Conflict):
        batches.accept([change("a.py", A, A2)], "edit")


@pytest.mark.parametrize(
    "changes", [[], [change("a.py", A, A)], [change("a.py", A, A2), change("a.py", A, b"")]]
)
def test_a_batch_must_change_something_and_each_file_once(
    batches: Batches, changes: list[FileChange]
) -> None:
    with pytest.raises(UsageError):
        batches.accept(changes, "odd")


def test_undo_takes_the_last_accept_that_is_in_force_and_redo_the_last_undo(
    root: Path, batches: Batches
) -> None:
    versions = [A, b"1\n" + A, b"0\n1\n" + A]
    for before, after in pairwise(versions):
        batches.accept([change("a.py", before, after)], f"step {after[:1].decode()}")

    def disk_after(step: str) -> bytes:
        getattr(batches, step)()
        return (root / "a.py").read_bytes()

    walk = ["undo", "undo", "redo", "undo", "redo", "redo", "undo"]
    assert [versions.index(disk_after(step)) for step in walk] == [1, 0, 1, 0, 1, 2, 1]
    assert [state for text, state in states(batches) if text.startswith("step")] == [
        BatchState.UNDONE,
        BatchState.APPLIED,
    ]


def test_after_everything_is_undone_there_is_nothing_to_undo(batches: Batches) -> None:
    with pytest.raises(UsageError, match="nothing to undo"):
        batches.undo()
    batches.accept([change("a.py", A, A2)], "edit")
    batches.undo()

    with pytest.raises(UsageError, match="nothing to undo"):
        batches.undo()


def test_a_new_accept_ends_the_chance_to_redo(root: Path, batches: Batches) -> None:
    batches.accept([change("a.py", A, A2)], "edit")
    batches.undo()
    batches.accept([change("pkg/b.py", B, B2)], "other")

    with pytest.raises(UsageError, match="nothing to redo"):
        batches.redo()
    assert tree(root) == {"a.py": A, "pkg/b.py": B2}


def test_undoing_an_undo_by_its_id_is_a_redo(root: Path, batches: Batches) -> None:
    accept = batches.accept([change("a.py", A, A2)], "edit")
    undo = batches.undo()
    redo = batches.undo(undo.id)

    assert (root / "a.py").read_bytes() == A2
    assert (undo.undoes, redo.redoes) == (accept.id, accept.id)
    assert states(batches) == [
        ("redo edit", BatchState.APPLIED),
        ("undo edit", BatchState.UNDONE),
        ("edit", BatchState.APPLIED),
    ]
    assert batches.undo(redo.id).undoes == accept.id


def test_an_earlier_batch_is_undone_by_the_start_of_its_id(root: Path, batches: Batches) -> None:
    first = batches.accept([change("a.py", A, b"zero\n" + A)], "first")
    batches.accept([change("a.py", b"zero\n" + A, b"zero\n" + A + b"four\n")], "second")
    batches.undo(first.id[:6])

    assert (root / "a.py").read_bytes() == A + b"four\n"


def test_an_id_must_name_one_batch_that_is_in_force(batches: Batches) -> None:
    entry = batches.accept([change("a.py", A, A2)], "edit")
    batches.undo(entry.id)

    with pytest.raises(UsageError, match="is not in force"):
        batches.undo(entry.id)
    with pytest.raises(UsageError, match="no batch begins with 'zzz'"):
        batches.undo("zzz")


def test_undo_keeps_what_the_user_edited_elsewhere_in_the_file(
    root: Path, batches: Batches
) -> None:
    before = b"".join(b"line %d\r\n" % number for number in range(9)) + b"no newline at the end"
    accepted = before.replace(b"line 7\r\n", b"line seven\r\nand more\r\n")
    (root / "a.py").write_bytes(before)
    batches.accept([change("a.py", before, accepted)], "edit")
    (root / "a.py").write_bytes(accepted.replace(b"line 1\r\n", b"mine\r\n"))

    batches.undo()
    assert (root / "a.py").read_bytes() == before.replace(b"line 1\r\n", b"mine\r\n")
    batches.redo()
    assert (root / "a.py").read_bytes() == accepted.replace(b"line 1\r\n", b"mine\r\n")


def test_taking_back_an_undo_gives_the_very_bytes_that_were_there_before_it(
    root: Path, batches: Batches
) -> None:
    """The undo finds the deleted line of one file written again, and leaves it; a merge would
    delete it again.
    """
    first = batches.accept(
        [change("a.py", A, b"one\ntwo\n"), change("pkg/b.py", B, B2)], "delete three"
    )
    batches.accept([change("a.py", b"one\ntwo\n", b"zero\n" + A)], "write it again")
    undo = batches.undo(first.id)
    assert tree(root) == {"a.py": b"zero\n" + A, "pkg/b.py": B}

    batches.undo(undo.id)
    assert tree(root) == {"a.py": b"zero\n" + A, "pkg/b.py": B2}


@pytest.mark.parametrize("now", [A, b"zero\n" + A])
def test_undo_with_nothing_to_do_says_so_and_leaves_the_log_alone(
    root: Path, batches: Batches, now: bytes
) -> None:
    batches.accept([change("a.py", A, A2)], "edit")
    (root / "a.py").write_bytes(now)
    with pytest.raises(UsageError, match="nothing to undo"):
        batches.undo()
    assert states(batches) == [("edit", BatchState.APPLIED)]

    (root / "a.py").write_bytes(A2)
    batches.undo()
    assert tree(root)["a.py"] == A
    (root / "a.py").write_bytes(A2)
    with pytest.raises(UsageError, match="nothing to redo"):
        batches.redo()
    assert states(batches) == [("undo edit", BatchState.APPLIED), ("edit", BatchState.UNDONE)]


@pytest.mark.parametrize("now", [None, b"edited\n"])
def test_undo_of_a_new_file_that_changed_since_leaves_it(
    root: Path, batches: Batches, now: bytes | None
) -> None:
    batches.accept([change("new.py", None, b"new\n"), change("a.py", A, A2)], "new")
    (root / "new.py").unlink()
    if now is None:
        batches.undo()
        assert tree(root) == {"a.py": A, "pkg/b.py": B}
        return
    (root / "new.py").write_bytes(now)

    with pytest.raises(Conflict, match=r"new\.py was edited since") as caught:
        batches.undo()
    assert "-new\n+edited\n" in caught.value.detail
    assert tree(root) == {"a.py": A2, "new.py": now, "pkg/b.py": B}


def test_undo_works_after_restart_commit_checkout_and_gc(
    root: Path, batches: Batches, state_dir: Path
) -> None:
    batches.accept([change("a.py", A, A2)], "edit")
    git(root, "commit", "--quiet", "--all", "--message=second")
    git(root, "checkout", "--quiet", "-b", "other")
    git(root, "gc", "--quiet", "--prune=now")
    Batches(Repository.discover(root), state_dir).undo()

    assert (root / "a.py").read_bytes() == A
    assert git(root, "show", "HEAD:a.py") == A2


def test_another_spark_that_holds_the_lock_makes_us_try_later(
    root: Path, repo: Repository, batches: Batches, state_dir: Path, tmp_path: Path
) -> None:
    git(root, "worktree", "add", "--quiet", "-b", "other", str(tmp_path / "linked"))
    linked = Batches(Repository.discover(tmp_path / "linked"), state_dir)

    with exclusive(state_dir / "locks" / repo.lock_key):
        for contender in (batches, linked):
            with pytest.raises(
                Transient, match=rf"another spark \(process {os.getpid()}\) is writing"
            ):
                contender.accept([change("a.py", A, A2)], "edit")
    assert tree(root)["a.py"] == A

    batches.accept([change("a.py", A, A2)], "edit")
    assert tree(root)["a.py"] == A2


def test_a_state_directory_that_cannot_be_written_is_a_clear_line(
    root: Path, repo: Repository, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"")
    batches = Batches(repo, tmp_path / "file" / "spark")

    with pytest.raises(FileError, match=r"cannot write to .*; set XDG_STATE_HOME"):
        batches.accept([change("a.py", A, A2)], "edit")
    assert tree(root)["a.py"] == A


def test_what_is_saved_is_for_the_user_alone(batches: Batches, state_dir: Path) -> None:
    batches.accept([change("a.py", A, A2)], "edit")

    modes = {stat.S_IMODE(path.stat().st_mode) for path in state_dir.rglob("*") if path.is_file()}
    assert modes == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in state_dir.glob("journals/*")} == {0o700}


def crash_between_the_files(repo: Repository, state_dir: Path, changes: list[FileChange]) -> None:
    """Die after the first file of a batch was replaced."""
    calls: list[str] = []

    def hook(call: str) -> None:
        calls.append(call)
        if calls.count("exchange") > 1:
            raise Crash

    with pytest.raises(Crash):
        Batches(repo, state_dir, disk=Disk(hook)).accept(changes, "cut short")


def test_the_next_operation_first_takes_back_what_a_crash_cut_short(
    root: Path, repo: Repository, batches: Batches, state_dir: Path
) -> None:
    crash_between_the_files(repo, state_dir, [change("a.py", A, A2), change("pkg/b.py", B, B2)])
    assert {path: data for path, data in tree(root).items() if path.endswith(".py")} == {
        "a.py": A2,
        "pkg/b.py": B,
    }

    batches.accept([change("new.py", None, b"new\n")], "next")

    assert tree(root) == {"a.py": A, "new.py": b"new\n", "pkg/b.py": B}
    assert states(batches) == [("next", BatchState.APPLIED)]


def test_a_batch_cut_short_whose_files_were_edited_is_shown_once_and_can_be_taken_back(
    root: Path, repo: Repository, batches: Batches, state_dir: Path
) -> None:
    crash_between_the_files(repo, state_dir, [change("a.py", A, A2), change("pkg/b.py", B, B2)])
    (root / "pkg" / "b.py").write_bytes(b"mine\r\n" + B)

    with pytest.raises(
        Conflict, match="'cut short' was cut short, and its files were edited since"
    ):
        batches.accept([change("new.py", None, b"new\n")], "next")
    assert tree(root) == {"a.py": A2, "pkg/b.py": b"mine\r\n" + B}
    assert states(batches) == [("cut short", BatchState.INTERRUPTED)]

    batches.undo()
    assert tree(root) == {"a.py": A, "pkg/b.py": b"mine\r\n" + B}
    assert states(batches)[-1] == ("cut short", BatchState.UNDONE)


def test_a_deletion_that_took_its_folder_along_is_finished_wherever_it_was_cut_short(
    root: Path, repo: Repository, batches: Batches, state_dir: Path
) -> None:
    for number in range(60):
        try:
            Batches(repo, state_dir, disk=Disk(dies_at(number))).accept(
                [change("pkg/b.py", B, None)], "delete"
            )
        except Crash:
            batches.recover()
            if not (root / "pkg").exists():
                batches.undo()
        else:
            break
        assert tree(root) == {"a.py": A, "pkg/b.py": B}
    assert not (root / "pkg").exists()


@pytest.mark.parametrize("kept", [1, 2])
def test_a_journal_without_its_last_lines_leaves_files_that_were_written(
    root: Path, batches: Batches, state_dir: Path, repo: Repository, kept: int
) -> None:
    batches.accept([change("a.py", A, A2)], "edit")
    (journal,) = state_dir.glob("journals/*/journal")
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:kept]))

    ended = [record.phase for record in Batches(repo, state_dir).recover()]
    if kept == 1:
        assert ended == [BatchPhase.INTERRUPTED]
        assert tree(root)["a.py"] == A2
        batches.undo()
    assert tree(root)["a.py"] == A


def test_recovery_says_what_it_did(
    root: Path, repo: Repository, batches: Batches, state_dir: Path
) -> None:
    crash_between_the_files(repo, state_dir, [change("a.py", A, A2), change("pkg/b.py", B, B2)])

    assert [(record.entry.description, record.phase) for record in batches.recover()] == [
        ("cut short", BatchPhase.ABORTED)
    ]
    assert batches.recover() == ()


def test_a_damaged_line_of_the_journal_costs_that_batch_only(
    root: Path, repo: Repository, state_dir: Path
) -> None:
    before_restart = Batches(repo, state_dir)
    before_restart.accept([change("a.py", A, A2)], "lost")
    before_restart.undo()
    (journal,) = state_dir.glob("journals/*/journal")
    journal.write_bytes(journal.read_bytes().replace(b'"lost"', b'"LOST"'))
    batches = Batches(repo, state_dir)

    with pytest.raises(SparkError, match=r"line about batch .* is damaged"):
        batches.redo()
    batches.accept([change("pkg/b.py", B, B2)], "other")
    batches.undo()
    assert tree(root) == {"a.py": A, "pkg/b.py": B}


LIKE_A_HEADER = [
    "a b/b.txt",
    "a b/a b/b.txt",
    "diff --git a/x b/x.py",
    "x\ndiff --git a/y b/y.py",
    "--- a/x +++ b/x.py",
    'quo"ted b/x.py',
    "tab\tb/x b/x.py",
    "caf\u00e9 b/caf\u00e9.py",
    "@@ -1 +1 @@ b/x.py",
    "\udce9 b/\udce9.py",
]
"""Names that a reader of patches may take for two, or for a part of a header."""


CHANGES = [(A, A2), (None, A), (A, None), (None, b""), (b"", None)]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [(path, A, A2) for path in LIKE_A_HEADER] + [("a b/b.txt", *pair) for pair in CHANGES[1:]],
)
def test_names_that_look_like_a_patch_go_through_undo_redo_and_git(
    root: Path,
    repo: Repository,
    state_dir: Path,
    path: str,
    before: bytes | None,
    after: bytes | None,
) -> None:
    untouched = {"a.py": A, "pkg/b.py": B}
    old = untouched if before is None else untouched | {path: before}
    new = untouched if after is None else untouched | {path: after}
    if before is not None:
        write_files(root, {path: before})
        git(root, "add", "--all")
    batches = Batches(repo, state_dir)
    entry = batches.accept([change(path, before, after)], "edit")
    assert tree(root) == new

    for back in (True, False):
        preview = batches.preview_undo() if back else batches.preview_redo()
        counts = [(each.path, each.added, each.removed) for each in preview.files]
        lines = len(set((after or b"").splitlines()) - set((before or b"").splitlines()))
        gone = len(set((before or b"").splitlines()) - set((after or b"").splitlines()))
        assert counts == [(path, gone, lines) if back else (path, lines, gone)]
        batches.apply(preview)
        assert tree(root) == (old if back else new)

    stager = Stager(repo, Trusting(repo, state_dir), state_dir)
    stager.stage([change(path, before, after)], [entry.id])
    staged = git(root, "ls-files", "--stage", "-z")
    git(root, "add", "--all")
    assert git(root, "ls-files", "--stage", "-z") == staged


class Trusting(Trust):
    """A user who trusts every repository."""

    def require(self, what: str) -> None:
        assert what == "staging"
