"""The tasks of a work tree: begun, found, listed, opened for work, dropped."""

import re  # noqa: TID251 - reads names and settings
import secrets
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from spark_tui.errors import FileError, FilesLost, SparkError, Transient, UsageError
from spark_tui.own_folders import files_in
from spark_tui.session.leftovers import few
from spark_tui.session.request import refuse_too_long
from spark_tui.session.telemetry import Telemetry
from spark_tui.tasks.log import DROPPED, Budget, TaskLog, TaskSpec
from spark_tui.tasks.sandbox import Sandbox
from spark_tui.tasks.shared import SharedPaths
from spark_tui.tasks.task import Task, TaskModel
from spark_tui.tasks.tools import RunRules, Tools
from spark_tui.vcs.blob_store import is_temporary
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.own_folder import OwnFolder
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.worktree import Worktree

_ENDING = ".jsonl"
_ID = re.compile("[0-9a-f]{8}")
_SCRATCH = ".tmp"
_NOTES = ".agent.log"
_MOST_NAMES = 5
"""How many files an error names."""


class TaskStore:
    """The tasks of one work tree.

    Args:
        repo: The user's work tree.
        folder: Where the logs and the work trees of tasks are, outside the repository.
        disk: The system calls to use.
    """

    def __init__(self, repo: Repository, folder: Path, disk: Disk | None = None) -> None:
        self._repo = repo
        self._folder = folder
        self._disk = disk or Disk()

    def begin(
        self,
        words: str,
        model: str,
        *,
        check: str = "",
        plan: Sequence[str] = (),
        budget: Budget | None = None,
        shared: Sequence[str] = (),
    ) -> TaskLog:
        """Begin a task on the files as they are now, uncommitted work included.

        Args:
            shared: What its commands read of the work tree beside these, see `find_shared`.

        Raises:
            UsageError: There are no words, or too many.
            RepoError, FileError: The files cannot be kept.
        """
        if not words.strip():
            raise UsageError("the task is empty; say what is to be done")
        refuse_too_long(words)
        self.sweep()
        log = self._log(secrets.token_hex(4))
        # Held, so that nobody sweeps away what is not in a log yet.
        with log.held():
            log.begin(
                TaskSpec(
                    id=log.id,
                    words=words.strip(),
                    model=model,
                    base=self.worktree(log).snapshot(f"The files of task {log.id}", shared),
                    begun=datetime.now(UTC).isoformat(timespec="seconds"),
                    check=check,
                    plan=tuple(plan),
                    budget=budget or Budget(),
                    shared=tuple(shared),
                )
            )
        return log

    def sweep(self) -> None:
        """Remove what a kill left of tasks that had not begun, or were being dropped.

        Of a task with a log, only temporary files go. A work tree whose log was lost in another way
        stays.
        """
        paths = files_in(self._folder, "")
        names = {path.name for path in paths}
        cut_short = {_id_in(path) for path in paths if is_temporary(path)}
        for task_id in sorted({*map(_id_in, paths)}):
            is_there = f"{task_id}{_ENDING}" in names
            is_lost = not is_there and task_id in names and f"{task_id}{DROPPED}" not in names
            is_whole = is_there and task_id not in cut_short
            if is_lost or is_whole or not _ID.fullmatch(task_id):
                continue
            log = self._log(task_id)
            with suppress(SparkError, OSError), log.held():
                # Another process may have written the log by now.
                if log.is_there:
                    self._remove_temporaries(log)
                else:
                    self._clear(log)

    def find(self, task_id: str) -> TaskLog:
        """The one task whose id begins with `task_id`.

        Raises:
            UsageError: There is none, or there are several.
            FileError: Its log cannot be read.
        """
        log = self._log(self._whole_id(task_id))
        log.read()
        return log

    def logs(self) -> tuple[TaskLog, ...]:
        """All tasks that can be read, the newest first."""
        logs = []
        for task_id in self._ids():
            log = self._log(task_id)
            with suppress(FileError):
                log.read()
                logs.append(log)
        logs.sort(key=lambda log: log.spec.begun, reverse=True)
        return tuple(logs)

    def troubles(self) -> tuple[str, ...]:
        """What of the tasks cannot be read, a sentence each."""
        troubles = list[str]()
        for task_id in self._ids():
            log = self._log(task_id)
            try:
                log.read()
            except FileError as error:
                troubles.append(str(error))
            if log.skipped:
                path = self._folder / f"{task_id}{_ENDING}"
                troubles.append(f"{path}: {log.skipped} damaged lines were skipped")
        return tuple(troubles)

    def open(
        self,
        log: TaskLog,
        model: TaskModel,
        rules: RunRules,
        keys: Sequence[str],
        telemetry: Telemetry | None = None,
        **given: Any,
    ) -> Task:
        """A task, ready to go on after its last step.

        Args:
            keys: The environment variables with keys, which no command sees.
            telemetry: Notes the figures of steps; None: nothing is noted.
            given: The rest for the `Task`.
        """
        tools = self.tools(log, rules, keys)
        return Task(log, self.worktree(log), model, tools, telemetry, **given)

    def tools(self, log: TaskLog, rules: RunRules, keys: Sequence[str]) -> Tools:
        """What carries out the commands of a task.

        Args:
            keys: As for `open`.

        Raises:
            RepoError: Another folder or a link is in place of the one for temporary files.
            FileError: The disk refused.
        """
        scratch = self._scratch(log)
        scratch.make()
        worktree = self.worktree(log)
        sandbox = Sandbox(
            worktree.root,
            scratch.path,
            keys,
            worktree.git_dir,
            rules.variables,
            SharedPaths(self._repo.root, worktree.root, log.spec.shared),
        )
        return Tools(rules, sandbox)

    def notes(self, log: TaskLog) -> Path:
        """The file that takes what the program of an agent says on stderr; there may be none."""
        return self._folder / f"{log.id}{_NOTES}"

    def worktree(self, log: TaskLog) -> Worktree:
        """The work tree of a task, which need not be there."""
        return Worktree(self._repo, self._folder / log.id, self._disk)

    def drop(self, task_id: str, *, anyway: bool = False) -> str:
        """Remove a task with all that is kept of it; what was accepted of it stays.

        Args:
            anyway: Also where files of repositories that were made in it are in no patch.

        Returns:
            The whole id.

        Raises:
            UsageError: There is no such task.
            FilesLost: There are such files.
            Transient: It is at work.
            RepoError: Another folder or a link is in place of one of the task's.
            FileError: The disk refused.
        """
        log = self._log(self._whole_id(task_id))
        try:
            with log.held():
                self._check_places(log)
                if not anyway and (lost := self._unpatched(log)):
                    names = few(lost, _MOST_NAMES)
                    raise FilesLost(f"task {log.id} holds files that are in no patch: {names}")
                self._clear(log)
        except Transient as e:
            raise Transient(f"task {log.id} is at work; stop it first") from e
        return log.id

    def _clear(self, log: TaskLog) -> None:
        """Remove all that is kept of a task.

        The log goes first, in one step. Where the rest is cut short, the next start goes on.

        Raises:
            RepoError, FileError: As `drop`.
        """
        self._check_places(log)
        log.drop()
        self.worktree(log).remove()
        self._scratch(log).remove()
        with suppress(OSError):
            self.notes(log).unlink()
        self._remove_temporaries(log)
        log.remove()

    def _remove_temporaries(self, log: TaskLog) -> None:
        """Remove what a kill left of files of a task that were being written."""
        for path in files_in(self._folder, ""):
            if _id_in(path) == log.id and is_temporary(path):
                with suppress(OSError):
                    path.unlink()

    def _check_places(self, log: TaskLog) -> None:
        """Check that nothing is in place of the folders of a task.

        Raises:
            RepoError: Another folder or a link is.
            FileError: The disk refused.
        """
        self.worktree(log).check_places()
        self._scratch(log).check()

    def _unpatched(self, log: TaskLog) -> Sequence[str]:
        """The files of repositories in the work tree of a task that are in no patch of it.

        Where that cannot be told, as the log is damaged or commits are gone, the repositories.
        """
        worktree = self.worktree(log)
        inner = worktree.repositories()
        if not inner:
            return ()
        try:
            log.read()
            worktree.adopt(log.commit)
            last = worktree.commit("The files of a task that is dropped")
            changed = worktree.changed_names(log.commit, last)
            left_out = worktree.changes(log.spec.base, last).left_out
        except SparkError:
            return inner
        return [path for path in (*changed, *left_out) if path.startswith(inner)]

    def _scratch(self, log: TaskLog) -> OwnFolder:
        """The folder for temporary files of a task's commands."""
        return OwnFolder(self._folder / f"{log.id}{_SCRATCH}", self._disk)

    def _whole_id(self, beginning: str) -> str:
        """The one id with this beginning.

        Raises:
            UsageError: There is none, or there are several.
        """
        ids = [task_id for task_id in self._ids() if task_id.startswith(beginning)]
        if len(ids) == 1 and beginning:
            return ids[0]
        number = "several tasks begin" if ids else "no task begins"
        raise UsageError(f"{number} with {beginning!r}; see `spark task list`")

    def _ids(self) -> list[str]:
        return [path.stem for path in files_in(self._folder, _ENDING)]

    def _log(self, task_id: str) -> TaskLog:
        return TaskLog(self._folder / f"{task_id}{_ENDING}", self._disk)


def _id_in(path: Path) -> str:
    """The id of the task that a file belongs to, by its name."""
    return path.name.partition(".")[0]
