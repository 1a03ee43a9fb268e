"""Three-way merge of one file's bytes, by git, in a private folder, and all three versions shown where they clash."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Literal

from spark_tui.editing.hunks import Hunk, apply_hunks, diff
from spark_tui.editing.text import Text
from spark_tui.errors import Conflict, FileError
from spark_tui.vcs.git import GitFailure
from spark_tui.vcs.quarantine import private_repository

_MOST_LINES_SHOWN = 40


def merge(
    base: bytes, ours: bytes, theirs: bytes, path: str, *, prefer: Literal["ours", "theirs"] | None = None
) -> bytes:
    """Bring the change from `base` to `theirs` into `ours`.

    Args: path: what the file is called in the error. prefer: where both changed the same lines, take these.
    Raises: Conflict: both changed the same or touching lines, or they are not text. Its detail shows both.
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
        return Conflict(f"{path} was edited since and is not text; nothing was written: change it by hand")
    edits, changes = diff(texts[0], texts[1]), diff(texts[0], texts[2])
    clashes = list(_clashes(edits, changes))
    lines = [_line_now(hunk.start, edits) for _, clashing in clashes for hunk in clashing] if len(changes) > 1 else []
    several = "s" * (len(lines) > 1)
    which = f" (the hunk{several} at line{several} {', '.join(map(str, lines))})" if lines else ""
    return Conflict(
        f"the same lines of {path} were edited since{which}; nothing was written",
        "\n".join(line for clash in clashes for line in _shown(texts[0], edits, *clash, path)),
        "change them by hand",
        choosable=bool(clashes),
        clashing=[(hunk.start, hunk.stop) for _, clashing in clashes for hunk in clashing],
    )


def _clashes(edits: Sequence[Hunk], changes: Sequence[Hunk]) -> Iterator[tuple[list[Hunk], list[Hunk]]]:
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


def _shown(base: Text, edits: Sequence[Hunk], ours: Sequence[Hunk], theirs: Sequence[Hunk], path: str) -> Iterator[str]:
    """The stretch two groups of hunks are about, as one side has it, as the other, and as it was before both."""
    start = min(hunk.start for hunk in (*ours, *theirs))
    stop = max(hunk.stop for hunk in (*ours, *theirs))
    line = start + sum(hunk.growth for hunk in edits if hunk.start < start and hunk not in ours) + 1
    yield f"{path}:{line}: - is there now, + is what would take its place, = is what both come from"
    for mark, side in (("-", ours), ("+", theirs), ("=", ())):
        yield from _marked(mark, _stretch(base, start, stop, side))


def _line_now(start: int, edits: Sequence[Hunk]) -> int:
    """The number of the line at which something of the base stands now: what tells a hunk wherever it is shown."""
    return start + sum(edit.growth for edit in edits if edit.stop <= start) + 1


def _stretch(base: Text, start: int, stop: int, hunks: Sequence[Hunk]) -> tuple[str, ...]:
    moved = [replace(hunk, start=hunk.start - start) for hunk in hunks]
    return apply_hunks(Text(base.raw[start:stop]), moved).raw


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    """The first lines, and of the others what tells them from what they may become meanwhile."""
    yield from (mark + line.removesuffix("\n") for line in lines[:_MOST_LINES_SHOWN])
    if len(lines) > _MOST_LINES_SHOWN:
        rest = lines[_MOST_LINES_SHOWN:]
        yield f"  and {len(rest)} more lines ({sha256(''.join(rest).encode()).hexdigest()[:8]})"
