"""Files of the user's work tree that no commit of a task holds, for its commands to read.

The user names them: folders and files that git ignores, and submodules. In bubblewrap they are
mounted, read-only; elsewhere the task gets a copy. So whatever a command writes or removes, the
user's own files stay as they are. Of a folder, files that may hold secrets are hidden unless they
are named, too; code is not. No link is followed.
"""

import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from tempfile import mkdtemp

from spark_tui.errors import FileError, UsageError
from spark_tui.vcs.disk import NO_LINK, OPEN_FOLDER
from spark_tui.vcs.disk_errors import as_disk_error
from spark_tui.vcs.policy import holds_secrets
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.safe_paths import folder_in, open_root, status_of

_MOST_COPIED_BYTES = 2 << 30
_GIT = ".git"
_CODE = frozenset(
    ".c .cc .cjs .class .cpp .cs .cts .dart .ex .exs .go .h .hpp .java .jar .js .jsx .kt .lua .map "
    ".mjs .mts .php .pl .pm .py .pyc .pyi .rb .rs .scala .so .swift .ts .tsx".split()
)
"""The endings of code, which may be called `credentials` or `secrets` and yet hold none."""
_NOTHING = "/dev/null"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


def find_shared(repo: Repository, path: str, start: Path) -> str:
    """Check that a path of the user's work tree can be shared with a task.

    Args:
        path: As the user gave it.
        start: The folder that it is relative to.

    Returns:
        The path, relative to the root.

    Raises:
        UsageError: There is nothing to share at the path, or the task has it anyway.
        RepoError, FileError: Git or the disk refuses to tell.
    """
    place = repo.resolve(path, start=start)
    status = status_of(repo.root, place)
    if status is None:
        raise UsageError(f"there is no {path} to share with the task")
    if not _can_be_shared(status):
        raise UsageError(f"{path} is neither a folder nor a file; name what a link leads to")
    if (repo.root / place / _GIT).exists():
        return place
    if "\n" in place or repo.tracks(place):
        raise UsageError(
            f"{path} is in the task's work tree anyway, or some of it is; share what git ignores"
        )
    return place


def find_those_shared(repo: Repository, paths: Iterable[str]) -> Iterator[str]:
    """The paths, relative to the root, that this repository can share with a task."""
    for path in paths:
        with suppress(UsageError, FileError):
            yield find_shared(repo, path, repo.root)


