"""What is copied inside tmux."""

from pathlib import Path

import pytest

from spark_tui.session.external import load_buffer

OLD = 'case "$*" in *-w*) exit 1;; esac\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only one on PATH, and outside of the repository."""
    monkeypatch.setenv("TMUX", "/tmp/tmux-0/default,1,0")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()
    (tmp_path / "repo").mkdir()
    return tmp_path


def put_tmux(folder: Path, does: str = "") -> None:
    (folder / "tmux").write_text(
        f'#!/bin/sh\n{does}/bin/cat > {folder}/got\necho "$TMUX $@" > {folder}/asked\n'
    )
    (folder / "tmux").chmod(0o700)


@pytest.mark.parametrize(("does", "asked"), [("", "load-buffer -w -"), (OLD, "load-buffer -")])
def test_tmux_is_given_the_whole_of_it_also_where_it_knows_no_clipboard(
    folder: Path, does: str, asked: str
) -> None:
    put_tmux(folder / "bin", does)
    data = bytes(range(256)) * 1000
    assert load_buffer(data, folder / "repo")
    assert (folder / "bin" / "got").read_bytes() == data
    assert (folder / "bin" / "asked").read_text() == f"/tmp/tmux-0/default,1,0 {asked}\n"


def test_outside_of_tmux_none_is_started(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_tmux(folder / "bin")
    monkeypatch.setenv("TMUX", "")
    assert not load_buffer(b"patch", folder / "repo")
    assert not (folder / "bin" / "asked").exists()


def test_none_is_taken_from_the_repository(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_tmux(folder / "repo")
    monkeypatch.chdir(folder / "repo")
    monkeypatch.setenv("PATH", f".:{folder / 'repo'}:{folder / 'bin'}")
    assert not load_buffer(b"patch", folder / "repo")
    assert not (folder / "repo" / "asked").exists()


@pytest.mark.parametrize("does", ["exit 1\n", "exec /nowhere\n"])
def test_one_that_fails_has_not_copied(folder: Path, does: str) -> None:
    put_tmux(folder / "bin", does)
    assert not load_buffer(b"patch", folder / "repo")
