"""Patches of files: encoded, tried by git in quarantine, merged three ways.

- `encode_patch` writes a patch in git's format, with exact positions and exact bytes, and
  `summarize` counts its lines.
- `apply_in_quarantine` asks git what a patch makes of files. A private repository in a temporary
  folder gets the files and the patch; only its index is changed, and nothing of the user's
  repository takes part.
- `merge` has git merge the bytes of one file, in a private folder, too. Where both sides clash, the
  error shows all three versions.
"""

import hashlib
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Literal

from spark_tui.editing.hunks import Hunk, apply_hunks, diff
from spark_tui.editing.rebase import is_partly_made
from spark_tui.editing.text import Text
from spark_tui.errors import Conflict, FileError, SparkError
from spark_tui.vcs.disk_errors import as_disk_error
from spark_tui.vcs.git import GitFailure, run_git
from spark_tui.vcs.temporary_folder import TemporaryFolder

MAX_BYTES = 256 << 20
"""A larger patch is refused before anything reads it."""

_CONTEXT = 3
"""Lines of context around a change, as git has them by default."""
_NO_NEWLINE = "\n\\ No newline at end of file\n"
_PLAIN_HEADER = b"--- a/file\n+++ b/file\n"
"""Names that unidiff understands, in place of the real ones."""
# Source: git's quote.c; other bytes that git quotes are written in octal.
_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}


def encode_patch(
    path: str, before: bytes | None, after: bytes | None, *, mode: int | None = None
) -> bytes:
    """The patch that turns `before` into `after`, as `git diff` would write it.

    Args:
        path: Relative to the root.
        before, after: The file's bytes; None: there is no file.
        mode: The file's permission bits; None: as usual.

    Returns:
        The patch; empty where `before` and `after` are the same.

    Raises:
        FileError: The file is not text.
    """
    if before == after:
        return b""
    base = Text.from_bytes(before or b"", path)
    blocks = list(_blocks(diff(base, Text.from_bytes(after or b"", path))))
    body = b""
    growth = 0
    for block in blocks:
        body += _encode_block(block, base.raw, growth)
        growth += sum(hunk.growth for hunk in block)
    return _header(path, before, after, mode, has_hunks=bool(blocks)) + body


def _blocks(hunks: Sequence[Hunk]) -> Iterator[list[Hunk]]:
    """Group the hunks that go into one @@ block: those whose context lines touch."""
    block = list(hunks[:1])
    for last, hunk in pairwise(hunks):
        if hunk.start - last.stop > 2 * _CONTEXT:
            yield block
            block = []
        block.append(hunk)
    if block:
        yield block


def _encode_block(block: Sequence[Hunk], base: Sequence[str], growth: int) -> bytes:
    """The lines of one @@ block.

    Args:
        block: Its hunks.
        base: All lines of the file before.
        growth: How many lines longer the blocks above make the file.
    """
    start = max(block[0].start - _CONTEXT, 0)
    stop = min(block[-1].stop + _CONTEXT, len(base))
    count = stop - start
    old_range = _range(start, count)
    new_range = _range(start + growth, count + sum(hunk.growth for hunk in block))
    lines = [f"@@ -{old_range} +{new_range} @@\n"]
    done = start
    for hunk in block:
        lines += _marked(" ", base[done : hunk.start])
        lines += _marked("-", hunk.old)
        lines += _marked("+", hunk.new)
        done = hunk.stop
    lines += _marked(" ", base[done:stop])
    return "".join(lines).encode("utf-8", "surrogateescape")


def _range(start: int, count: int) -> str:
    """A range of lines as diff writes it: from 1 on, but an empty one names the line before."""
    first = start + 1 if count else start
    if count == 1:
        return f"{first}"
    return f"{first},{count}"


def _marked(mark: str, lines: Sequence[str]) -> list[str]:
    """Lines of a file as lines of a patch; only the last one of a file may have no line end."""
    marked = []
    for line in lines:
        if line.endswith("\n"):
            marked.append(mark + line)
        else:
            marked.append(mark + line + _NO_NEWLINE)
    return marked


