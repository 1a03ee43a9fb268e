"""The files that a patch changes: as the patch expects them, as it leaves them, and as they are.

Git reads the patch and names the files. It applies the patch to the index of a private repository
that reads the objects of the user's, so that nothing is written to the user's repository. The
patch begins with the version that its `index` line names, if git has that version here; else with
the file as it is now, or as it was last committed. A file that moved on since is merged three ways.
Hunks without a line around them go into the version that the patch names, and into no other.
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from shutil import copy2

from spark_tui.errors import Conflict, FileError, UsageError
from spark_tui.vcs.changes import (
    ChangeStatus,
    Conversion,
    FileVersions,
    PrivateIndex,
    RawChange,
    checked,
    conversions,
    hash_length,
    head_tree,
    link_objects,
    parse_raw,
    read_blobs,
    set_entries,
    too_large,
    write_blobs,
)
from spark_tui.vcs.disk_errors import as_disk_error
from spark_tui.vcs.git import GitFailure
from spark_tui.vcs.patch import PrivateRepository, check_size, merge, private_repository
from spark_tui.vcs.patch_colors import without_colors
from spark_tui.vcs.patch_style import read_style
from spark_tui.vcs.patch_versions import refuse_version_of_another
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.safe_paths import check_path, file_mode, has_folder, identity, read_file

_APPLY = ("apply", "--cached", "--whitespace=nowarn")
_ADRIFT = "it has hunks without context, and names no version of the file that is here"
_UPDATE = "bring the patch up to date"
_UPDATE_OR_ADD_LINES = f"{_UPDATE}, or make it with `git diff -U3`"
_SPECIAL = frozenset("*?[]\\")
_NONE = Conversion()
_Begin = Callable[[Sequence[str], Sequence[str]], list[str]]
"""Takes the files and the options of `_PatchReader._apply`; gives entries of an index."""


@dataclass(frozen=True, slots=True)
class PatchedFiles:
    """What a patch would change.

    Args:
        files: The files that it changes; of a file that the patch fits, `before` is the file as it
            is now.
        applied: The files that are already as the patch would leave them.
    """

    files: tuple[FileVersions, ...]
    applied: tuple[str, ...]


def patched_files(repo: Repository, patch: bytes) -> PatchedFiles:
    """Work out what a patch would change in the work tree.

    Args:
        patch: As `git diff`, `git format-patch` or `diff -u` write it, with prefixes or without, in
            colors or without; text around it is left out.

    Raises:
        UsageError: Git cannot read the patch, it can be read in two ways, or it leads out of the
            work tree.
        SparkError: The patch is too large.
        RepoError, FileError: Git cannot work, or the disk refused.
    """
    check_size(patch)
    if not patch.strip():
        return PatchedFiles((), ())
    where = "cannot try the patch in a temporary folder"
    with as_disk_error(where), private_repository() as private:
        link_objects(private, repo)
        reader = _PatchReader(repo, private, without_colors(patch))
        return _against_disk(repo, reader.images())


@dataclass(frozen=True, slots=True)
class _Failure:
    """A file to which the patch does not apply.

    Args:
        words: What git says of it.
        advice: What helps.
        is_binary: Whether it is none that spark would write.
    """

    path: str
    words: str
    advice: str
    is_binary: bool


@dataclass(frozen=True, slots=True)
class _Images:
    """A change of the patch, with git's bytes of both versions; None: no file, or too large."""

    change: RawChange
    before: bytes | None
    after: bytes | None
    too_large: bool


@dataclass(frozen=True, slots=True)
class _KnownFiles:
    """The files of a work tree, and those of its last commit."""

    repo: Repository
    committed: Collection[str]

    def has_file(self, path: str) -> bool:
        """Whether there is a file."""
        if path in self.committed:
            return True
        try:
            return file_mode(self.repo.root, path) is not None
        except (FileError, UsageError):
            return False

    def has_folder(self, path: str) -> bool:
        """Whether there is a folder."""
        if any(name.startswith(f"{path}/") for name in self.committed):
            return True
        try:
            return has_folder(self.repo.root, f"{path}/file")
        except UsageError:
            return False


