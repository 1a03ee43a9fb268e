"""The watchdog alone, beside a process that is no screen: it restores what nobody else can, and
nothing more.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from spark_tui.tui.watchdog import RESTORE
from tests.tui.pseudo import ROOT, Terminal

BEGIN = """
import os, signal, sys, time, tty
sys.path.insert(0, {root!r})
from spark_tui.tui.watchdog import Watchdog
watchdog = Watchdog(1)
child = int(open("/proc/self/task/%d/children" % os.getpid()).read())
def die(number=signal.SIGKILL): os.kill(os.getpid(), number)
def say(words): os.write(1, (words + "\\n").encode())
"""
pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="the system does not show processes"
)


class Run:
    """A program that has a watchdog, to its end."""

    def __init__(self, program: str, *, shell: bool = False) -> None:
        code = BEGIN.format(root=str(ROOT)) + program
        self.terminal = Terminal(sys.executable, "-I", "-S", "-c", code, shell=shell)

    def __enter__(self) -> Terminal:
        self.terminal.until(self.terminal.ended)
        self.terminal.until_quiet(0.2)
        return self.terminal

    def __exit__(self, *_: object) -> None:
        self.terminal.close()


@pytest.mark.parametrize("end", ["die()", "os._exit(3)"])
def test_a_process_that_dies_with_the_terminal_has_it_restored(end: str) -> None:
    with Run(f"watchdog.took(); tty.setraw(1); {end}") as terminal:
        assert terminal.raw == RESTORE
        assert terminal.after == terminal.before


@pytest.mark.parametrize("end", ["die()", "watchdog.close()"])
@pytest.mark.parametrize("words", ["pass", "watchdog.took(); watchdog.gave_back()"])
def test_it_writes_nothing_when_the_terminal_is_not_taken(words: str, end: str) -> None:
    with Run(f"{words}; tty.setraw(1); {end}") as terminal:
        assert terminal.raw == b""
        assert terminal.after != terminal.before


def test_settings_that_are_not_the_screens_stay() -> None:
    with Run("watchdog.took(); tty.setcbreak(1); die()") as terminal:
        assert terminal.raw == RESTORE
        assert terminal.after != terminal.before


def test_it_writes_nothing_when_another_program_owns_the_terminal() -> None:
    other = """
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
if (job := os.fork()) == 0:
    os.setpgid(0, 0)
    watchdog.took()
    os.tcsetpgrp(1, os.getpgrp())
    time.sleep(60)
while os.tcgetpgrp(1) == os.getpgrp(): time.sleep(0.01)
if os.fork() == 0:
    watchdog.close()
    os.setpgid(0, job)
    say("mine")
    time.sleep(60)
watchdog.close()
os.kill(job, 9)
os.waitpid(job, 0)
os.waitpid(child, 0)
say("still mine")
time.sleep(60)
"""
    terminal = Terminal(
        sys.executable, "-I", "-S", "-c", BEGIN.format(root=str(ROOT)) + other, shell=True
    )
    terminal.until(terminal.shows("still mine"))
    terminal.close()
    assert RESTORE not in terminal.raw


@pytest.fixture
def watched() -> Iterator[tuple[Terminal, int]]:
    """A program that waits, and its watchdog."""
    waits = BEGIN.format(root=str(ROOT)) + "say(f'<{child}>'); time.sleep(60)"
    terminal = Terminal(sys.executable, "-I", "-S", "-c", waits)
    terminal.until(terminal.shows(">"))
    yield terminal, int(terminal.text.partition("<")[2].partition(">")[0])
    terminal.close()


def test_no_signal_but_kill_ends_it_and_it_ends_with_spark(watched: tuple[Terminal, int]) -> None:
    terminal, dog = watched
    for number in (
        signal.SIGINT,
        signal.SIGTERM,
        signal.SIGHUP,
        signal.SIGQUIT,
        signal.SIGTSTP,
        signal.SIGPIPE,
    ):
        os.kill(dog, number)
    assert Path(f"/proc/{dog}").exists()
    terminal.process.kill()
    terminal.process.wait()
    terminal.until(lambda: not running(dog))


def running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_it_has_nothing_open_but_the_terminal_and_its_pipe(watched: tuple[Terminal, int]) -> None:
    terminal, dog = watched
    terminal.until(lambda: len(open_files(dog)) == 2)
    tty, pipe = open_files(dog)
    assert tty.startswith("/dev/pts/")
    assert pipe.startswith("pipe:")


def test_whoever_kills_spark_by_name_does_not_kill_it(watched: tuple[Terminal, int]) -> None:
    terminal, dog = watched
    terminal.until(lambda: b"guard" in Path(f"/proc/{dog}/comm").read_bytes())
    terminal.until(lambda: b"python" not in Path(f"/proc/{dog}/cmdline").read_bytes())
    assert b"spark" not in Path(f"/proc/{dog}/cmdline").read_bytes()


def test_modes_are_set_only_once_it_watches() -> None:
    program = "watchdog.took(); say(open(f'/proc/{child}/comm').read()); watchdog.gave_back()"
    with Run(program) as terminal:
        assert b"guard" in terminal.raw


def open_files(process: int) -> list[str]:
    found = []
    for each in Path(f"/proc/{process}/fd").iterdir():
        with suppress(OSError):  # it is just closing this one
            found.append(str(each.readlink()))
    return sorted(found)


def test_it_costs_little(watched: tuple[Terminal, int]) -> None:
    _, dog = watched
    try:
        rollup = Path(f"/proc/{dog}/smaps_rollup").read_text().splitlines()
    except OSError:
        pytest.skip("the system does not show the memory of a process")
    private = sum(int(line.split()[1]) for line in rollup if line.startswith("Private"))
    assert private < 10_000