def _header(
    path: str, before: bytes | None, after: bytes | None, mode: int | None, *, has_hunks: bool
) -> bytes:
    """The lines of a patch above its first block."""
    kind = "100755" if mode and mode & 0o100 else "100644"
    old_name = _quoted("a/" + path)
    new_name = _quoted("b/" + path)
    lines = [f"diff --git {old_name} {new_name}"]
    index = f"index {_blob_id(before)}..{_blob_id(after)}"
    if before is None:
        lines += [f"new file mode {kind}", index]
    elif after is None:
        lines += [f"deleted file mode {kind}", index]
    else:
        lines += [f"{index} {kind}"]
    if has_hunks:
        # As git does: the tab ends a name that has blanks in it.
        end = "\t" if " " in path else ""
        old_side = "/dev/null" if before is None else old_name + end
        new_side = "/dev/null" if after is None else new_name + end
        lines += [f"--- {old_side}", f"+++ {new_side}"]
    return "".join(line + "\n" for line in lines).encode("ascii")


def _blob_id(data: bytes | None) -> str:
    """The name that git gives to content; zeros where there is no file."""
    if data is None:
        return "0" * 40
    return hashlib.sha1(b"blob %d\0%s" % (len(data), data), usedforsecurity=False).hexdigest()


def _quoted(path: str) -> str:
    """A path as git writes it: in quotes, with escapes, where it has unusual bytes."""
    data = path.encode("utf-8", "surrogateescape")
    if all(32 <= byte < 127 and byte not in _ESCAPES for byte in data):
        return path
    return '"' + "".join(map(_escaped, data)) + '"'


def _escaped(byte: int) -> str:
    """A byte of a quoted path: as it is, by a letter, or in octal."""
    if byte in _ESCAPES:
        return "\\" + _ESCAPES[byte]
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"


def check_size(patch: bytes) -> None:
    """Refuse a patch that is too large to parse.

    Raises:
        SparkError: The patch is larger than MAX_BYTES.
    """
    if len(patch) > MAX_BYTES:
        raise SparkError(f"this patch is larger than {MAX_BYTES >> 20} MiB; split it")


@dataclass(frozen=True, slots=True)
class FileSummary:
    """How many lines a patch adds to and removes from one file."""

    path: str
    added: int
    removed: int


def summarize(path: str, patch: bytes) -> FileSummary:
    """Count the lines that a patch adds and removes: for people, never a base for writing.

    Args:
        path: The file.
        patch: The patch of that one file, as `encode_patch` writes it.
    """
    from unidiff import PatchSet  # noqa: PLC0415 - takes long to import

    # unidiff reads names from the header, and takes ` b/` in a name for the start of the second
    # one: it gets the blocks alone. No line of a block begins with @@, since each has its mark.
    _, mark, blocks = patch.partition(b"\n@@ ")
    readable = b""
    if mark:
        readable = _PLAIN_HEADER + b"@@ " + blocks
    files = PatchSet(readable.decode("utf-8", "surrogateescape"))
    added = sum(file.added for file in files)
    removed = sum(file.removed for file in files)
    return FileSummary(path, added, removed)


@dataclass(frozen=True, slots=True)
class PrivateRepository:
    """A repository without configuration, attributes or hooks.

    Args:
        git_dir: The git directory.
        folder: An empty folder beside it, for files.
    """

    git_dir: Path
    folder: Path

    def run(self, args: Sequence[str], stdin: bytes = b"") -> bytes:
        """Run git here; see `run_git`."""
        return run_git(args, git_dir=self.git_dir, cwd=self.folder, stdin=stdin)


@contextmanager
def private_repository() -> Iterator[PrivateRepository]:
    """Make a private repository that is gone after the `with`."""
    with closing(TemporaryFolder("quarantine")) as folder:
        # Made by hand: `git init` would bring hooks along from the user's templates.
        top = folder.path.resolve()
        private = PrivateRepository(top / "git", top / "files")
        for place in (private.git_dir / "objects", private.git_dir / "refs", private.folder):
            place.mkdir(parents=True)
        (private.git_dir / "HEAD").write_bytes(b"ref: refs/heads/main\n")
        yield private


