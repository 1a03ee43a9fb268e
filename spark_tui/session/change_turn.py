"""Turns that review a change which no model made, just as an edit is reviewed.

`ChangeTurn` shows the files of a `SourceFiles`, one below the other, and needs no model. A file
that only one version has stands there without lines in the other, so its hunks can be cut and
decided line by line; a file that is left without lines is then no file. The new name of a renamed
file is a hunk of its own, beside those of its lines.

`RewrittenHunk` is the turn that has a model write one hunk of such a change anew. The model reads
the hunk's lines as they are proposed, which in a review of the work tree is as they are there, and
its answer takes their place in the review.
"""

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from hashlib import sha256
from shlex import quote

from spark_tui.context.regions import Region
from spark_tui.editing.checks import run_checks
from spark_tui.editing.hunks import Hunk, apply_hunks, diff
from spark_tui.editing.line_diff import is_document, is_heading, sections
from spark_tui.editing.multi_file import Files, apart, former_names, joined
from spark_tui.editing.review import Review
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError
from spark_tui.providers.base import Ability, Provider
from spark_tui.providers.registry import Known
from spark_tui.session.change_review import SourceFiles
from spark_tui.session.events import Checked, Event, Status, TurnEnded, TurnStarted
from spark_tui.session.request import Request
from spark_tui.session.turn import Turn
from spark_tui.session.turn_factory import AgainTurn, OneHunk, refuse_uneditable
from spark_tui.session.work_tree_review import WorkTreeFile
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.changes import ChangeStatus, FileVersions
from spark_tui.vcs.repository import Repository

_MOST_CHECKED = 1 << 18
"""Bytes of files that are checked before a review opens, which takes a tenth of a second."""
_MOST_NAMES = 3
_NOTHING = Text(())


def _text(data: bytes | None, path: str) -> Text | None:
    return None if data is None else Text.from_bytes(data, path)


class _Change:
    """The versions of a source's files, and what cannot be shown of them.

    Attributes:
        base, proposal: The files in both versions, one below the other.
        absent: The paths at which one version has no file.
        modes: The permission bits of files that are created, where they are not the usual ones.
        notes: What the user should know, one clause each.
    """

    def __init__(self, source: SourceFiles) -> None:
        self.notes = list(source.notes)
        self.absent: set[str] = set()
        self.modes: dict[str, int] = {}
        before: dict[str, Text] = {}
        after: dict[str, Text] = {}
        former: dict[str, str] = {}
        for file in source.files:
            if file.reason:
                self.notes.append(f"{file.path} {file.reason}")
                continue
            # A file's heading in the joined text is one line, so its name must be one, too.
            if unnamable := next((name for name in (file.old_path, file.path) if "\n" in name), ""):
                self.notes.append(f"{unnamable!r} has a line feed in its name")
                continue
            self._note(file, in_place=source.in_place)
            old = _text(file.before, file.old_path)
            new = _text(file.after, file.path)
            before[file.old_path] = old or _NOTHING
            after[file.path] = new or _NOTHING
            if old is None or new is None:
                self.absent.add(file.path)
            if file.old_path != file.path:
                former[file.path] = file.old_path
        self.base = joined(before)
        self.proposal = joined(after, former)

    def _note(self, file: FileVersions, *, in_place: bool) -> None:
        """Note what no hunk of a file can show, and the modes of files."""
        for path, mode in ((file.old_path, file.old_mode), (file.path, file.new_mode)):
            if mode & 0o100:
                self.modes[path] = 0o755
        if file.changes_mode and file.status is not ChangeStatus.RENAMED:
            wanted = file.old_mode if in_place else file.new_mode
            sign = "+x" if wanted & 0o100 else "-x"
            command = f"`chmod {sign} {quote(file.path)}`"
            does = "takes it back" if in_place else "changes it"
            self.notes.append(f"the mode of {file.path} is left as it is; {command} {does}")
        if not (file.before or file.after or file.status is ChangeStatus.RENAMED):
            self.notes.append(f"{file.path} has no lines")


