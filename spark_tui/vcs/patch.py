"""Patches in git's format, with exact positions and exact bytes, and what they amount to."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from unidiff import PatchSet

from spark_tui.editing.hunks import Hunk, diff
from spark_tui.editing.text import Text
from spark_tui.errors import SparkError

MAX_BYTES = 256 << 20
"""A larger patch is refused before anything reads it."""

_CONTEXT = 3
_NO_NEWLINE = "\n\\ No newline at end of file\n"
_PLAIN_HEADER = b"--- a/file\n+++ b/file\n"
"""Names that every reader of patches understands."""
_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}


def encode_patch(path: str, before: bytes | None, after: bytes | None, *, mode: int | None = None) -> bytes:
    """The patch that turns `before` into `after`, as `git diff` would write it.

    Args: path: relative to the root. before, after: the file's bytes; None: there is no file. mode: the file's
        permission bits; None: as usual.
    Returns: nothing when the two are the same.
    Raises: FileError: not text.
    """
    if before == after:
        return b""
    base = Text.from_bytes(before or b"", path)
    blocks = list(_blocks(diff(base, Text.from_bytes(after or b"", path))))
    body, growth = b"", 0
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


def _header(path: str, before: bytes | None, after: bytes | None, mode: int | None, *, has_hunks: bool) -> bytes:
    kind = "100755" if mode and mode & 0o100 else "100644"
    old_name, new_name = _quoted("a/" + path), _quoted("b/" + path)
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
    """Refuse what nobody should begin to parse. Raises: SparkError: it is larger than MAX_BYTES."""
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
