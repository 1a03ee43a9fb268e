"""Programs that end together with all that they started, whatever they do to get away."""

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Protocol

import pytest

from spark_tui.process_keeper import Keeper
from spark_tui.session.language_servers.connection import Connection
from spark_tui.session.repair.sandbox import RunningCommand
from spark_tui.tasks.agents.process import AgentProcess, environment
from spark_tui.vcs.processes import is_alive

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs prctl(2) of Linux")

PACKAGE = Path(__file__).parents[1]
# A daemon: another session, no environment, no parent, no open file but the one that names it.
DAEMON = """
import os, sys
reads, writes = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir("/")
        {deeper}
        open(sys.argv[1], "a").write(f"{{os.getpid()}} ")
        os.closerange(0, 100)
        os.execve("/bin/sleep", ["sleep", "1000"], {{}})
    os._exit(0)
os.close(writes)
os.read(reads, 1)  # until all daemons have closed their end
"""
TWICE = "if os.fork() == 0: os.setsid()\n        if os.fork() == 0: os.setsid()"
WAYS = {"once": "", "again": TWICE, "deaf": "import signal; signal.signal(15, signal.SIG_IGN)"}


class Closes(Protocol):
    """What spark holds of a program."""

    def close(self) -> None: ...


def daemon(way: str, names: Path) -> str:
    """A command line that leaves daemons, which write down their numbers."""
    code = DAEMON.format(deeper=WAYS[way])
    return shlex.join([sys.executable, "-c", code, str(names)])


def numbers(names: Path, count: int = 1) -> list[int]:
    """The numbers that were written down, once there are so many."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        written = names.read_text().split() if names.exists() else []
        if len(written) >= count:
            return [int(number) for number in written]
    raise AssertionError("no daemon was started")


def are_gone(processes: list[int]) -> bool:
    """Whether no process is left of some, which may take a moment."""
    end = time.monotonic() + 20
    while any(map(is_alive, processes)):
        if time.monotonic() > end:
            return False
    return True


@pytest.mark.parametrize("way", WAYS)
def test_daemons_of_a_command_end_with_it(tmp_path: Path, way: str) -> None:
    names = tmp_path / "names"
    with closing(RunningCommand(daemon(way, names), tmp_path, 30.0)) as command:
        for _ in command:
            pass
    assert command.result == 0
    assert are_gone(numbers(names))


def start_command(line: str, folder: Path) -> Closes:
    return RunningCommand(line, folder, 100.0)


def start_agent(line: str, folder: Path) -> Closes:
    env = environment((), "a task")
    return AgentProcess("agent", ["/bin/sh", "-c", line], folder, env, folder / "notes")


def start_server(line: str, folder: Path) -> Closes:
    return Connection(["/bin/sh", "-c", line], os.environ)


STARTS = [start_command, start_agent, start_server]


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("way", WAYS)
def test_what_is_closed_amid_its_work_leaves_no_daemon(
    tmp_path: Path, way: str, start: Callable[[str, Path], Closes]
) -> None:
    names = tmp_path / "names"
    with closing(start(f"{daemon(way, names)}; sleep 1000", tmp_path)):
        left = numbers(names)
        assert all(map(is_alive, left))
    assert are_gone(numbers(names))


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("way", WAYS)
def test_a_spark_that_is_killed_leaves_no_program_and_no_daemon(
    tmp_path: Path, way: str, start: Callable[[str, Path], Closes]
) -> None:
    names = tmp_path / "names"
    line = f"{daemon(way, names)}; echo $$ >> {shlex.quote(str(names))}; sleep 1000"
    code = (
        "import sys; from pathlib import Path; from signal import pause\n"
        "from tests import test_process_keeper\n"
        f"held = test_process_keeper.{start.__name__}(sys.argv[1], Path(sys.argv[2]))\n"
        "pause()"
    )
    env = os.environ | {"PYTHONPATH": str(PACKAGE)}
    spark = subprocess.Popen([sys.executable, "-c", code, line, str(tmp_path)], env=env)
    left = numbers(names, 2)
    spark.kill()
    spark.wait()
    assert are_gone(left)


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("exit 0", 0),
        ("exit 3", 3),
        ("exit 255", 255),
        ("kill -TERM $$", -signal.SIGTERM),
        ("kill -KILL $$", -signal.SIGKILL),
        ("kill -SEGV $$", -signal.SIGSEGV),
        ("no-such-program", 127),
    ],
)
def test_a_kept_command_ends_with_its_own_status(tmp_path: Path, line: str, status: int) -> None:
    with closing(RunningCommand(line, tmp_path, 30.0)) as command:
        for _ in command:
            pass
    assert command.result == status


def test_a_kept_program_has_the_signals_files_and_folder_of_any_other(tmp_path: Path) -> None:
    looks = "pwd; grep -E '^Sig(Blk|Ign)|^NoNewPrivs' /proc/self/status; ls /proc/self/fd"
    line = ["/bin/sh", "-c", looks]
    keeper = Keeper(line)
    with ExitStack() as stack:
        stack.callback(keeper.end_program)
        kept = subprocess.run(
            keeper.command,
            cwd=tmp_path,
            pass_fds=keeper.descriptors,
            capture_output=True,
            check=True,
        )
    plain = subprocess.run(line, cwd=tmp_path, capture_output=True, check=True)
    assert (kept.stdout, kept.stderr) == (plain.stdout, plain.stderr)


def test_a_program_that_closes_its_output_is_noticed_at_once() -> None:
    keeper = Keeper([sys.executable, "-c", "import os; os.close(1); os.read(0, 1)"])
    with subprocess.Popen(
        keeper.command,
        pass_fds=keeper.descriptors,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as program:
        keeper.mark_started()
        assert program.stdout is not None
        assert program.stdout.read() == b""
        assert program.poll() is None
        keeper.end_program()
        assert program.wait(20) == -signal.SIGKILL
