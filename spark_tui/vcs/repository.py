"""Facts about a repository, read without running anything that its configuration names.

`Repository` finds the repository of a folder, and knows its branch, its files and how git spells
them. `under_way`, `standing` and `conflicted` say what git is in the middle of in a work tree, such
as a merge or a rebase, and which conflicts were left.
"""

import hashlib
import os
import re  # noqa: TID251 - reads another program's output
import shlex
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from spark_tui.errors import FileError, RepoError, UsageError
from spark_tui.small_files import read_small
from spark_tui.vcs import spelling
from spark_tui.vcs.disk_errors import as_disk_error, in_words
from spark_tui.vcs.git import GitFailure, Late, run_git, take_no_programs_from
from spark_tui.vcs.new_files import NewFiles
from spark_tui.vcs.safe_paths import check_path, read_each, read_file, real_path

_LEADING = ("GIT_DIR", "GIT_WORK_TREE")
"""Variables that people set, and that lead git to another repository."""


_MOST_SECONDS = 10.0
"""How long git may take for a fact of the repository, for which the user waits."""
LISTING_SECONDS = 8.0
"""How long git may look for files that it does not track; beyond that they are left out."""
MOST_READ = 16 << 20
"""The most bytes of a file that is read whole: as text, they take some fifteen times as many."""
MOST_LINES = 1_000_000
"""The most lines of such a file: a line takes a few hundred bytes, however short it is."""
_CUT_OUT = "cut out the part that is to change, into a file of its own"
_NEW_FILES: dict[Path, NewFiles] = {}
"""The files that git does not track, by work tree."""

