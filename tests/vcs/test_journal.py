import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from spark_tui.errors import SparkError
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.journal import FileRecord, Journal, JournalEntry, Phase, Record
from spark_tui.vcs.store import Store, content_hash


def entry(name: str, undoes: str | None = None) -> JournalEntry:
    files = (FileRecord("a b/\udcff\u00e9.py", None, "0" * 64, 0o755), FileRecord("c.py", "1" * 64, None, None))
    return JournalEntry(name, datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC), 'rename "x"\nto y \u2028', files, undoes)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path, Disk())


def test_entries_come_back_as_they_were_with_their_last_phase(journal: Journal) -> None:
    first, second = entry("a1"), entry("b2", undoes="a1")
    journal.prepare(first)
    journal.mark(first, Phase.COMMITTING)
    journal.prepare(second)
    journal.mark(first, Phase.DONE)

    assert journal.read() == (Record(first, Phase.DONE), Record(second, Phase.PREPARE))


def test_a_journal_shows_what_another_process_added(journal: Journal, tmp_path: Path) -> None:
    first, second = entry("a1"), entry("b2")
    journal.prepare(first)
    assert journal.read() == (Record(first, Phase.PREPARE),)

    other = Journal(tmp_path, Disk())
    other.mark(first, Phase.DONE)
    other.prepare(second)

    assert journal.read() == (Record(first, Phase.DONE), Record(second, Phase.PREPARE))


def test_a_line_that_is_only_half_written_yet_counts_once_it_is_whole(journal: Journal, tmp_path: Path) -> None:
    journal.prepare(entry("a1"))
    file = tmp_path / "journal"
    whole = file.read_bytes()
    for end in (0, 10, len(whole) - 1):
        file.write_bytes(whole[:end])
        assert (journal.read(), journal.damaged()) == ((), ())
    file.write_bytes(whole)

    assert [record.entry.id for record in journal.read()] == ["a1"]


def test_a_journal_that_was_never_written_is_empty(journal: Journal) -> None:
    assert journal.read() == ()
    assert journal.damaged() == ()


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
def test_after_a_line_cut_short_the_next_one_is_whole(journal: Journal, tmp_path: Path, kept: int) -> None:
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
    journal.mark(entry("a1"), Phase.DONE)

    assert journal.read() == ()


def test_a_journal_of_a_newer_spark_is_refused(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_tui.vcs.journal.FORMAT", 3)
    journal.prepare(entry("a1"))
    monkeypatch.undo()

    for _ in range(2):
        with pytest.raises(SparkError, match="written by a newer spark; update spark"):
            journal.read()


def test_a_short_write_is_completed(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = os.write
    monkeypatch.setattr("spark_tui.vcs.disk.os.write", lambda file, data: whole(file, bytes(data)[:5]))
    journal.prepare(entry("a1"))

    assert [record.entry.id for record in journal.read()] == ["a1"]


def test_contents_are_kept_once_under_their_hash(tmp_path: Path) -> None:
    store = Store(tmp_path, Disk())
    store.put([b"a\r\n", b"", b"a\r\n"])
    store.put([b""])

    names = [content_hash(b"a\r\n"), content_hash(b"")]
    assert [store.get(name) for name in names] == [b"a\r\n", b""]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)


def test_a_damaged_or_missing_content_is_an_error(tmp_path: Path) -> None:
    store = Store(tmp_path, Disk())
    name = content_hash(b"mine\n")
    store.put([b"mine\n"])
    (tmp_path / name).write_bytes(b"other\n")

    with pytest.raises(SparkError, match="is damaged"):
        store.get(name)
    (tmp_path / name).unlink()
    with pytest.raises(SparkError, match="cannot be read"):
        store.get(name)
