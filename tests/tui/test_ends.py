"""However the program ends, the terminal is as it was before."""

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from tests.tui.pseudo import Terminal
from tests.tui.support import EDIT
from tests.tui.wire import left_on, violations

ROUNDS = 20
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL)
Start = Callable[..., Terminal]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts the screen on a terminal, each time in a folder of its own."""
    terminals: list[Terminal] = []

    def one(*fault: str) -> Terminal:
        folder = tmp_path / str(len(terminals))
        terminals.append(
            Terminal(sys.executable, "-m", "tests.tui.on_a_terminal", str(folder), *fault)
        )
        return terminals[-1]

    yield one
    for each in terminals:
        each.close()


def reach(terminal: Terminal, moment: int) -> None:
    """Wait for one of three moments: the first byte drawn, ready, writing."""
    terminal.until(lambda: b"\x1b[?1049h" in terminal.raw)
    if moment % 3:
        terminal.until(terminal.says("ready"))
    if moment % 3 == 2:
        terminal.press(EDIT + "\r", until=terminal.says("writing"))


def assert_restored(terminal: Terminal) -> None:
    terminal.until(lambda: b"\x1b[?1049l" in terminal.raw)
    terminal.until_quiet()
    assert terminal.after == terminal.before
    assert left_on(terminal.raw) == set()
    assert terminal.cursor_shows
    assert violations(terminal.raw, layout="\a") == []  # the screen rings when a turn ends


def end_by(terminal: Terminal, number: signal.Signals, moment: int) -> None:
    reach(terminal, moment)
    terminal.process.send_signal(number)
    terminal.until(terminal.ended)
    assert_restored(terminal)
    killed = terminal.process.returncode == -number
    assert killed or terminal.process.returncode == 128 + number
    assert not (killed and moment % 3 and number != signal.SIGKILL)


@pytest.mark.parametrize(("number", "moment"), zip(SIGNALS, (1, 2, 1, 2, 2), strict=True))
def test_a_signal_leaves_the_terminal_as_it_was(
    start: Start, number: signal.Signals, moment: int
) -> None:
    end_by(start(), number, moment)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM])
def test_a_signal_while_a_model_is_loaded_ends_it_at_once(
    start: Start,
    number: signal.Signals,
) -> None:
    end_by(start("stuck"), number, 0)


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_at_any_moment_leaves_the_terminal_as_it_was(
    start: Start, number: signal.Signals
) -> None:
    for moment in range(ROUNDS):
        end_by(start(), number, moment)


@pytest.mark.parametrize("rounds", [1, pytest.param(ROUNDS, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize(
    ("fault", "name"), [("broken", "ZeroDivisionError"), ("full", "MemoryError")]
)
def test_an_exception_leaves_the_terminal_as_it_was_and_is_raised(
    start: Start, fault: str, name: str, rounds: int
) -> None:
    for _ in range(rounds):
        terminal = start(fault)
        terminal.until(terminal.ended)
        assert_restored(terminal)
        assert terminal.error().rstrip().endswith(name)


def stop_and_continue(terminal: Terminal, moment: int) -> None:
    """Ctrl+Z, another size meanwhile, and back again: the picture is whole, and of the new size."""
    reach(terminal, 1 + moment % 2)
    for rows, columns in ((30, 100), (24, 80)):
        terminal.process.send_signal(signal.SIGTSTP)
        terminal.until(terminal.is_stopped)
        assert_restored(terminal)
        terminal.resize(rows, columns)
        terminal.forget()
        terminal.go_on()
        terminal.until(lambda: terminal.text.splitlines()[-1].startswith(" model  "))
    terminal.press("\x03\x03", until=terminal.ended)  # no more, lest the terminal itself echoes one
    assert_restored(terminal)


@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="the system does not show the state of a process"
)
@pytest.mark.parametrize(
    "moments", [[1], pytest.param(range(ROUNDS), marks=pytest.mark.exhaustive)]
)
def test_being_suspended_gives_the_terminal_back_and_takes_it_again(
    start: Start, moments: Iterable[int]
) -> None:
    for moment in moments:
        stop_and_continue(start(), moment)


@pytest.mark.parametrize("moment", [0, 2])
def test_closing_the_terminal_is_a_clean_end(start: Start, moment: int) -> None:
    terminal = start()
    reach(terminal, moment)
    terminal.hang_up()
    terminal.process.wait(20)
    assert terminal.process.returncode == 128 + signal.SIGHUP
    assert terminal.error() == ""


def test_a_terminal_that_is_gone_when_it_is_resumed_is_a_clean_end(start: Start) -> None:
    terminal = start()
    reach(terminal, 1)
    terminal.process.send_signal(signal.SIGTSTP)
    terminal.until(terminal.is_stopped)
    terminal.hang_up()
    terminal.go_on()
    terminal.process.wait(20)
    assert terminal.process.returncode == 128 + signal.SIGHUP


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash here")
def test_a_shell_has_its_terminal_back_when_its_job_is_killed(tmp_path: Path) -> None:
    terminal = Terminal("bash", "--norc", "--noprofile", "-i", shell=True)
    terminal.press(f"PS1='shell> '; {sys.executable} -m tests.tui.on_a_terminal {tmp_path}\r")
    terminal.until(terminal.says("ready"))
    job = int(
        Path(f"/proc/{terminal.process.pid}/task/{terminal.process.pid}/children")
        .read_text()
        .split()[0]
    )
    os.kill(job, signal.SIGKILL)
    terminal.until(
        lambda: b"\x1b[?1049l" in terminal.raw
    )  # spark's watchdog and the shell run side by side
    terminal.until(terminal.shows("Killed"))
    terminal.do("echo it is $((6 * 7))\r", "it is 42")
    assert (
        left_on(terminal.raw.replace(b"\x1b[?2004h", b"")) == set()
    )  # bash has pasting in brackets, too
    terminal.close()
