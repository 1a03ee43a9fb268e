"""The states a repository can be in: each a way to make one, with a file a.py of twelve lines
to edit.
"""

import os
import traceback
from collections.abc import Callable
from pathlib import Path
from subprocess import CalledProcessError

from tests.vcs.repos import git, make_repo, unmerge, write_files

LINES = b"".join(b"line_%d = 1\n" % number for number in range(12))
FILES = {"a.py": LINES, "b.py": b"b = 1\n", "d/c.py": b"c = 1\n"}
Build = Callable[[Path], Path]
_SOMEBODY = 65534


def plain(folder: Path) -> Path:
    return make_repo(folder / "repo", FILES)


def with_branches(folder: Path) -> Path:
    """Two branches that disagree about b.py; the current one has three commits."""
    root = plain(folder)
    git(root, "checkout", "-q", "-b", "other")
    _commit(root, b"b = 'other'\n")
    git(root, "checkout", "-q", "main")
    _commit(root, b"b = 2\n")
    _commit(root, b"b = 3\n")
    return root


def _commit(root: Path, data: bytes) -> None:
    write_files(root, {"b.py": data})
    git(root, "commit", "-q", "-a", "-m", "change b")


def _stopped(root: Path, *command: str) -> Path:
    """Run a command that ends in a conflict."""
    try:
        git(root, *command)
    except CalledProcessError:
        return root
    raise AssertionError("there was to be a conflict")


def unborn(folder: Path) -> Path:
    (folder / "repo").mkdir()
    git(folder / "repo", "init", "-q", "-b", "main")
    write_files(folder / "repo", FILES)
    git(folder / "repo", "add", "--all")
    return folder / "repo"


def empty(folder: Path) -> Path:
    (folder / "repo").mkdir()
    git(folder / "repo", "init", "-q", "-b", "main")
    return folder / "repo"


def conflicted(folder: Path) -> Path:
    root = plain(folder)
    unmerge(root, "a.py")
    return root


def bisecting(folder: Path) -> Path:
    root = with_branches(folder)
    git(root, "bisect", "start", "HEAD", "HEAD~2")
    return root


def submodule(folder: Path) -> Path:
    inner, root = make_repo(folder / "inner", FILES), plain(folder)
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "--quiet", str(inner), "sub")
    git(root, "commit", "-q", "-m", "add sub")
    return root


def linked(folder: Path) -> Path:
    git(plain(folder), "worktree", "add", "-q", "-b", "side", str(folder / "linked"))
    return folder / "linked"


def sparse(folder: Path, *options: str) -> Path:
    root = plain(folder)
    write_files(root, {"e/e.py": b"e = 1\n"})
    git(root, "add", "--all")
    git(root, "commit", "-q", "-m", "more")
    git(root, "sparse-checkout", "set", "--cone", *options, "d")
    return root


def clone(folder: Path, *options: str) -> Path:
    source = with_branches(folder)
    git(source, "config", "uploadpack.allowFilter", "true")
    git(folder, "clone", "-q", *options, f"file://{source}", str(folder / "clone"))
    return folder / "clone"


def made_with(folder: Path, *options: str) -> Path:
    root = folder / "repo"
    root.mkdir()
    git(root, "init", "-q", "-b", "main", *options)
    write_files(root, FILES)
    git(root, "add", "--all")
    git(root, "commit", "-q", "-m", "first")
    return root


def told(folder: Path, *command: str) -> Path:
    root = plain(folder)
    git(root, *command)
    return root


def locked(folder: Path) -> Path:
    root = plain(folder)
    (root / ".git" / "index.lock").touch()
    return root


def read_only(folder: Path) -> Path:
    """See `as_somebody`, who may write to the files and not to the repository."""
    root = plain(folder)
    for path in (root / ".git", *(root / ".git").rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    return root


def bare(folder: Path) -> Path:
    git(plain(folder), "clone", "-q", "--bare", ".", str(folder / "bare"))
    return folder / "bare"


STATES: dict[str, Build] = {
    "plain": plain,
    "unborn": unborn,
    "empty": empty,
    "detached": lambda folder: told(folder, "checkout", "-q", "--detach"),
    "merging": lambda folder: _stopped(with_branches(folder), "merge", "other"),
    "rebasing": lambda folder: _stopped(with_branches(folder), "rebase", "other"),
    "cherry-picking": lambda folder: _stopped(with_branches(folder), "cherry-pick", "other"),
    "reverting": lambda folder: _stopped(with_branches(folder), "revert", "HEAD~1"),
    "bisecting": bisecting,
    "conflicted index": conflicted,
    "bare": bare,
    "with a submodule": submodule,
    "inside a submodule": lambda folder: submodule(folder) / "sub",
    "linked work tree": linked,
    "sparse checkout": sparse,
    "sparse index": lambda folder: sparse(folder, "--sparse-index"),
    "partial clone": lambda folder: clone(folder, "--filter=blob:none"),
    "shallow clone": lambda folder: clone(folder, "--depth=1"),
    "SHA-256": lambda folder: made_with(folder, "--object-format=sha256"),
    "reftable": lambda folder: made_with(folder, "--ref-format=reftable"),
    "split index": lambda folder: told(folder, "update-index", "--split-index"),
    "untracked cache": lambda folder: told(folder, "update-index", "--force-untracked-cache"),
    ".git is a file": lambda folder: told(
        folder, "init", "-q", "--separate-git-dir", str(folder / "elsewhere")
    ),
    "locked index": locked,
    "read-only .git": read_only,
}
"""By name; an exception of subprocess says that this git cannot make it."""


def as_somebody(folder: Path, function: Callable[[], None]) -> None:
    """Call a function in a process of a user who is not root, and owns a folder.

    Raises:
        AssertionError: It failed.
    """
    _own(folder, _SOMEBODY)
    child = os.fork()
    if not child:
        try:
            if os.geteuid() == 0:
                os.setuid(_SOMEBODY)
            function()
        except BaseException:  # noqa: BLE001 - nothing may leave this process but its exit code
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    _own(folder, 0)


def _own(folder: Path, user: int) -> None:
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, user, user)
