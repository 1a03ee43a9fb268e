"""Patches: encoded, applied in quarantine, merged three ways.

Patches in git's format, with exact positions and exact bytes, and what they amount to.

Git's own opinion of what a patch makes of some files, formed where nothing of the repository's is.

A private repository in a temporary folder gets the files and the patch; only its index is changed.

Three-way merge of one file's bytes, by git, in a private folder, and all three versions shown where
they clash.
"""

import hashlib
import os
import shutil
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Literal

from unidiff import PatchSet

from spark_tui.editing.hunks import Hunk, apply_hunks, diff
from spark_tui.editing.text import Text
from spark_tui.errors import Conflict, FileError, SparkError
from spark_tui.vcs.disk import told
from spark_tui.vcs.git import GitFailure, run_git

MAX_BYTES = 256 << 20
"""A larger patch is refused before anything reads it."""

_CONTEXT = 3
_NO_NEWLINE = "\n\\ No newline at end of file\n"
_PLAIN_HEADER = b"--- a/file\n+++ b/file\n"
"""Names that every reader of patches understands."""
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
        Nothing when the two are the same.

    Raises:
        FileError: Not text.
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
    """Hunks whose context lines touch go into one @@ block."""
    block = list(hunks[:1])
    for last, hunk in pairwise(hunks):
        if hunk.start - last.stop > 2 * _CONTEXT:
            yield block
            block = []
        block.append(hunk)
    if block:
        yield block


def _encode_block(block: Sequence[Hunk], base: Sequence[str], growth: int) -> bytes:
    """One @@ block; `growth` is how many lines longer the blocks above make the file."""
    at = max(block[0].start - _CONTEXT, 0)
    stop = min(block[-1].stop + _CONTEXT, len(base))
    count = stop - at
    ranges = _range(at, count), _range(at + growth, count + sum(hunk.growth for hunk in block))
    out = [f"@@ -{ranges[0]} +{ranges[1]} @@\n"]
    for hunk in block:
        out += _marked(" ", base[at : hunk.start])
        out += _marked("-", hunk.old)
        out += _marked("+", hunk.new)
        at = hunk.stop
    out += _marked(" ", base[at:stop])
    return "".join(out).encode("utf-8", "surrogateescape")


def _range(start: int, count: int) -> str:
    first = start + 1 if count else start
    return f"{first}" if count == 1 else f"{first},{count}"


def _marked(mark: str, lines: Sequence[str]) -> list[str]:
    return [mark + line if line.endswith("\n") else mark + line + _NO_NEWLINE for line in lines]


def _header(
    path: str, before: bytes | None, after: bytes | None, mode: int | None, *, has_hunks: bool
) -> bytes:
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
        end = "\t" if " " in path else ""
        lines += [f"--- {'/dev/null' if before is None else old_name + end}"]
        lines += [f"+++ {'/dev/null' if after is None else new_name + end}"]
    return "".join(line + "\n" for line in lines).encode("ascii")


def _blob_id(data: bytes | None) -> str:
    if data is None:
        return "0" * 40
    return hashlib.sha1(b"blob %d\0%s" % (len(data), data), usedforsecurity=False).hexdigest()


def _quoted(path: str) -> str:
    """A path as git writes it: in quotes, with escapes, where it has unusual bytes."""
    data = path.encode("utf-8", "surrogateescape")
    plain = all(32 <= byte < 127 and byte not in _ESCAPES for byte in data)
    return path if plain else '"' + "".join(map(_escaped, data)) + '"'


def _escaped(byte: int) -> str:
    if byte in _ESCAPES:
        return "\\" + _ESCAPES[byte]
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"


