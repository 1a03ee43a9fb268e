"""The program of an agent, and the lines that it exchanges with spark.

Nothing here waits longer than the caller allows: neither for a program that does not read, nor for
one that writes without end. Output that nobody takes stays in the pipe, where a full pipe makes the
program wait.
"""

import os
import selectors
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from signal import SIGTERM
from typing import IO

from spark_tui import system
from spark_tui.errors import SparkError
from spark_tui.process_keeper import Keeper
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.disk_errors import as_disk_error
from spark_tui.vcs.processes import started_with

MOST_LINE = 16 << 20
"""Bytes of a message; a longer one ends the conversation."""
MOST_BYTES = 256 << 20
"""Bytes that a program may write in all."""
_AT_ONCE = 1 << 16
_MOST_NOTES = 1 << 20
"""Bytes of stderr that are kept."""
_MOST_TAIL = 400
"""Characters of stderr that an error quotes."""
_GRACE_SECONDS = 0.5
"""How long a program may take to end by itself after SIGTERM."""
_REAP_SECONDS = 5.0
_MOST_ROUNDS = 5
_MARK = "SPARK_TASK"
"""The variable that marks every process that an agent started."""
_USUAL = (
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR XDG_CONFIG_HOME XDG_DATA_HOME "
    "XDG_CACHE_HOME XDG_RUNTIME_DIR SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS "
    "REQUESTS_CA_BUNDLE HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy "
    "all_proxy no_proxy"
).split()
"""Variables that every agent sees."""
_LOCALE = "LC_"