_HEAD = re.compile(rb"ref: refs/|[0-9a-f]{40}")
"""The beginning of a HEAD that is whole."""
_NOT_IN_FILES = ".invalid"
"""The branch that HEAD names where branches are not kept as files (reftables)."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A git repository with a work tree.

    Args:
        root: The top of the work tree, without symbolic links.
        git_dir: This work tree's own git directory.
        common_dir: The git directory that linked work trees share.
    """

    root: Path
    git_dir: Path
    common_dir: Path

    @classmethod
    def discover(cls, path: Path) -> "Repository":
        """Find the repository that a folder, or the folder of a file, lies in.

        Raises:
            RepoError: There is none, or a bare one; the path is in its git directory; or its files
                are not where spark would look for them.
        """
        try:
            root = _find_top(_find_start(path))
            take_no_programs_from(root)  # before git is run here for the first time
            _refuse_odd_files(root / ".git")
            answer = _ask_for_places(root)
            git_dir = _git_dir_of(root)
            common_dir = _common_dir_of(git_dir)
        except OSError as e:
            raise RepoError(f"cannot read the repository at {path}: {in_words(e)}") from e
        # Git must mean the places that spark reads from the disk: configuration can send git to the
        # files of another folder (core.worktree).
        if answer.count(b"\n") < _PLACE_COUNT:
            raise RepoError(
                f"git gave no whole answer about {root}; try `git -C {root} rev-parse "
                f"--show-toplevel` by hand"
            )
        if not _names_places(answer, (git_dir, common_dir, root)):
            raise RepoError(
                f"core.worktree sends the files of {root} to another folder; unset it to use "
                f"spark here"
            )
        return cls(root, git_dir, common_dir)

    @property
    def branch(self) -> str | None:
        """The checked-out branch, also one without commits; None where HEAD is detached."""
        from spark_tui.vcs import git_python  # noqa: PLC0415 - takes long to import

        try:
            name = git_python.checked_out_branch(self.root)
        except (TypeError, ValueError, OSError):
            return None
        if name != _NOT_IN_FILES:
            return name
        return self._answer_of_git("symbolic-ref", "--short", "HEAD")

    @property
    def head(self) -> str | None:
        """The checked-out commit, in hexadecimal; None while there is none."""
        from spark_tui.vcs import git_python  # noqa: PLC0415 - takes long to import

        try:
            return git_python.checked_out_commit(self.root)
        except (ValueError, OSError):
            # GitPython reads neither SHA-256 repositories nor reftables.
            return self._answer_of_git("rev-parse", "--verify", "--quiet", "HEAD")

    def _answer_of_git(self, *args: str) -> str | None:
        """The line that git writes; None where git fails."""
        try:
            return os.fsdecode(run_git(args, git_dir=self.git_dir)).rstrip("\n")
        except GitFailure:
            return None

    def check_head(self) -> None:
        """Check that the checked-out commit can be read, unless there is none yet.

        Raises:
            RepoError: The commit cannot be read.
        """
        try:
            run_git(["log", "-1", "--format=%H"], git_dir=self.git_dir)
        except GitFailure as e:
            if not e.detail.endswith("does not have any commits yet"):
                other = (
                    f"`git -C {self.root} symbolic-ref HEAD refs/heads/BRANCH` goes to a "
                    f"branch that is whole"
                )
                raise RepoError(
                    f"what is checked out at {self.root} is broken: {e.detail}; {other}"
                ) from e

    @property
    def key(self) -> str:
        """The same name for this work tree each time, fit for a folder in the state directory."""
        digest = hashlib.sha256(os.fsencode(self.root)).hexdigest()[:16]
        readable = re.sub("[^A-Za-z0-9]", "-", self.root.name)[:40]
        return f"{readable}-{digest}"

    @property
    def lock_key(self) -> str:
        """A name for the repository, the same for all its work trees, whatever path leads there.

        Raises:
            FileError: The git directory cannot be looked at.
        """
        with as_disk_error(f"cannot look at {self.common_dir}"):
            status = self.common_dir.stat()
        return f"{status.st_dev:x}-{status.st_ino:x}"

    def resolve(self, path: str | Path, *, start: Path | None = None) -> str:
        """Make a path that the user gave relative to the root, with "/" between components.

        Args:
            path: Absolute, or relative to `start` (default: the current folder). The file need not
                exist.

        Raises:
            UsageError: The path is outside the work tree or belongs to git.
        """
        # The last link must not be followed.
        given = Path(os.path.abspath((start or Path.cwd()) / path))  # noqa: PTH100
        real = spelling.on_disk(given.parent.resolve() / given.name)
        if not real.is_relative_to(self.root) or real == self.root:
            raise UsageError(f"{path} is not a file inside the repository {self.root}")
        relative = real.relative_to(self.root).as_posix()
        check_path(relative)
        return self._spelled_by_git(relative)

    def spelling_key(self) -> Callable[[str], str]:
        """A function that gives one text to all spellings of a path that look the same.

        An accented letter looks the same as one character or as two, on every system; case counts
        unless the file system ignores it.
        """
        return spelling.folded if self.ignores_case else spelling.composed

    @property
    def ignores_case(self) -> bool:
        """Whether the work tree is on a file system that ignores case, as on macOS."""
        return spelling.ignores_case(self.root)

    def is_set(self, name: str) -> bool:
        """Whether a setting of git exists and is true."""
        return self._answer_of_git("config", "--type=bool", "--get", name) == "true"

    def _spelled_by_git(self, path: str) -> str:
        """A path as git spells it, where its file has several spellings."""
        if path.isascii() and not self.ignores_case:
            return path
        if path in self._list_files("--cached", "--", path):
            return path
        return spelling.in_git(self.root, path, self.names())

    def read(self, path: str, most: int = -1) -> bytes:
        """The bytes of a file as it is now; a symbolic link to a file in the work tree is followed.

        Args:
            path: Relative to the root.
            most: How many bytes from the first on; -1 means all.

        Raises:
            FileError: There is no such file, it is not a regular file, it cannot be read, or all
                of it is more than `MOST_READ` bytes or `MOST_LINES` lines.
        """
        if most < 0 and (size := self.size(path)) > MOST_READ:
            raise FileError(
                f"{path} has {size >> 20:,} MB, and spark edits files of up to {MOST_READ >> 20} "
                f"MB; {_CUT_OUT}"
            )
        try:
            data = read_file(self.root, path, most)
        except FileError:  # perhaps a link; looked for only now, since most files are none
            real = real_path(self.root, path)
            if real == path:
                raise
            data = read_file(self.root, real, most)
        if data is None:
            raise FileError(f"there is no file {path} in {self.root}")
        if most < 0 and data.count(b"\n") > MOST_LINES:
            raise FileError(
                f"{path} has more than {MOST_LINES:,} lines, which is the most that spark edits; "
                f"{_CUT_OUT}"
            )
        return data

    def read_each(self, paths: Iterable[str], most: int) -> Iterator[tuple[str, bytes]]:
        """The bytes of very many files, each with its path; no bytes where a file cannot be read.

        Args:
            paths: Relative to the root. Reading is quickest where those of a folder come together.
            most: How many bytes of a file, from the first on.
        """
        for path, data in read_each(self.root, paths, most):
            if data is not None:
                yield path, data
                continue
            try:
                yield path, self.read(path, most)
            except (FileError, UsageError):
                yield path, b""

    def size(self, path: str) -> int:
        """The size of a file in bytes; 0 where no file can be looked at.

        Args:
            path: Relative to the root.
        """
        try:
            # No Path, since this is asked about very many files, see `_is_regular`.
            return os.stat(f"{self.root}/{path}").st_size  # noqa: PTH116
        except (OSError, ValueError):
            return 0

    def files(self, ending: str = "") -> tuple[str, ...]:
        """The regular files that git tracks or would track, sorted, relative to the root.

        Ignored files and links are left out.

        Args:
            ending: The end of their names.

        Raises:
            RepoError: Git cannot read the index.
        """
        return tuple(
            path
            for path in self.names()
            if path.endswith(ending) and _is_regular(f"{self.root}/{path}")
        )

    def names(self) -> tuple[str, ...]:
        """All paths that git tracks or would track, sorted; some may be gone, or no file.

        A file of several spellings is listed once. Where git needs long to find files that it does
        not track, only those found so far are listed.

        Raises:
            RepoError: Git cannot read the index.
        """
        names = set(self._list_all())
        for spellings in spelling.repeated(self.root, names):
            names -= set(spellings) - {self._choose_spelling(spellings)}
        return tuple(sorted(names))

    def ignored(self) -> tuple[str, ...]:
        """The files that git ignores, sorted; a folder of which it ignores all ends with "/".

        Raises:
            RepoError: Git cannot read the index, or needs too long.
        """
        options = ("--others", "--ignored", "--exclude-standard", "--directory")
        return tuple(sorted(self._list_files(*options, "--no-empty-directory")))

    def tracks(self, path: str) -> bool:
        """Whether there is a file at a path, or below it, that git tracks or would track.

        Raises:
            RepoError: Git cannot read the index.
        """
        return bool(self._list_files("--cached", "--others", "--exclude-standard", "--", path))

    @property
    def lists_tracked_only(self) -> bool:
        """Whether git takes too long to find new files, so that they are left out so far."""
        return self._new_files.are_missing

    @property
    def _new_files(self) -> NewFiles:
        return _NEW_FILES.setdefault(self.root, NewFiles())

    def _choose_spelling(self, spellings: Sequence[str]) -> str:
        """The spelling of a file that git tracks; of several, the one that the disk lists."""
        tracked = self._list_files("--cached", "--", *spellings) or spellings
        listed = spelling.on_disk(self.root / tracked[0]).relative_to(self.root).as_posix()
        return listed if listed in tracked else tracked[0]

    def _list_all(self) -> tuple[str, ...]:
        """The paths that git tracks, and those that it would track as far as known."""
        others = ("--others", "--exclude-standard")
        # The slow listing goes on in a thread of its own while git lists the tracked files.
        work = partial(self._list_files, *others, most_seconds=LISTING_SECONDS)
        self._new_files.begin(work, Late)
        tracked = self._list_files("--cached", "--deduplicate")
        return (*tracked, *self._new_files.wait())

    def _list_files(self, *options: str, most_seconds: float = _MOST_SECONDS) -> tuple[str, ...]:
        """The paths that `git ls-files` lists, each once.

        Raises:
            RepoError: Git cannot read the index.
        """
        args = ["ls-files", "-z", *options]
        try:
            listed = run_git(
                args, git_dir=self.git_dir, work_tree=self.root, most_seconds=most_seconds
            )
        except GitFailure as e:
            raise RepoError(f"cannot list the files of {self.root}: {e.detail}") from e
        names = (os.fsdecode(name) for name in listed.split(b"\0") if name)
        return tuple(dict.fromkeys(names))


