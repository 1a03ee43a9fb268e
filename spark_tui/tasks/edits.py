"""Edits of a model, carried out in the work tree of a task.

Every block that fits is carried out. The model is told, in a sentence each, which blocks do not fit
and which files may not be written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from spark_tui.editing.checks import run_checks
from spark_tui.editing.formats.quoted_lines import nearest_path
from spark_tui.editing.formats.search_replace import BlocksDraft, Misfit
from spark_tui.editing.text import Text
from spark_tui.errors import DiskError, FileError, UsageError
from spark_tui.vcs.policy import is_ignored
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.worktree import Worktree

_MOST_BYTES = 4 << 20
"""A larger file is not edited."""
_MOST_NAME = 120


@dataclass(frozen=True, slots=True)
class EditOutcome:
    """What became of an edit.

    Attributes:
        paths: The files that the edit changed.
        refused: Why parts of the edit were not carried out, a clause each.
        faults: What the edit leaves broken, a clause each.
        missed: The files where a part of the edit was not carried out.
    """

    paths: tuple[str, ...]
    refused: tuple[str, ...]
    faults: tuple[str, ...]
    missed: tuple[str, ...] = ()

    @property
    def reply(self) -> str:
        """The outcome as the model reads it."""
        parts = []
        if self.paths:
            parts.append(f"Changed: {', '.join(self.paths)}.")
        else:
            parts.append("No file was changed.")
        parts += [f"Not carried out: {reason}." for reason in self.refused]
        parts += [f"Now broken: {fault}." for fault in self.faults]
        return "\n".join(parts)


def carry_out(answer: str, worktree: Worktree) -> EditOutcome:
    """Carry out the edit that an answer holds.

    Raises:
        DiskError: The disk refused; some files may be written.
        RepoError: The work tree is gone.
    """
    repo = worktree.repo
    texts = dict(named_files(answer, repo))
    draft = BlocksDraft({path: text.lines for path, text in texts.items()})
    draft.take(answer.encode("utf-8", "replace"))
    draft.finish()
    known = repo.files()
    misfits = [event for event in draft.events if isinstance(event, Misfit)]
    refused = [_described(misfit, known) for misfit in misfits]
    missed = [misfit.path[:_MOST_NAME] for misfit in misfits if misfit.path]
    paths = list[str]()
    faults = list[str]()
    for path, lines in draft.settled().items():
        before = texts.get(path)
        try:
            after = _edited(before, lines, path, worktree)
            worktree.write(path, None if after is None else after.to_bytes())
        except DiskError:  # nothing that the model could mend
            raise
        except (FileError, UsageError) as e:
            refused.append(str(e))
            missed.append(path)
            continue
        paths.append(path)
        if after is not None:
            checks = run_checks(before or Text(()), after, path)
            faults += [f"{path} ({check.fault})" for check in checks if not check.ok]
    if not paths and not refused:
        refused.append(draft.doubt or "the blocks change nothing")
    return EditOutcome(tuple(paths), tuple(refused), tuple(faults), tuple(dict.fromkeys(missed)))


def named_files(answer: str, repo: Repository) -> Mapping[str, Text]:
    """The files whose whole paths stand in an answer, as far as they can be edited."""
    texts = {}
    answer += answer.replace("\\", "/")  # some models write the paths of Windows
    for path in repo.files():
        if path not in answer or repo.size(path) > _MOST_BYTES:
            continue
        try:
            texts[path] = Text.from_bytes(repo.read(path), path)
        except (FileError, UsageError):
            continue
    return texts


def _edited(
    before: Text | None, lines: Sequence[str] | None, path: str, worktree: Worktree
) -> Text | None:
    """A file as an edit leaves it; None where the edit deletes the file.

    Raises:
        UsageError, FileError: The file may not become so.
    """
    if before is None:
        if worktree.holds(path):
            raise UsageError(f"{path} exists already and cannot be edited as text")
        if is_ignored(worktree.repo, path):
            raise UsageError(f"{path} is ignored by git; choose another name")
        return Text(tuple(f"{line}\n" for line in lines or ()))
    if lines is None:
        return None
    after = before.replace_lines(0, len(before.lines), lines)
    number = before.mixed(after)
    if number is not None:
        raise UsageError(f"{path} is not UTF-8; line {number + 1} may hold ASCII alone")
    return after


def _described(misfit: Misfit, known: Sequence[str]) -> str:
    """Why a part of an edit does not fit, and the place that it may mean.

    Args:
        known: The paths of all files.
    """
    name = misfit.path[:_MOST_NAME] or "a file without a name"
    if misfit.is_unknown and misfit.path in known:
        return f"a {misfit.what} for {name}: it is too large, or no text"
    reason = f"a {misfit.what} for {name}: {misfit.why}"
    near = misfit.nearest
    if near is None and misfit.path and misfit.path not in known:
        near = nearest_path(misfit.path, known)
    if near is None:
        return reason
    if near.stop:
        return f"{reason}; the most similar lines are {near.start + 1} to {near.stop}"
    return f"{reason}; the most similar name is {near.path}"
