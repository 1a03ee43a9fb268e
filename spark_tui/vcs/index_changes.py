"""Bring changes of files into an index's own versions of these files.

Whatever else differs in the index stays as it is. The work tree is not read, and no filter runs: a
file's lines are matched with those that git has, whatever their endings.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from spark_tui.editing.rebase import same_words, transplant
from spark_tui.editing.text import Text
from spark_tui.errors import Conflict, RepoError
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.git import run_git, settings_of
from spark_tui.vcs.index import Entry, GitIndex
from spark_tui.vcs.policy import is_ignored
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.safe_paths import check_path, file_mode

_UNSET = {b"unspecified", b"unset"}


def changed_entries(
    repo: Repository, index: GitIndex, copy: Path, changes: Sequence[FileChange]
) -> dict[str, Entry | None]:
    """Work out the entries that an index must get so that it holds changes, too.

    Args:
        copy: The index to look at; it is not changed.
        changes: As for `Stager.stage`.

    Returns:
        The entries by path; None: the entry goes.

    Raises:
        Conflict, RepoError: As `Stager.stage`, and where git does not have a file yet.
    """
    present, results = apply_changes(repo, index, copy, changes, whole=False)
    last = {result.path: result for result in results}
    entries = {path: result.write(index) for path, result in last.items()}
    return {path: entry for path, entry in entries.items() if entry != present.get(path)}


def changed_files(
    repo: Repository,
    index: GitIndex,
    copy: Path,
    changes: Sequence[FileChange],
    *,
    whole: bool = False,
) -> tuple[FileChange, ...]:
    """Work out what becomes of an index's files, as `changed_entries` does of its entries.

    Args:
        whole: Whether a file that git does not have yet counts as added.

    Raises:
        Conflict, RepoError: As `changed_entries`; with `whole`, git need not have a file.
    """
    present, results = apply_changes(repo, index, copy, changes, whole=whole)
    last = {result.path: result.data for result in results}
    before: dict[str, bytes | None] = dict.fromkeys(last)
    for path in last:
        if path in present:
            before[path] = index.read(present[path], path)
    return tuple(
        FileChange(path, before[path], data) for path, data in last.items() if data != before[path]
    )


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """What one change makes of a file in git.

    Args:
        number: The number of the change.
        path: The file's path.
        mode: The mode of its entry, in octal.
        data: The file's content; None: no file.
    """

    number: int
    path: str
    mode: str
    data: bytes | None

    def write(self, index: GitIndex) -> Entry | None:
        """Write the content as a blob; returns the entry, or None where there is no file."""
        if self.data is None:
            return None
        return Entry(self.mode, index.write(self.data))


def apply_changes(
    repo: Repository, index: GitIndex, copy: Path, changes: Sequence[FileChange], *, whole: bool
) -> tuple[dict[str, Entry], list[ChangedFile]]:
    """Bring changes into the index's versions of their files, in memory.

    Args:
        whole: Whether a file that git does not have yet is added.

    Returns:
        The entries that the index has for these files, and what each change makes of its file.

    Raises:
        Conflict: Git has other lines there.
        RepoError: Git ignores a new file, or stores a file through a program.
    """
    # The changes of one file are applied one upon the other; the number tells the caller which is
    # which.
    by_path: dict[str, list[tuple[int, FileChange]]] = {}
    for number, change in enumerate(changes):
        check_path(change.path)
        by_path.setdefault(change.path, []).append((number, change))
    attributes = _attributes(repo, by_path)
    present = index.entries(by_path.keys(), copy)
    results = []
    for path, numbered in by_path.items():
        entry = present.get(path)
        if entry is None:
            data = None
            _, last_change = numbered[-1]
            mode = _mode_of_new_file(repo, last_change)
        else:
            data = index.read(entry, path)
            mode = entry.mode
        stored = partial(_as_stored, repo, attributes[path])
        for number, change in _missing_changes(path, data, numbered):
            data = _apply_change(path, data, change, stored, whole=whole)
            results.append(ChangedFile(number, path, mode, data))
        if entry is None and data is not None and is_ignored(repo, path):
            raise RepoError(f"git ignores {path}; `git add --force` it by hand")
    return present, results


def _missing_changes(
    path: str, data: bytes | None, changes: list[tuple[int, FileChange]]
) -> list[tuple[int, FileChange]]:
    """The changes that content in git lacks.

    Content that is the result of a change has that change and all before it.
    """
    # From the last one on: a later change may lead back to what an earlier one left.
    for count in range(len(changes), 0, -1):
        _, change = changes[count - 1]
        if _is_same_text(data, change.after, path):
            return changes[count:]
    return changes


def _apply_change(
    path: str,
    data: bytes | None,
    change: FileChange,
    stored: Callable[[bytes], bytes],
    *,
    whole: bool,
) -> bytes | None:
    """Bring one change into content in git.

    Args:
        data: The content; None: git has no such file.
        stored: Gives a new file's content as git stores it.
        whole: Whether a file that git does not have yet is added.

    Raises:
        Conflict: Git has other lines there.
    """
    if _is_same_text(data, change.after, path):
        return data
    # Git has no such file, so the file goes in whole; or the change creates it, and git has at most
    # an empty file (as `git add --intent-to-add` leaves).
    is_new = (whole and data is None) or (change.before is None and not data)
    if change.after is not None and is_new:
        return stored(change.after)
    if change.before is None:
        raise Conflict(f"git has another {path} already; stage it by hand (`git add -p`)")
    if data is None:
        raise Conflict(
            f"git has no {path} yet that this edit belongs to; `git add` and commit the whole "
            f"file by hand"
        )
    if change.after is None:
        if not _is_same_text(data, change.before, path):
            raise Conflict(
                f"git has other lines in {path}, which was deleted; `git rm --cached` takes it "
                f"out by hand"
            )
        return None
    return transplant(*change.texts, Text.from_bytes(data, path), path).to_bytes()


def _is_same_text(data: bytes | None, other: bytes | None, path: str) -> bool:
    """Whether two contents are the same but for line endings; None is no file."""
    if data == other:
        return True
    if data is None or other is None:
        return False
    return same_words(Text.from_bytes(data, path), Text.from_bytes(other, path))


def _as_stored(repo: Repository, attributes: Mapping[bytes, bytes], data: bytes) -> bytes:
    """The content of a file that is new to git, with the line endings that git stores.

    Source:
        gitattributes(5), text and eol.

    Args:
        attributes: The attributes of the file's path.
    """
    if b"\r\n" not in data:
        return data
    # Git's own order: `text` decides; where it is unspecified, `eol` alone also means text; the
    # setting comes last.
    text = attributes[b"text"]
    if text != b"unspecified":
        converts = text != b"unset"
    elif attributes[b"eol"] not in _UNSET:
        converts = True
    else:
        converts = setting(repo, "core.autocrlf") in {"true", "input"}
    return data.replace(b"\r\n", b"\n") if converts else data


def _attributes(repo: Repository, paths: Mapping[str, object]) -> dict[str, dict[bytes, bytes]]:
    """The attributes of paths that decide what git stores.

    Raises:
        RepoError: Git stores what a program makes of a file.
    """
    args = ["check-attr", "-z", "--stdin", "filter", "working-tree-encoding", "text", "eol"]
    names = b"".join(os.fsencode(path) + b"\0" for path in paths)
    words = run_git(args, git_dir=repo.git_dir, work_tree=repo.root, stdin=names).split(b"\0")[:-1]
    attributes: dict[str, dict[bytes, bytes]] = {path: {} for path in paths}
    for path, attribute, value in zip(words[::3], words[1::3], words[2::3], strict=True):
        attributes[os.fsdecode(path)][attribute] = value
    for name, values in attributes.items():
        for attribute in (b"filter", b"working-tree-encoding"):
            if values[attribute] not in _UNSET:
                program = f"{attribute.decode()}={os.fsdecode(values[attribute])}"
                raise RepoError(
                    f"git stores {name} through {program}, which spark does not run; `git add` it "
                    f"by hand"
                )
    return attributes


def _mode_of_new_file(repo: Repository, change: FileChange) -> str:
    """The mode of a file that is new to git."""
    mode = change.mode
    if mode is None:
        mode = file_mode(repo.root, change.path)
    if mode and mode & 0o100 and setting(repo, "core.filemode") != "false":
        return "100755"
    return "100644"


def setting(repo: Repository, key: str) -> str | None:
    """The value of a setting in lower case, as the repository or the user configured git.

    Args:
        key: In lower case.

    Returns:
        The value in force without spark's own settings; None where there is none.
    """
    value = None
    for configured in settings_of(repo.git_dir):
        if configured.key == key and configured.scope != "command":
            value = configured.value.lower()
    return value
