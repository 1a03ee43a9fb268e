"""What comes of a task: its changes, fitted to the files as they are now, and accepted.

The changes lead from the user's files at the beginning to those of the last step. Accepting merges
them with what was edited meanwhile and writes all of them in one batch of the journal, or none. Or
they are committed to a branch of their own, which touches no file.
"""

import shlex
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from typing import Any

from spark_tui.editing.hunks import diff
from spark_tui.errors import Conflict, FileError, SparkError, UsageError
from spark_tui.session.accept import fitted, odd_in
from spark_tui.session.history import Past
from spark_tui.session.json_output import hunk_json
from spark_tui.session.leftovers import few
from spark_tui.session.staging import offered_message
from spark_tui.tasks.log import TaskLog
from spark_tui.tasks.task import verdict
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.commit import Commit, Committer
from spark_tui.vcs.history import JournaledBatch
from spark_tui.vcs.journal import JournalEntry
from spark_tui.vcs.patch import merge
from spark_tui.vcs.policy import concerns_of
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.safe_paths import read_file
from spark_tui.vcs.worktree import TreeChanges, Worktree

INTERRUPTED = "interrupted"
_MOST_NAMES = 10
"""How many files a clause names."""


def changes_of(log: TaskLog, worktree: Worktree) -> TreeChanges:
    """What a task changed so far, against the files that it began with.

    Raises:
        RepoError: Git no longer has the commits of the task.
    """
    return worktree.changes(log.spec.base, log.commit)


def notes_on(changes: TreeChanges) -> list[str]:
    """What applying the changes of a task leaves out, a clause each."""
    notes = list[str]()
    if changes.left_out:
        notes.append(f"left out, as no text: {few(changes.left_out, _MOST_NAMES)}")
    for letter in "+-":
        paths = [path for path, is_set in changes.modes.items() if is_set == (letter == "+")]
        if paths:
            command = shlex.join(["chmod", f"{letter}x", *paths[:_MOST_NAMES]])
            names = few(paths, _MOST_NAMES)
            notes.append(f"the mode of {names} is left as it is; `{command}` changes it")
    return notes


def fit(repo: Repository, changes: Iterable[FileChange]) -> tuple[FileChange, ...]:
    """Fit changes to the files as they are now; those that are there already are left out.

    Raises:
        Conflict: The same lines were edited, or a file is gone or new meanwhile.
        FileError: A file cannot be read, or is no longer text.
    """
    fits = []
    for change in changes:
        now = read_file(repo.root, change.path)
        if now == change.after:
            continue
        if now is None and change.before is not None:
            raise Conflict(f"{change.path} is gone by now; nothing was written")
        if now is not None and change.before is None:
            raise Conflict(f"{change.path} exists by now; nothing was written")
        if change.after is None and now != change.before:
            raise Conflict(f"{change.path} is to go but was edited since; nothing was written")
        fits.append(fitted(repo, change))
    return tuple(change for change in fits if change.before != change.after)


def proposed(repo: Repository, changes: Iterable[FileChange]) -> tuple[FileChange, ...]:
    """Fit changes to the files as they are now, for a review.

    What was accepted before, or written by hand in the same words, is left out. A change that does
    not fit stays as the task made it, so that accepting it reports the conflict.
    """
    proposals = list[FileChange]()
    for change in changes:
        try:
            fit_change = _remaining(repo, change)
        except (Conflict, FileError):
            fit_change = change
        if fit_change.before != fit_change.after:
            proposals.append(fit_change)
    return tuple(proposals)


def _remaining(repo: Repository, change: FileChange) -> FileChange:
    """What is left of a change beside the edits of its file.

    Raises:
        Conflict: The same lines were edited, or the file is gone or new meanwhile.
        FileError: The file cannot be read, or is no longer text.
    """
    now = read_file(repo.root, change.path)
    if change.before is None or change.after is None or now is None:
        fits = fit(repo, [change])
        return fits[0] if fits else FileChange(change.path, now, now)
    return FileChange(change.path, now, merge(change.before, now, change.after, change.path))


def doubts(repo: Repository, changes: Iterable[FileChange]) -> dict[str, tuple[str, ...]]:
    """Why files need a consent of their own, by path; the reasons are worded to follow the path.

    Raises:
        RepoError, FileError.
    """
    changes = tuple(changes)
    told = concerns_of(repo, [change.path for change in changes])
    reasons = {}
    for change in changes:
        before, after = change.texts
        odd = odd_in(before, diff(before, after)).values()
        disguised = [
            f"would hold text that is not what it looks like: {suspect.words}" for suspect in odd
        ]
        if why := (*told[change.path], *disguised):
            reasons[change.path] = why
    return reasons


def accept(
    log: TaskLog,
    repo: Repository,
    batches: Batches,
    changes: Sequence[FileChange],
    allow: Collection[str] = (),
) -> JournalEntry | None:
    """Write the changes of a task to the work tree, as one batch with one undo.

    Args:
        changes: As `changes_of` gives them; fewer where the user chose among them.
        allow: The files that the user consented to.

    Returns:
        The entry of the journal; None where nothing is left to write.

    Raises:
        Conflict: The changes do not fit the files as they are now.
        SparkError: A file needs a consent of its own. In all cases nothing was written.
    """
    fits = fit(repo, changes)
    _require_consents(repo, fits, allow)
    return batches.accept(fits, description_of(log)) if fits else None


