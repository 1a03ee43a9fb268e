"""What of the words of a turn its hunks do: which of the steps, and with which name."""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from spark_tui.editing.hunks import diff
from spark_tui.editing.selection import Part
from spark_tui.editing.text import Text
from spark_tui.session.again import AgainTurn, words_for
from spark_tui.session.commit_words import Asked
from spark_tui.session.composed import ComposedTurn
from spark_tui.session.turn import Turn
from spark_tui.session.wording.steps import split, with_name_taken


def asked_for(turn: Turn, hunk_ids: Collection[str]) -> Asked:
    """What was asked for that hunks of a turn do; the caller holds its lock. Raises: UsageError: as `Review.accept`."""
    review, words = turn.review, _plain(turn.request.instruction)
    parts = review.chosen(hunk_ids)
    if isinstance(turn, AgainTurn):
        each = dict.fromkeys(_plain(words_for(turn, part.hunk.old_lines, part.hunk.new_lines)) for part in parts)
        return Asked.alone(turn.id, " and ".join(each) or words)
    if isinstance(turn, ComposedTurn):
        return _of_steps(turn, words, parts)
    return Asked.alone(turn.id, with_name_taken(words, review.base.raw, review.would_accept(hunk_ids).raw))


def as_it_came(turn: Turn) -> str:
    """The words of a turn; where the user went on from a token of it, with the name that a renaming took."""
    words = turn.request.instruction
    return with_name_taken(words, turn.base.raw, turn.review.proposed.raw) if turn.begun else words


def _of_steps(turn: ComposedTurn, words: str, parts: Sequence[Part]) -> Asked:
    """The same of several steps; of hunks that none of them tells of, as the user wrote them anew, it is all."""
    asked, edits = split(turn.request.instruction), pairwise(turn.versions)
    named = [with_name_taken(one, *(text.lines for text in edit)) for one, edit in zip(asked, edits, strict=False)]
    steps = (*named, *asked[len(named) :])
    done = frozenset(_held(turn, parts)) or frozenset(range(len(steps)))
    return Asked(turn.id, steps, done, words if steps == asked else " and ".join(steps))


def _held(turn: ComposedTurn, parts: Sequence[Part]) -> Iterator[int]:
    """The numbers of the steps of which parts of the review hold something."""
    old, new = set[int](), set[int]()
    for part in parts:
        lines = len(part.hunk.old)
        old.update(part.hunk.start + row for row in range(lines) if row not in part.out)
        new.update(part.at + row for row in range(len(part.hunk.new)) if lines + row not in part.out)
    for number, (before, after) in enumerate(pairwise(turn.versions)):
        shift = 0
        for edit in diff(before, after):
            written = range(edit.start + shift, edit.start + shift + len(edit.new))
            gone = range(edit.start, edit.stop)
            shift += edit.growth
            if written and not new.isdisjoint(_moved(written, after, turn.versions[-1], turn.review.proposed)):
                yield number
            if not written and not old.isdisjoint(_moved(gone, before, turn.base, turn.review.base)):
                yield number


def _moved(lines: range, *versions: Text) -> range:
    """Where lines are after edits from version to version; what took the place of any of them is among them."""
    for before, after in pairwise(versions):
        start, stop, above, within = lines.start, lines.stop, 0, 0
        for edit in diff(before, after):
            if edit.stop <= lines.start:
                above += edit.growth
            elif edit.start < lines.stop:
                start, stop, within = min(start, edit.start), max(stop, edit.stop), within + edit.growth
        lines = range(start + above, stop + above + within)
    return lines


def _plain(words: str) -> str:
    return " ".join(words.split())