class _PatchReader:
    """Applies a patch in a private repository, as a whole or else file by file."""

    def __init__(self, repo: Repository, private: PrivateRepository, patch: bytes) -> None:
        self._repo = repo
        self._private = private
        self._patch = patch
        self._seed = PrivateIndex(private, private.git_dir / "seed-index")
        self._index = PrivateIndex(private, private.git_dir / "patch-index")
        self._fake = private.git_dir / "fake-index"
        self._seed(["read-tree", head_tree(repo)])
        listed = self._seed(["ls-files", "-z", "--format=%(objectname) %(path)"]).split(b"\0")[:-1]
        entries = [os.fsdecode(line).split(" ", 1) for line in listed]
        self._committed = {path: blob for blob, path in entries}
        self._style = read_style(patch, _KnownFiles(repo, self._committed))
        self._level = f"-p{self._style.level}"
        self._no_blob = "0" * hash_length(repo)
        self._binary: frozenset[str] = frozenset()

    def images(self) -> list[_Images | _Failure]:
        """Both versions of each file of the patch, in git's order.

        Raises:
            UsageError: As `_paths`.
        """
        return sorted(self._apply_whole(self._paths(), ()), key=_name_of)

    def _apply_whole(
        self, paths: Sequence[str], only: Sequence[str]
    ) -> Iterator[_Images | _Failure]:
        """Both versions of some files: all at once if the patch fits all, else half by half.

        Args:
            only: As for `_apply`.
        """
        # One file that does not fit makes git refuse the whole patch. Where nearly all files fit,
        # halving finds that file with few starts of git.
        begins: tuple[_Begin, ...] = (self._from_index_lines, self._from_disk)
        if self._style.is_adrift:
            begins = begins[:1]
        for begin in begins:
            with suppress(GitFailure):
                yield from self._apply(paths, only, begin)
                return
        if len(paths) == 1:
            yield from self._apply_to(paths[0])
            return
        middle = len(paths) // 2
        halves = (paths[:middle], paths[middle:])
        if not self._binary.isdisjoint(paths) and not self._binary.issuperset(paths):
            # Most patches name a binary file and do not have its bytes.
            text = [path for path in paths if path not in self._binary]
            halves = (text, [path for path in paths if path in self._binary])
        for half in halves:
            yield from self._apply_whole(half, [f"--include={_escaped(path)}" for path in half])

    def _paths(self) -> list[str]:
        """The files that the patch is about, each once: by their new names, if they have any.

        Raises:
            UsageError: Git cannot read the patch, or a file is not one of the work tree's own.
        """
        try:
            listed = self._list_files()
        except GitFailure as e:
            raise UsageError(
                f"git cannot read this as a patch: {e.detail}; give it what `git diff` wrote"
            ) from e
        if not self._style.is_whole:
            raise UsageError(
                "this patch has lines beside its hunks that look like parts of them; "
                "give it what `git diff` wrote"
            )
        # Lines added, lines removed, path; a dash for each number where the file is binary.
        entries = [os.fsdecode(line).split("\t", 2) for line in listed.split(b"\0")[:-1]]
        self._binary = frozenset(path for added, _, path in entries if added == "-")
        paths = list(dict.fromkeys(path for _, _, path in entries))
        for path in paths:
            check_path(path)
        refuse_version_of_another(self._repo, self._style.versions, self._committed)
        return paths

    def _list_files(self) -> bytes:
        """What git tells of the files, with their names.

        Raises:
            GitFailure: Git cannot read the patch.
        """
        args = ["apply", "--numstat", "-z", "-"]
        if self._style.level is not None:
            return self._seed([*args, self._level], self._patch)
        # A file that moves is named without prefixes, too: git refuses a wrong level.
        try:
            self._level = "-p1"
            return self._seed([*args, self._level], self._patch)
        except GitFailure:
            self._level = "-p0"
            with suppress(GitFailure):
                return self._seed([*args, self._level], self._patch)
            raise

    def _apply_to(self, path: str) -> Iterator[_Images | _Failure]:
        """Both versions of one file, from whatever version of it the patch fits."""
        only = (f"--include={_escaped(path)}",)
        words = ""
        # From the likeliest version to no version at all, for a patch that creates the file.
        begins: list[_Begin] = [self._from_index_lines, self._from_disk, self._from_commit]
        if self._style.is_adrift:
            words = _ADRIFT
            begins = begins[:1]
        for begin in (*begins, self._from_none):
            try:
                yield from self._apply([path], only, begin)
            except GitFailure as e:
                words = words or e.detail
            else:
                return
        advice = _UPDATE_OR_ADD_LINES if self._style.is_bare else _UPDATE
        yield _Failure(path, words, advice, is_binary=path in self._binary)

    def _apply(
        self,
        paths: Sequence[str],
        only: Sequence[str],
        begin: _Begin,
    ) -> list[_Images]:
        """Apply the patch, or a part of it.

        Args:
            paths: The files it is about.
            only: Options that name the part; none for the whole patch.
            begin: Gives the entries of the versions to begin with.

        Raises:
            GitFailure: The patch does not apply to them.
        """
        # The index begins with the commit and with the versions to patch. The trees before and
        # after the patch tell what it does, renames included.
        copy2(self._seed.index, self._index.index)
        set_entries(self._index, begin(paths, only))
        before = self._index(["write-tree"]).decode("ascii").strip()
        # Git takes a hunk that has no line after it for one at the end of the file, wherever it
        # says that it belongs; in the version that the patch was made for, the numbers are right.
        is_exact = begin == self._from_index_lines
        options = ("--unidiff-zero",) if is_exact and self._style.is_bare else ()
        self._index([*_APPLY, self._level, *options, *only, "-"], self._patch)
        after = self._index(["write-tree"]).decode("ascii").strip()
        raw = self._index(["diff-tree", "-r", "--raw", "-z", "-M", "--no-abbrev", before, after])
        changes = list(parse_raw(raw))
        plain = [change for change in changes if not change.reason]
        names: list[str] = []
        for change in plain:
            names += [change.old_blob, change.new_blob]
        blobs = read_blobs(self._private, names)
        return [_images_of(change, blobs) for change in changes]

    def _from_index_lines(self, paths: Sequence[str], only: Sequence[str]) -> list[str]:
        """The versions that the patch's own `index` lines name.

        Raises:
            GitFailure: The patch has none, or git does not have these versions.
        """
        # Git collects the blobs that the `index` lines name in an index, as `git am --3way` does
        # (git-apply(1), --build-fake-ancestor).
        self._fake.unlink(missing_ok=True)
        option = f"--build-fake-ancestor={self._fake}"
        self._seed(["apply", self._level, *only, option, "-"], self._patch)
        listed = PrivateIndex(self._private, self._fake)(["ls-files", "--stage", "-z"])
        entries = [os.fsdecode(line) for line in listed.split(b"\0")[:-1]]
        # A file without such a version is one that the patch creates.
        return [*self._absent(paths), *entries]

    def _from_disk(self, paths: Sequence[str], _only: Sequence[str]) -> list[str]:
        """The files as they are now."""
        known = conversions(self._repo, paths)
        contents: list[bytes] = []
        names: list[tuple[str, str]] = []
        for path in paths:
            data = _read_now(self._repo, path)
            if data is not None:
                contents.append(known.get(path, _NONE).to_git(data))
                # To git a file may be run by all or by nobody: the owner's bit decides.
                is_executable = (file_mode(self._repo.root, path) or 0) & 0o100
                mode = "100755" if is_executable else "100644"
                names.append((mode, path))
        blobs = write_blobs(self._private, contents)
        lines = self._absent(paths)
        for (mode, path), blob in zip(names, blobs, strict=True):
            lines.append(f"{mode} {blob} 0\t{path}")
        return lines

    def _from_commit(self, _paths: Sequence[str], _only: Sequence[str]) -> list[str]:
        """The files as they were committed last, which is what the index has already."""
        return []

    def _from_none(self, paths: Sequence[str], _only: Sequence[str]) -> list[str]:
        """No files: the patch creates them."""
        return self._absent(paths)

    def _absent(self, paths: Sequence[str]) -> list[str]:
        """Lines that take paths out of an index."""
        return [f"0 {self._no_blob} 0\t{path}" for path in paths if path in self._committed]