def environment(allowed: Sequence[str], mark: str) -> dict[str, str]:
    """What an agent sees of the environment: the usual variables, and those that are allowed.

    Args:
        allowed: Names.
        mark: Marks all that the agent starts; see `end_marked`.
    """
    names = {*_USUAL, *allowed}
    seen = {
        name: value
        for name, value in os.environ.items()
        if name in names or name.startswith(_LOCALE)
    }
    quiet = {"TERM": "dumb", "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return seen | quiet | {_MARK: mark}


def end_marked(mark: str) -> None:
    """Kill whatever an agent started, as far as the system tells."""
    for _ in range(_MOST_ROUNDS):  # a process may have started another one just before its end
        processes = [*started_with(_MARK, mark)]
        for process in processes:
            with suppress(OSError):  # it ended
                os.kill(process, system.KILL)
        if not processes:
            return


class AgentProcess:
    """A program that reads and writes lines. Mutable; one thread.

    Args:
        name: What the user calls the agent, for errors.
        command: The program and its arguments.
        folder: Where the program runs.
        env: All that it sees of the environment, as `environment` gives it.
        notes: The file that takes what the program says on stderr.

    Raises:
        SparkError: The program cannot be started.
        FileError: The disk refused.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        folder: Path,
        env: Mapping[str, str],
        notes: Path,
    ) -> None:
        self.name = name
        self._mark = env[_MARK]
        self._unsent = bytearray()
        self._partial: list[bytes] = []
        self._partial_size = 0
        self._size = 0
        self._tail = b""
        self._notes_size = 0
        self._is_open = True
        with as_disk_error(f"cannot write {notes}"):
            # A link in place of the file would lead elsewhere.
            self._notes = os.fdopen(Disk().open_log(str(notes)), "ab")
        self._keeper = Keeper(command)
        try:
            self._process = subprocess.Popen(
                self._keeper.command,
                cwd=folder,
                env=dict(env),
                start_new_session=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                pass_fds=self._keeper.descriptors,
            )
        except (OSError, ValueError) as e:
            self._keeper.end_program()
            self._notes.close()
            raise SparkError(f"cannot start @{name}: {e}") from e
        self._keeper.mark_started()
        self._selector = selectors.DefaultSelector()
        for pipe in self._pipes:
            # A ready pipe may take, or have, less than is asked for; a read or a write then must
            # not wait.
            system.return_at_once(pipe.fileno())
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._stderr, selectors.EVENT_READ)

    @property
    def is_open(self) -> bool:
        """Whether the program may still write."""
        return self._is_open

    def send(self, line: bytes) -> None:
        """Send a line, with its line end, as soon as the program reads."""
        if self._is_open:
            self._unsent += line
            self._write()

    def receive(self, seconds: float) -> list[bytes]:
        """Wait for what the program writes, and meanwhile let it read.

        Args:
            seconds: How long to wait at most.

        Returns:
            Whole lines, without their ends; often none.

        Raises:
            SparkError: The program writes too much.
        """
        lines = list[bytes]()
        if not self._is_open:
            return lines
        for key, _ in self._selector.select(seconds):
            if key.fileobj is self._stdin:
                self._write()
            elif key.fileobj is self._stderr:
                self._note()
            else:
                lines = self._read()
        return lines

    def describe_end(self) -> str:
        """How the program ended, and the last that it said on stderr."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_SECONDS)
        for _ in range(_MOST_NOTES // _AT_ONCE):
            if not self._note():
                break
        status = self._process.poll()
        words = "closed its output"
        if status is not None:
            words = f"ended with status {status}" if status >= 0 else f"was killed ({-status})"
        last_words = " ".join(self._tail.decode("utf-8", "replace").split())[-_MOST_TAIL:]
        words = f"@{self.name} {words}"
        return f"{words}; it said last: {last_words}" if last_words else words

    def close(self) -> None:
        """End the program and all that it started: SIGTERM first, SIGKILL a moment later."""
        group = self._process.pid
        with suppress(OSError):
            self._stdin.close()
        system.send(group, SIGTERM)
        end = time.monotonic() + _GRACE_SECONDS
        while self._process.poll() is None and (left := end - time.monotonic()) > 0:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(left)
        if self._keeper.end_program():
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_REAP_SECONDS)
        system.send(group, system.KILL)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_REAP_SECONDS)
        # Where there is no keeper, what left the process group, as daemons do, still bears the mark
        # in its environment.
        end_marked(self._mark)
        self._note()
        self._is_open = False
        self._selector.close()
        for pipe in self._pipes:
            with suppress(OSError):
                pipe.close()
        with suppress(OSError):
            self._notes.close()

    @property
    def _stdin(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def _stdout(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout

    @property
    def _stderr(self) -> IO[bytes]:
        assert self._process.stderr is not None
        return self._process.stderr

    @property
    def _pipes(self) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        return self._stdin, self._stdout, self._stderr

    def _write(self) -> None:
        """Write as much as the program takes; wait for the rest in `receive`."""
        try:
            while self._unsent:
                written = os.write(self._stdin.fileno(), self._unsent[:_AT_ONCE])
                del self._unsent[:written]
        except BlockingIOError:
            self._await_writing(wanted=True)
            return
        except (OSError, ValueError):  # the program reads no more; its end tells the rest
            self._unsent.clear()
        self._await_writing(wanted=False)

    def _await_writing(self, *, wanted: bool) -> None:
        if self._stdin.closed:
            return
        is_awaited = self._stdin in self._selector.get_map()
        if wanted and not is_awaited:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        elif is_awaited and not wanted:
            self._selector.unregister(self._stdin)

    def _read(self) -> list[bytes]:
        """Read what is in the pipe.

        Returns:
            The lines that are whole now.

        Raises:
            SparkError: The program has written too much.
        """
        try:
            data = os.read(self._stdout.fileno(), _AT_ONCE)
        except BlockingIOError:
            return []
        self._is_open = bool(data)
        self._size += len(data)
        # The pieces of a line are joined at its end: adding each to what came before would copy a
        # long line with every read.
        *whole, rest = data.split(b"\n")
        if whole:
            whole[0] = b"".join([*self._partial, whole[0]])
            self._partial = []
            self._partial_size = 0
        self._partial.append(rest)
        self._partial_size += len(rest)
        if self._partial_size > MOST_LINE:
            raise SparkError(f"@{self.name} sent a message of more than {MOST_LINE >> 20} MB")
        if self._size > MOST_BYTES:
            raise SparkError(f"@{self.name} sent more than {MOST_BYTES >> 20} MB")
        return whole

    def _note(self) -> bool:
        """Keep what the program says on stderr, as far as there is room.

        Returns:
            Whether the program said something.
        """
        try:
            data = os.read(self._stderr.fileno(), _AT_ONCE)
        except BlockingIOError:
            return False
        if not data:
            with suppress(KeyError):
                self._selector.unregister(self._stderr)
            return False
        self._tail = (self._tail + data)[-4 * _MOST_TAIL :]
        kept = data[: max(0, _MOST_NOTES - self._notes_size)]
        self._notes_size += len(kept)
        with suppress(OSError):  # the notes are for people; the task goes on without them
            self._notes.write(kept)
            self._notes.flush()
        return True
