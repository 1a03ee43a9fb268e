"""What was sent, kept for later starts."""

import os
import stat
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.errors import FileError
from spark_tui.session import history as module
from spark_tui.session.history import MOST_CHARACTERS, PromptHistory
from spark_tui.vcs.disk import Disk


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "history" / "repo.lines"


def test_what_was_sent_comes_back_in_order_each_where_it_was_sent_last(file: Path) -> None:
    for text in ("one", "two\nlines \u2028 é \udcff", "one", "three"):
        PromptHistory(file).add(text)
    assert PromptHistory(file).load() == ["two\nlines \u2028 é \udcff", "one", "three"]


def test_nothing_was_sent_yet(file: Path) -> None:
    assert PromptHistory(file).load() == []


def test_it_is_private_to_the_user(file: Path) -> None:
    old = os.umask(0)
    try:
        PromptHistory(file).add("one")
    finally:
        os.umask(old)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("text", [" begins with a space", "", "\n", "x" * (MOST_CHARACTERS + 1)])
def test_some_things_are_not_kept(file: Path, text: str) -> None:
    PromptHistory(file).add(text)
    assert not file.exists()


def test_no_more_than_so_many_are_kept_and_the_file_is_cut(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_KEPT", 3)
    for number in range(7):
        PromptHistory(file).add(f"text {number}")
    assert PromptHistory(file).load() == ["text 4", "text 5", "text 6"]
    assert file.read_bytes().count(b"\n") == 3
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(file.parent.iterdir()) == [file]


def test_of_a_long_file_the_end_is_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 200)
    for number in range(50):
        PromptHistory(file).add(f"text {number}")
    loaded = PromptHistory(file).load()
    assert loaded[-1] == "text 49"
    assert 1 < len(loaded) < 10
    assert PromptHistory(file).load() == loaded


@given(st.integers(0, 200))
def test_a_crash_at_any_byte_loses_the_last_one_at_most(cut: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "x.lines"
        for text in ("one", "two", "three"):
            PromptHistory(file).add(text)
        data = file.read_bytes()
        whole = data[: max(len(data) - cut, 0)]
        file.write_bytes(whole)
        left = len([line for line in data.splitlines() if line in whole])
        PromptHistory(file).add("four")
        assert PromptHistory(file).load() == [*["one", "two", "three"][:left], "four"]


def test_a_disk_that_refuses_is_told(file: Path) -> None:
    def refuse(call: str) -> None:
        if call == "write":
            raise OSError(28, "No space left on device")

    with pytest.raises(FileError, match=r"cannot keep what was sent .* No space left"):
        PromptHistory(file, Disk(refuse)).add("one")


def test_a_link_in_its_place_is_not_followed(file: Path, tmp_path: Path) -> None:
    file.parent.mkdir()
    target = tmp_path / "precious"
    target.write_text("precious")
    file.symlink_to(target)
    with pytest.raises(FileError):
        PromptHistory(file).add("one")
    assert target.read_text() == "precious"