def _name_of(image: _Images | _Failure) -> bytes:
    """The path of a file as git sorts it."""
    path = image.path if isinstance(image, _Failure) else image.change.path
    return os.fsencode(path)


def _images_of(change: RawChange, blobs: Mapping[str, bytes | None]) -> _Images:
    before = blobs.get(change.old_blob)
    after = blobs.get(change.new_blob)
    too_large = not change.reason and (
        (change.old_mode != 0 and before is None) or (change.new_mode != 0 and after is None)
    )
    return _Images(change, before, after, too_large)


def _escaped(path: str) -> str:
    """A pattern of git's that matches exactly one path."""
    escaped = ""
    for letter in path:
        if letter in _SPECIAL:
            escaped += "\\"
        escaped += letter
    return escaped


def _read_now(repo: Repository, path: str) -> bytes | None:
    """The bytes of a file; None where there is none, or one that spark does not read."""
    try:
        return read_file(repo.root, path)
    except (FileError, UsageError):
        return None


def _against_disk(repo: Repository, images: Sequence[_Images | _Failure]) -> PatchedFiles:
    """Bring the versions of a patch up to the files as they are now."""
    paths = [image.change.path for image in images if isinstance(image, _Images)]
    known = conversions(repo, paths)
    files: list[FileVersions] = []
    applied: list[str] = []
    for image in images:
        if isinstance(image, _Failure):
            files.append(_unfit(image))
            continue
        versions = _on_disk(repo, image, known.get(image.change.path, _NONE))
        if versions is None:
            applied.append(image.change.path)
        else:
            files.append(versions)
    return PatchedFiles(tuple(files), tuple(applied))


