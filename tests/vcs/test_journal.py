from datetime import UTC, datetime
from pathlib import Path

import pytest

from spark_tui.errors import FileError, SparkError
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.journal import (
    BatchPhase,
    Dropped,
    FileRecord,
    Journal,
    JournalEntry,
    Record,
    frame,
    unframe,
)


def entry(name: str, undoes: str | None = None) -> JournalEntry:
    files = (
        FileRecord("a b/\udcff\u00e9.py", None, "0" * 64, 0o755),
        FileRecord("c.py", "1" * 64, None, None),
    )
    return JournalEntry(
        name, datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC), 'rename "x"\nto y \u2028', files, undoes
    )


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path, Disk())


def test_entries_come_back_as_they_were_with_their_last_phase(journal: Journal) -> None:
    first, second = entry("a1"), entry("b2", undoes="a1")
    journal.prepare(first)
    journal.mark(first, BatchPhase.COMMITTING)
    journal.prepare(second)
    journal.mark(first, BatchPhase.DONE)

    assert journal.read() == (Record(first, BatchPhase.DONE), Record(second, BatchPhase.PREPARE))


@pytest.mark.parametrize("earlier", [BatchPhase.PREPARE, BatchPhase.COMMITTING, BatchPhase.WRITTEN])
def test_a_phase_that_stands_after_a_later_one_is_a_damaged_line(
    journal: Journal, earlier: BatchPhase
) -> None:
    first = entry("a1")
    journal.prepare(first)
    journal.mark(first, BatchPhase.DONE)
    journal.mark(first, earlier)
    journal.prepare(first)

    assert journal.read() == (Record(first, BatchPhase.DONE),)
    assert len(journal.damaged()) == 2


def test_a_journal_that_cannot_be_read_is_told_in_words(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object, **_options: object) -> None:
        raise OSError("odd")

    monkeypatch.setattr("os.open", refuse)

    with pytest.raises(FileError, match=r"cannot read the journal .*: odd; "):
        journal.read()


def test_a_journal_shows_what_another_process_added(journal: Journal, tmp_path: Path) -> None:
    first, second = entry("a1"), entry("b2")
    journal.prepare(first)
    assert journal.read() == (Record(first, BatchPhase.PREPARE),)

    other = Journal(tmp_path, Disk())
    other.mark(first, BatchPhase.DONE)
    other.prepare(second)

    assert journal.read() == (Record(first, BatchPhase.DONE), Record(second, BatchPhase.PREPARE))


def test_a_line_that_is_only_half_written_yet_counts_once_it_is_whole(
    journal: Journal, tmp_path: Path
) -> None:
    journal.prepare(entry("a1"))
    file = tmp_path / "journal"
    whole = file.read_bytes()
    for end in (0, 10, len(whole) - 1):
        file.write_bytes(whole[:end])
        assert (journal.read(), journal.damaged()) == ((), ())
    file.write_bytes(whole)

    assert [record.entry.id for record in journal.read()] == ["a1"]


@pytest.mark.parametrize("at", range(0, 1200, 23))
def test_a_flipped_byte_costs_its_own_line_only(journal: Journal, tmp_path: Path, at: int) -> None:
    names = ["a1", "b2", "c3"]
    for name in names:
        journal.prepare(entry(name))
    file = tmp_path / "journal"
    damaged = bytearray(file.read_bytes())
    at = at % len(damaged)
    at -= damaged[at] == ord("\n")
    line = bytes(damaged[:at]).count(b"\n")
    damaged[at] ^= 1
    file.write_bytes(damaged)

    assert [record.entry.id for record in journal.read()] == names[:line] + names[line + 1 :]
    assert len(journal.damaged()) == 1


@pytest.mark.parametrize("kept", range(0, 300, 11))
def test_after_a_line_cut_short_the_next_one_is_whole(
    journal: Journal, tmp_path: Path, kept: int
) -> None:
    journal.prepare(entry("a1"))
    file = tmp_path / "journal"
    cut = file.read_bytes()[:kept]
    file.write_bytes(cut)
    journal.prepare(entry("b2"))

    assert [record.entry.id for record in journal.read()] == ["b2"]
    assert file.read_bytes().startswith(cut)


