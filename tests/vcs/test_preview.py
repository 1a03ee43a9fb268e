"""What undo and redo say before they do it, file by file, and what they refuse."""

from pathlib import Path

import pytest

from spark_tui.errors import Conflict, SparkError, UsageError
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.history import BatchState, Chosen
from spark_tui.vcs.patch import FileSummary
from tests.vcs.repos import git, tree
from tests.vcs.test_batches import states

A = b"one\ntwo\nthree\n"
A2 = b"one\n2\nthree\nfour\n"
B = b"x = 1\r\ny = 2\r\n"
B2 = b"x = 10\r\ny = 2\r\n"


@pytest.fixture
def accepted(batches: Batches) -> str:
    return batches.accept([FileChange("a.py", A, A2), FileChange("pkg/b.py", B, B2)], "edit").id


@pytest.mark.usefixtures("accepted")
def test_a_preview_says_what_becomes_of_each_file_and_writes_nothing(
    root: Path, batches: Batches
) -> None:
    preview = batches.preview_undo()

    assert preview.files == (FileSummary("a.py", 1, 2), FileSummary("pkg/b.py", 1, 1))
    assert b"+two\n three\n-four\n" in preview.patch
    assert tree(root) == {"a.py": A2, "pkg/b.py": B2}
    assert len(batches.log()) == 1


@pytest.mark.usefixtures("accepted")
def test_what_was_previewed_is_what_is_done_or_nothing(root: Path, batches: Batches) -> None:
    preview = batches.preview_undo()
    (root / "a.py").write_bytes(A2 + b"mine\n")
    with pytest.raises(Conflict, match=r"a\.py has changed on disk"):
        batches.apply(preview)
    assert tree(root) == {"a.py": A2 + b"mine\n", "pkg/b.py": B2}

    git(root, "apply", "--whitespace=nowarn", stdin=batches.preview_undo(only=["pkg/b.py"]).patch)
    assert tree(root)["pkg/b.py"] == B


MINE = b"zero\none\nzwei\nthree\nfour\n"
"""A2 edited in a line that the batch brought, and in another one."""


def clash(root: Path, batches: Batches) -> Conflict:
    (root / "a.py").write_bytes(MINE)
    with pytest.raises(Conflict) as caught:
        batches.preview_undo()
    assert caught.value.choosable
    return caught.value


@pytest.mark.usefixtures("accepted")
@pytest.mark.parametrize(("keep", "line"), [(True, b"zwei\n"), (False, b"two\n")])
def test_what_clashes_is_as_the_user_chose_all_else_is_undone_and_a_redo_brings_every_byte_back(
    root: Path, batches: Batches, keep: bool, line: bytes
) -> None:
    chosen = Chosen(clash(root, batches).detail, keep)
    batches.apply(batches.preview_undo(chosen=chosen))
    assert tree(root) == {"a.py": b"zero\none\n" + line + b"three\n", "pkg/b.py": B}
    batches.redo()
    assert tree(root) == {"a.py": MINE, "pkg/b.py": B2}


@pytest.mark.usefixtures("accepted")
def test_a_clash_that_the_user_did_not_see_so_is_not_overcome(root: Path, batches: Batches) -> None:
    chosen = Chosen(clash(root, batches).detail, keep=False)
    (root / "a.py").write_bytes(MINE.replace(b"zwei", b"deux"))
    with pytest.raises(Conflict, match=r"the same lines of a\.py") as caught:
        batches.preview_undo(chosen=chosen)
    assert "-deux" in caught.value.detail


def test_a_file_that_is_gone_is_no_clash_to_choose_in(
    root: Path, batches: Batches, accepted: str
) -> None:
    (root / "pkg/b.py").unlink()
    (root / "a.py").write_bytes(MINE)
    with pytest.raises(Conflict) as caught:
        batches.preview_undo(accepted)
    assert not caught.value.choosable


def test_one_file_of_a_batch_is_undone_and_redone_alone(
    root: Path, batches: Batches, accepted: str
) -> None:
    undo = batches.undo(accepted, only=["pkg/b.py"])
    assert tree(root) == {"a.py": A2, "pkg/b.py": B}
    assert states(batches) == [("undo edit", BatchState.APPLIED), ("edit", BatchState.PARTLY)]

    batches.undo(accepted)
    assert tree(root) == {"a.py": A, "pkg/b.py": B}
    assert states(batches)[-1] == ("edit", BatchState.UNDONE)

    batches.undo(undo.id)
    assert tree(root) == {"a.py": A, "pkg/b.py": B2}
    batches.redo(accepted)
    assert tree(root) == {"a.py": A2, "pkg/b.py": B2}
    assert states(batches)[-1] == ("edit", BatchState.APPLIED)


