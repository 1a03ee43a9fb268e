"""Files that a change deletes under one name and creates under another, paired by git."""

from collections.abc import Iterable, Sequence

from spark_tui.errors import RepoError
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.changes import PrivateIndex, parse_raw, set_entries, write_blobs
from spark_tui.vcs.disk_errors import as_disk_error
from spark_tui.vcs.git import GitFailure
from spark_tui.vcs.patch import private_repository

_DIFF_TREE = ("diff-tree", "-r", "--raw", "-z", "-M", "-l1000", "--no-abbrev")


def renamed(changes: Iterable[FileChange]) -> dict[str, str]:
    """The former names of the files that changes rename, by their paths.

    Git judges which files are alike enough, as `git diff -M` does.

    Raises:
        RepoError, FileError: Git cannot work, or the disk refused.
    """
    gone: dict[str, bytes] = {}
    come: dict[str, bytes] = {}
    for change in changes:
        if change.after is None and change.before is not None:
            gone[change.path] = change.before
        if change.before is None and change.after is not None:
            come[change.path] = change.after
    if not gone or not come:
        return {}
    where = "cannot compare in a temporary folder"
    with as_disk_error(where), private_repository() as private:
        blobs = write_blobs(private, [*gone.values(), *come.values()])
        run = PrivateIndex(private, private.git_dir / "renames-index")
        try:
            before = _tree(run, list(gone), blobs[: len(gone)])
            after = _tree(run, list(come), blobs[len(gone) :])
            listed = parse_raw(run([*_DIFF_TREE, before, after]))
        except GitFailure as e:
            raise RepoError(f"git cannot tell which files are renamed: {e.detail}") from e
        return {change.path: change.old_path for change in listed if change.letter == "R"}


def _tree(run: PrivateIndex, paths: Sequence[str], blobs: Sequence[str]) -> str:
    """The name of a tree with these files, and no others."""
    run(["read-tree", "--empty"])
    entries = zip(paths, blobs, strict=True)
    set_entries(run, [f"100644 {blob} 0\t{path}" for path, blob in entries])
    return run(["write-tree"]).decode("ascii").strip()
