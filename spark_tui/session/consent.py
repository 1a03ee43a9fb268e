"""What is to be looked at before hunks are written: its file, and text that is not what it looks like."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from spark_tui.editing.hunks import Hunk
from spark_tui.editing.text import Text
from spark_tui.editing.unicode_hazards import suspects, warning
from spark_tui.session.turn import Turn
from spark_tui.vcs.consent import concerns
from spark_tui.vcs.repository import Repository


@dataclass(frozen=True, slots=True)
class Odd:
    """What is odd about a hunk. Args: words: one line, "" when nothing is. spans: offsets in each of its new lines."""

    words: str
    spans: Mapping[int, tuple[tuple[int, int], ...]]


def odd_in(base: Text, hunks: Iterable[Hunk]) -> dict[str, Odd]:
    """What is odd about each of some hunks, in order, by their ids; those that are not are left out."""
    found: dict[str, Odd] = {}
    shift = 0
    for hunk in hunks:
        if here := suspects(base, hunk):
            spans = defaultdict[int, list[tuple[int, int]]](list)
            for each in here:
                spans[each.line].append((each.start, each.stop))
            found[hunk.id] = Odd(
                warning(here, hunk.start + shift + 1), {line: tuple(places) for line, places in spans.items()}
            )
        shift += hunk.growth
    return found


def concerns_about(repo: Repository, turn: Turn) -> tuple[str, ...]:
    """Why a turn's file needs a consent of its own, in words that follow its path. Raises: RepoError, FileError."""
    request = turn.request
    named: Collection[str] = (request.path,) if request.path else request.among
    return concerns(repo, turn.region.path, named)


def doubts(repo: Repository, turn: Turn) -> tuple[str, ...]:
    """Why not all of a turn may be written unseen, in words that follow its path. Raises: RepoError, FileError."""
    with turn.lock:
        odd = odd_in(turn.review.base, turn.review.hunks)
    disguised = tuple(f"would hold text that is not what it looks like: {each.words}" for each in odd.values())
    return concerns_about(repo, turn) + disguised