def _names_places(answer: bytes, places: Sequence[Path]) -> bool:
    """Whether git named these places, one a line, in whatever spelling."""
    if answer == b"".join(os.fsencode(place) + b"\n" for place in places):
        return True
    named = [Path(os.fsdecode(line)) for line in answer.split(b"\n")[:-1]]
    return len(named) == len(places) and all(map(spelling.are_one, named, places))


def take_no_programs_around(folder: Path) -> None:
    """Take no program from the work tree around a folder, where there is one.

    Whoever has git run before a repository is opened, or elsewhere, calls this first.
    """
    with suppress(RepoError, OSError):
        take_no_programs_from(_find_top(_find_start(folder)))


def _find_start(path: Path) -> Path:
    """The folder, or the folder of the file, where the search begins; as the disk spells it."""
    try:
        start = path.resolve(strict=True)
    except OSError as e:
        raise RepoError(f"cannot look into {path}: {e.strerror}") from e
    folder = start if start.is_dir() else start.parent
    return spelling.on_disk(folder)


def _find_top(start: Path) -> Path:
    """The nearest folder with a `.git` in it.

    Raises:
        RepoError: There is none, or a git directory is nearer.
    """
    for folder in (start, *start.parents):
        if _is_there(folder / ".git"):
            return folder
        if _is_git_dir(folder):
            if ".git" in folder.parts or (folder / "commondir").exists():
                raise RepoError(f"{start} is inside a git directory; run spark in the work tree")
            raise RepoError(
                f"{start} is in a bare repository, without files to edit; clone it and run "
                f"spark there"
            )
    advice = _advise_on_variables() or "run `git init` first"
    raise RepoError(f"{start} is not in a git repository; {advice}")


