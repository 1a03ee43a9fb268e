"""What a start sets right after a crash, when it keeps out of it, and what it costs when there
is nothing to do.
"""

from pathlib import Path

import pytest

from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.journal import BatchPhase, Journal
from spark_tui.vcs.lock import exclusive
from spark_tui.vcs.repository import Repository
from tests.vcs.benches import Crash, dies_at
from tests.vcs.repos import tree

A, A2 = b"one\ntwo\nthree\n", b"one\n2\nthree\n"


def left_behind(root: Path) -> list[str]:
    return [path for path in tree(root) if ".spark-" in path]


def crashed(repo: Repository, state_dir: Path) -> str:
    """Die where a copy lies beside the file.

    Returns:
        The words of the batch.
    """
    for number in range(100):
        with pytest.raises(Crash):
            Batches(repo, state_dir, disk=Disk(dies_at(number))).accept(
                [FileChange("a.py", A, A2)], "edit"
            )
        if left_behind(repo.root):
            return "edit"
        Batches(repo, state_dir).recover()
    raise AssertionError


def test_a_start_tidies_up_after_a_crash_and_says_so_once(
    repo: Repository, state_dir: Path, told: list[str]
) -> None:
    crashed(repo, state_dir)
    for _ in range(2):
        Batches(repo, state_dir, tell=told.append).recover_at_start()
        assert left_behind(repo.root) == []
    assert told == ["'edit' was cut short: all of its files are as they were before"]


def test_while_another_spark_is_at_work_a_start_leaves_it_alone(
    repo: Repository, state_dir: Path, told: list[str]
) -> None:
    crashed(repo, state_dir)
    with exclusive(state_dir / "locks" / repo.lock_key):
        Batches(repo, state_dir, tell=told.append).recover_at_start()
    assert (len(left_behind(repo.root)), told) == (1, [])


def test_where_nothing_can_be_written_a_start_goes_on_in_silence(
    repo: Repository, state_dir: Path, told: list[str]
) -> None:
    crashed(repo, state_dir)

    def refuse(_: str) -> None:
        raise OSError(30, "Read-only file system")

    Batches(repo, state_dir, disk=Disk(refuse), tell=told.append).recover_at_start()
    assert (len(left_behind(repo.root)), told) == (1, [])


def test_with_nothing_to_set_right_a_start_reads_one_line_and_takes_no_lock(
    repo: Repository, state_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches = Batches(repo, state_dir)
    batches.recover_at_start()
    assert not state_dir.exists()
    batches.accept([FileChange("a.py", A, A2)], "edit")
    batches.undo()

    monkeypatch.setattr("spark_tui.vcs.journal.Journal.read", lambda _: pytest.fail("read it all"))
    (state_dir / "locks" / repo.lock_key).unlink()
    Batches(repo, state_dir).recover_at_start()
    assert not (state_dir / "locks" / repo.lock_key).exists()


def test_a_line_cut_short_is_not_taken_for_an_end(
    repo: Repository, state_dir: Path, told: list[str]
) -> None:
    crashed(repo, state_dir)
    with next(state_dir.glob("journals/*/journal")).open("ab") as file:
        file.write(b'57 0badcafe {"v":2,"phase":"done"')
    batches = Batches(repo, state_dir, tell=told.append)
    batches.recover_at_start()
    assert (left_behind(repo.root), batches.log()) == ([], ())
    journal = Journal(next(state_dir.glob("journals/*")), Disk())
    assert [record.phase for record in journal.read()][-1] is BatchPhase.ABORTED