class SharedPaths:
    """What a task shares of the user's work tree.

    Args:
        users: The root of the user's work tree.
        root: The root of the task's.
        paths: The paths, relative to both.
    """

    def __init__(self, users: Path, root: Path, paths: Sequence[str] = ()) -> None:
        self._users = users
        self._root = root
        self._paths = paths

    def mounts(self, *, hides_secrets: bool = True) -> list[str]:
        """The options for bubblewrap that show what is shared in the task's work tree.

        Raises:
            FileError: Something else is in the way there, or the disk refused.
        """
        words = list[str]()
        for path, status in self._found():
            self._make_place(path, status)
            root = self._root.resolve()
            words += ["--ro-bind", str(self._users / path), str(root / path)]
            if hides_secrets:
                for secret in self._secrets_in(path):
                    words += ["--ro-bind", _NOTHING, str(root / secret)]
        return words

    def copy(self, scratch: Path) -> None:
        """Copy what is shared into the task's work tree, unless something of it is there.

        Args:
            scratch: A folder on the same disk, where a copy is made before it gets its name.

        Raises:
            FileError: Something else is in the way there, it is too large, or the disk refused.
        """
        for path, status in self._found():
            with self._opened(path) as (folder, name):
                # An empty folder or file is there to be mounted on, and gives way.
                if not _is_empty(folder, name):
                    continue
                self._refuse_large(path, status)
                with as_disk_error(f"cannot copy {path}"):
                    whole = Path(mkdtemp(dir=scratch)) / "copy"
                    self._copy(path, status, whole)
                    os.rename(whole, name, dst_dir_fd=folder)
                    whole.parent.rmdir()

    def _found(self) -> Iterator[tuple[str, os.stat_result]]:
        """The paths at which the user's work tree has something to share now."""
        for path in self._paths:
            with suppress(FileError):
                status = status_of(self._users, path)
                if status is not None and _can_be_shared(status):
                    yield path, status

    @contextmanager
    def _opened(self, path: str) -> Iterator[tuple[int, str]]:
        """Open the folder in the task's work tree that a path lies in; it is made where it is not.

        Raises:
            FileError: A link or a file is in the way, or the disk refused.
        """
        *folders, _ = path.split("/")
        with as_disk_error(f"cannot share {path}"), open_root(self._root) as top:
            for count in range(1, len(folders) + 1):
                place = "/".join(folders[:count])
                with suppress(FileExistsError), folder_in(top, place) as (parent, name):
                    os.mkdir(name, dir_fd=parent)
            with folder_in(top, path) as found:
                yield found

    def _make_place(self, path: str, wanted: os.stat_result) -> None:
        """Make something to mount on, which bubblewrap would make behind a link, too.

        Args:
            wanted: The status of what is mounted.

        Raises:
            FileError: Something else is there, or the disk refused.
        """
        with self._opened(path) as (folder, name):
            status = _status_in(folder, name)
            if status is None and stat.S_ISDIR(wanted.st_mode):
                os.mkdir(name, dir_fd=folder)
            elif status is None:
                os.close(os.open(name, _NEW, 0o600, dir_fd=folder))
            elif stat.S_IFMT(status.st_mode) != stat.S_IFMT(wanted.st_mode):
                raise FileError(
                    f"{path} cannot be shared, since the task has something else there; remove "
                    f"{self._root / path}"
                )

    def _secrets_in(self, path: str) -> Iterator[str]:
        """The files within a shared folder that may hold secrets and are not named themselves."""
        for folder, _, names in os.walk(self._users / path):
            within = Path(folder).relative_to(self._users).as_posix()
            for name in names:
                inner = f"{within}/{name}"
                if self._hides(inner) and stat.S_ISREG(os.lstat(self._users / inner).st_mode):
                    yield inner

    def _hides(self, path: str) -> bool:
        # reads names and settings
        is_code = PurePosixPath(path).suffix.lower() in _CODE
        return holds_secrets(path) and not is_code and path not in self._paths

    def _refuse_large(self, path: str, status: os.stat_result) -> None:
        """Refuse to copy more than is sensible.

        Raises:
            FileError: It is more.
        """
        size = status.st_size
        for folder, _, names in os.walk(self._users / path):
            size += sum(os.lstat(f"{folder}/{name}").st_size for name in names)
            if size > _MOST_COPIED_BYTES:
                raise FileError(
                    f"{path} is too large to be copied for the task; with bubblewrap (bwrap) it "
                    f"would be shared without a copy"
                )

    def _copy(self, path: str, status: os.stat_result, target: Path) -> None:
        source = self._users / path
        if stat.S_ISDIR(status.st_mode):
            shutil.copytree(source, target, symlinks=True, ignore=self._left_out)
        else:
            shutil.copy2(source, target, follow_symlinks=False)

    def _left_out(self, folder: str, names: list[str]) -> set[str]:
        """The names in a folder that are not copied."""
        within = Path(folder).relative_to(self._users).as_posix()
        left_out = set[str]()
        for name in names:
            status = os.lstat(f"{folder}/{name}")
            is_secret = stat.S_ISREG(status.st_mode) and self._hides(f"{within}/{name}")
            is_odd = not (_can_be_shared(status) or stat.S_ISLNK(status.st_mode))
            if is_secret or is_odd or name == _GIT:
                left_out.add(name)
        return left_out


def _can_be_shared(status: os.stat_result) -> bool:
    return stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode)


def _is_empty(folder: int, name: str) -> bool:
    """Whether a name in an open folder stands for nothing, or for an empty file or folder."""
    status = _status_in(folder, name)
    if status is None or not stat.S_ISDIR(status.st_mode):
        return status is None or (stat.S_ISREG(status.st_mode) and not status.st_size)
    inner = os.open(name, OPEN_FOLDER | NO_LINK, dir_fd=folder)
    try:
        return not os.listdir(inner)  # noqa: PTH208 - an open folder
    finally:
        os.close(inner)


def _status_in(folder: int, name: str) -> os.stat_result | None:
    """The status of a name in an open folder; None where there is none."""
    try:
        return os.lstat(name, dir_fd=folder)
    except FileNotFoundError:
        return None
