"""A journal that may not grow: the oldest batches go first, never the last one, nor what others
need.
"""

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from spark_tui.errors import UsageError
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.blob_store import content_hash
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.repository import Repository
from tests.vcs.benches import Crash, Unsynced
from tests.vcs.repos import tree

Edit = Callable[[Batches, int], None]


@pytest.fixture(autouse=True)
def _no_second_opinion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_tui.vcs.batches._ask_git", lambda *_: None)


@pytest.fixture
def small(repo: Repository, state_dir: Path, told: list[str]) -> Batches:
    """Batches of which about five fit."""
    return Batches(repo, state_dir, disk=Unsynced(), tell=told.append, most_bytes=15_000)


def edit(root: Path, batches: Batches, number: int, path: str = "a.py") -> str:
    """Write a version of about 2,000 bytes."""
    before = (root / path).read_bytes()
    after = b"".join(b"version %d, line %d\n" % (number, line) for line in range(100))
    return batches.accept([FileChange(path, before, after)], f"edit {number}").id


def descriptions(batches: Batches) -> list[str]:
    return [batch.entry.description for batch in batches.log()]


def contents(state_dir: Path) -> set[str]:
    return {path.name for path in state_dir.glob("journals/*/contents/*")}


def test_the_oldest_batches_give_way_and_the_user_is_told(
    root: Path, small: Batches, state_dir: Path, told: list[str]
) -> None:
    for number in range(30):
        edit(root, small, number)
        assert descriptions(small)[0] == f"edit {number}"
    left = descriptions(small)

    assert left == [f"edit {number}" for number in range(29, 29 - len(left), -1)]
    assert 2 <= len(left) <= 6
    assert sum(path.stat().st_size for path in state_dir.rglob("*") if path.is_file()) <= 15_000
    assert all(
        "oldest batches, up to 20" in words and "journal_megabytes" in words for words in told
    )
    assert small.missing()[1].count == 30 - len(left)
    named = {
        name
        for batch in small.log()
        for file in batch.entry.files
        for name in (file.before, file.after)
    }
    assert contents(state_dir) == named, "contents go with the last batch that names them"


def test_what_is_left_can_be_undone_to_the_byte(root: Path, small: Batches) -> None:
    versions = [(root / "a.py").read_bytes()]
    for number in range(12):
        edit(root, small, number)
        versions.append((root / "a.py").read_bytes())
    left = len(versions)
    while any(batch.in_force and batch.entry.is_accept for batch in small.log()):
        small.undo()
        versions.pop()
        assert (root / "a.py").read_bytes() == versions[-1]
    assert 2 <= left - len(versions) <= 6
    with pytest.raises(UsageError, match="nothing to undo"):
        small.undo()


def test_a_batch_larger_than_all_that_is_allowed_stays_until_the_next(
    root: Path, repo: Repository, state_dir: Path, told: list[str]
) -> None:
    tiny = Batches(repo, state_dir, tell=told.append, most_bytes=10)
    edit(root, tiny, 1)
    assert (descriptions(tiny), told) == (["edit 1"], [])
    edit(root, tiny, 2)
    assert (descriptions(tiny), len(told)) == (["edit 2"], 1)
    tiny.undo()
    tiny.redo()
    assert descriptions(tiny) == ["redo edit 2", "undo edit 2", "edit 2"]


def test_an_accept_that_was_just_undone_is_not_old(
    root: Path, repo: Repository, state_dir: Path
) -> None:
    batches = Batches(repo, state_dir, disk=Unsynced(), most_bytes=40_000)
    first = edit(root, batches, 0, "pkg/b.py")
    for number in range(1, 10):
        edit(root, batches, number)
    batches.undo(first)
    numbers = count(10)
    while "edit 1" in descriptions(batches):
        edit(root, batches, next(numbers))

    assert "edit 0" in descriptions(batches)


def test_another_spark_sees_that_the_journal_was_rewritten(
    root: Path, repo: Repository, small: Batches, state_dir: Path
) -> None:
    other = Batches(repo, state_dir)
    for number in range(20):
        edit(root, small, number)
        assert descriptions(other) == descriptions(small)
    other.undo()
    assert descriptions(small)[0] == "undo edit 19"


def test_contents_that_a_damaged_record_names_are_kept(
    root: Path, small: Batches, state_dir: Path
) -> None:
    before = (root / "a.py").read_bytes()
    edit(root, small, 0)
    (journal,) = state_dir.glob("journals/*/journal")
    journal.write_bytes(journal.read_bytes().replace(b'"edit 0"', b'"edit O"'))
    for number in range(1, 30):
        edit(root, small, number)

    assert content_hash(before) in contents(state_dir)
    assert (
        small.missing()[0] == 0
    )  # the record itself was set aside before the journal was rewritten
    assert any(b'"edit O"' in path.read_bytes() for path in state_dir.glob("journals/*/damaged-*"))


def test_a_crash_while_making_room_loses_nothing_that_is_not_announced(
    root: Path, repo: Repository, state_dir: Path, told: list[str]
) -> None:
    """At every disk call of an accept that makes room: afterwards, what the log shows can be
    undone.
    """
    roomy = Batches(repo, state_dir, disk=Unsynced(), tell=told.append, most_bytes=15_000)
    for number in count():
        calls = count()

        def hook(_call: str, at: int = number) -> None:
            if next(calls) == at:  # noqa: B023 - used within this round only
                raise Crash

        for extra in range(3):
            edit(root, roomy, 3 * number + extra)
        before = (root / "a.py").read_bytes()
        try:
            edit(
                root,
                Batches(repo, state_dir, disk=Unsynced(hook), tell=told.append, most_bytes=4_000),
                -number,
            )
        except Crash:
            roomy.recover()
        else:
            break
        _check_whole(root, roomy, state_dir, before, number)
    assert number > 20


def _check_whole(root: Path, batches: Batches, state_dir: Path, before: bytes, number: int) -> None:
    named = {
        name
        for batch in batches.log()
        for file in batch.entry.files
        for name in (file.before, file.after)
    }
    assert named <= contents(state_dir)
    if descriptions(batches)[0] == f"edit {-number}":
        batches.undo()
    assert tree(root)["a.py"] == before


def test_a_disk_that_refuses_the_shorter_journal_keeps_the_long_one(
    root: Path, repo: Repository, state_dir: Path, told: list[str]
) -> None:
    class Refuses(Disk):
        def rename(self, old: str, new: str, *, folder: int | None = None) -> None:
            if new.endswith("/journal"):
                raise OSError(30, "Read-only file system")
            super().rename(old, new, folder=folder)

    batches = Batches(repo, state_dir, disk=Refuses(), tell=told.append, most_bytes=10)
    for number in range(3):
        edit(root, batches, number)

    assert descriptions(batches) == ["edit 2", "edit 1", "edit 0"]
    assert all(
        words.startswith("cannot shorten the journal") and words.endswith("nothing was lost")
        for words in told
    )
    assert [path for path in state_dir.rglob("journal.*") if path.is_file()] == []
