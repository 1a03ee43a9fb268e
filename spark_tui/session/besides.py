"""What is said of an edit besides what it is: where else it matters, and what of the words it does nothing for."""

from functools import partial

from spark_tui.editing.text import Text
from spark_tui.engine.cache import KVCache
from spark_tui.engine.library import LoadedModel
from spark_tui.session.composed import ComposedTurn
from spark_tui.session.elsewhere import elsewhere
from spark_tui.session.events import Status
from spark_tui.session.settling import SettledTurn
from spark_tui.session.turn import Request, Turn
from spark_tui.session.wording.attributes_left import attribute_left
from spark_tui.session.wording.hints_left import hints_left
from spark_tui.session.wording.unheeded import unheeded
from spark_tui.vcs.repository import Repository


def besides(repo: Repository, turn: Turn, loaded: LoadedModel, cache: KVCache, edited: Text) -> str:
    """What to say, or ""; of a half that is done it is noted in the turn.

    Args: cache: not in use by now. edited: the file with the edit of the turn.
    """
    there = elsewhere(repo, turn.region.path, turn.base, edited)
    told = isinstance(turn, ComposedTurn | SettledTurn)  # each of its steps was heeded
    left = None if told else unheeded(turn.words, edited, partial(_alone, turn, loaded, cache), turn.base)
    turn.half = str(left) if left and left.certain else ""
    kept = attribute_left(turn.words, turn.base, edited) if "rename" in (turn.kind or "").split(" + ") else ""
    return "; ".join(filter(None, (str(left or ""), "" if told else _bare(turn), kept, there)))


def _bare(turn: Turn) -> str:
    if turn.kind != "complete_hints":  # a repair, or nothing written by an attempt
        return ""
    writing = turn.best.writing
    return hints_left(turn.kind, turn.words, writing.lines, writing.closed_lines)


def _alone(turn: Turn, loaded: LoadedModel, cache: KVCache, words: str) -> Text | None:
    """The file as it is with the edit for some of a turn's words, or None."""
    part = Turn("", Request(words, turn.region.path), turn.region, turn.base, loaded, cache)
    for _ in part.events():
        pass
    return part.proposal if part.status is Status.OK else None
