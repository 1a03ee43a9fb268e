"""Three-way merge of one file's bytes, by git, in a private folder."""

from spark_tui.errors import Conflict
from spark_tui.vcs.git import GitFailure
from spark_tui.vcs.quarantine import private_repository


def merge(base: bytes, ours: bytes, theirs: bytes, path: str) -> bytes:
    """Bring the change from `base` to `theirs` into `ours`.

    Args: path: what the file is called in the error.
    Raises: Conflict: both changed the same or touching lines, or they are not text.
    """
    with private_repository() as private:
        for name, data in (("ours", ours), ("base", base), ("theirs", theirs)):
            (private.folder / name).write_bytes(data)
        try:
            return private.run(["merge-file", "-p", "--quiet", "ours", "base", "theirs"])
        except GitFailure as e:
            raise Conflict(
                f"the same lines of {path} were edited since; nothing was written: change them by hand"
            ) from e