def _require_consents(
    repo: Repository, changes: Iterable[FileChange], allow: Collection[str]
) -> None:
    """Refuse changes of files that need a consent of their own and have none.

    Raises:
        SparkError: There is such a file.
    """
    for path, why in doubts(repo, changes).items():
        if path not in allow:
            raise SparkError(
                f"{path} {'; '.join(why)}; nothing was written: --allow {shlex.quote(path)} "
                f"permits it"
            )


def commit_to_branch(
    log: TaskLog,
    repo: Repository,
    worktree: Worktree,
    committer: Committer,
    *,
    branch: str | None = None,
    message: str | None = None,
    allow: Collection[str] = (),
) -> Commit:
    """Commit what came of a task to a new branch, which begins where the task began.

    The commit leaves out what the user had not committed when the task began. The user's files,
    index and HEAD stay as they are.

    Args:
        branch: The name of the branch; None: that of `offered_branch`.
        message: None: that of `message_for`.
        allow: The files that the user consented to.

    Raises:
        UsageError: There is nothing to commit, or such a branch already.
        Conflict: The changes build on what the user had not committed.
        RepoError: Git does not know who the user is, or refuses.
        SparkError: A file needs a consent of its own. In all cases nothing was committed.
    """
    changes = changes_of(log, worktree).files
    if not changes:
        raise UsageError(f"task {log.id} has changed no file; there is nothing to commit")
    _require_consents(repo, changes, allow)
    if branch is None:
        branch = offered_branch(log)
    if message is None:
        message = message_for(log, changes)
    # The base holds what the user had not committed, too; its parent is the user's last commit.
    start = worktree.parent(log.spec.base)
    return committer.commit_to_branch(branch, message, changes, start)


def offered_branch(log: TaskLog) -> str:
    """A name for the branch of a task."""
    return f"task-{log.id}"


def message_for(log: TaskLog, changes: Iterable[FileChange]) -> str:
    """A message for the commit of a task: what was asked for, and where."""
    return offered_message([log.spec.words], [change.path for change in changes])


def description_of(log: TaskLog) -> str:
    """What the journal calls the batch of a task."""
    return f"task {log.id}: {' '.join(log.spec.words.split())}"


def applied_batches(log: TaskLog, batches: Batches | Past) -> list[JournaledBatch]:
    """The batches in force that a task was accepted with, the newest first."""
    name = description_of(log)
    return [
        batch
        for batch in batches.log()
        if batch.entry.is_accept and batch.in_force and batch.entry.description == name
    ]


def applied_batch(log: TaskLog, batches: Batches | Past) -> JournaledBatch | None:
    """The newest batch in force that a task was accepted with, if there is one."""
    return next(iter(applied_batches(log, batches)), None)


def status_of(log: TaskLog) -> tuple[str, str]:
    """How a task stands, and a sentence about it."""
    ended = verdict(log)
    if ended is not None:
        return ended
    steps = len(log.steps)
    return INTERRUPTED, f"interrupted after {steps} steps; `spark task resume {log.id}` goes on"


def result(log: TaskLog, repo: Repository, worktree: Worktree, batches: Batches) -> dict[str, Any]:
    """A task as the object of `--format json`.

    The patch is what was accepted, else what accepting would write to the files as they are now.
    Where the changes do not fit these (`fits` is false), the patch is against the files that the
    task began with.

    Raises:
        RepoError: Git has the commits of the task no longer.
        SparkError: A saved copy of the journal is damaged.
    """
    status, message = status_of(log)
    changes = changes_of(log, worktree)
    batch = applied_batch(log, batches)
    shown: Sequence[FileChange] = changes.files
    fits = True
    if batch is not None:
        shown = batches.changes(batch)
    else:
        try:
            shown = fit(repo, changes.files)
        except (Conflict, FileError) as e:
            fits = False
            message = f"{message}; it does not fit the files as they are now: {e}"
    message = "; ".join([message, *notes_on(changes)])
    return {
        "version": 1,
        "id": log.id,
        "status": status,
        "words": log.spec.words,
        "model": log.spec.model,
        "steps": len(log.steps),
        "tokens": log.tokens,
        "cost": round(log.cost, 6),
        "plan": [
            {"item": item, "done": number < log.ticked} for number, item in enumerate(log.spec.plan)
        ],
        "files": [_file(change) for change in shown],
        "patch": b"".join(change.patch for change in shown).decode("utf-8", "surrogateescape"),
        "check": asdict(log.check) if log.check else None,
        "fits": fits,
        "applied": batch is not None,
        "journal_id": batch.entry.id if batch else None,
        "message": message,
    }


def _file(change: FileChange) -> dict[str, Any]:
    status = "modified"
    if change.before is None:
        status = "added"
    elif change.after is None:
        status = "deleted"
    hunks = [hunk_json(hunk) for hunk in diff(*change.texts)]
    return {"path": change.path, "status": status, "hunks": hunks}
