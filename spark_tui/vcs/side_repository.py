"""A small repository of spark's own that reads the user's objects and keeps new objects apart.

Nothing in the user's git directory shows the side repository: no ref, no work tree, no object. The
side repository has the user's settings, exclusions and attributes, the branches and tags of the
moment in which it was made, and no hooks.

Source: gitrepository-layout(5), git-config(1).
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from spark_tui.errors import RepoError
from spark_tui.vcs.blob_store import sync_folder, write_whole
from spark_tui.vcs.disk import NO_LINK, OPEN_FOLDER, Disk
from spark_tui.vcs.disk_errors import as_disk_error
from spark_tui.vcs.git import GitFailure, run_git, settings_of
from spark_tui.vcs.index import DURABLY
from spark_tui.vcs.own_folder import OwnFolder
from spark_tui.vcs.repository import Repository

_MOST_KEPT_BYTES = 64 << 20
"""Objects of the user's repository that are copied, as they lie on the disk."""
_FOLDERS = ("objects/info", "objects/pack", "refs", "info")
_EXCLUDE = "info/exclude"
_SHARED = (_EXCLUDE, "info/attributes", "shallow")
"""Files of a git directory that say what git ignores, converts, and does not have."""
_UNFINISHED = "objects/*/tmp_*"
"""What git calls objects and packs that it has not written to the end."""
_EXTENSIONS = ("extensions.objectformat", "extensions.partialclone")
"""What git reads in a repository's own configuration alone, not in one that is included."""