def apply_in_quarantine(patch: bytes, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Let `git apply` change files, in a private repository.

    Args:
        patch: In git's format.
        files: Path -> bytes; all the files that the patch changes or deletes.

    Returns:
        Path -> bytes of all files there are afterwards.

    Raises:
        Conflict: The patch does not apply to these files, or makes links or submodules.
        SparkError: The patch is too large.
        FileError: The disk refused.
    """
    check_size(patch)
    where = "nothing was written, since git cannot try the patch in a temporary folder"
    with as_disk_error(where), private_repository() as private:
        _add_files(private, files)
        try:
            # Into the index alone: on disk git would follow a link that an earlier file of the same
            # patch made.
            private.run(["apply", "--cached", "--whitespace=nowarn", "-"], stdin=patch)
        except GitFailure as e:
            raise Conflict(f"git refuses the patch ({e.detail}); nothing was written") from e
        return _read_index(private)


def _add_files(private: PrivateRepository, files: Mapping[str, bytes]) -> None:
    """Put files into the index of a private repository."""
    lines = [
        f"100644 {_write_blob(private, data)} 0\t".encode() + os.fsencode(path)
        for path, data in files.items()
    ]
    if lines:
        private.run(["update-index", "-z", "--index-info"], b"\0".join(lines) + b"\0")


def _read_index(private: PrivateRepository) -> dict[str, bytes]:
    """The bytes of all files in the index of a private repository, by path.

    Raises:
        Conflict: Not all of them are files.
    """
    listed = private.run(["ls-files", "-z", "--stage"]).split(b"\0")[:-1]
    entries = [line.partition(b"\t") for line in listed]
    if not all(facts.startswith(b"100") for facts, _, _ in entries):
        raise Conflict(
            "the patch makes a link or a submodule, which spark does not write; nothing was written"
        )
    contents = {}
    for facts, _, path in entries:
        blob = _object_path(private, facts.split()[1].decode("ascii"))
        # A loose object is `blob SIZE`, NUL and the content, compressed; nothing packs objects
        # here.
        contents[os.fsdecode(path)] = zlib.decompress(blob.read_bytes()).partition(b"\0")[2]
    return contents


def _write_blob(private: PrivateRepository, data: bytes) -> str:
    """Store content as git does, much faster than git would start; returns the blob's name."""
    # A private repository names objects by SHA-1, whatever the user's repository does.
    encoded = b"blob %d\0%s" % (len(data), data)
    name = hashlib.sha1(encoded, usedforsecurity=False).hexdigest()
    path = _object_path(private, name)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(encoded, 1))
    return name


def _object_path(private: PrivateRepository, name: str) -> Path:
    return private.git_dir / "objects" / name[:2] / name[2:]


_MOST_LINES_SHOWN = 40
"""Lines of each side of a clash that a message shows."""


def merge(
    base: bytes,
    ours: bytes,
    theirs: bytes,
    path: str,
    *,
    prefer: Literal["ours", "theirs"] | None = None,
) -> bytes:
    """Bring the change from `base` to `theirs` into `ours`.

    Where `ours` holds a part of the change already, only the rest is brought in.

    Args:
        path: What the file is called in the error.
        prefer: The side to take where both changed the same lines.

    Raises:
        Conflict: Both changed the same or touching lines, or the file is not text. The detail
            shows both versions.
    """
    if _holds_part(base, ours, theirs):
        # Git could insert lines a second time that are there already.
        return theirs
    with private_repository() as private:
        for name, data in (("ours", ours), ("base", base), ("theirs", theirs)):
            (private.folder / name).write_bytes(data)
        try:
            side = [f"--{prefer}"] if prefer else []
            return private.run(["merge-file", "-p", "--quiet", *side, "ours", "base", "theirs"])
        except GitFailure as e:
            raise _describe_conflict(base, ours, theirs, path) from e


def _holds_part(base: bytes, ours: bytes, theirs: bytes) -> bool:
    """Whether `ours` is `base` with some of the changes to `theirs`, and with no others."""
    try:
        return is_partly_made(*map(Text.from_bytes, (base, theirs, ours)))
    except FileError:
        return False


@dataclass(frozen=True, slots=True)
class _Clash:
    """Hunks of one base that overlap or touch across the two sides.

    Args:
        ours: The hunks of the side that was edited since.
        theirs: The hunks of the change that is to be brought in.
    """

    ours: Sequence[Hunk]
    theirs: Sequence[Hunk]


