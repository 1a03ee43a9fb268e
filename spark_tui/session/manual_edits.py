"""What the user does to a proposal by hand: hunks cut, lines taken out, texts edited and checked, answers exchanged."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from spark_tui.editing.checks import run_checks
from spark_tui.editing.hunks import Hunk
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError
from spark_tui.session.rebase_hunks import half_renamed
from spark_tui.session.turn import Turn


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer that is proposed now. Args: number: which of `total`, from 1. problem: why it was held back, or ""."""

    number: int
    total: int
    logprob: float
    problem: str = ""


def edit(turn: Turn, hunk_id: str, lines: Sequence[str]) -> tuple[list[Hunk], str]:
    """Propose other new lines in a hunk.

    Returns: the hunks in its place, and what is wrong with the whole proposal now, or "". Raises: as `Review.edit`.
    """
    hunks = turn.file.edit(hunk_id, lines)
    with turn.lock:
        base, proposed = turn.review.base, turn.review.proposed
    return hunks, _wrong(base, proposed, turn)


def verdict(turn: Turn, hunk_ids: Collection[str] | None = None) -> str:
    """What would be wrong with the file once hunks were accepted, and was not before; or "".

    Args: hunk_ids: which; None: all that is open and in.
    """
    with turn.lock:
        open_ids = [part.hunk.id for part in turn.parts if part.taken != part.hunk.old]
        after = turn.review.would_accept(open_ids if hunk_ids is None else hunk_ids)
    return _wrong(turn.base, after, turn)


def left_broken(turn: Turn, hunk_ids: Collection[str]) -> str:
    """What would be wrong with the file once hunks were accepted, where no other could make it whole; or ""."""
    return verdict(turn) and verdict(turn, hunk_ids)


def _wrong(before: Text, after: Text, turn: Turn) -> str:
    failed = (check for check in run_checks(before, after, str(turn.region.path)) if not check.ok)
    return "; ".join(check.fault for check in failed) or half_renamed(turn, after)


def proposed_now(turn: Turn) -> list[Text]:
    """The answer that is proposed now, as a whole file; none where it is none of those that are known."""
    return [each.file for each in turn.variations if turn.file.is_whole(each.file)]


def varied(turn: Turn) -> Turn:
    """A turn that can give other answers. Raises: UsageError: it cannot."""
    if not turn.candidates:
        raise UsageError("no answer was written here, so there is no other one; say it in other words")
    return turn


def show_another(
    turn: Turn, step: int, given_up: Collection[Text] = (), hunk_id: str | None = None, *, held: bool = False
) -> Shown | None:
    """Propose the next answer in place of the one proposed now; what was accepted stays.

    Args: step: so many on, or back. given_up: whole files that are not to be shown again. hunk_id: take what it has in
        the place of this hunk only, and an answer that has something else there. held: show those that were held back,
        too, behind the others.
    Returns: None where there is no other, or only what was held back comes next and is not to be shown.
    Raises: UsageError: no such hunk is open, or the user went on from an answer.
    """
    known = (*turn.variations, *(turn.candidates.held_back if held else ()))
    answers = [each for each in known if each.file not in given_up or turn.file.is_whole(each.file)]
    at = next((number for number, each in enumerate(answers) if turn.file.is_whole(each.file)), -1)
    for away in range(1, len(answers) + (at < 0)):
        number = (at + away * step) % len(answers)
        if at + away * step != number and at >= 0 and not held and hunk_id is None and turn.candidates.held_back:
            return None
        if turn.show(answers[number], hunk_id) or hunk_id is None:
            return Shown(number + 1, len(answers), answers[number].logprob, answers[number].problem)
    return None
