"""Stage accepted changes into the index's own version of their files; what else differs there stays as it is.

The work tree is not touched, and no filter runs: a file's lines are matched with those git has, whatever their endings.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from spark_tui.editing.rebase import same_words, transplant
from spark_tui.editing.text import Text
from spark_tui.errors import Conflict, RepoError, SparkError, UsageError
from spark_tui.vcs.consent import is_ignored
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.git import run_git, settings_of
from spark_tui.vcs.index import Entry, Index
from spark_tui.vcs.lock import exclusive
from spark_tui.vcs.paths import check_path, file_mode
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.trust import Trust
from spark_tui.vcs.unstaging import Staged, Step
from spark_tui.vcs.write import FileChange

_UNSET = {b"unspecified", b"unset"}

LastStep = Callable[[Sequence[str]], tuple[str, ...]]
"""Stages what is ready. Args: the batch of each change, or none. Returns, raises: as `Stager.stage`."""


class Stager:
    """Puts changes into the index of one work tree. Args: state_dir: where spark's lock on the repository is."""

    def __init__(self, repo: Repository, trust: Trust, state_dir: Path, *, disk: Disk | None = None) -> None:
        self._repo = repo
        self._trust = trust
        self._lock = state_dir / "locks" / repo.lock_key
        self._index = Index(repo, disk or Disk())
        self._staged = Staged(repo, self._index)

    def stage(self, changes: Sequence[FileChange], batches: Sequence[str] = ()) -> tuple[str, ...]:
        """Bring changes into the index; a file that git does not have yet is added as they leave it.

        Args: changes: in the order in which they were made; a file may come several times. batches: the one that each
            belongs to, so that taking it back can take it out again.
        Returns: the paths whose entries are others now; a change that is staged already changes nothing.
        Raises: Conflict: git has other lines there. RepoError: not trusted, or an entry spark must not change.
            Transient: the index, or the repository, is locked. In all cases the index stays as it was.
        """
        with self.ready(changes) as put:
            return put(batches)

    @contextmanager
    def ready(self, changes: Sequence[FileChange]) -> Iterator[LastStep]:
        """Do all of `stage` but the last step, which is for the caller to take; to the end of the `with`, git waits.

        Raises: as `stage`.
        """
        self._trust.require("staging")
        if not changes:
            raise UsageError("nothing to stage")
        with ExitStack() as held:
            with exclusive(self._lock):
                copy = held.enter_context(self._index.held())
                steps = self._steps(copy, changes)
                self._index.change(copy, {path: after for path, (_, after) in _ends(steps).items()})
            yield partial(self._put, copy, steps)

    def preview(self, changes: Sequence[FileChange]) -> tuple[FileChange, ...]:
        """What staging changes would make of the index's files. Raises: as `stage`."""
        with exclusive(self._lock), self._index.copied() as copy:
            return changed_files(self._repo, self._index, copy, changes, whole=True)

    @property
    def staged(self) -> tuple[str, ...]:
        """The files of which the next commit would hold another version than the last. Raises: RepoError."""
        return tuple(self._index.differing(()))

    def _steps(self, copy: Path, changes: Sequence[FileChange]) -> list[tuple[int, Step]]:
        """What each change comes to in the index, by the number of the change."""
        present, results = _brought_in(self._repo, self._index, copy, changes, whole=True)
        now: dict[str, Entry | None] = {**present}
        steps = []
        for each in results:
            before, now[each.path] = now.get(each.path), each.kept(self._index)
            steps.append((each.number, Step("", each.path, before, now[each.path])))
        return steps

    def _put(self, copy: Path, steps: Sequence[tuple[int, Step]], batches: Sequence[str]) -> tuple[str, ...]:
        with exclusive(self._lock):
            if batches:
                self._staged.note([replace(step, batch=batches[number]) for number, step in steps])
            self._index.publish(copy)
        return tuple(path for path, (before, after) in _ends(steps).items() if before != after)

    def tidy(self) -> None:
        """Remove what a spark that was killed left, its lock on the index above all: the user's git waits for that."""
        if self._index.is_littered():
            with suppress(SparkError), exclusive(self._lock):
                self._index.tidy()


def _ends(steps: Sequence[tuple[int, Step]]) -> dict[str, tuple[Entry | None, Entry | None]]:
    """The first and the last entry of each path."""
    ends: dict[str, tuple[Entry | None, Entry | None]] = {}
    for _, step in steps:
        ends[step.path] = ends.get(step.path, (step.before, None))[0], step.after
    return ends


def changed_entries(
    repo: Repository, index: Index, copy: Path, changes: Sequence[FileChange]
) -> dict[str, Entry | None]:
    """The entries that an index must get so that it holds changes, too; None: none any more.

    Args: copy: the index to look at; it is not changed. changes: as for `Stager.stage`.
    Raises: Conflict, RepoError: as there, and where git does not have a file yet.
    """
    present, results = _brought_in(repo, index, copy, changes, whole=False)
    last = {each.path: each for each in results}
    entries = {path: each.kept(index) for path, each in last.items()}
    return {path: entry for path, entry in entries.items() if entry != present.get(path)}


