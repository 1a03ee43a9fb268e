"""Asks a model the user's own earlier turns once more.

`past_turns` finds the turns with exactly one accepted edit that is in force: the words and the
place are in the saved sessions, the file before and after in the journal. `replay` has a model
answer one of them. Nothing is written, noted or saved.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256

from spark_tui.context.regions import Region
from spark_tui.editing.multi_file import changed, joined
from spark_tui.editing.text import Text
from spark_tui.errors import SparkError, Transient
from spark_tui.providers.base import Ability
from spark_tui.session.request import Request
from spark_tui.session.turn import Turn
from spark_tui.session.turn_factory import TurnFactory
from spark_tui.session.turn_store import SavedSession, SavedTurn
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.history import JournaledBatch


@dataclass(frozen=True, slots=True)
class PastTurn:
    """What the user asked, and what the user accepted.

    Attributes:
        start_line: The first line of the region, from 1.
        end_line: The last line, inclusive.
        before: The file as it was.
        after: The file with what was accepted.
    """

    words: str
    path: str
    start_line: int
    end_line: int
    before: Text
    after: Text


@dataclass(frozen=True, slots=True)
class Replay:
    """What a model made of a past turn.

    Attributes:
        is_accepted: Whether the file is as the user accepted it.
        applies: Whether there is an edit.
        is_sound: Whether that passes the checks.
        ttft_ms: Milliseconds to the first token; 0 where none came.
        tokens_per_second: 0 where that is not known.
        message: What the model, or spark, said of it.
    """

    is_accepted: bool = False
    applies: bool = False
    is_sound: bool = False
    ttft_ms: float = 0.0
    tokens_per_second: float = 0.0
    message: str = ""


def past_turns(
    sessions: Iterable[SavedSession], batches: Batches, most: int
) -> tuple[PastTurn, ...]:
    """The last turns that can be replayed, the newest first.

    Args:
        sessions: The saved ones.
        batches: The journal.
        most: How many turns at most.
    """
    saved = [turn for session in sessions for turn in session.turns if turn.journal_ids]
    saved.sort(key=lambda turn: turn.time, reverse=True)
    accepts = {batch.entry.id: batch for batch in batches.log() if batch.entry.is_accept}
    turns: list[PastTurn] = []
    for turn in saved:
        with suppress(SparkError):  # a saved copy is damaged, or the file is no text
            turns += _past_turn(turn, accepts, batches)
        if len(turns) >= most:
            break
    return tuple(turns)


def _past_turn(
    saved: SavedTurn, accepts: Mapping[str, JournaledBatch], batches: Batches
) -> Iterator[PastTurn]:
    """A saved turn as it can be replayed; none where that is not known exactly.

    Raises:
        SparkError: A saved copy is damaged, or the file is no text.
    """
    if not all(name in accepts for name in saved.journal_ids):
        return
    accepted = [accepts[name] for name in saved.journal_ids]
    words = {batch.entry.asked for batch in accepted}
    changes = [change for batch in accepted for change in batches.changes(batch)]
    # Several words, or an edit by others in between: what the model was asked then, and what the
    # user made of it, cannot be told any more.
    if len(words) != 1 or not changes or not _follow_each_other(changes):
        return
    first = changes[0].before
    last = changes[-1].after
    if first is None or last is None or changes[0].path != saved.path:
        return
    before = Text.from_bytes(first, saved.path)
    if saved.end_line > len(before.lines):
        return
    after = Text.from_bytes(last, saved.path)
    yield PastTurn(words.pop(), saved.path, saved.start_line, saved.end_line, before, after)


def _follow_each_other(changes: Sequence[FileChange]) -> bool:
    """Whether each change is one of the same file, and begins where the one before ended."""
    before = changes[0]
    for change in changes[1:]:
        if (change.path, change.before) != (before.path, before.after):
            return False
        before = change
    return True


def replay(past: PastTurn, maker: TurnFactory) -> Replay:
    """Have a model answer a past turn.

    Args:
        maker: The factory of the model's turns.

    Raises:
        Transient: The endpoint fails.
    """
    base = past.before
    if Ability.FILES in maker.answerer.can:
        base = joined({past.path: base})
    name = sha256(past.before.to_bytes()).hexdigest()
    region = Region(past.path, past.start_line, past.end_line, None, None, name)
    request = Request(past.words, path=past.path, lines=(past.start_line, past.end_line))
    try:
        turn = maker.create("replay", request, region, base, None)
        for _ in turn.events():
            pass
    except Transient:
        raise
    except SparkError as e:
        return Replay(message=str(e))
    return _replay_of(past, turn)


def _replay_of(past: PastTurn, turn: Turn) -> Replay:
    """The outcome of a turn that has ended."""
    timing = turn.timing
    with turn.lock:
        files = changed(turn.base, turn.file.proposal, past.path)
    files = [file for file in files if file.before != file.after]
    applies = turn.status.offers and bool(files)
    is_accepted = len(files) == 1 and files[0].path == past.path and files[0].after == past.after
    return Replay(
        is_accepted=applies and is_accepted,
        applies=applies,
        is_sound=applies and all(check.ok for check in turn.checks),
        ttft_ms=timing.ttft_ms,
        tokens_per_second=timing.tokens_per_second,
        message=turn.message,
    )