def test_damaged_lines_are_never_removed(journal: Journal, tmp_path: Path) -> None:
    (tmp_path / "journal").write_bytes(b"\x00\xff junk\n12 abc {}\n")
    journal.prepare(entry("a1"))

    assert (tmp_path / "journal").read_bytes().startswith(b"\x00\xff junk\n12 abc {}\n")
    assert len(journal.damaged()) == 2


def test_a_mark_without_its_entry_is_ignored(journal: Journal) -> None:
    journal.mark(entry("a1"), BatchPhase.DONE)

    assert journal.read() == ()


def test_a_journal_of_a_newer_spark_is_refused(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spark_tui.vcs.journal.FORMAT", 4)
    journal.prepare(entry("a1"))
    monkeypatch.undo()

    for _ in range(2):
        with pytest.raises(SparkError, match="written by a newer spark; update spark"):
            journal.read()


def test_records_written_before_folders_were_counted_are_read(
    journal: Journal, tmp_path: Path
) -> None:
    journal.prepare(entry("a1"))
    body = unframe((tmp_path / "journal").read_bytes().removesuffix(b"\n"))
    assert body is not None
    for file in body["entry"]["files"]:
        del file["folders"]
    (tmp_path / "journal").write_bytes(frame(body | {"v": 2}))

    assert Journal(tmp_path, Disk()).read() == (Record(entry("a1"), BatchPhase.PREPARE),)


def test_records_written_before_files_could_be_written_in_place_are_read(
    journal: Journal, tmp_path: Path
) -> None:
    journal.prepare(entry("a1"))
    body = unframe((tmp_path / "journal").read_bytes().removesuffix(b"\n"))
    assert body is not None
    del body["entry"]["only"]
    for file in body["entry"]["files"]:
        del file["in_place"], file["folders"]
    (tmp_path / "journal").write_bytes(frame(body | {"v": 1}))

    assert Journal(tmp_path, Disk()).read() == (Record(entry("a1"), BatchPhase.PREPARE),)


def test_a_batch_whose_last_line_is_damaged_ended_before_the_next_one_began(
    journal: Journal, tmp_path: Path
) -> None:
    first, second = entry("a1"), entry("b2")
    journal.prepare(first)
    journal.mark(first, BatchPhase.COMMITTING)
    journal.mark(first, BatchPhase.DONE)
    journal.prepare(second)
    file = tmp_path / "journal"
    file.write_bytes(file.read_bytes().replace(b'"done"', b'"dome"'))

    assert Journal(tmp_path, Disk()).read() == (
        Record(first, BatchPhase.DONE),
        Record(second, BatchPhase.PREPARE),
    )


def test_damaged_lines_are_set_aside_and_told_of_once(tmp_path: Path) -> None:
    told: list[str] = []
    (tmp_path / "journal").write_bytes(b"\x00\xff junk\n12 abc {}\n")
    for _ in range(2):
        Journal(tmp_path, Disk(), tell=told.append).set_damaged_aside()

    assert {path.read_bytes() for path in tmp_path.glob("damaged-*")} == {
        b"\x00\xff junk",
        b"12 abc {}",
    }
    assert len(told) == 2
    assert all("damaged and left out" in words for words in told)


def test_a_rewritten_journal_has_what_stays_and_says_what_went(
    journal: Journal, tmp_path: Path
) -> None:
    first, second = entry("a1"), entry("b2")
    other = Journal(tmp_path, Disk())
    for each in (first, second):
        journal.prepare(each)
        journal.mark(each, BatchPhase.DONE)
    assert len(other.read()) == 2
    gone = Dropped(7, first.time)
    journal.rewrite([Record(second, BatchPhase.DONE)], gone)

    for reader in (journal, other):
        assert reader.read() == (Record(second, BatchPhase.DONE),)
        assert reader.dropped() == gone
    other.mark(second, BatchPhase.INTERRUPTED)
    assert journal.read() == (Record(second, BatchPhase.INTERRUPTED),)
