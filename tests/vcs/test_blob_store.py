import os
from pathlib import Path

import pytest

from spark_tui.errors import SparkError
from spark_tui.vcs.blob_store import Store, content_hash, remove_temporaries
from spark_tui.vcs.disk import Disk


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "contents"
    folder.mkdir()
    return folder


@pytest.fixture
def store(folder: Path) -> Store:
    return Store(folder, Disk())


def aside(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.parent.glob("damaged-*"))]


def test_contents_are_kept_once_under_their_hash(store: Store, folder: Path) -> None:
    store.put([b"a\r\n", b"", b"a\r\n"])
    store.put([b""])

    names = [content_hash(b"a\r\n"), content_hash(b"")]
    assert [store.get(name) for name in names] == [b"a\r\n", b""]
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)


def test_a_damaged_content_is_an_error_and_a_copy_of_it_is_set_aside(
    store: Store, folder: Path
) -> None:
    name = content_hash(b"mine\n")
    store.put([b"mine\n"])
    (folder / name).write_bytes(b"other\n")

    for _ in range(2):
        with pytest.raises(SparkError, match="is damaged"):
            store.get(name)
    assert aside(folder) == [b"other\n"]
    assert (folder / name).read_bytes() == b"other\n"


def test_a_content_that_is_gone_is_an_error(store: Store) -> None:
    with pytest.raises(SparkError, match="cannot be read"):
        store.get(content_hash(b"mine\n"))


def test_a_damaged_content_is_replaced_when_the_same_is_to_be_kept_again(
    store: Store, folder: Path
) -> None:
    store.put([b"mine\n"])
    (folder / content_hash(b"mine\n")).write_bytes(b"other\n")
    store.put([b"mine\n"])

    assert store.get(content_hash(b"mine\n")) == b"mine\n"
    assert aside(folder) == [b"other\n"]


def test_what_all_contents_take_is_known_after_adding_and_removing(store: Store) -> None:
    assert store.bytes() == 0
    store.put([b"four", b"sixsix", b"four"])
    assert store.bytes() == 10
    store.remove([content_hash(b"four")])

    assert store.bytes() == 6
    assert store.sizes() == {content_hash(b"sixsix"): 6}


def test_a_refused_write_leaves_no_half_of_a_content(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_file: int, _data: bytes) -> int:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("spark_tui.vcs.disk.os.write", full)
    with pytest.raises(OSError, match="No space left"):
        Store(folder, Disk()).put([b"mine\n"])

    assert list(folder.iterdir()) == []


def test_only_what_a_crash_left_unfinished_is_removed(folder: Path) -> None:
    names = [
        "a" * 64,
        f"{'a' * 64}.0123abcd",
        "journal",
        "journal.0123abcd",
        "damaged-0123456789abcdef",
    ]
    for name in names:
        (folder / name).write_bytes(b"")
    remove_temporaries(folder, Disk())

    assert sorted(path.name for path in folder.iterdir()) == sorted(
        n for n in names if not n.endswith(".0123abcd")
    )
