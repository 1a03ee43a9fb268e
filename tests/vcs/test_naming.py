"""Whose journal it is, when repositories are moved, copied and made anew."""

import errno
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from spark_tui.errors import DiskError, UsageError
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.repository import Repository
from tests.fakes import git, make_repo

A, A2 = b"one\n", b"two\n"


@pytest.fixture
def one(tmp_path: Path) -> Path:
    """A repository in which something was accepted."""
    root = make_repo(tmp_path / "one", {"a.py": A})
    accept(root, "first")
    return root


def opened(root: Path) -> Batches:
    return Batches(Repository.discover(root), root.parent / "state")


def accept(root: Path, words: str) -> None:
    before = (root / "a.py").read_bytes()
    opened(root).accept([FileChange("a.py", before, A2 if before == A else before + A2)], words)


def log(root: Path) -> list[str]:
    return [batch.entry.description for batch in opened(root).log()]


def test_a_moved_repository_finds_its_journal_again_and_again(one: Path) -> None:
    root = one
    for name in ("two", "three"):
        root = root.rename(one.parent / name)
        assert log(root) == ["first"]
    accept(root, "second")
    root = root.rename(one)
    assert log(root) == ["second", "first"]
    opened(root).undo()
    opened(root).undo()
    assert (root / "a.py").read_bytes() == A


def test_another_repository_in_the_old_place_begins_with_nothing(one: Path) -> None:
    moved = one.rename(one.parent / "moved")
    make_repo(one, {"a.py": A})
    assert (log(one), opened(one).older is None) == ([], False)
    with pytest.raises(UsageError, match="nothing to undo"):
        opened(one).undo()
    accept(one, "other")
    assert (log(one), log(moved), opened(one).older) == (["other"], ["first"], None)


@pytest.mark.parametrize("first", ["copy", "one"])
def test_a_copy_shares_nothing_with_what_it_is_a_copy_of(one: Path, first: str) -> None:
    copy = one.parent / "copy"
    shutil.copytree(one, copy, symlinks=True)
    assert (log(copy), log(one)) == ([], ["first"])
    older = opened(copy).older
    assert older is not None
    assert (older / "journal").exists()

    accept(one.parent / first, "second")
    accept(one if first == "copy" else copy, "third")
    assert log(copy) == ["second" if first == "copy" else "third"]
    assert log(one) == ["third" if first == "copy" else "second", "first"]


def test_a_repository_restored_in_its_place_keeps_its_journal(one: Path) -> None:
    shutil.copytree(one, one.parent / "backup", symlinks=True)
    shutil.rmtree(one)
    (one.parent / "backup").rename(one)
    assert log(one) == ["first"]


def test_a_linked_work_tree_has_its_own_and_keeps_it_when_moved(one: Path) -> None:
    git(one, "worktree", "add", "--quiet", "../linked")
    linked = one.parent / "linked"
    (linked / "a.py").write_bytes(A)
    accept(linked, "there")
    git(one, "worktree", "move", "../linked", "../elsewhere")
    assert (log(one), log(one.parent / "elsewhere")) == (["first"], ["there"])


def test_looking_leaves_nothing_in_the_git_directory(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "one", {"a.py": A})
    names = sorted((root / ".git").iterdir())
    assert log(root) == []
    with pytest.raises(UsageError):
        opened(root).undo()
    assert sorted((root / ".git").iterdir()) == names


@pytest.mark.parametrize("said", [b"", b"../../etc", b"/etc", b".", b"x" * 500, b"\xff\n"])
def test_a_name_that_is_none_is_no_name(tmp_path: Path, said: bytes) -> None:
    root = make_repo(tmp_path / "one", {"a.py": A})
    (root / ".git" / "spark-id").write_bytes(said)
    accept(root, "first")
    assert log(root) == ["first"]
    assert sorted(path.name for path in (tmp_path / "state" / "journals").iterdir()) == [
        Repository.discover(root).key
    ]


def test_a_journal_from_before_names_is_taken_on(one: Path) -> None:
    (one / ".git" / "spark-id").unlink()
    (one.parent / "state" / "journals" / Repository.discover(one).key / "place").unlink()
    assert log(one) == ["first"]


@pytest.mark.parametrize("code", [errno.EIO, errno.EMFILE, errno.ENOMEM, errno.EACCES])
@pytest.mark.parametrize("name", ["spark-id", "place"])
def test_a_name_that_cannot_be_read_begins_no_other_journal(
    one: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: int
) -> None:
    real = os.open

    def refuse(path: Any, *more: Any, **named: Any) -> int:
        if Path(os.fsdecode(path)).name == name:
            raise OSError(code, os.strerror(code))
        return real(path, *more, **named)

    monkeypatch.setattr("os.open", refuse)
    with pytest.raises(DiskError, match=f"cannot read .*{name}: {os.strerror(code)}; "):
        opened(one)
    monkeypatch.undo()
    assert log(one) == ["first"]