def _unfit(failure: _Failure) -> FileVersions:
    """A file that the patch fits in no version."""
    path = failure.path
    if failure.is_binary:
        reason = "is binary, and the patch has no bytes for it that fit"
        return FileVersions(path, path, ChangeStatus.MODIFIED, reason=reason)
    words = f"{path} is not as the patch expects it ({failure.words}); nothing was written"
    clash = Conflict(words, advice=failure.advice)
    reason = f"does not fit the patch: {failure.words}"
    return FileVersions(path, path, ChangeStatus.MODIFIED, reason=reason, clash=clash)


def _on_disk(repo: Repository, image: _Images, conversion: Conversion) -> FileVersions | None:
    """The change of a file as it is now; None where the file is already as the patch leaves it."""
    versions = image.change.versions
    reason = versions.reason or conversion.reason
    if reason or image.too_large:
        return replace(versions, reason=reason or too_large())
    try:
        old = read_file(repo.root, versions.old_path) if versions.old_mode else None
        new = read_file(repo.root, versions.path)
    except (FileError, UsageError) as e:
        return replace(versions, reason=f"cannot be written: {e}")
    if versions.status is ChangeStatus.RENAMED and not versions.changes_mode:
        versions = _with_mode_on_disk(repo, versions)
    # Where case is ignored, the new name leads to the old file, which is not in the way of itself.
    if _is_one_file(repo, versions):
        new = None
    # Git's bytes get the line endings that the file has now, so that only lines with other words
    # differ.
    now = new if old is None else old
    before = conversion.to_work_tree(image.before, now)
    after = conversion.to_work_tree(image.after, now)
    if _is_applied(repo, versions, old, new, after):
        return None
    shown = checked(replace(versions, before=before, after=after))
    if shown.reason:
        return shown
    if shown.is_same:
        return None
    return _fitted(shown, old, new)


def _is_applied(
    repo: Repository,
    versions: FileVersions,
    old: bytes | None,
    new: bytes | None,
    after: bytes | None,
) -> bool:
    """Whether a file is already as the patch leaves it, its mode included.

    Args:
        old, new: The file under its old and its new name, as it is now.
        after: The file as the patch leaves it.
    """
    if versions.status is ChangeStatus.DELETED:
        return old is None
    if new is None or new != after:
        return False
    if versions.status is ChangeStatus.RENAMED:
        return old is None
    mode = file_mode(repo.root, versions.path) or 0
    return not versions.changes_mode or bool(mode & 0o100) == bool(versions.new_mode & 0o100)


def _with_mode_on_disk(repo: Repository, versions: FileVersions) -> FileVersions:
    """A renamed file with the mode that it has now; a patch that only renames names no mode."""
    mode = file_mode(repo.root, versions.old_path)
    if mode is None:
        return versions
    git_mode = 0o100755 if mode & 0o100 else 0o100644
    return replace(versions, old_mode=git_mode, new_mode=git_mode)


def _is_one_file(repo: Repository, versions: FileVersions) -> bool:
    """Whether both names of a renamed file lead to one file, as where case is ignored."""
    if versions.status is not ChangeStatus.RENAMED:
        return False
    one = identity(repo.root, versions.old_path)
    return one is not None and one == identity(repo.root, versions.path)


def _fitted(versions: FileVersions, old: bytes | None, new: bytes | None) -> FileVersions | None:
    """A change brought into a file.

    Args:
        old: The file under its old name, as it is now; None: there is none, or the patch creates
            the file.
        new: The file under its new name.
    """
    obstacle = _obstacle(versions, old, new)
    if obstacle:
        clash = Conflict(f"{obstacle}; nothing was written")
        return replace(versions, clash=clash)
    if old is None or versions.after is None:
        return versions
    return _merged(versions, old)


def _obstacle(versions: FileVersions, old: bytes | None, new: bytes | None) -> str:
    """Why a change cannot be brought into a file at all, or ""; as for `_fitted`."""
    match versions.status:
        case ChangeStatus.ADDED if new is not None:
            return f"{versions.path} exists already"
        case ChangeStatus.DELETED if old != versions.before:
            return f"{versions.path} was edited since, and the patch deletes it"
        case ChangeStatus.RENAMED if new is not None:
            return f"{versions.path} exists already"
        case ChangeStatus.MODIFIED | ChangeStatus.RENAMED if old is None:
            return f"{versions.old_path} is gone"
    return ""


def _merged(versions: FileVersions, now: bytes) -> FileVersions | None:
    """A change merged with what was edited in the file since."""
    assert versions.before is not None
    assert versions.after is not None
    if now == versions.before:
        return versions
    try:
        merged = merge(versions.before, now, versions.after, versions.old_path)
    except Conflict as e:
        return replace(versions, clash=e)
    if merged == now and versions.status is ChangeStatus.MODIFIED:
        return None
    return replace(versions, before=now, after=merged)
