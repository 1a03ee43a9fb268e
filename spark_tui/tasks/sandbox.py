"""Where commands of a task run: in bubblewrap where that works, else unconfined.

In bubblewrap a command sees the whole disk except what is private, may write to the work tree of
the task and to a folder for temporary files, and has no network. With or without bubblewrap, the
variables whose names look like keys and passwords are taken away, and a time limit holds.

Source: bwrap(1) of bubblewrap 0.8 to 0.11.
"""

import os
import shlex
import shutil
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from spark_tui.config import config_dir, state_dir
from spark_tui.session.repair.sandbox import RunningCommand
from spark_tui.vcs.disk_errors import as_disk_error
from spark_tui.vcs.git import path_outside

_PROBE_SECONDS = 10.0
_OPTIONS = "-p no:cacheprovider"
"""Options for pytest, which would otherwise leave its cache in the work tree."""
_PRIVATE = (".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config/gcloud")
"""Folders of the home folder that no command of a task reads."""
_SECRETS = frozenset({"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASS", "CREDENTIALS"})
"""The parts of names by which a variable counts as secret."""
MOST_CHARACTERS = 4000
"""Characters of an output that a model reads."""
_HEAD = MOST_CHARACTERS * 3 // 8


@dataclass(frozen=True, slots=True)
class CommandRun:
    """How a command ended.

    Attributes:
        status: The exit status; None where the time was up.
        output: The head and the tail.
    """

    status: int | None
    output: str


class Sandbox:
    """Runs command lines in a work tree.

    Args:
        root: The work tree.
        scratch: A folder for temporary files, which is made.
        keys: Environment variables to take away, whatever their names.
        git_dir: The git directory of the work tree, which commands only read; None: no git
            directory has to be shown.
    """

    def __init__(
        self, root: Path, scratch: Path, keys: Sequence[str] = (), git_dir: Path | None = None
    ) -> None:
        self._root = root
        self._git_dir = git_dir
        self._scratch = scratch
        secrets = (name for name in os.environ if not _SECRETS.isdisjoint(name.split("_")))
        self._keys = sorted({*filter(None, keys), *secrets})

    @cached_property
    def is_confined(self) -> bool:
        """Whether commands run in bubblewrap; finding out starts one."""
        if not self._bubblewrap:
            return False
        # bwrap may be installed and yet fail, as where user namespaces are not allowed.
        return self._finish(self._confined("true"), _PROBE_SECONDS).status == 0

    def run(self, line: str, seconds: float) -> Generator[None, None, CommandRun]:
        """Run a command line with the shell; waiting yields, and closing ends the command.

        Args:
            seconds: The time limit.

        Raises:
            FileError: The disk refused.
        """
        with closing(self.start(line, seconds)) as command:
            yield from command
        # A model names files relative to the work tree, not by their place in spark's folders.
        output = command.take().decode("utf-8", "replace").replace(f"{self._root}/", "")
        return CommandRun(command.result, shortened(output))

    def start(self, line: str, seconds: float) -> RunningCommand:
        """Start a command line with the shell; whoever calls this closes the command.

        Raises:
            FileError: The disk refused.
        """
        confined = self._confined(line) if self.is_confined else self._plain(line)
        self._make_scratch()
        return RunningCommand(confined, self._root, seconds, _OPTIONS)

    def around(self, command: Sequence[str], kept: Sequence[Path]) -> list[str]:
        """A command that runs a program of the user's in bubblewrap, with network and disk.

        The program cannot change what is to be kept, nor spark's configuration. Of spark's state it
        sees only what belongs to the task.

        Args:
            command: The program and its arguments.
            kept: Folders that the program only reads.
        """
        self._make_scratch()
        words = [self._bubblewrap, "--unshare-pid", "--die-with-parent", "--dev-bind", "/", "/"]
        words += ["--proc", "/proc"]
        for folder in (*kept, config_dir()):
            if folder.is_dir():
                words += ["--ro-bind", str(folder), str(folder)]
        words += ["--tmpfs", str(state_dir())] if state_dir().is_dir() else []
        words += self._own_folders()
        return [*words, "--chdir", str(self._root), *command]

    def _finish(self, line: str, seconds: float) -> CommandRun:
        """Run a command line and wait for its end."""
        self._make_scratch()
        with closing(RunningCommand(line, self._root, seconds)) as command:
            for _ in command:
                pass
        return CommandRun(command.result, "")

    def _make_scratch(self) -> None:
        with as_disk_error(f"cannot make {self._scratch}"):
            self._scratch.mkdir(mode=0o700, parents=True, exist_ok=True)

    @cached_property
    def _bubblewrap(self) -> str:
        return shutil.which("bwrap", path=path_outside(self._root)) or ""

    def _confined(self, line: str) -> str:
        """A command line that runs another one in bubblewrap."""
        # bwrap mounts in the order of its options, so what comes later hides what came before:
        # first the whole disk, then empty folders over the private ones, last the task's own
        # folders, which lie in spark's state folder.
        words = [self._bubblewrap, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/"]
        words += ["--dev", "/dev", "--proc", "/proc"]
        home = Path.home()
        hidden = [config_dir(), state_dir(), *(home / name for name in _PRIVATE)]
        for folder in hidden:
            if folder.is_dir():
                words += ["--tmpfs", str(folder)]
        words += self._own_folders()
        words += ["--chdir", str(self._root), "--setenv", "TMPDIR", str(self._scratch)]
        for name in self._keys:
            words += ["--unsetenv", name]
        return f"exec {shlex.join([*words, '/bin/sh', '-c', line])}"

    def _own_folders(self) -> list[str]:
        """Options that show the folders of the task, which lie within a folder that is hidden."""
        words = []
        if self._git_dir is not None and self._git_dir.is_dir():
            words += ["--ro-bind", str(self._git_dir), str(self._git_dir)]
        for folder in (self._root, self._scratch):
            words += ["--bind", str(folder), str(folder)]
        return words

    def _plain(self, line: str) -> str:
        """A command line that runs another one without the keys."""
        words = ["env"]
        for name in self._keys:
            words += ["-u", name]
        words.append(f"TMPDIR={self._scratch}")  # env takes no option behind a variable
        return f"exec {shlex.join([*words, '/bin/sh', '-c', line])}"


def shortened(output: str, most: int = MOST_CHARACTERS) -> str:
    """The head and the tail of an output, and between them how much is left out."""
    output = output.strip("\n")
    if len(output) <= most:
        return output
    head = output[:_HEAD].rpartition("\n")[0] or output[:_HEAD]
    tail = output[len(output) - (most - _HEAD) :]
    tail = tail.partition("\n")[2] or tail
    left_out = len(output) - len(head) - len(tail)
    return f"{head}\n[{left_out} characters are left out here]\n{tail}"