def check_size(patch: bytes) -> None:
    """Refuse what nobody should begin to parse.

    Raises:
        SparkError: It is larger than MAX_BYTES.
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
    """How many lines a patch of one file adds and removes: for people, never a base for writing.

    Args:
        path: The file.
        patch: The patch of that one file, as `encode_patch` writes it.
    """
    # unidiff reads names from the header, and takes ` b/` in a name for the start of the second
    # one: it is shown the blocks alone. No line of one begins with @@, since each has its mark.
    _, start, blocks = patch.partition(b"\n@@ ")
    shown = _PLAIN_HEADER + (start + blocks).removeprefix(b"\n") if start else b""
    files = PatchSet(shown.decode("utf-8", "surrogateescape"))
    return FileSummary(path, sum(file.added for file in files), sum(file.removed for file in files))


@dataclass(frozen=True, slots=True)
class PrivateRepository:
    """A repository without configuration, attributes or hooks.

    `folder` beside it is empty, for files.
    """

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

    Args:
        patch: In git's format.
        files: Path -> bytes; all the files the patch changes or deletes.

    Returns:
        Path -> bytes of all files there are afterwards.

    Raises:
        Conflict: The patch does not apply to these files, or makes something else than files of
            them.
        SparkError: The patch is too large.
        FileError: The disk refused.
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
    lines = [
        f"100644 {_write_blob(private, data)} 0\t".encode() + os.fsencode(path)
        for path, data in files.items()
    ]
    if lines:
        private.run(["update-index", "-z", "--index-info"], b"\0".join(lines) + b"\0")


def _contents(private: PrivateRepository) -> dict[str, bytes]:
    listed = private.run(["ls-files", "-z", "--stage"]).split(b"\0")[:-1]
    entries = [line.partition(b"\t") for line in listed]
    if not all(facts.startswith(b"100") for facts, _, _ in entries):
        raise Conflict(
            "the patch makes a link or a submodule, which spark does not write; nothing was written"
        )
    stored = {
        os.fsdecode(path): _object_path(private, facts.split()[1].decode("ascii"))
        for facts, _, path in entries
    }
    return {
        path: zlib.decompress(place.read_bytes()).partition(b"\0")[2]
        for path, place in stored.items()
    }


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


_MOST_LINES_SHOWN = 40


def merge(
    base: bytes,
    ours: bytes,
    theirs: bytes,
    path: str,
    *,
    prefer: Literal["ours", "theirs"] | None = None,
) -> bytes:
    """Bring the change from `base` to `theirs` into `ours`.

    Args:
        path: What the file is called in the error.
        prefer: Where both changed the same lines, take these.

    Raises:
        Conflict: Both changed the same or touching lines, or they are not text. Its detail shows
            both.
    """
    with private_repository() as private:
        for name, data in (("ours", ours), ("base", base), ("theirs", theirs)):
            (private.folder / name).write_bytes(data)
        try:
            side = [f"--{prefer}"] if prefer else []
            return private.run(["merge-file", "-p", "--quiet", *side, "ours", "base", "theirs"])
        except GitFailure as e:
            raise _conflict(base, ours, theirs, path) from e


def _conflict(base: bytes, ours: bytes, theirs: bytes, path: str) -> Conflict:
    try:
        texts = [Text.from_bytes(data, path) for data in (base, ours, theirs)]
    except FileError:
        return Conflict(
            f"{path} was edited since and is not text; nothing was written: change it by hand"
        )
    edits = diff(texts[0], texts[1])
    changes = diff(texts[0], texts[2])
    clashes = list(_clashes(edits, changes))
    if len(changes) > 1:
        lines = [_line_now(hunk.start, edits) for _, clashing in clashes for hunk in clashing]
    else:
        lines = []
    several = "s" * (len(lines) > 1)
    which = f" (the hunk{several} at line{several} {', '.join(map(str, lines))})" if lines else ""
    return Conflict(
        f"the same lines of {path} were edited since{which}; nothing was written",
        "\n".join(line for clash in clashes for line in _shown(texts[0], edits, *clash, path)),
        "change them by hand",
        choosable=bool(clashes),
        clashing=[(hunk.start, hunk.stop) for _, clashing in clashes for hunk in clashing],
    )


def _clashes(
    edits: Sequence[Hunk], changes: Sequence[Hunk]
) -> Iterator[tuple[list[Hunk], list[Hunk]]]:
    """The groups of hunks of one base that overlap or touch across the two sides."""
    group: list[Hunk] = []
    for hunk in sorted([*edits, *changes], key=lambda each: (each.start, each.stop)):
        if group and hunk.start > max(each.stop for each in group):
            yield from _clash(group, edits, changes)
            group = []
        group.append(hunk)
    yield from _clash(group, edits, changes)


def _clash(
    group: Sequence[Hunk], edits: Sequence[Hunk], changes: Sequence[Hunk]
) -> Iterator[tuple[list[Hunk], list[Hunk]]]:
    sides = [hunk for hunk in edits if hunk in group], [hunk for hunk in changes if hunk in group]
    if all(sides) and sides[0] != sides[1]:
        yield sides


def _shown(
    base: Text, edits: Sequence[Hunk], ours: Sequence[Hunk], theirs: Sequence[Hunk], path: str
) -> Iterator[str]:
    """The stretch two groups of hunks are about, as one side has it, as the other, and as it
    was before both.
    """
    start = min(hunk.start for hunk in (*ours, *theirs))
    stop = max(hunk.stop for hunk in (*ours, *theirs))
    line = start + sum(hunk.growth for hunk in edits if hunk.start < start and hunk not in ours) + 1
    yield f"{path}:{line}: - is there now, + is what would take its place, = is what both come from"
    for mark, side in (("-", ours), ("+", theirs), ("=", ())):
        yield from _with_markers(mark, _stretch(base, start, stop, side))


def _line_now(start: int, edits: Sequence[Hunk]) -> int:
    """The number of the line at which something of the base stands now: what tells a hunk
    wherever it is shown.
    """
    return start + sum(edit.growth for edit in edits if edit.stop <= start) + 1


def _stretch(base: Text, start: int, stop: int, hunks: Sequence[Hunk]) -> tuple[str, ...]:
    moved = [replace(hunk, start=hunk.start - start) for hunk in hunks]
    return apply_hunks(Text(base.raw[start:stop]), moved).raw


def _with_markers(mark: str, lines: Sequence[str]) -> Iterator[str]:
    """The first lines, and of the others what tells them from what they may become meanwhile."""
    yield from (mark + line.removesuffix("\n") for line in lines[:_MOST_LINES_SHOWN])
    if len(lines) > _MOST_LINES_SHOWN:
        rest = lines[_MOST_LINES_SHOWN:]
        yield f"  and {len(rest)} more lines ({sha256(''.join(rest).encode()).hexdigest()[:8]})"