class SideRepository:
    """A git directory beside the user's, without a work tree of its own.

    Args:
        users: The user's repository.
        git_dir: The git directory.
        disk: The system calls to use.
    """

    def __init__(self, users: Repository, git_dir: Path, disk: Disk) -> None:
        self._users = users
        self.git_dir = git_dir
        self._folder = OwnFolder(git_dir, disk)
        self._disk = disk

    @property
    def is_there(self) -> bool:
        """Whether the repository is made, as a whole.

        Raises:
            RepoError: Another folder or a link is in its place.
        """
        with suppress(OSError), self._folder.open():
            return (self.git_dir / "HEAD").is_file()
        return False

    def check_place(self) -> None:
        """Check that nothing else is in place of the repository.

        Raises:
            RepoError: Another folder or a link is.
        """
        self._folder.check()

    def check(self) -> None:
        """Check that git writes into this folder alone, which programs of a task may have changed.

        Raises:
            RepoError: Another folder or a link is in its place, or something in it leads elsewhere.
            FileError: The disk refused.
        """
        with as_disk_error(f"cannot look into {self.git_dir}"), self._folder.open() as folder:
            for name in _leading_elsewhere(folder):
                raise RepoError(
                    f"{self.git_dir}/{name} was changed and leads git elsewhere; nothing was "
                    f"written there: remove it, or drop the task"
                )

    def remove(self) -> None:
        """Remove the repository, with all that is in it.

        Raises:
            RepoError: Another folder or a link is in its place.
            FileError: The disk refused.
        """
        self._folder.remove()

    def make(self, excluded: Iterable[str] = ()) -> None:
        """Make the repository, unless it is there.

        Args:
            excluded: Paths that git ignores here, beside those that it ignores in the user's.

        Raises:
            RepoError: The user's repository cannot be read.
            FileError: The disk refused.
        """
        self._folder.make()
        self.check()
        if self.is_there:
            return
        config = self._config()
        refs = self._refs()
        objects = os.fsencode(self._users.common_dir / "objects")
        files = {"objects/info/alternates": _quoted(objects) + b"\n", "config": config}
        files["packed-refs"] = refs
        with as_disk_error(f"cannot make a repository in {self.git_dir}"):
            for name in _SHARED:
                with suppress(FileNotFoundError):
                    files[name] = (self._users.common_dir / name).read_bytes()
            files[_EXCLUDE] = files.get(_EXCLUDE, b"") + b"".join(map(_pattern, excluded))
            for name in _FOLDERS:
                (self.git_dir / name).mkdir(mode=0o700, parents=True, exist_ok=True)
            # HEAD comes last, because HEAD makes a repository of the folder.
            for name, data in (files | {"HEAD": b"ref: refs/heads/none\n"}).items():
                write_whole(self.git_dir / name, data, self._disk)
            sync_folder(self.git_dir, self._disk)

    def keep(self, *commits: str) -> None:
        """Copy the files of commits, since the user's `git gc` may remove the originals.

        Earlier commits are not copied. Nothing is copied where the files take more than
        `_MOST_KEPT_BYTES`, or are not all there, as in a partial clone.

        Raises:
            RepoError: Git refused.
        """
        with suppress(GitFailure):
            walk = ["rev-list", "--objects", "--no-walk"]
            if int(self._git([*walk, "--disk-usage", *commits])) > _MOST_KEPT_BYTES:
                return
            names = self._git([*walk, "--no-object-names", *commits])
            # No search for similar objects, which takes long. Objects that the user's packs hold as
            # differences from others are copied as such.
            pack = [
                "pack-objects",
                "--quiet",
                "--window=0",
                str(self.git_dir / "objects/pack/pack"),
            ]
            self._git([*DURABLY, *pack], names)

    def check_out(self, commit: str) -> None:
        """Set HEAD and index to a commit; nobody else uses them meanwhile.

        Raises:
            RepoError: Git refused, or the commit is gone.
            FileError: The disk refused.
        """
        with as_disk_error(f"cannot write to {self.git_dir}"):
            # A kill may have left these.
            locks = [self.git_dir / name for name in ("HEAD.lock", "index.lock")]
            for path in (*locks, *self.git_dir.glob(_UNFINISHED)):
                path.unlink(missing_ok=True)
        self._git(["read-tree", commit])
        self.move_head(commit)

    def move_head(self, commit: str) -> None:
        """Set HEAD alone to a commit.

        Raises:
            RepoError: Git refused, or the commit is gone.
        """
        self._git(["update-ref", "--no-deref", "HEAD", commit])

    def _config(self) -> bytes:
        """A configuration that includes the user's, with what only a repository's own can say."""
        # Git takes the format version and the extensions from a repository's own file alone. Of
        # other settings the last line wins, so those behind the include replace the user's.
        lines = ["[core]", "\trepositoryformatversion = 1"]
        included = str(self._users.common_dir / "config")
        lines += ["[include]", f"\tpath = {_value(included)}"]
        lines += ["[core]", "\tbare = false", "\tlogAllRefUpdates = false"]
        own = {setting.key: setting.value for setting in settings_of(self._users.common_dir)}
        for key in _EXTENSIONS:
            if value := own.get(key):
                name = key.partition(".")[2]
                lines += ["[extensions]", f"\t{name} = {_value(value)}"]
        return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")

    def _refs(self) -> bytes:
        """The user's branches and tags, as a file of packed refs."""
        form = "--format=%(objectname) %(refname)"
        kinds = ("refs/heads", "refs/tags", "refs/remotes")
        try:
            return run_git(["for-each-ref", form, *kinds], git_dir=self._users.git_dir)
        except GitFailure as e:
            raise RepoError(f"git cannot list the branches here: {e.detail}") from e

    def _git(self, args: Sequence[str], stdin: bytes = b"") -> bytes:
        return run_git(args, git_dir=self.git_dir, cwd=self._users.root, stdin=stdin)


def _leading_elsewhere(folder: int, beginning: str = "") -> Iterator[str]:
    """The names in an open git directory by which git would read or write in other places.

    Args:
        beginning: The path of the folder within the git directory, with a "/" at the end.
    """
    # Git takes objects, refs and settings from the git directory that `commondir` names.
    if not beginning and "commondir" in os.listdir(folder):
        yield "commondir"
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                inner = os.open(entry.name, OPEN_FOLDER | NO_LINK, dir_fd=folder)
                try:
                    yield from _leading_elsewhere(inner, f"{beginning}{entry.name}/")
                finally:
                    os.close(inner)
            elif not entry.is_file(follow_symlinks=False):
                yield f"{beginning}{entry.name}"


def _pattern(path: str) -> bytes:
    """A line of `info/exclude` for one path alone; the path has no line end in it."""
    # Source: gitignore(5). Behind a slash no character is special at the beginning.
    escaped = "".join(f"\\{letter}" if letter in "\\*?[ " else letter for letter in path)
    return b"\n/" + os.fsencode(escaped) + b"\n"


def _value(text: str) -> str:
    """A text as a value of a configuration."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _quoted(path: bytes) -> bytes:
    """A path as one line: in quotes where it has a line end in it."""
    if b"\n" not in path:
        return path
    escaped = path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + escaped + b'"'