def _describe_conflict(base: bytes, ours: bytes, theirs: bytes, path: str) -> Conflict:
    """The error for a merge that git refused."""
    try:
        base_text, our_text, their_text = (
            Text.from_bytes(data, path) for data in (base, ours, theirs)
        )
    except FileError:
        return Conflict(
            f"{path} was edited since and is not text; nothing was written: change it by hand"
        )
    edits = diff(base_text, our_text)
    changes = diff(base_text, their_text)
    clashes = list(_clashes(edits, changes))
    detail: list[str] = []
    clashing: list[Hunk] = []
    for clash in clashes:
        detail += _describe_clash(base_text, edits, clash, path)
        clashing += clash.theirs
    # A single hunk needs no line to be told from others.
    which = ""
    if len(changes) > 1 and clashing:
        lines = ", ".join(str(_line_now(hunk.start, edits)) for hunk in clashing)
        plural = "s" if len(clashing) > 1 else ""
        which = f" (the hunk{plural} at line{plural} {lines})"
    return Conflict(
        f"the same lines of {path} were edited since{which}; nothing was written",
        "\n".join(detail),
        "change them by hand",
        choosable=bool(clashes),
        clashing=[(hunk.start, hunk.stop) for hunk in clashing],
        path=path,
    )


def _clashes(edits: Sequence[Hunk], changes: Sequence[Hunk]) -> Iterator[_Clash]:
    """The clashes between the hunks of two sides of one base."""
    group: list[Hunk] = []
    stop = 0
    # Hunks that overlap or touch are one group. Touching counts, since git does not merge changes
    # of neighboring lines either.
    for hunk in sorted([*edits, *changes], key=_extent):
        if group and hunk.start > stop:
            yield from _clash(group, edits, changes)
            group = []
            stop = 0
        group.append(hunk)
        stop = max(stop, hunk.stop)
    yield from _clash(group, edits, changes)


def _extent(hunk: Hunk) -> tuple[int, int]:
    return hunk.start, hunk.stop


def _clash(
    group: Sequence[Hunk], edits: Sequence[Hunk], changes: Sequence[Hunk]
) -> Iterator[_Clash]:
    """The clash of a group of hunks; none where they are of one side, or the same on both."""
    ours = [hunk for hunk in edits if hunk in group]
    theirs = [hunk for hunk in changes if hunk in group]
    if ours and theirs and ours != theirs:
        yield _Clash(ours, theirs)


def _describe_clash(base: Text, edits: Sequence[Hunk], clash: _Clash, path: str) -> Iterator[str]:
    """The lines of a clash as one side has them, as the other, and as they were before both.

    Args:
        edits: All hunks of our side.
    """
    ours = clash.ours
    theirs = clash.theirs
    start = min(hunk.start for hunk in (*ours, *theirs))
    stop = max(hunk.stop for hunk in (*ours, *theirs))
    line = start + sum(hunk.growth for hunk in edits if hunk.start < start and hunk not in ours) + 1
    yield f"{path}:{line}: - is there now, + is what would take its place, = is what both come from"
    for mark, side in (("-", ours), ("+", theirs), ("=", ())):
        yield from _with_markers(mark, _stretch(base, start, stop, side))


def _line_now(start: int, edits: Sequence[Hunk]) -> int:
    """The number, from 1 on, that a line of the base has in the file as it is now."""
    return start + sum(edit.growth for edit in edits if edit.stop <= start) + 1


def _stretch(base: Text, start: int, stop: int, hunks: Sequence[Hunk]) -> tuple[str, ...]:
    """The lines of the base from `start` to `stop` with hunks applied."""
    moved = [replace(hunk, start=hunk.start - start) for hunk in hunks]
    return apply_hunks(Text(base.raw[start:stop]), moved).raw


def _with_markers(mark: str, lines: Sequence[str]) -> Iterator[str]:
    """The first lines with their mark, and the count and a hash of the others.

    The hash tells whether lines that are not shown have changed before the user chose a side.
    """
    yield from (mark + line.removesuffix("\n") for line in lines[:_MOST_LINES_SHOWN])
    if len(lines) > _MOST_LINES_SHOWN:
        rest = lines[_MOST_LINES_SHOWN:]
        digest = sha256("".join(rest).encode()).hexdigest()
        yield f"  and {len(rest)} more lines ({digest[:8]})"
