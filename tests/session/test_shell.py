"""Shell commands of the user's own."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from spark_tui.session import external as module
from spark_tui.session.external import ShellRun, shell_of
from tests.fakes import lives


def until(reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not reached():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.002)


def said_by(line: str, root: Path) -> tuple[str, int | None]:
    run = ShellRun(line, root)
    said = b""
    until(lambda: run.ended)
    said += run.take()
    return said.decode(), run.status


@pytest.fixture(autouse=True)
def _plain_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/sh")


@pytest.mark.parametrize(
    ("line", "said", "status"),
    [
        ("echo one; echo two >&2", "one\ntwo\n", 0),
        ("exit 3", "", 3),
        ("kill -9 $$", "", -9),
        ("cat", "", 0),
        ("test -t 0 || test -t 1 || echo no terminal", "no terminal\n", 0),
        ("pwd -P", "{root}\n", 0),
    ],
)
def test_what_it_says_and_how_it_ends(line: str, said: str, status: int, tmp_path: Path) -> None:
    root = tmp_path.resolve()
    assert said_by(line, root) == (said.format(root=root), status)


def test_stopping_ends_all_that_it_started_also_what_will_not_hear(tmp_path: Path) -> None:
    run = ShellRun(
        "trap '' TERM; (trap '' TERM; sleep 60; echo late > late) & echo $! > child; wait; "
        "sleep 60",
        tmp_path,
    )
    until(lambda: (tmp_path / "child").exists() and (tmp_path / "child").read_text().strip() != "")
    child = int((tmp_path / "child").read_text())
    run.stop()
    assert run.ended
    assert run.status is not None
    assert run.stopped
    until(lambda: not lives(child))


def test_it_has_not_ended_while_something_it_started_still_speaks(tmp_path: Path) -> None:
    run = ShellRun("sleep 60 & exit 4", tmp_path)
    until(lambda: run.status == 4)
    assert not run.ended
    run.stop()
    assert run.ended


def test_of_a_flood_the_end_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 100_000)
    run = ShellRun(
        "i=0; while [ $i -lt 40 ]; do head -c 10000 /dev/zero; i=$((i+1)); done; echo the end",
        tmp_path,
    )
    until(lambda: run.ended)
    said = run.take()
    assert said.endswith(b"the end\n")
    assert len(said) <= 100_000
    assert run.dropped


@pytest.mark.parametrize("shell", ["", "sh", "bin/sh", "/no/such/shell", "/etc/passwd"])
def test_a_shell_that_is_none_is_not_taken(
    shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHELL", shell)
    assert shell_of(tmp_path) == "/bin/sh"


def test_no_shell_is_taken_from_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = tmp_path / "repo" / "sh"
    inside.parent.mkdir()
    inside.write_text("#!/bin/sh\ntouch owned\n")
    inside.chmod(0o755)
    outside = tmp_path / "mysh"
    outside.symlink_to(inside)
    for shell in (inside, outside):
        monkeypatch.setenv("SHELL", str(shell))
        assert shell_of(inside.parent) == "/bin/sh"
