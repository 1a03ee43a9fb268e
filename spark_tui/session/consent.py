"""What is to be looked at before hunks are written: its file, and text that is not what it looks like."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from spark_tui.context.terms import file_names
from spark_tui.editing.documents import changed
from spark_tui.editing.headings import sections
from spark_tui.editing.hunks import Hunk
from spark_tui.editing.text import Text
from spark_tui.editing.unicode_hazards import suspects, warning
from spark_tui.session.turn import Turn
from spark_tui.session.turn_files import has_several
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


def concerns_about(repo: Repository, turn: Turn, hunk_ids: Collection[str] | None = None) -> dict[str, tuple[str, ...]]:
    """Why files of a turn need a consent of their own, by their paths, in words that follow these.

    Args: hunk_ids: which hunks are to be written; None: all. Raises: RepoError, FileError. UsageError: none such.
    """
    request = turn.request
    named: Collection[str] = (request.path,) if request.path else request.among
    if not has_several(turn):
        why = {turn.region.path: concerns(repo, turn.region.path, named)}
    else:
        with turn.lock:
            review = turn.review
            after = review.proposed if hunk_ids is None else review.would_accept(hunk_ids)
        paths = [each.path for each in changed(review.base, after, "")]
        words = file_names(request.instruction)  # a new file is named where what it is called stands in them
        new = [path for path in paths if any(f"/{path}".endswith(f"/{word}") for word in words)]
        shown = [*(each.path for each in sections(turn.base.raw)), *new] if named else []
        why = {path: concerns(repo, path, shown) for path in paths}
    return {path: words for path, words in why.items() if words}


def doubts(repo: Repository, turn: Turn) -> dict[str, tuple[str, ...]]:
    """Why not all of a turn may be written unseen, as `concerns_about`. Raises: RepoError, FileError."""
    with turn.lock:
        odd = odd_in(turn.review.base, turn.review.hunks)
    found = concerns_about(repo, turn)
    if disguised := tuple(f"would hold text that is not what it looks like: {each.words}" for each in odd.values()):
        found[turn.region.path] = (*found.get(turn.region.path, ()), *disguised)
    return found