class ChangeTurn(Turn):
    """A change under review as a turn that no model writes.

    Args:
        turn_id: The name of the turn.
        request: What the review is called, and how a model is asked about a hunk.
        source: The files.

    Raises:
        UsageError: Nothing of the change can be shown by hunk.
    """

    is_change = True

    def __init__(self, turn_id: str, request: Request, source: SourceFiles) -> None:
        change = _Change(source)
        note = "; ".join(change.notes[:_MOST_NAMES])
        more = len(change.notes) - _MOST_NAMES
        if more > 0:
            note += f"; and {more} more"
        if change.base == change.proposal:
            raise UsageError("; ".join(filter(None, ["there is no hunk to review", note])))
        first = sections(change.base.raw)[0].path
        # An empty region: the review is about all of its files, and no model is shown any.
        region = Region(first, 1, 0, None, None, "")
        super().__init__(turn_id, request, region, change.base, Known(lambda lines: lines))
        if source.in_place:
            file = WorkTreeFile(change.base, self._telling)
            file.read(change.proposal)
            self.file = file
            self.undecided = "all of that stays in the files"
        else:
            self.file.propose(change.proposal)
        self.status = Status.OK
        self.confidence = 1.0
        self.note = note
        self._absent = change.absent
        self._modes = change.modes
        self.rewriter = RewrittenHunk
        self._checked = tuple(self._check())

    missing = _NOTHING

    def writer_of(self, _hunk: Hunk) -> Turn | None:
        """As `Turn.writer_of`: no model wrote the change."""
        return None

    def words_for(self, _old: object, _new: object) -> str:
        """As `Turn.words_for`: nobody asked for the change."""
        return ""

    def as_files(self, changes: Iterable[FileChange]) -> tuple[FileChange, ...]:
        """As `Turn.as_files`."""
        return tuple(map(self._as_file, changes))

    def _as_file(self, change: FileChange) -> FileChange:
        before = change.before
        after = change.after
        # In the review a missing file and an empty one look the same; on disk they must not.
        if change.path in self._absent:
            before = before or None
            after = after or None
        mode = self._modes.get(change.path) if before is None else None
        return FileChange(change.path, before, after, mode)

    def _run(self) -> Generator[Event, None, None]:
        yield TurnStarted(self.id, self.request.instruction, self.region)
        yield from self.file.report()
        yield from self._checked
        yield TurnEnded(self.status, self.message, self.meter.timing)

    def _check(self) -> Iterator[Checked]:
        """Check the files, as far as that does not take long."""
        before = apart(self.file.base)
        after = apart(self.file.proposal)
        now = {old: path for path, old in former_names(self.file.proposal).items()}
        files = Files(self.file.base.raw)
        hunks: dict[str, list[Hunk]] = {}
        for hunk in self.hunks:
            hunks.setdefault(files.spot(hunk).path, []).append(hunk)
        room = _MOST_CHECKED
        for path, changed in hunks.items():
            new = now.get(path, path)
            room -= before[path].size + after[new].size
            if room < 0:
                return
            checks = run_checks(before[path], after[new], new)
            for hunk in changed:
                yield Checked(hunk.id, checks)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a hunk stands in the files as they are proposed.

    Args:
        path: Its file.
        text: The file's lines as they are proposed.
        lines: The lines of the hunk among those of `text`, 0-based.
        row: The row of the hunk's first line in the joined text of all files.
        base: The lines of the base that the hunk replaces.
    """

    path: str
    text: Text
    lines: range
    row: int
    base: range

    @classmethod
    def of(cls, review: Review, hunk_id: str) -> "_Place":
        """The place of a hunk; for a hunk that only deletes, with the line on either side of it.

        Raises:
            UsageError: No such hunk is open, or no line of a file is in it.
        """
        part = review.part(hunk_id)
        if any(is_heading(line) for line in (*part.hunk.old, *part.hunk.new)):
            raise UsageError("the name or the end of the file changes here; a or r decides it")
        rows = review.proposed.raw
        section = next(each for each in sections(rows) if each.start < part.at <= each.stop)
        first = section.start + 1
        above = 0
        below = 0
        # A model cannot rewrite zero lines, so a hunk that only deletes borrows a line on each
        # side, unless another hunk has that line.
        if part.at == part.end:
            taken = [range(other.at, other.end) for other in review.parts if other is not part]
            above = int(part.at > first and not _meets(taken, part.at - 1))
            below = int(part.end < section.stop and not _meets(taken, part.end))
        start = part.at - above
        stop = part.end + below
        base = range(part.hunk.start - above, part.hunk.stop + below)
        text = Text(rows[first : section.stop])
        return cls(section.path, text, range(start - first, stop - first), start, base)

    @property
    def region(self) -> Region:
        """The region that a model writes."""
        data = sha256(self.text.to_bytes()).hexdigest()
        return Region(self.path, self.lines.start + 1, self.lines.stop, None, None, data)

    def answered(self, text: Text) -> tuple[str, ...]:
        """What an answer has in place of the lines.

        Args:
            text: The file as the answer makes it, or several files.
        """
        if is_document(text.raw):
            text = apart(text).get(self.path, self.text)
        # A model may change lines around the hunk as well, which other hunks are about.
        inside = [
            hunk
            for hunk in diff(self.text, text)
            if self.lines.start <= hunk.start and hunk.stop <= self.lines.stop
        ]
        growth = sum(hunk.growth for hunk in inside)
        return apply_hunks(self.text, inside).raw[self.lines.start : self.lines.stop + growth]


def _meets(places: Iterable[range], row: int) -> bool:
    """Whether a row is one of some places, or lies right beside an empty one."""
    return any(
        row in place or (not place and row in {place.start - 1, place.start}) for place in places
    )


class _OneOfChange(OneHunk):
    """A change while one of its hunks is rewritten."""

    place: _Place

    def mixed(self, text: Text) -> Review:
        """As `OneHunk.mixed`, for an answer in the hunk's file as it is proposed."""
        other = self.earlier.copy()
        row = self.place.row
        rows = range(row, row + len(self.place.lines))
        other.rewrite(self.place.base, rows, self.place.answered(text))
        return other