def _is_git_dir(folder: Path) -> bool:
    if not (folder / "HEAD").exists():
        return False
    return (folder / "refs").exists() or (folder / "commondir").exists()


def _is_there(path: Path) -> bool:
    """Whether anything is at a path, even a broken link.

    Raises:
        OSError: The path cannot be looked at.
    """
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return False
    return True


def _advise_on_variables() -> str:
    """What to do where variables name a repository that git takes for the one here, or ""."""
    named = [f"{name}={os.environ[name]}" for name in _LEADING if os.environ.get(name)]
    if not named:
        return ""
    git_dir = os.environ.get("GIT_DIR")
    command = f"git --git-dir={shlex.quote(git_dir)}" if git_dir else "git"
    work_tree = f"run spark in a folder that `{command} worktree add FOLDER` makes"
    return f"spark does not follow {' and '.join(named)}; {work_tree}"


_READ_BY_GIT = (
    "HEAD config config.worktree index packed-refs commondir shallow info/exclude info/attributes "
    "info/sparse-checkout info/grafts objects/info/alternates"
).split()
"""Files of a git directory that git reads for nearly every command."""


def _refuse_odd_files(git_dir: Path) -> None:
    """Refuse a pipe or a device where git reads a file: git would wait, or read on and on.

    Raises:
        RepoError: There is one.
    """
    for name in _READ_BY_GIT:
        path = git_dir / name
        if path.exists() and not path.is_file():
            raise RepoError(f"cannot read the repository at {git_dir.parent}: {path} is not a file")


_PLACE_COUNT = 3
"""The places that `_ask_for_places` asks for."""


def _ask_for_places(root: Path) -> bytes:
    """Ask git for the places of a repository, a line each.

    These are the git directory, the one shared by linked work trees, and the top of the work tree.

    Raises:
        RepoError: Git cannot read the repository, or not in time.
    """
    args = [
        "rev-parse",
        "--absolute-git-dir",
        "--path-format=absolute",
        "--git-common-dir",
        "--show-toplevel",
    ]
    try:
        return run_git(args, cwd=root, most_seconds=_MOST_SECONDS)
    except GitFailure as e:
        if "must be run in a work tree" in e.detail:
            raise RepoError(
                f"{root} is a bare repository by its configuration; `git config core.bare false`"
            ) from e
        if e.detail.endswith("(or any of the parent directories): .git"):
            raise RepoError(
                f"git cannot read the repository at {root}: {_describe_lack(root / '.git')}"
            ) from e
        raise RepoError(
            f"git cannot read the repository at {root}: {e.detail}; see `git -C {root} status`"
        ) from e


def _describe_lack(git_dir: Path) -> str:
    """What is missing in a `.git` that git does not accept, and what to do."""
    head = git_dir / "HEAD"
    try:
        if any(git_dir.iterdir()):
            content = read_small(head) if head.exists() else b""
            if not _HEAD.match(content):
                return (
                    f"{head} names no branch and no commit; write `ref: refs/heads/BRANCH` into it"
                )
    except OSError as e:
        return f"{git_dir} cannot be read ({e.strerror}); see its owner and permissions"
    return f"{git_dir} lacks a part of a repository; `git init` adds it, or move it away"


def _git_dir_of(root: Path) -> Path:
    """Return the git directory of a work tree, which a linked one names in a file."""
    place = root / ".git"
    if place.is_file():
        place = root / _path_in(place, b"gitdir: ")
    return place.resolve()


def _common_dir_of(git_dir: Path) -> Path:
    """Return the git directory that a work tree shares with others, or its own."""
    shared = git_dir / "commondir"
    if not shared.is_file():
        return git_dir
    return (git_dir / _path_in(shared)).resolve()


def _path_in(file: Path, mark: bytes = b"") -> str:
    """Return the path that a file of git's holds after a mark."""
    return os.fsdecode(read_small(file).removeprefix(mark).rstrip(b"\r\n"))


