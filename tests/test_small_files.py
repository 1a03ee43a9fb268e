"""Whatever stands in the place of a file that spark keeps, reading it ends, and says why."""

import os
import socket
from pathlib import Path

import pytest

from spark_tui.small_files import OddFile, opened, read_small, read_small_text


@pytest.mark.parametrize("kind", ["pipe", "link to a pipe", "device", "socket"])
def test_what_is_no_regular_file_is_refused_at_once(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    if kind == "socket":
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(str(path))
            with pytest.raises(OddFile, match="no regular file"):
                read_small(path)
        return
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        os.mkfifo(tmp_path / "pipe")
        path.symlink_to("pipe")
    with pytest.raises(OddFile, match="no regular file"):
        read_small(path)
    with pytest.raises(OddFile, match="no regular file"), opened(path):
        pass


def test_a_file_is_read_up_to_its_bound(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_small(path, 5) == b"12345"
    with pytest.raises(OddFile, match="more than 4 bytes"):
        read_small(path, 4)


def test_a_link_to_a_file_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes("é\r\nb\r".encode())
    (tmp_path / "file").symlink_to("real")
    assert read_small_text(tmp_path / "file") == "é\nb\n"


def test_a_file_that_is_missing_is_told_as_ever(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_small(tmp_path / "gone")
    with pytest.raises(IsADirectoryError):
        read_small(tmp_path)
