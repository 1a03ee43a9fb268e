"""The files that differ between a commit, a branch or another work tree and this work tree.

Git says which files differ and what they are called; no name is read out of a diff. Git reads a
copy of the index to which spark has added the untracked files, so that these are compared, too, and
found where they are renamed ones. Nothing is written to the repository: what spark adds lies in a
private one, whose objects git reads beside the repository's own.

- `FileVersions` is a file that differs, with its bytes in both versions, or the reason why it
  cannot be shown by hunk.
- `changes_since` compares the work tree with a base.
- `Conversion` knows what git does to a file's bytes between its own version and the work tree's.
"""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from shutil import copy2

from spark_tui.editing.endings import in_endings_of, with_crlf, with_lf
from spark_tui.editing.text import Text
from spark_tui.errors import Conflict, FileError, NotText, RepoError, SparkError, UsageError
from spark_tui.vcs.disk_errors import as_disk_error
from spark_tui.vcs.git import GitFailure, Late, run_git, settings_of
from spark_tui.vcs.patch import PrivateRepository, private_repository
from spark_tui.vcs.repository import LISTING_SECONDS, Repository
from spark_tui.vcs.safe_paths import check_path, read_file

MOST_BYTES = 8 << 20
"""A larger file is not shown by hunk."""

# Modes and hashes as git has them, the hashes by the digits of a repository's own (SHA-1, SHA-256).
LINK = 0o120000
SUBMODULE = 0o160000
_PLAIN = (0o100644, 0o100755)
_EMPTY_BLOB = {40: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"}
_EMPTY_BLOB[64] = "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"
_EMPTY_TREE = {40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904"}
_EMPTY_TREE[64] = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
_RAW = ("--raw", "-z", "-M", "-l1000", "--no-abbrev")
_DIFF = ("diff", *_RAW, "-O/dev/null", "--no-relative", "--ignore-submodules=dirty")
"""Overrides the order and the folder that are configured, and starts no git in submodules."""
_DIFF_BY_NAME = (
    *("diff-index", "--raw", "-z", "--no-renames", "--no-abbrev"),
    *("-O/dev/null", "--ignore-submodules=dirty"),
)
"""For where blobs are missing: finding renames, and leaving out equal files, both read blobs."""


class ChangeStatus(StrEnum):
    """What happened to a file."""

    MODIFIED = "modified"
    ADDED = "added"
    DELETED = "deleted"
    RENAMED = "renamed"


_STATUSES = {
    "A": ChangeStatus.ADDED,
    "C": ChangeStatus.ADDED,
    "D": ChangeStatus.DELETED,
    "R": ChangeStatus.RENAMED,
}


@dataclass(frozen=True, slots=True)
class FileVersions:
    """A file that differs.

    Args:
        path: In the later version; of a deleted file, in the earlier one.
        old_path: In the earlier version; the same unless the file was renamed.
        before, after: The bytes; None: there is no file, or the reason says why they are missing.
        old_mode, new_mode: Git's modes; 0: there is no file.
        reason: Why the file cannot be reviewed by hunk, worded to follow its path; "" where it can.
        untracked: Whether git does not track the file.
        clash: Why a patch does not fit the file as it is now, if it does not.
    """

    path: str
    old_path: str
    status: ChangeStatus
    before: bytes | None = field(default=None, repr=False)
    after: bytes | None = field(default=None, repr=False)
    old_mode: int = 0
    new_mode: int = 0
    reason: str = ""
    untracked: bool = False
    clash: Conflict | None = None

    @property
    def is_same(self) -> bool:
        """Whether both versions are shown and do not differ."""
        return self.is_same_text and not self.reason and not self.changes_mode

    @property
    def is_same_text(self) -> bool:
        """Whether a file that stays where it is has the same bytes in both versions."""
        return self.status is ChangeStatus.MODIFIED and self.before == self.after

    @property
    def changes_mode(self) -> bool:
        """Whether a file that stays becomes executable, or is no longer."""
        return {self.old_mode, self.new_mode} == set(_PLAIN)


@dataclass(frozen=True, slots=True)
class RawChange:
    """A line of `git diff --raw`: modes, the names of the blobs, and paths."""

    old_mode: int
    new_mode: int
    old_blob: str
    new_blob: str
    letter: str
    old_path: str
    path: str

    @property
    def status(self) -> ChangeStatus:
        """What happened to the file."""
        return _STATUSES.get(self.letter, ChangeStatus.MODIFIED)

    @property
    def reason(self) -> str:
        """Why the modes keep the file from being reviewed by hunk, or ""."""
        modes = {self.old_mode, self.new_mode} - {0}
        if SUBMODULE in modes:
            return "is a submodule"
        if modes == {LINK}:
            return "is a symbolic link"
        if LINK in modes:
            return "is a symbolic link in one version and a file in the other"
        if self.letter == "U":
            return "has conflicts that git has not resolved"
        if not modes <= set(_PLAIN):
            return "is not a regular file"
        return ""

    @property
    def versions(self) -> FileVersions:
        """The change without any bytes."""
        return FileVersions(
            self.path,
            self.old_path,
            self.status,
            old_mode=self.old_mode,
            new_mode=self.new_mode,
            reason=self.reason,
        )


def parse_raw(raw: bytes) -> Iterator[RawChange]:
    """The changes that `git diff --raw -z` wrote, in git's order."""
    # `:MODE MODE BLOB BLOB LETTER`, NUL, path, NUL; a rename or a copy has a second path. See
    # git-diff(1), raw output format.
    fields = iter(raw.split(b"\0")[:-1])
    for facts in fields:
        old_mode, new_mode, old_blob, new_blob, state = facts.decode("ascii").split(" ")
        old_path = os.fsdecode(next(fields))
        path = old_path
        letter = state[0]
        if letter in "RC":
            path = os.fsdecode(next(fields))
        # A copy is shown as a file that was added: its original stays as it is.
        if letter == "C":
            old_path = path
        modes = int(old_mode.removeprefix(":"), 8), int(new_mode, 8)
        yield RawChange(*modes, old_blob, new_blob, letter, old_path, path)


@dataclass(frozen=True, slots=True)
class Conversion:
    """What git does to a file's bytes between its own version and the work tree's.

    Args:
        endings: Whether git converts line endings.
        crlf: Whether the work tree's lines are to end in CR LF.
        reason: Why spark cannot tell the work tree's version from git's, or "".
    """

    endings: bool = False
    crlf: bool = False
    reason: str = ""

    def to_work_tree(self, data: bytes | None, now: bytes | None) -> bytes | None:
        """Git's version of a file as the work tree has it.

        Args:
            data: Git's bytes; None: no file.
            now: The bytes that are in the work tree, whose endings count; None: no file.
        """
        if data is None or not self.endings:
            return data
        try:
            text = Text.from_bytes(data)
            other = None if now is None else Text.from_bytes(now)
        except NotText:
            return data
        if other is not None:
            return in_endings_of(text, other).to_bytes()
        if self.crlf:
            return with_crlf(text).to_bytes()
        return data

    def to_git(self, data: bytes) -> bytes:
        """A file of a work tree as git would keep it."""
        if not self.endings:
            return data
        try:
            return with_lf(Text.from_bytes(data)).to_bytes()
        except NotText:
            return data


_NONE = Conversion()
_ATTRIBUTES = ("text", "eol", "filter", "working-tree-encoding")


def conversions(repo: Repository, paths: Iterable[str]) -> Mapping[str, Conversion]:
    """What git does to files of a work tree, by path; those that git leaves alone are missing.

    Raises:
        RepoError: Git cannot say.
    """
    settings = {setting.key: setting.value for setting in settings_of(repo.git_dir)}
    names = b"".join(os.fsencode(path) + b"\0" for path in paths)
    args = ["check-attr", "-z", "--stdin", *_ATTRIBUTES]
    try:
        listed = run_git(args, git_dir=repo.git_dir, work_tree=repo.root, stdin=names)
    except GitFailure as e:
        raise RepoError(f"cannot read the attributes of files: {e.detail}") from e
    attributes: dict[str, dict[str, str]] = {}
    fields = [os.fsdecode(field) for field in listed.split(b"\0")[:-1]]
    for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=True):
        attributes.setdefault(path, {})[name] = value
    found = {path: _conversion(known, settings) for path, known in attributes.items()}
    return {path: conversion for path, conversion in found.items() if conversion != _NONE}


def _conversion(attributes: Mapping[str, str], settings: Mapping[str, str]) -> Conversion:
    """What git does to a file with these attributes.

    Source:
        gitattributes(5): text, eol, working-tree-encoding, filter; git-config(1): core.autocrlf.
    """
    # First what spark cannot do itself: a program, or another encoding.
    driver = attributes.get("filter", "unspecified")
    programs = (settings.get(f"filter.{driver}.{name}") for name in ("clean", "smudge", "process"))
    if any(programs):
        return Conversion(reason=f"passes through the filter {driver}, which spark does not run")
    encoding = attributes.get("working-tree-encoding", "unspecified")
    if encoding not in {"unspecified", "unset", "set"}:
        return Conversion(reason=f"is kept in {encoding} in the work tree")
    # Then line endings: `text` unset keeps them, `eol` decides them, and the user's settings come
    # last.
    automatic = settings.get("core.autocrlf", "false").lower()
    eol = attributes.get("eol", "unspecified")
    text = attributes.get("text", "unspecified")
    if text == "unset":
        return _NONE
    if eol in {"lf", "crlf"}:
        return Conversion(endings=True, crlf=eol == "crlf")
    converts = text != "unspecified" or automatic in {"true", "yes", "on", "1", "input"}
    if automatic == "input":
        return Conversion(endings=converts)
    to_crlf = automatic != "false" or settings.get("core.eol", "").lower() == "crlf"
    return Conversion(endings=converts, crlf=converts and to_crlf)


@dataclass(frozen=True, slots=True)
class WorkTreeChanges:
    """What a comparison of the work tree came to.

    Args:
        base: What the work tree was compared with, as the user named it.
        files: The files that differ, in git's order.
        notes: What the user should know about the comparison, one sentence each.
    """

    base: str
    files: tuple[FileVersions, ...]
    notes: tuple[str, ...] = ()


def changes_since(repo: Repository, base: str = "HEAD", start: Path = Path()) -> WorkTreeChanges:
    """Compare the work tree, untracked files included, with a base.

    Args:
        base: A commit, a branch, or the folder of another work tree of the same repository.
        start: The folder that a relative path begins at.

    Raises:
        UsageError: There is no such base.
        RepoError: Git cannot compare.
        FileError: The disk refused.
    """
    where = "cannot compare in a temporary folder"
    with as_disk_error(where), private_repository() as private:
        link_objects(private, repo)
        tree = _tree_of(repo, base, start, private)
        listing = _list_changes(repo, tree, private)
        files = tuple(_with_bytes(repo, listing, private))
        return WorkTreeChanges(base, files, listing.notes)


def link_objects(private: PrivateRepository, repo: Repository) -> None:
    """Let a private repository read the objects of another one, and name objects by its hash."""
    info = private.git_dir / "objects" / "info"
    info.mkdir()
    objects = os.fsencode(repo.common_dir / "objects")
    (info / "alternates").write_bytes(objects + b"\n")
    if hash_length(repo) > len(_EMPTY_BLOB[40]):
        config = b"[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n"
        (private.git_dir / "config").write_bytes(config)


def hash_length(repo: Repository) -> int:
    """How many hexadecimal digits the names of objects have."""
    args = ["rev-parse", "--show-object-format"]
    listed = run_git(args, git_dir=repo.git_dir).strip()
    return 64 if listed == b"sha256" else 40


def commit_of(repo: Repository, name: str) -> str | None:
    """The commit that a name stands for; None where it names none."""
    args = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"]
    try:
        return run_git(args, git_dir=repo.git_dir).decode("ascii").strip()
    except GitFailure:
        return None


def head_tree(repo: Repository) -> str:
    """The commit that is checked out, or the empty tree where there is none yet.

    Raises:
        RepoError: What is checked out is broken.
    """
    commit = commit_of(repo, "HEAD")
    if commit is None:
        repo.check_head()
        return _EMPTY_TREE[hash_length(repo)]
    return commit


def _tree_of(repo: Repository, base: str, start: Path, private: PrivateRepository) -> str:
    """The name of the commit or tree that a base stands for.

    Raises:
        UsageError: There is no such base.
    """
    if base == "HEAD":
        return head_tree(repo)
    commit = commit_of(repo, base)
    if commit is not None:
        return commit
    folder = start / base
    try:
        other = Repository.discover(folder) if folder.is_dir() else None
    except (OSError, SparkError):
        other = None
    if other is None:
        raise UsageError(
            f"{base!r} is no commit, branch or work tree here; name one that `git log`, "
            f"`git branch` or `git worktree list` shows"
        )
    if other.common_dir != repo.common_dir:
        raise UsageError(
            f"{base} belongs to another repository; name a work tree that `git worktree list` shows"
        )
    if other.root == repo.root:
        raise UsageError(f"{base} is this work tree itself; name a commit, or another work tree")
    return _tree_on_disk(other, private)


def _tree_on_disk(other: Repository, private: PrivateRepository) -> str:
    """The tree of another work tree's files as they are on disk, in a private repository."""
    tree = head_tree(other)
    listing = _list_changes(other, tree, private)
    index = private.git_dir / "other-index"
    run = PrivateIndex(private, index)
    run(["read-tree", tree])
    zeros = "0" * len(_EMPTY_TREE[hash_length(other)])
    known = conversions(other, [change.path for change in listing.changes])
    lines: list[str] = []
    contents: list[bytes] = []
    written: list[RawChange] = []
    for change in listing.changes:
        # A mode of 0 takes an entry out (git-update-index(1), --index-info).
        if change.old_path != change.path:
            lines.append(f"0 {zeros} 0\t{change.old_path}")
        if change.new_mode in {0, SUBMODULE}:
            blob = zeros if change.new_mode == 0 else change.new_blob
            lines.append(f"{change.new_mode:o} {blob} 0\t{change.path}")
            continue
        data = _read_entry(other, change)
        # Gathered here, so that one call of git writes all blobs.
        contents.append(known.get(change.path, _NONE).to_git(data))
        written.append(change)
    for change, blob in zip(written, write_blobs(private, contents), strict=True):
        lines.append(f"{change.new_mode:o} {blob} 0\t{change.path}")
    set_entries(run, lines)
    return run(["write-tree"]).decode("ascii").strip()


def _read_entry(repo: Repository, change: RawChange) -> bytes:
    """The content that git would keep of a file or a link."""
    if change.new_mode == LINK:
        return os.fsencode((repo.root / change.path).readlink())
    return read_file(repo.root, change.path) or b""


@dataclass(frozen=True, slots=True)
class PrivateIndex:
    """An index of a private repository, for git to work on."""

    private: PrivateRepository
    index: Path

    def __call__(self, args: Sequence[str], stdin: bytes = b"") -> bytes:
        """Run git; see `run_git`."""
        return run_git(
            args,
            git_dir=self.private.git_dir,
            cwd=self.private.folder,
            index=self.index,
            stdin=stdin,
        )


def set_entries(run: PrivateIndex, lines: Sequence[str]) -> None:
    """Set entries of an index, each a line as `git update-index --index-info` reads it."""
    if lines:
        entries = b"".join(os.fsencode(line) + b"\0" for line in lines)
        run(["update-index", "-z", "--index-info"], entries)


def write_blobs(private: PrivateRepository, contents: Sequence[bytes]) -> list[str]:
    """Keep contents as blobs of a private repository; returns their names."""
    if not contents:
        return []
    names = []
    for number, data in enumerate(contents):
        path = private.folder / f"{number}"
        path.write_bytes(data)
        names.append(b"%d\n" % number)
    args = ["hash-object", "-w", "--no-filters", "--stdin-paths"]
    return private.run(args, b"".join(names)).decode("ascii").split()


def read_blobs(
    repo: Repository | PrivateRepository, names: Iterable[str], objects: Path | None = None
) -> dict[str, bytes | None]:
    """The contents of blobs by name; None for one that is too large. Missing ones are left out.

    Args:
        objects: As for `run_git`.
    """
    wanted = sorted({name for name in names if name.strip("0")})
    if not wanted:
        return {}
    stdin = "".join(f"{name}\n" for name in wanted).encode("ascii")
    args = ["cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)"]
    listed = run_git(args, git_dir=repo.git_dir, objects=objects, stdin=stdin)
    # Sizes first, so that no blob above the limit is read.
    sizes: dict[str, int] = {}
    for line in listed.decode("ascii").splitlines():
        facts = line.split(" ")
        if facts[1:2] == ["blob"]:
            sizes[facts[0]] = int(facts[2])
    contents: dict[str, bytes | None] = dict.fromkeys(sizes)
    small = [name for name, size in sizes.items() if size <= MOST_BYTES]
    stdin = "".join(f"{name}\n" for name in small).encode("ascii")
    data = run_git(["cat-file", "--batch"], git_dir=repo.git_dir, objects=objects, stdin=stdin)
    place = 0
    for name in small:
        # `NAME blob SIZE`, a line end, the content, a line end.
        place = data.index(b"\n", place) + 1
        contents[name] = data[place : place + sizes[name]]
        place += sizes[name] + 1
    return contents


@dataclass(frozen=True, slots=True)
class _Listing:
    """The changes of a work tree without their bytes.

    Args:
        changes: Those that git lists.
        untracked: The paths that git does not track.
        beyond: Files that git was not asked about, since they cannot be reviewed.
    """

    changes: tuple[RawChange, ...]
    untracked: frozenset[str]
    beyond: tuple[FileVersions, ...]
    notes: tuple[str, ...]


def _list_changes(repo: Repository, tree: str, private: PrivateRepository) -> _Listing:
    """The files of a work tree that differ from a tree.

    Raises:
        RepoError: Git cannot compare.
    """
    index = private.git_dir / "index-copy"
    index.unlink(missing_ok=True)
    if (repo.git_dir / "index").exists():
        # With its time, since git looks again into files that are as new as the index.
        copy2(repo.git_dir / "index", index)
    notes: list[str] = []
    untracked = _list_untracked(repo, notes)
    small = [path for path in untracked if _is_small(repo, path)]
    beyond = [_beyond(repo, path) for path in untracked if not _is_small(repo, path)]
    objects = private.git_dir / "objects"
    length = len(tree)

    def run(args: Sequence[str], stdin: bytes = b"") -> bytes:
        return run_git(
            args,
            git_dir=repo.git_dir,
            work_tree=repo.root,
            index=index,
            objects=objects,
            stdin=stdin,
        )

    try:
        unmerged = _list_unmerged(run)
        # An unmerged path has up to three entries, which one of the empty blob replaces (mode 0
        # takes entries out). Untracked files get such an entry, too. As it has no times, git
        # compares the file itself.
        lines = [f"0 {'0' * length} 0\t{path}" for path in unmerged]
        lines += [f"100644 {_EMPTY_BLOB[length]} 0\t{path}" for path in unmerged]
        lines += [f"100644 {_EMPTY_BLOB[length]} 0\t{path}" for path in small]
        if lines:
            entries = b"".join(os.fsencode(line) + b"\0" for line in lines)
            # Git would put the shared part of a split index into the user's git directory.
            run(["-c", "core.splitIndex=false", "update-index", "-z", "--index-info"], entries)
        try:
            raw = run([*_DIFF, tree, "--"])
        except GitFailure:  # a blob is not here, as in a partial clone
            raw = run([*_DIFF_BY_NAME, tree, "--"])
    except GitFailure as e:
        raise RepoError(f"git cannot compare the files of {repo.root}: {e.detail}") from e
    return _Listing(tuple(parse_raw(raw)), frozenset(untracked), tuple(beyond), tuple(notes))


def _list_unmerged(run: Callable[[Sequence[str]], bytes]) -> list[str]:
    """The paths with conflicts that git has not resolved, each once."""
    listed = run(["ls-files", "--unmerged", "-z"]).split(b"\0")[:-1]
    return list(dict.fromkeys(os.fsdecode(line.partition(b"\t")[2]) for line in listed))


def _list_untracked(repo: Repository, notes: list[str]) -> list[str]:
    """The files that git does not track and does not ignore."""
    args = ["ls-files", "--others", "--exclude-standard", "-z"]
    try:
        listed = run_git(
            args, git_dir=repo.git_dir, work_tree=repo.root, most_seconds=LISTING_SECONDS
        )
    except Late:
        notes.append("git does not list its untracked files in time; they are left out")
        return []
    except GitFailure as e:
        raise RepoError(f"cannot list the files of {repo.root}: {e.detail}") from e
    return [os.fsdecode(name) for name in listed.split(b"\0")[:-1]]


def _is_small(repo: Repository, path: str) -> bool:
    """Whether an untracked path is a link, or a file that can be reviewed by hunk."""
    try:
        check_path(path)
        status = (repo.root / path).lstat()
    except (UsageError, OSError):
        return False
    if stat.S_ISLNK(status.st_mode):
        return True
    return stat.S_ISREG(status.st_mode) and status.st_size <= MOST_BYTES


def _beyond(repo: Repository, path: str) -> FileVersions:
    """An untracked path that cannot be reviewed."""
    name = path.rstrip("/")
    reason = "is not a regular file"
    if path.endswith("/"):
        reason = "is another repository"
    elif repo.size(path) > MOST_BYTES:
        reason = too_large()
    else:
        try:
            check_path(path)
        except UsageError:
            reason = "has a name that belongs to git"
    return FileVersions(
        name, name, ChangeStatus.ADDED, new_mode=_PLAIN[0], reason=reason, untracked=True
    )


def too_large() -> str:
    """The reason of a file that is too large, worded to follow its path."""
    return f"is larger than {MOST_BYTES >> 20} MiB"


def _with_bytes(
    repo: Repository, listing: _Listing, private: PrivateRepository
) -> Iterator[FileVersions]:
    """The changes of a work tree, with the bytes of both versions."""
    plain = [change for change in listing.changes if not change.reason]
    names = [change.old_blob for change in plain]
    blobs = read_blobs(repo, names, private.git_dir / "objects")
    known = conversions(repo, [change.path for change in plain])
    for change in listing.changes:
        versions = change.versions
        if not change.reason:
            versions = _read_versions(repo, change, blobs, known.get(change.path, _NONE))
        if versions.is_same:
            continue
        yield replace(versions, untracked=change.path in listing.untracked)
    yield from listing.beyond


def _read_versions(
    repo: Repository,
    change: RawChange,
    blobs: Mapping[str, bytes | None],
    conversion: Conversion,
) -> FileVersions:
    """A change with the bytes of both versions, or with the reason why they are missing."""
    versions = change.versions
    if conversion.reason:
        return replace(versions, reason=conversion.reason)
    before: bytes | None = None
    if change.old_mode:
        if change.old_blob not in blobs:
            reason = "has an earlier version that git does not have here; `git fetch` brings it"
            return replace(versions, reason=reason)
        before = blobs[change.old_blob]
        if before is None:
            return replace(versions, reason=too_large())
    after: bytes | None = None
    if change.new_mode:
        if repo.size(change.path) > MOST_BYTES:
            return replace(versions, reason=too_large())
        try:
            after = read_file(repo.root, change.path)
        except (FileError, UsageError) as e:
            return replace(versions, reason=f"cannot be read: {e}")
    return checked(replace(versions, before=conversion.to_work_tree(before, after), after=after))


def checked(versions: FileVersions) -> FileVersions:
    """The versions of a file, or the reason why they cannot be compared line by line."""
    for data in (versions.before, versions.after):
        try:
            Text.from_bytes(data or b"", versions.path)
        except NotText:
            return replace(versions, before=None, after=None, reason="is binary")
    if versions.is_same_text and versions.changes_mode:
        modes = f"{versions.old_mode:o} to {versions.new_mode:o}"
        return replace(versions, reason=f"has another mode only: {modes}")
    return versions