def _is_regular(path: str) -> bool:
    """Whether a path is a regular file, no link.

    A text, not a Path: of very many files, making the Path would take as long as the look.
    """
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


_BRANCHES = "refs/heads/"
_MOST_UNDERWAY_SECONDS = 2.0
"""How long git may look for conflicts that a merge or a rebase left."""
_MARKED = ("-lIz", "-e", "^<<<<<<< ")
"""Options with which `git grep` lists the files with markers of conflicts."""
_NOTHING_FOUND = 1
"""The exit status of `git grep` where no file has a match."""


@dataclass(frozen=True, slots=True)
class _Operation:
    """An operation of git that waits for the user, such as a merge.

    Args:
        mark: The file or folder in the git directory that is there meanwhile.
        name, verb: Words for the operation.
    """

    mark: str
    name: str
    verb: str


_OPERATIONS = (
    # The first that is under way counts. The user may cherry-pick where a rebase stops, and then
    # still has to finish the rebase.
    _Operation("rebase-merge", "a rebase", "rebasing"),
    _Operation("rebase-apply", "a rebase (or `git am`)", "rebasing"),
    _Operation("MERGE_HEAD", "a merge", "merging"),
    _Operation("CHERRY_PICK_HEAD", "a cherry-pick", "cherry-picking"),
    _Operation("REVERT_HEAD", "a revert", "reverting"),
    _Operation("sequencer", "a cherry-pick or revert", "picking or reverting"),
    _Operation("BISECT_LOG", "a bisection", "bisecting"),
)


def under_way(repo: Repository) -> str:
    """The operation that has to be finished before a commit, such as "a merge"; or ""."""
    operation = _current_operation(repo)
    return operation.name if operation else ""


def standing(repo: Repository) -> str:
    """Where a commit would go, for people: the branch, and the operation under way there."""
    operation = _current_operation(repo)
    branch = repo.branch
    if operation is None:
        return branch or "no branch"
    if branch:
        return f"{operation.verb} on {branch}"
    rebased = _rebased_branch(repo.git_dir / operation.mark)
    if rebased:
        return f"{operation.verb} {rebased}"
    return operation.verb


def _current_operation(repo: Repository) -> _Operation | None:
    for operation in _OPERATIONS:
        if (repo.git_dir / operation.mark).exists():
            return operation
    return None


def _rebased_branch(folder: Path) -> str:
    """The branch that a rebase is about, which is checked out again at the end; or ""."""
    try:
        name = (folder / "head-name").read_text("utf-8", "surrogateescape").strip()
    except OSError:
        return ""
    return name.removeprefix(_BRANCHES) if name.startswith(_BRANCHES) else ""


def conflicted(repo: Repository) -> tuple[str, ...]:
    """The files with conflict markers.

    Among tracked files with markers, the unmerged ones count, if there are any. Where no tracked
    file has markers, untracked files count.

    Raises:
        RepoError: Git cannot tell, or not in time.
    """
    marked = _names(repo, ["grep", *_MARKED])
    if not marked:
        marked = _names(repo, ["grep", "--untracked", *_MARKED])
    if not marked:
        return ()
    unmerged = unmerged_files(repo)
    return tuple(path for path in marked if path in unmerged) or tuple(marked)


def unmerged_files(repo: Repository) -> Collection[str]:
    """The files with conflicts that `git add` has not settled yet.

    Raises:
        RepoError: Git cannot tell, or not in time.
    """
    return {name.rpartition("\t")[2] for name in _names(repo, ["ls-files", "-uz"])}


def committed_bytes(repo: Repository, path: str) -> bytes | None:
    """The branch's version of a file as git has it; None where it has none."""
    try:
        return run_git(["cat-file", "blob", f"HEAD:{path}"], git_dir=repo.git_dir)
    except GitFailure:
        return None


def _names(repo: Repository, args: list[str]) -> list[str]:
    """The names that a git command lists, sorted.

    Raises:
        RepoError: The command fails, or gives no answer in time.
    """
    try:
        listed = run_git(
            args, git_dir=repo.git_dir, work_tree=repo.root, most_seconds=_MOST_UNDERWAY_SECONDS
        )
    except GitFailure as e:
        if e.status == _NOTHING_FOUND:
            return []
        # To take back a file with an unknown conflict would lose one of its sides, so an error must
        # not pass for a list without names.
        raise RepoError(f"cannot list the conflicts of {repo.root}: {e.detail}") from e
    return sorted({os.fsdecode(name) for name in listed.split(b"\0") if name})