def changed_files(
    repo: Repository, index: Index, copy: Path, changes: Sequence[FileChange], *, whole: bool = False
) -> tuple[FileChange, ...]:
    """The same as what becomes of the files. Args: whole: a file that git does not have yet counts as added.

    Raises: as `changed_entries`, but for that.
    """
    present, results = _brought_in(repo, index, copy, changes, whole=whole)
    last = {each.path: each.data for each in results}
    before = {path: index.read(present[path], path) if path in present else None for path in last}
    return tuple(FileChange(path, before[path], data) for path, data in last.items() if data != before[path])


@dataclass(frozen=True, slots=True)
class _Result:
    """What a file in git becomes by one change. Args: number: of the change. data: None: no file."""

    number: int
    path: str
    mode: str
    data: bytes | None

    def kept(self, index: Index) -> Entry | None:
        """The entry for it, whose blob is there then."""
        return None if self.data is None else Entry(self.mode, index.write(self.data))


def _brought_in(
    repo: Repository, index: Index, copy: Path, changes: Sequence[FileChange], *, whole: bool
) -> tuple[dict[str, Entry], list[_Result]]:
    """The entries there are, and what they become. Args: whole: a file that git does not have yet is added."""
    by_path: dict[str, list[tuple[int, FileChange]]] = {}
    for number, change in enumerate(changes):
        check_path(change.path)
        by_path.setdefault(change.path, []).append((number, change))
    attributes = _attributes(repo, by_path)
    present = index.entries(by_path.keys(), copy)
    results = []
    for path, each in by_path.items():
        entry = present.get(path)
        data = None if entry is None else index.read(entry, path)
        mode = entry.mode if entry is not None else _mode(repo, each[-1][1])
        for number, change in _missing(path, data, each):
            data = _with(path, data, change, partial(_stored, repo, attributes[path]), whole=whole)
            results.append(_Result(number, path, mode, data))
        if entry is None and data is not None and is_ignored(repo, path):
            raise RepoError(f"git ignores {path}; `git add --force` it by hand")
    return present, results


def _missing(path: str, data: bytes | None, changes: list[tuple[int, FileChange]]) -> list[tuple[int, FileChange]]:
    """The changes that content in git lacks; those up to one whose result it is are there already."""
    there = (at for at in range(len(changes), 0, -1) if _same(data, changes[at - 1][1].after, path))
    return changes[next(there, 0) :]


def _with(
    path: str, data: bytes | None, change: FileChange, stored: Callable[[bytes], bytes], *, whole: bool
) -> bytes | None:
    if _same(data, change.after, path):
        return data
    if change.after is not None and ((whole and data is None) or (change.before is None and not data)):
        return stored(change.after)
    if change.before is None:
        raise Conflict(f"git has another {path} already; stage it by hand (`git add -p`)")
    if data is None:
        raise Conflict(f"git has no {path} yet that this edit belongs to; `git add` and commit the whole file by hand")
    if change.after is None:
        if not _same(data, change.before, path):
            raise Conflict(f"git has other lines in {path}, which was deleted; `git rm --cached` takes it out by hand")
        return None
    return transplant(*change.texts, Text.from_bytes(data, path), path).to_bytes()


def _same(one: bytes | None, other: bytes | None, path: str) -> bool:
    if one is None or other is None or one == other:
        return one is other or one == other
    return same_words(Text.from_bytes(one, path), Text.from_bytes(other, path))


def _stored(repo: Repository, attributes: Mapping[bytes, bytes], data: bytes) -> bytes:
    """The content of a file that git does not have yet with the endings it gets there. Args: attributes: of its path.

    Source: gitattributes(5), text and eol.
    """
    if b"\r\n" not in data:
        return data
    if (text := attributes[b"text"]) == b"unspecified":
        converted = attributes[b"eol"] not in _UNSET or setting(repo, "core.autocrlf") in {"true", "input"}
    else:
        converted = text != b"unset"
    return data.replace(b"\r\n", b"\n") if converted else data


def _attributes(repo: Repository, paths: Mapping[str, object]) -> dict[str, dict[bytes, bytes]]:
    """The attributes of paths that say what git stores. Raises: RepoError: only a program knows what."""
    args = ["check-attr", "-z", "--stdin", "filter", "working-tree-encoding", "text", "eol"]
    names = b"".join(os.fsencode(path) + b"\0" for path in paths)
    words = run_git(args, git_dir=repo.git_dir, work_tree=repo.root, stdin=names).split(b"\0")[:-1]
    found: dict[str, dict[bytes, bytes]] = {path: {} for path in paths}
    for path, attribute, value in zip(words[::3], words[1::3], words[2::3], strict=True):
        found[os.fsdecode(path)][attribute] = value
    for name, values in found.items():
        for attribute in (b"filter", b"working-tree-encoding"):
            if values[attribute] not in _UNSET:
                what = f"{attribute.decode()}={os.fsdecode(values[attribute])}"
                raise RepoError(f"git stores {name} through {what}, which spark does not run; `git add` it by hand")
    return found


def _mode(repo: Repository, change: FileChange) -> str:
    """The mode of a file that is new to git."""
    mode = change.mode if change.mode is not None else file_mode(repo.root, change.path)
    executable = bool(mode and mode & 0o100) and setting(repo, "core.filemode") != "false"
    return "100755" if executable else "100644"


def setting(repo: Repository, key: str) -> str | None:
    """What the repository's configuration, or the user's, says; without spark's own. Args: key: in lower case."""
    said = [each.value.lower() for each in settings_of(repo.git_dir) if each.key == key and each.scope != "command"]
    return said[-1] if said else None
