"""Git's own opinion of what a patch makes of some files, formed where nothing of the repository's is.

A private repository in a temporary folder gets the files and the patch; only its index is changed.
"""

import hashlib
import os
import shutil
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from spark_tui.errors import Conflict
from spark_tui.vcs.faults import told
from spark_tui.vcs.git import GitFailure, run_git
from spark_tui.vcs.patch import check_size


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
    here = tempfile.mkdtemp(prefix="spark-")
    try:
        top = Path(here).resolve()
        private = PrivateRepository(top / "git", top / "files")
        for folder in (private.git_dir / "objects", private.git_dir / "refs", private.folder):
            folder.mkdir(parents=True)
        (private.git_dir / "HEAD").write_bytes(b"ref: refs/heads/main\n")
        yield private
    finally:  # no TemporaryDirectory: where nothing may be looked at, its end has no end
        shutil.rmtree(here, ignore_errors=True)


def apply_in_quarantine(patch: bytes, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """What `git apply` makes of files.

    Args: patch: in git's format. files: path -> bytes; all the files the patch changes or deletes.
    Returns: path -> bytes of all files there are afterwards.
    Raises: Conflict: the patch does not apply to these files, or makes something else than files of them.
        SparkError: the patch is too large. FileError: the disk refused.
    """
    check_size(patch)
    where = "nothing was written, since git cannot try the patch in a temporary folder"
    with told(where), private_repository() as private:
        _add(private, files)
        try:
            private.run(["apply", "--cached", "--whitespace=nowarn", "-"], stdin=patch)
        except GitFailure as e:
            raise Conflict(f"git refuses the patch ({e.detail}); nothing was written") from e
        return _contents(private)


def _add(private: PrivateRepository, files: Mapping[str, bytes]) -> None:
    lines = [f"100644 {_write_blob(private, data)} 0\t".encode() + os.fsencode(path) for path, data in files.items()]
    if lines:
        private.run(["update-index", "-z", "--index-info"], b"\0".join(lines) + b"\0")


def _contents(private: PrivateRepository) -> dict[str, bytes]:
    listed = private.run(["ls-files", "-z", "--stage"]).split(b"\0")[:-1]
    entries = [line.partition(b"\t") for line in listed]
    if not all(facts.startswith(b"100") for facts, _, _ in entries):
        raise Conflict("the patch makes a link or a submodule, which spark does not write; nothing was written")
    stored = {os.fsdecode(path): _object_path(private, facts.split()[1].decode("ascii")) for facts, _, path in entries}
    return {path: zlib.decompress(place.read_bytes()).partition(b"\0")[2] for path, place in stored.items()}


def _write_blob(private: PrivateRepository, data: bytes) -> str:
    """Store content the way git does; much faster than starting git for it."""
    encoded = b"blob %d\0%s" % (len(data), data)
    name = hashlib.sha1(encoded, usedforsecurity=False).hexdigest()
    path = _object_path(private, name)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(encoded, 1))
    return name


def _object_path(private: PrivateRepository, name: str) -> Path:
    return private.git_dir / "objects" / name[:2] / name[2:]
