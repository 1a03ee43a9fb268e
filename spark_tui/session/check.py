"""The user's own check: a command line kept per repository, run in its work tree.

Only the user names a command; nothing in the repository is ever taken for one.
"""

from collections.abc import Callable
from pathlib import Path
from threading import Lock

from spark_tui.errors import FileError, UsageError
from spark_tui.session.external import MOST_BYTES, PLAIN_SHELL, ShellRun
from spark_tui.session.repair.sandbox import lacking_program, last_lines
from spark_tui.small_files import read_small_text
from spark_tui.vcs.blob_store import write_whole
from spark_tui.vcs.disk import Disk


class CheckCommand:
    """The check command of a repository, "" for none, and its last run.

    `set` and `begin` may wait for the disk.

    Args:
        root: The folder to run the command in.
        file: Where the command is kept, outside the repository.
        allow: Raises where nothing may run.
    """

    def __init__(self, root: Path, file: Path, allow: Callable[[], None]) -> None:
        self._root = root
        self._file = file
        self._allow = allow
        self._run: ShellRun | None = None
        self._said = b""
        self._beginning = Lock()
        self.begun = 0
        """How often the command was started."""
        self.received = 0
        """The bytes of output that `output` has held so far, of all runs together."""
        try:
            self.line = read_small_text(file, "surrogateescape")
        except OSError:
            self.line = ""

    def set(self, line: str) -> None:
        """Use this command from now on, "" for none.

        Raises:
            UsageError: The command cannot run.
            FileError: The command cannot be kept.
        """
        if line and (program := lacking_program(line, self._root)):
            raise UsageError(f"`{line}` cannot run: there is no program {program}; check its name")
        self.stop()
        self.line = line
        try:
            if line:
                self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                write_whole(self._file, line.encode("utf-8", "surrogateescape"), Disk())
            else:
                self._file.unlink(missing_ok=True)
        except OSError as e:
            raise FileError(
                f"`{line}` holds until spark ends; it cannot be kept in {self._file}: {e.strerror}"
            ) from e

    def begin(self) -> None:
        """Run the command; a run on older files is ended first.

        Raises:
            RepoError: Nothing may run here now.
        """
        # Two accepts in a row must not start two runs, the first of which nobody could stop.
        with self._beginning:
            self.stop()
            self._allow()
            self.begun += 1
            self._run = ShellRun(self.line, self._root, PLAIN_SHELL)

    def stop(self) -> None:
        """End a run at once and forget its output."""
        if self._run is not None:
            self._run.kill()
        self._run = None
        self._said = b""

    @property
    def running(self) -> bool:
        """Whether the command runs now."""
        return self._run is not None and not self._run.ended

    @property
    def status(self) -> int | None:
        """The exit status of the last run as a shell reports it; None: none has ended."""
        return self._run.status if self._run is not None and self._run.ended else None

    @property
    def output(self) -> bytes:
        """The output so far, or the end of it."""
        if self._run is not None:
            new = self._run.take()
            self.received += len(new)
            self._said = (self._said + new)[-MOST_BYTES:]
        return self._said

    @property
    def last_line(self) -> str:
        """The last line of the output that is not blank, or ""."""
        return next(reversed(last_lines(self.output.decode("utf-8", "replace"))), "")
