"""A file that a change renames: one file under one name, whatever is decided of it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from spark_tui.editing.multi_file import heading_change
from spark_tui.session.change_review import Patch, WorkTree
from spark_tui.session.request import Request
from spark_tui.session.session import Session
from spark_tui.session.turn import Turn
from spark_tui.session.work_tree_review import WorkTreeFile
from spark_tui.vcs.atomic_write import FileChange
from tests.fakes import git, scripted_session
from tests.session.partial_patches import files_of

LINES = [f"line {number}\n" for number in range(30)]
OLD = "".join(LINES).encode()
NEW = "".join(["first\n", *LINES[1:-1], "last\n"]).encode()
BEFORE: dict[str, bytes] = {"a.txt": b"a\n", "m/old.txt": OLD, "z.txt": b"z\n"}
AFTER: dict[str, bytes] = {"a.txt": b"A\n", "n/new.txt": NEW, "z.txt": b"z\n"}


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with closing(scripted_session(tmp_path, BEFORE, {})) as opened:
        yield opened


def give(session: Session, files: dict[str, bytes]) -> None:
    """Give the work tree exactly these files."""
    root = session.repo.root
    for name in files_of(root).keys() - files.keys():
        (root / name).unlink()
    for name, data in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(data)


def in_place(session: Session, after: dict[str, bytes]) -> Turn:
    give(session, after)
    return session.begin_review(WorkTree(), Request("review HEAD"))


def as_patch(session: Session, after: dict[str, bytes], *options: str) -> Turn:
    """A review of the same change as a patch, whose files are as before."""
    give(session, after)
    git(session.repo.root, "add", "--all")
    patch = git(session.repo.root, "diff", "--cached", "-M", *options)
    git(session.repo.root, "reset", "--quiet", "--hard")
    return session.begin_review(Patch("p", patch), Request("review p"))


def decide(session: Session, turn: Turn, hunk_id: str, *, accept: bool) -> None:
    if isinstance(turn.file, WorkTreeFile):
        session.settle(turn, [hunk_id], accept=accept)
    elif accept:
        session.accept(turn, [hunk_id], allow=None)
    else:
        session.reject(turn, [hunk_id])


def name_of(turn: Turn) -> str:
    """The id of the hunk that is the new name."""
    (found,) = (hunk.id for hunk in turn.hunks if "renamed" in heading_change(hunk.old, hunk.new))
    return found


def expected(taken: set[int]) -> dict[str, bytes]:
    """The files with some of the four hunks: of a.txt, the new name, the first line, the last."""
    lines = list(LINES)
    if 2 in taken:
        lines[0] = "first\n"
    if 3 in taken:
        lines[-1] = "last\n"
    return {
        "a.txt": AFTER["a.txt"] if 0 in taken else BEFORE["a.txt"],
        "n/new.txt" if 1 in taken else "m/old.txt": "".join(lines).encode(),
        "z.txt": b"z\n",
    }


@pytest.mark.parametrize("open_review", [in_place, as_patch])
@pytest.mark.parametrize("taken", [set(), {1}, {2}, {1, 3}, {0, 2, 3}, {0, 1, 2, 3}])
@pytest.mark.parametrize("backwards", [False, True])
def test_each_decision_leaves_the_file_once_and_undo_gives_back_the_bytes(
    open_review: object, taken: set[int], backwards: bool, session: Session
) -> None:
    assert callable(open_review)
    turn = open_review(session, AFTER)
    begun = files_of(session.repo.root)
    ids = [hunk.id for hunk in turn.hunks]
    assert len(ids) == 4
    assert name_of(turn) == ids[1]
    order = list(enumerate(ids))
    if backwards:
        order.reverse()
    for number, hunk_id in order:
        decide(session, turn, hunk_id, accept=number in taken)
        names = files_of(session.repo.root).keys()
        assert len({"m/old.txt", "n/new.txt"} & names) == 1
    assert not turn.hunks
    assert files_of(session.repo.root) == expected(taken)
    while any(batch.in_force for batch in session.past.log() if batch.entry.is_accept):
        session.undo()
    assert files_of(session.repo.root) == begun


def test_all_of_it_is_one_batch_with_one_undo(session: Session) -> None:
    turn = as_patch(session, AFTER)
    session.accept(turn, [hunk.id for hunk in turn.hunks], allow=None)
    assert files_of(session.repo.root) == AFTER
    session.undo()
    assert files_of(session.repo.root) == BEFORE
    assert len(turn.hunks) == 4
    session.redo()
    assert files_of(session.repo.root) == AFTER
    assert not turn.hunks


@pytest.mark.parametrize("open_review", [in_place, as_patch])
def test_a_mere_rename_is_one_hunk(open_review: object, session: Session) -> None:
    assert callable(open_review)
    moved = {"a.txt": b"a\n", "n/new.txt": OLD, "z.txt": b"z\n"}
    turn = open_review(session, moved)
    (hunk,) = turn.hunks
    assert heading_change(hunk.old, hunk.new) == "n/new.txt, renamed from m/old.txt"
    decide(session, turn, hunk.id, accept=True)
    assert files_of(session.repo.root) == moved


def test_an_executable_file_is_executable_under_its_new_name_and_after_an_undo(
    session: Session,
) -> None:
    root = session.repo.root
    (root / "m/old.txt").chmod(0o755)
    git(root, "commit", "--quiet", "--all", "-m", "x")
    git(root, "mv", "m/old.txt", "new.txt")
    patch = git(root, "diff", "--cached", "-M")
    git(root, "reset", "--quiet", "--hard")
    turn = session.begin_review(Patch("p", patch), Request("review p"))
    decide(session, turn, name_of(turn), accept=True)
    assert (root / "new.txt").stat().st_mode & 0o100
    session.undo()
    assert (root / "m/old.txt").stat().st_mode & 0o100


def test_edits_made_meanwhile_under_the_new_name_are_seen(session: Session) -> None:
    turn = in_place(session, AFTER)
    give(session, AFTER | {"n/new.txt": NEW.replace(b"line 15\n", b"fifteen\n")})
    decide(session, turn, turn.hunks[0].id, accept=True)
    assert [len(hunk.new) for hunk in turn.hunks] == [1, 1, 1, 1]
    decide(session, turn, name_of(turn), accept=False)
    assert b"fifteen\n" in files_of(session.repo.root)["m/old.txt"]
    assert "n/new.txt" not in files_of(session.repo.root)


def test_the_changes_of_a_task_are_paired_as_git_pairs_them(session: Session) -> None:
    changes = [
        FileChange("a.txt", b"a\n", None),
        FileChange("m/old.txt", OLD, None),
        FileChange("n/new.txt", None, NEW),
        FileChange("other.txt", None, b"nothing alike\n"),
    ]
    turn = session.propose("task 1", changes, [])
    assert len(turn.hunks) == 5
    decide(session, turn, name_of(turn), accept=True)
    assert files_of(session.repo.root) == {"a.txt": b"a\n", "n/new.txt": OLD, "z.txt": b"z\n"}
