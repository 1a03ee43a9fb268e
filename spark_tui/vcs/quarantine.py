"""Git's own opinion of what a patch makes of some files, formed where nothing of the repository's is.

A private repository in a temporary folder gets the files and the patch; only its index is changed.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from spark_tui.errors import Conflict
from spark_tui.vcs.git import GitFailure, run_git


@dataclass(frozen=True, slots=True)
class PrivateRepository:
    """A repository without configuration, attributes or hooks. `folder` beside it is empty, for files."""

    git_dir: Path
    folder: Path

    def run(self, args: Sequence[str], stdin: bytes = b"") -> bytes:
        """Run git here; see `run_git`."""
        return run_git(args, git_dir=self.git_dir, cwd=self.folder, stdin=stdin)


@contextmanager
def private_repository() -> Iterator[PrivateRepository]:
    """Make a private repository that is gone after the `with`."""
    with tempfile.TemporaryDirectory(prefix="spark-") as name:
        private = PrivateRepository(Path(name).resolve() / "git", Path(name).resolve() / "files")
        for folder in (private.git_dir / "objects", private.git_dir / "refs", private.folder):
            folder.mkdir(parents=True)
        (private.git_dir / "HEAD").write_bytes(b"ref: refs/heads/main\n")
        yield private


def apply_in_quarantine(patch: bytes, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """What `git apply` makes of files.

    Args: patch: in git's format. files: path -> bytes; all the files the patch changes or deletes.
    Returns: path -> bytes of all files there are afterwards.
    Raises: Conflict: the patch does not apply to these files.
    """
    with private_repository() as private:
        _add(private, files)
        try:
            private.run(["apply", "--cached", "--whitespace=nowarn", "-"], stdin=patch)
        except GitFailure as e:
            raise Conflict(f"git refuses the patch ({e.detail}); nothing was written") from e
        return _contents(private)


def _add(private: PrivateRepository, files: Mapping[str, bytes]) -> None:
    if not files:
        return
    for number, data in enumerate(files.values()):
        (private.folder / str(number)).write_bytes(data)
    numbers = "".join(f"{number}\n" for number in range(len(files)))
    hashes = private.run(["hash-object", "-w", "--no-filters", "--stdin-paths"], numbers.encode("ascii")).split()
    lines = (b"100644 %s 0\t%s\0" % (name, os.fsencode(path)) for name, path in zip(hashes, files, strict=True))
    private.run(["update-index", "-z", "--index-info"], b"".join(lines))


def _contents(private: PrivateRepository) -> dict[str, bytes]:
    listed = private.run(["ls-files", "-z", "--stage"]).split(b"\0")[:-1]
    entries = [line.partition(b"\t") for line in listed]
    hashes = [facts.split()[1] for facts, _, _ in entries]
    blobs = _blobs(private, hashes)
    return {os.fsdecode(path): blob for (_, _, path), blob in zip(entries, blobs, strict=True)}


def _blobs(private: PrivateRepository, hashes: Sequence[bytes]) -> Iterator[bytes]:
    output = private.run(["cat-file", "--batch"], b"".join(b"%s\n" % name for name in hashes)) if hashes else b""
    at = 0
    for _ in hashes:
        line_end = output.index(b"\n", at)
        size = int(output[at:line_end].split()[2])
        yield output[line_end + 1 : line_end + 1 + size]
        at = line_end + 1 + size + 1
