"""A turn that settles conflicts by the side that the user tells: no model takes part."""

from collections.abc import Collection, Generator, Sequence
from dataclasses import replace

from spark_tui.context.conflicts import conflicts_at, settling
from spark_tui.context.regions import Region
from spark_tui.editing.checks import Check, run_checks
from spark_tui.editing.hunks import Hunk
from spark_tui.editing.markers import Torn, torn
from spark_tui.editing.parsing import parsed
from spark_tui.editing.text import Text
from spark_tui.engine.cache import KVCache
from spark_tui.engine.library import LoadedModel
from spark_tui.session import answers
from spark_tui.session.events import Checked, Event, HunkClosed, Status, Trying, TurnEnded, TurnStarted
from spark_tui.session.fixing.trial import Command
from spark_tui.session.turn import Request, Turn
from spark_tui.vcs.conflicted import unmerged_files
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.underway import under_way

ONLY_ASKED = "a conflict is settled by what you say, and in no other way; for another side say that: “keep theirs”"


class SettledTurn(Turn):
    """Args: see `Turn`. region: from the first conflict to the last that is meant. repo: where the file is."""

    def __init__(
        self,
        turn_id: str,
        request: Request,
        region: Region,
        base: Text,
        loaded: LoadedModel,
        cache: KVCache,
        command: Command | None = None,
        *,
        repo: Repository,
    ) -> None:
        nothing_to_read = replace(region, end_line=region.start_line)
        super().__init__(turn_id, request, nothing_to_read, base, loaded, cache, command)
        self.region, self._repo = region, repo
        wish = settling(request.instruction)
        self._side = wish.side if wish else ""
        self._found = conflicts_at(region, base.lines)

    @property
    def kind(self) -> str | None:
        """What is done to the conflicts."""
        return f"keep {self._side}" if self._side else None

    def bound(self, hunk_ids: Collection[str]) -> Collection[str]:
        """See `Reviewed.bound`: of a conflict all goes or stays, as half of one is of no use to anybody."""
        with self.lock:
            placed = {part.hunk.id: part.hunk for part in self.parts}
            conflicts = torn(self.review.base.lines)
        chosen = [hunk for each in hunk_ids if (hunk := placed.get(each))]
        meant = [each for each in conflicts if any(_is_in(hunk, each) for hunk in chosen)]
        more = [name for name, hunk in placed.items() if any(_is_in(hunk, each) for each in meant)]
        return list(dict.fromkeys([*hunk_ids, *more]))

    def _run(self) -> Generator[Event, None, None]:
        try:
            yield TurnStarted(self.id, self.request.instruction, self.region)
            file = settled(self.base, self._found, self._side)
            self.confidence = 1.0
            yield from self.propose(file)
            self.checks = yield from self._all_checks(file)
            for hunk in self.hunks:
                yield HunkClosed(hunk)
                yield Checked(hunk.id, self.checks)
            yield from self._ended(file)
        finally:
            if self.trial:
                self.trial.close()
            if self.status is Status.RUNNING:
                self.status = Status.INTERRUPTED

    def _all_checks(self, file: Text) -> Generator[Trying, None, tuple[Check, ...]]:
        checks = run_checks(self.base, file, self.region.path) if self._side else ()
        if self.trial and checks:
            checks = (*checks, (yield from self.trial.run(file, Trying())))
        return checks

    def _ended(self, file: Text) -> Generator[Event, None, None]:
        """Say how it ended, and offer nothing where the side is not told or a check fails."""
        problem = "" if self._side else answers.which_side(self.region.path, self._found, under_way(self._repo))
        if failing := [check for check in self.checks if not check.ok]:
            problem = f"kept {self._side}, but that does not pass ({'; '.join(check.fault for check in failing)})"
        if problem:
            yield from self.propose(self.base)
        self.status = Status.ABSTAINED if problem else Status.OK
        self.message = problem or self._summary(file)
        yield TurnEnded(self.status, self.message, self.timing)

    def _summary(self, file: Text) -> str:
        broken = parsed(self.base, file).after if self.region.path.endswith(".py") else ""
        work = under_way(self._repo)
        path, unmerged = self.region.path, self.region.path in unmerged_files(self._repo)
        self.note = answers.settled_then(path, torn(file.lines), broken, work, unmerged=unmerged)
        hunks, conflicts = len(self.hunks), len(self._found)
        told = f"kept {self._side} of {conflicts} conflict{'s' * (conflicts > 1)}: {hunks} hunk{'s' * (hunks > 1)}"
        return f"{told}; {answers.sides(self._found[0], work)}; {self.note}".removesuffix("; ")


def _is_in(hunk: Hunk, conflict: Torn) -> bool:
    return conflict.touches(hunk.start, hunk.stop - 1)


def settles(instruction: str, region: Region, base: Text) -> bool:
    """Whether it asks to settle conflicts, and there are some."""
    return settling(instruction) is not None and bool(conflicts_at(region, base.lines))


def settled(base: Text, found: Sequence[Torn], side: str) -> Text:
    """The file without the markers of conflicts, and with one side of each, or both."""
    gone = [op for each in found for op in each.kept(side)] if side else []
    for op in reversed(gone):
        base = base.replace_lines(op.first, op.last + 1, ())
    return base