class _OneInWorkTree(_OneOfChange, WorkTreeFile):
    """A change of the work tree while one of its hunks is rewritten."""


class RewrittenHunk(AgainTurn):
    """A turn in which a model writes one hunk of a change anew.

    Args:
        repo: Tells which files have conflicts.
        before: The review.
        hunk_id: The hunk.

    Raises:
        UsageError: No such hunk is open.
        Abstained: Nothing can be edited there.
    """

    is_change = True
    missing = _NOTHING

    def __init__(
        self,
        repo: Repository,
        turn_id: str,
        request: Request,
        answerer: Provider,
        before: Turn,
        hunk_id: str,
    ) -> None:
        with before.lock:
            place = _Place.of(before.review, hunk_id)
        refuse_uneditable(repo, place.region, place.text)
        page = place.text
        if Ability.FILES in answerer.can:
            page = joined({place.path: place.text})
        in_place = isinstance(before.file, WorkTreeFile)
        one = _OneInWorkTree if in_place else _OneOfChange
        super().__init__(
            turn_id, request, answerer, before, hunk_id, page=(place.region, page), one=one
        )
        assert isinstance(self._one, _OneOfChange)
        self._one.place = place
        if isinstance(self._one, WorkTreeFile):
            assert isinstance(before.file, WorkTreeFile)
            self._one.share(before.file)
        self.rewriter = RewrittenHunk
        self.task = before.task

    def writer_of(self, hunk: Hunk) -> Turn | None:
        """As `Turn.writer_of`: the hunks that stay are those of the review before."""
        earlier = {part.hunk.id: part.hunk for part in self._one.earlier.parts}
        asked = earlier.pop(self.asked)
        is_asked = hunk.id == self.asked and (hunk.old, hunk.new) == (asked.old, asked.new)
        # A part of a hunk has the hunk's id, a dot and a name.
        if is_asked or not {hunk.id, hunk.id.partition(".")[0]}.isdisjoint(earlier):
            return self.reviewed.writer_of(hunk)
        return self

    def as_files(self, changes: Iterable[FileChange]) -> tuple[FileChange, ...]:
        """As `Turn.as_files`."""
        return self.reviewed.as_files(changes)

    def _run(self) -> Generator[Event, None, None]:
        with closing(super()._run()) as events:
            for event in events:
                if isinstance(event, TurnStarted):
                    # The lines of the region are not those of the review's base.
                    region = replace(self.region, start_line=1, end_line=0)
                    yield replace(event, region=region)
                else:
                    yield event
