"""Going on from somewhere in what was written, with words of the user's own: the text that a branch begins with.

What does not fit is refused before anything is given up.
"""

from dataclasses import replace

from spark_tui.answering.seam import Ability
from spark_tui.editing.hunks import Hunk, diff
from spark_tui.errors import SparkError, UsageError
from spark_tui.session.turn import Turn

NOTHING_WRITTEN = "no line is being written at this token; go to one where there is"
_UNFIT = "this does not fit here; write how the line goes on"


def takes_words(turn: Turn, index: int) -> bool:
    """Whether words can go on from a token of the tape at all."""
    draft = turn.tape.read(index)
    return Ability.BEGIN in turn.answerer.can and (draft.open_line is not None or draft.in_name)


def with_words(turn: Turn, index: int, words: str) -> str:
    """The text up to a token of the tape, but for a character that is not whole by then, and then words.

    Args: words: go on in the line that is being written; after a line feed begin further lines.
    Raises: UsageError: nothing can be written there, or not these words.
    """
    if not takes_words(turn, index):
        raise UsageError(NOTHING_WRITTEN)
    return _fitting(turn, turn.tape.text(index), words)


def with_line(turn: Turn, index: int, line: str) -> str:
    """The text before the line that is being written after a token, and then that line as it should be.

    Args: line: with its indentation; after line feeds further ones. Raises: UsageError: see `with_words`.
    """
    draft = turn.tape.read(index)
    if not takes_words(turn, index) or draft.open_line is None:
        raise UsageError(NOTHING_WRITTEN)
    before, feed, _ = turn.tape.text(index).rpartition("\n")
    return _fitting(turn, before + feed + draft.line_mark, line)


def _fitting(turn: Turn, before: str, words: str) -> str:
    """A text that an answer can begin with. Raises: UsageError: it fits nothing that could be written."""
    draft = turn.tape.blank()
    text = before + words.replace("\n", "\n" + draft.line_mark)
    try:
        draft.take(text.encode())
    except SparkError as e:
        raise UsageError(f"{_UNFIT} ({e})") from e
    turn.answerer.write(replace(turn.ask, begun=text))
    return text


def hunks_at(turn: Turn, index: int) -> tuple[Hunk, ...]:
    """The hunks of a turn with all that was written up to a token of its tape, against the file it began with."""
    return diff(turn.base, turn.tape.file(index))
