"""A turn over changes that are known already, such as those of a task, for the usual review."""

from collections.abc import Generator, Iterable, Sequence

from spark_tui.context.regions import Region
from spark_tui.editing.checks import run_checks
from spark_tui.editing.hunks import diff
from spark_tui.editing.multi_file import joined
from spark_tui.editing.text import Text
from spark_tui.errors import FileError, UsageError
from spark_tui.providers.registry import Known
from spark_tui.session.events import Checked, Event, TurnEnded, TurnStarted
from spark_tui.session.request import Request
from spark_tui.session.turn import Turn
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.repository import Repository


class ProposalTurn(Turn):
    """A turn that writes nothing: it proposes the files that it is given, whatever checks say.

    Args:
        turn_id: The name of the turn.
        request: The words that the journal keeps.
        region: The first change.
        base: The files before.
        proposed: The files as they are proposed.
        note: What to say of the proposal, or "".
    """

    def __init__(
        self,
        turn_id: str,
        request: Request,
        region: Region,
        base: Text,
        proposed: Text,
        note: str = "",
    ) -> None:
        super().__init__(turn_id, request, region, base, Known(lambda _: proposed.lines))
        self._whole = proposed
        self.elsewhere = lambda _: note
        # Words that follow are a request of their own: nothing here could be corrected by them.
        self.file.touched = True

    def _run(self) -> Generator[Event, None, None]:
        yield TurnStarted(self.id, self.request.instruction, self.region, 0)
        yield from self.file.propose(self._whole)
        self.checks = run_checks(self.base, self._whole, self.region.path)
        if self.checks:
            for hunk_id in (None, *(hunk.id for hunk in self.hunks)):
                yield Checked(hunk_id, self.checks)
        self._offer(self._whole, "")
        yield TurnEnded(self.status, self.message, self.meter.timing)


def proposal_turn(
    number: str, repo: Repository, words: str, changes: Sequence[FileChange], note: str = ""
) -> ProposalTurn:
    """Make a turn that proposes changes of files.

    Args:
        number: Names the turn.
        words: What the journal calls the changes.
        changes: From the files as they are, or as they were where the changes clash with those.
        note: What to say of them, or "".

    Raises:
        UsageError: There is nothing to propose, or nothing that can be reviewed.
        FileError: A file is no text.
    """
    before: dict[str, Text] = {}
    after: dict[str, Text] = {}
    for change in sorted(changes, key=lambda change: change.before is None):
        old, new = change.texts
        if change.before is not None:
            before[change.path] = old
        if change.after is not None:
            after[change.path] = new
    if not (before or after):
        raise UsageError("there is nothing left to review: the files are like that already")
    if not before:
        path, text = _unchanged_file(repo)
        before[path] = text
        after = {path: text} | after
    path = next(iter(before))
    hunks = diff(before[path], after.get(path, Text(())))
    line = min(hunks[0].start + 1 if hunks else 1, max(1, len(before[path].lines)))
    end = min(line, len(before[path].lines))
    region = Region(path, line, end, None, None, "")
    base = joined(before)
    return ProposalTurn(number, Request(words), region, base, joined(after), note)


def _unchanged_file(repo: Repository) -> tuple[str, Text]:
    """A small text file, beside which new files can be reviewed.

    Raises:
        UsageError: There is none.
    """
    for path in _by_size(repo, repo.files()):
        try:
            return path, Text.from_bytes(repo.read(path), path)
        except (FileError, UsageError):
            continue
    raise UsageError("new files alone cannot be reviewed in a repository without a text file")


def _by_size(repo: Repository, paths: Iterable[str]) -> list[str]:
    return sorted(paths, key=lambda path: (repo.size(path), path))
