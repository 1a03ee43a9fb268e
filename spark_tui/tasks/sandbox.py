"""Where commands of a task run: in bubblewrap where that works, else unconfined.

In bubblewrap a command reads the disk, of the home folder and of the folders for temporary files
only the places of tools (`surroundings.py`); it may write to the work tree of the task and to a
folder for temporary files; it has no network, and opens no unix socket (`socket_filter.py`). With
or without bubblewrap, it sees only a few variables, and a time limit holds.

Source: bwrap(1) of bubblewrap 0.8 to 0.11.
"""

import os
import shlex
import shutil
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryFile

from spark_tui.config import config_dir, state_dir
from spark_tui.process_keeper import Keeper
from spark_tui.session.repair.sandbox import RunningCommand
from spark_tui.tasks.shared import SharedPaths
from spark_tui.tasks.socket_filter import has_filter, opened_filter
from spark_tui.tasks.surroundings import emptied_folders, seen_variables, tool_folders
from spark_tui.vcs.disk_errors import as_disk_error
from spark_tui.vcs.git import path_outside

_PROBE_SECONDS = 10.0
_OPTIONS = "-p no:cacheprovider"
"""Options for pytest, which would otherwise leave its cache in the work tree."""
# bwrap leaves root its capabilities, with which a program could take the sandbox down by umount(8).
_POWERLESS = ("--die-with-parent", "--cap-drop", "ALL")
_OBJECTS = "objects"
_ALTERNATES = f"{_OBJECTS}/info/alternates"
UNCONFINED = (
    "there is no bubblewrap (bwrap) that works here: the commands of the task run unconfined"
)
"""What people read before the commands of a task run outside of bubblewrap."""
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
        keys: Environment variables that commands do not see, whatever their names.
        git_dir: The git directory of the work tree, which commands only read; None: no git
            directory has to be shown.
        variables: The names of variables that commands see beside the usual ones.
        shared: What commands read of the user's work tree; None: nothing.
    """

    def __init__(
        self,
        root: Path,
        scratch: Path,
        keys: Sequence[str] = (),
        git_dir: Path | None = None,
        variables: Sequence[str] = (),
        shared: SharedPaths | None = None,
    ) -> None:
        self._root = root
        self._shared = shared or SharedPaths(root, root)
        self._git_dir = git_dir
        self._scratch = scratch
        self._variables = seen_variables(os.environ, keys, variables)
        self._variables["TMPDIR"] = str(scratch)

    @cached_property
    def is_confined(self) -> bool:
        """Whether commands run in bubblewrap and open no socket; finding out starts one."""
        if not (self._bubblewrap and has_filter()):
            return False
        self._make_scratch()
        # bwrap may be installed and yet fail, as where user namespaces are not allowed.
        with closing(self._start_confined("true", _PROBE_SECONDS)) as command:
            for _ in command:
                pass
        return command.result == 0

    def describe(self) -> dict[str, str]:
        """What a command reads, writes, reaches, starts and sees, each in words for people."""
        sees = ", ".join(sorted(self._variables))
        if not self.is_confined:
            ends = "; all end with it, but for what a service starts" if Keeper.is_at_work else ""
            return {
                "reads": "what you can read",
                "writes": "what you can write",
                "reaches": "the network, your unix sockets and your processes",
                "starts": f"any program{ends}",
                "sees": sees,
            }
        emptied = ", ".join(map(str, emptied_folders()))
        tools = ", ".join(map(str, tool_folders(self._variables))) or "nothing"
        return {
            "reads": f"the disk without spark's own folders; of {emptied} only {tools}",
            "writes": (
                f"its work tree and its folder for temporary files; what it writes to {emptied} "
                f"is gone at its end"
            ),
            "reaches": "itself at 127.0.0.1: no network, no unix socket, no process of yours",
            "starts": "any program that it reads, without capabilities; all end with it",
            "sees": sees,
        }

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
        self._make_scratch()
        if self.is_confined:
            return self._start_confined(line, seconds, self._shared.mounts())
        self.copy_shared()
        return RunningCommand(line, self._root, seconds, _OPTIONS, self._variables)

    def around(self, command: Sequence[str], kept: Sequence[Path]) -> list[str]:
        """A command that runs a program of the user's in bubblewrap, with network and disk.

        The program cannot change what is to be kept, nor spark's configuration. Of spark's state it
        sees only what belongs to the task.

        Args:
            command: The program and its arguments.
            kept: Folders that the program only reads.
        """
        self._make_scratch()
        words = [self._bubblewrap, "--unshare-pid", *_POWERLESS, "--dev-bind", "/", "/"]
        words += ["--proc", "/proc"]
        for folder in (*kept, config_dir()):
            if folder.is_dir():
                words += ["--ro-bind", str(folder), str(folder)]
        words += ["--tmpfs", str(state_dir())] if state_dir().is_dir() else []
        words += self._own_folders()
        words += self._shared.mounts(hides_secrets=False)  # the program reads the user's disk
        return [*words, "--chdir", str(self._root), *command]

    def copy_shared(self) -> None:
        """Copy what is shared into the work tree, for programs that run outside of bubblewrap.

        Raises:
            FileError: Something else is in the way, it is too large, or the disk refused.
        """
        self._make_scratch()
        self._shared.copy(self._scratch)

    def _make_scratch(self) -> None:
        with as_disk_error(f"cannot make {self._scratch}"):
            self._scratch.mkdir(mode=0o700, parents=True, exist_ok=True)

    @cached_property
    def _bubblewrap(self) -> str:
        return shutil.which("bwrap", path=path_outside(self._root)) or ""

    def _start_confined(
        self, line: str, seconds: float, mounts: Sequence[str] = ()
    ) -> RunningCommand:
        """Start a command line in bubblewrap.

        Args:
            mounts: Options that come after all others.

        Raises:
            FileError: The disk refused.
        """
        # The options come from a file, as they may be more than a command line takes.
        with opened_filter() as descriptor, _opened_words([*self._options(), *mounts]) as options:
            words = [self._bubblewrap, "--args", str(options), "--seccomp", str(descriptor)]
            wrapped = f"exec {shlex.join([*words, '/bin/sh', '-c', line])}"
            return RunningCommand(
                wrapped, self._root, seconds, _OPTIONS, self._variables, (descriptor, options)
            )

    def _options(self) -> list[str]:
        """The options of bubblewrap for a command."""
        # bwrap mounts in the order of its options, so what comes later hides what came before:
        # first the whole disk, then empty folders, in them the tools, last the task's own folders,
        # which lie in spark's state folder.
        words = ["--unshare-all", *_POWERLESS, "--ro-bind", "/", "/"]
        words += ["--dev", "/dev", "--proc", "/proc"]
        for folder in emptied_folders():
            words += ["--tmpfs", str(folder)]
        for folder in tool_folders(self._variables):
            words += ["--ro-bind", str(folder), str(folder)]
        for folder in (config_dir(), state_dir()):
            if folder.is_dir():
                words += ["--tmpfs", str(folder.resolve())]
        words += self._own_folders()
        return [*words, "--chdir", str(self._root)]

    def _own_folders(self) -> list[str]:
        """Options that show the folders of the task, which lie within a folder that is hidden."""
        words = []
        if self._git_dir is not None and self._git_dir.is_dir():
            for folder in (self._git_dir, *self._lent_objects()):
                words += ["--ro-bind", str(folder), str(folder.resolve())]
        for folder in (self._root, self._scratch):
            words += ["--bind", str(folder), str(folder.resolve())]
        return words

    def _lent_objects(self) -> list[Path]:
        """The folders from which the git directory of the task reads the user's objects.

        Source:
            gitrepository-layout(5), objects/info/alternates.
        """
        assert self._git_dir is not None
        try:
            lines = (self._git_dir / _ALTERNATES).read_bytes().splitlines()
        except OSError:  # a work tree of an earlier spark has the user's own git directory
            return []
        folders = [Path(os.fsdecode(line)) for line in lines]
        return [folder for folder in folders if folder.name == _OBJECTS and folder.is_dir()]


@contextmanager
def _opened_words(words: Sequence[str]) -> Iterator[int]:
    """Open a file for a `with` from which bubblewrap reads options.

    Raises:
        FileError: The disk refused.
    """
    with as_disk_error("cannot start bubblewrap"), TemporaryFile() as file:
        file.write(b"".join(os.fsencode(word) + b"\0" for word in words))
        file.seek(0)
        yield file.fileno()


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