def test_redo_goes_back_over_undos_of_single_files_one_by_one(
    root: Path, batches: Batches, accepted: str
) -> None:
    batches.undo(accepted, only=["a.py"])
    batches.undo(accepted, only=["pkg/b.py"])
    batches.redo()
    assert tree(root) == {"a.py": A, "pkg/b.py": B2}
    batches.redo()
    assert tree(root) == {"a.py": A2, "pkg/b.py": B2}
    with pytest.raises(UsageError, match="nothing to redo"):
        batches.redo()


def test_a_file_that_the_user_took_back_already_counts_as_undone(
    root: Path, batches: Batches, accepted: str
) -> None:
    (root / "a.py").write_bytes(A)
    with pytest.raises(UsageError, match="nothing to undo"):
        batches.undo(accepted, only=["a.py"])
    batches.undo(accepted)

    assert states(batches)[-1] == ("edit", BatchState.UNDONE)
    assert tree(root) == {"a.py": A, "pkg/b.py": B}
    batches.redo()
    assert tree(root) == {"a.py": A2, "pkg/b.py": B2}


def test_a_file_can_be_named_as_it_is_shown_where_only_one_is_shown_so(
    root: Path, batches: Batches
) -> None:
    odd = ["t\tb.py", "t\x01.py", "t\u2401.py"]
    entry = batches.accept([FileChange(path, None, A) for path in odd], "x")
    batches.undo(entry.id, only=["t\u2409b.py"])
    assert set(tree(root)) == {"a.py", "pkg/b.py", "t\x01.py", "t\u2401.py"}
    batches.undo(entry.id, only=["t\u2401.py"])
    assert set(tree(root)) == {"a.py", "pkg/b.py", "t\x01.py"}


def test_only_what_is_in_force_can_be_undone_or_redone(batches: Batches, accepted: str) -> None:
    with pytest.raises(UsageError, match="is in force; nothing to redo"):
        batches.redo(accepted)
    with pytest.raises(UsageError, match=r"c\.py is not a file for which"):
        batches.undo(accepted, only=["c.py"])
    batches.undo(accepted, only=["a.py"])
    with pytest.raises(UsageError, match=r"a\.py is not a file for which"):
        batches.undo(accepted, only=["a.py"])


def test_where_one_file_conflicts_the_rest_is_offered(
    root: Path, batches: Batches, accepted: str
) -> None:
    (root / "pkg" / "b.py").write_bytes(b"x = 11\r\ny = 2\r\n")
    with pytest.raises(Conflict) as caught:
        batches.undo()

    assert "the same lines of pkg/b.py were edited since; nothing was written" in str(caught.value)
    assert f"`spark undo {accepted} --file a.py` takes back the rest" in str(caught.value)
    assert caught.value.detail.split("\n")[1:] == ["-x = 11\r", "+x = 1\r", "=x = 10\r"]
    assert tree(root) == {"a.py": A2, "pkg/b.py": b"x = 11\r\ny = 2\r\n"}


@pytest.mark.usefixtures("accepted")
def test_all_files_that_conflict_are_named_and_shown(root: Path, batches: Batches) -> None:
    (root / "a.py").write_bytes(A2.replace(b"2", b"zwei"))
    (root / "pkg" / "b.py").write_bytes(b"x = 11\r\ny = 2\r\n")
    with pytest.raises(
        Conflict, match=r"lines of a\.py were edited .*lines of pkg/b\.py were edited"
    ) as caught:
        batches.undo()

    assert "--file" not in str(caught.value)
    assert "a.py:2:" in caught.value.detail
    assert "pkg/b.py:1:" in caught.value.detail


@pytest.mark.usefixtures("accepted")
def test_a_file_that_was_renamed_is_named(root: Path, batches: Batches) -> None:
    git(root, "mv", "a.py", "moved.py")
    with pytest.raises(
        Conflict, match=r"a\.py is gone; moved\.py has what was in it; nothing was written"
    ):
        batches.undo()

    assert tree(root) == {"moved.py": A2, "pkg/b.py": B2}


def test_a_damaged_copy_stops_what_needs_it_and_says_what_else_can_be_done(
    root: Path, batches: Batches, accepted: str, state_dir: Path
) -> None:
    for path in state_dir.glob("journals/*/contents/*"):
        if path.read_bytes() == B:
            path.write_bytes(b"rotten")
    with pytest.raises(SparkError) as caught:
        batches.undo()
    for words in (
        "pkg/b.py cannot be undone",
        "is damaged",
        "`git log -p -- pkg/b.py`",
        "--file a.py` takes back",
    ):
        assert words in str(caught.value)
    assert tree(root) == {"a.py": A2, "pkg/b.py": B2}

    batches.undo(accepted, only=["a.py"])
    assert tree(root) == {"a.py": A, "pkg/b.py": B2}
    assert [path.read_bytes() for path in state_dir.glob("journals/*/damaged-*")] == [b"rotten"]
