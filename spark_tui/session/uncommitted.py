"""What was accepted, is in the files still and not in git's branch yet; of earlier starts found in the journal."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from spark_tui.editing.hunks import diff
from spark_tui.editing.rebase import same_words, transplant, without_reverted
from spark_tui.editing.text import Text
from spark_tui.errors import Conflict
from spark_tui.vcs.history import Batch
from spark_tui.vcs.write import FileChange


@dataclass(frozen=True, slots=True)
class Earlier:
    """Accepts of earlier starts. Args: open: those that a commit can take. changed: of which that cannot be told."""

    open: tuple[Batch, ...] = ()
    changed: tuple[Batch, ...] = ()


class _Is(Enum):
    OPEN = auto()
    OVER = auto()
    UNCLEAR = auto()


class _File:
    """A file and what git has of it, both without the edits that were looked at. Mutable.

    Args: edits: all of its edits, the newest first.
    """

    def __init__(self, path: str, now: bytes, committed: bytes, edits: Sequence[FileChange]) -> None:
        self._now, self._committed = Text.from_bytes(now, path), Text.from_bytes(committed, path)
        self._surely_open = self._all_there_is(now, edits)

    def _all_there_is(self, now: bytes | None, edits: Sequence[FileChange]) -> int:
        """How many of the newest edits, one upon the other, made of what git has exactly the file; 0 if none did."""
        for count, change in enumerate(edits, 1):
            if change.after != now or change.before is None:
                return 0
            now = change.before
            if same_words(Text.from_bytes(now, change.path), self._committed):
                return count
        return 0

    def without(self, change: FileChange) -> _Is:
        """Take an edit out, of both, that was made after all that are looked at later. Returns: what became of it."""
        if self._surely_open:
            self._surely_open -= 1
            self._now = self._now if self._surely_open else self._committed
            return _Is.OPEN
        if same_words(self._now, self._committed):
            return _Is.OVER
        now, committed = _without(self._now, change), _without(self._committed, change)
        in_git = committed is not None and committed != self._committed
        in_file = now is not None and now != self._now
        unclear = (in_file and committed is None) or (now is None and committed == self._committed)
        self._now = self._now if now is None else now
        self._committed = self._committed if committed is None else committed
        if unclear:
            return _Is.UNCLEAR
        return _Is.OPEN if in_file and not in_git else _Is.OVER


def uncommitted(
    batches: Iterable[Batch], changes: Callable[[Batch], Sequence[FileChange]], files: Mapping[str, tuple[bytes, bytes]]
) -> Earlier:
    """Sort accepts, the newest first. Args: files: those that differ: as they are, and as git has them."""
    made = [(batch, [change for change in changes(batch) if change.path in files]) for batch in batches]
    each_of = {path: [change for _, some in made for change in some if change.path == path] for path in files}
    texts = {path: _File(path, *data, each_of[path]) for path, data in files.items()}
    found: dict[_Is, list[Batch]] = {each: [] for each in _Is}
    for batch, some in made:
        came_to = {texts[change.path].without(change) for change in some}
        if worst := next((each for each in (_Is.UNCLEAR, _Is.OPEN) if each in came_to), None):
            found[worst].append(batch)
    return Earlier(tuple(found[_Is.OPEN]), tuple(found[_Is.UNCLEAR]))


def holds(now: bytes, change: FileChange) -> bool:
    """Whether a file has every hunk of a change, as hunks of its own."""
    before, after = change.texts
    there = Text.from_bytes(now, change.path)
    known = {(hunk.start, hunk.old_lines, hunk.new_lines) for hunk in diff(before, there)}
    return all((hunk.start, hunk.old_lines, hunk.new_lines) in known for hunk in diff(before, after))


def left_of(change: FileChange, now: bytes | None) -> FileChange:
    """A change without what a file no longer has of it. Args: now: the file; None: there is none."""
    if now is None or change.before is None or change.after is None:
        return change if now is not None else replace(change, after=change.before)
    return replace(change, after=without_reverted(*change.texts, Text.from_bytes(now, change.path)).to_bytes())


def _without(text: Text, change: FileChange) -> Text | None:
    """A text without a change, or as it is where it lacks it already; None: it has other lines there."""
    if change.before is None or change.after is None:
        return None
    try:
        before, after = change.texts
        return transplant(after, before, text)
    except Conflict:
        return None
