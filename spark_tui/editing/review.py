"""What is proposed for a file and not yet decided, while the proposal may still be growing.

Always: `hunks == diff(base, proposed)`. Accepting a hunk moves it into the base, rejecting one takes it out
of the proposal; neither touches any other hunk.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from spark_tui.editing.hunks import Hunk, apply_hunks, diff, hunk_id
from spark_tui.editing.refusals import Refusals
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError


class Review:
    """The review of one file. `base`: with what was accepted. `proposed`: with what is still open, too."""

    def __init__(self, base: Text) -> None:
        self.base = base
        self.proposed = base
        self.hunks: tuple[Hunk, ...] = ()
        self._stream = base
        self._refusals = Refusals()
        self._ids: set[str] = set()

    def propose(self, text: Text) -> None:
        """Replace the proposal by a later state of it, always written against the text the review began with.

        What was accepted is not proposed again, what was rejected stays out, also what is added to it since.
        A hunk that only grows keeps its id.
        """
        self._refusals.follow(self._stream.raw, text.raw)
        self._stream = text
        self.proposed = Text(self._refusals.applied(text.raw))
        self._settle(self.hunks)

    def accept(self, ids: Iterable[str]) -> Text:
        """Take hunks into the base.

        Returns: the new base. Raises: UsageError: no such hunk is open.
        """
        chosen, rest = self._chosen(ids)
        self.base = apply_hunks(self.base, chosen)
        self._settle([replace(hunk, start=hunk.start + _growth_before(hunk, chosen)) for hunk in rest])
        return self.base

    def reject(self, ids: Iterable[str]) -> None:
        """Take hunks out of the proposal, for good. Raises: UsageError: no such hunk is open."""
        chosen, rest = self._chosen(ids)
        for hunk in reversed(chosen):
            start = hunk.start + _growth_before(hunk, self.hunks)
            self._refusals.add(self._stream.raw, start, start + len(hunk.new), hunk.old)
        self.proposed = Text(self._refusals.applied(self._stream.raw))
        self._settle(rest)

    def _chosen(self, ids: Iterable[str]) -> tuple[list[Hunk], list[Hunk]]:
        wanted = set(ids)
        if unknown := wanted - {hunk.id for hunk in self.hunks}:
            raise UsageError(f"hunk {min(unknown)} is not open; choose one that is")
        return [hunk for hunk in self.hunks if hunk.id in wanted], [
            hunk for hunk in self.hunks if hunk.id not in wanted
        ]

    def _settle(self, known: Sequence[Hunk]) -> None:
        self.hunks = tuple(self._named(diff(self.base, self.proposed), known))

    def _named(self, found: Iterable[Hunk], known: Iterable[Hunk]) -> Iterator[Hunk]:
        """Hunks with the ids of those they come from: the first known one each of them touches."""
        unused = list(known)
        for hunk in found:
            heir_of = next((old for old in unused if old.start <= hunk.stop and hunk.start <= old.stop), None)
            if heir_of is not None:
                unused.remove(heir_of)
            yield replace(hunk, id=heir_of.id if heir_of else self._new_id(hunk))

    def _new_id(self, hunk: Hunk) -> str:
        name, salt = hunk.id, 0
        while name in self._ids:
            salt += 1
            name = hunk_id(hunk.start, hunk.old, hunk.new, salt)
        self._ids.add(name)
        return name


def _growth_before(hunk: Hunk, others: Iterable[Hunk]) -> int:
    return sum(other.growth for other in others if other.start < hunk.start)
