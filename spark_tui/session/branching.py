"""Going on from somewhere in what was written, with words of the user's own: the tokens a branch begins with.

The words go through the grammar like the model's own; what does not fit is refused before anything is given up.
"""

from collections.abc import Iterable, Sequence

from spark_tui.editing.format import INSERT, LEVELS, REPLACE, SUBSTITUTE, Frame, Piece, encode_pieces, render_lines
from spark_tui.editing.hunks import Hunk, diff
from spark_tui.editing.parser import Expect, ScriptParser
from spark_tui.editing.script import Insert, Replace, ScriptError
from spark_tui.engine.generate import Step
from spark_tui.errors import UsageError
from spark_tui.session import quoted_branching
from spark_tui.session.quoted_writing import QuotedWriting, as_quoted
from spark_tui.session.turn import Turn

NOTHING_WRITTEN = "no line is being written at this token; go to one where there is"


def takes_words(turn: Turn, index: int) -> bool:
    """Whether words can go on from a token of the tape at all."""
    if quoted := _quoted(turn, index):
        return quoted_branching.half_line(quoted) is not None or quoted_branching.in_name(quoted)
    return bool(turn.tape.parser(index).expects & {Expect.TEXT, Expect.LEVEL})


def in_name(turn: Turn, index: int) -> bool:
    """Whether a token of the tape is within a renaming, whose words are names."""
    if quoted := _quoted(turn, index):
        return quoted_branching.in_name(quoted)
    return turn.tape.parser(index).op_mark == SUBSTITUTE


def with_words(turn: Turn, index: int, words: str) -> list[int]:
    """The tokens up to one of the tape, but for a character that is not whole by then, and then words.

    Args: words: go on in the line that is being written; after a line feed begin further lines.
    Raises: UsageError: nothing can be written there, or not these words.
    """
    if _quoted(turn, index):
        if not takes_words(turn, index):
            raise UsageError(NOTHING_WRITTEN)
        return quoted_branching.going_on(turn, index, words)
    parser, kept = turn.tape.parser(index), turn.tape.kept(index)
    del kept[len(kept) - turn.tape.half(index) :]
    first, *more = words.split("\n")
    if Expect.TEXT in parser.expects:
        pieces: list[Piece] = [first, *_lines(more, parser.frame)]
    elif Expect.LEVEL in parser.expects:
        pieces = _lines([first, *more], parser.frame)
    else:
        raise UsageError(NOTHING_WRITTEN)
    if more and Expect.LEVEL not in _after(parser):
        raise UsageError("a name is being written here; it has one line")
    return _checked(turn, index, [*kept, *encode_pieces(filter(None, pieces), turn.spelling)], pieces)


def with_line(turn: Turn, index: int, line: str) -> list[int]:
    """The tokens before the line that is being written after a token of the tape, and then that line as it should be.

    Args: line: with its indentation; after line feeds further ones. Raises: UsageError: see `with_words`.
    """
    if quoted := _quoted(turn, index):
        if quoted_branching.half_line(quoted) is None:
            raise UsageError(NOTHING_WRITTEN)
        return quoted_branching.instead(turn, index, line)
    parser, kept = turn.tape.parser(index), turn.tape.kept(index)
    if half_line(parser) is None:
        raise UsageError(NOTHING_WRITTEN)
    levels = {turn.spelling.special(mark.name) for mark in LEVELS}
    while kept.pop() not in levels:
        pass
    pieces = _lines(line.split("\n"), parser.frame)
    return _checked(turn, index, [*kept, *encode_pieces(pieces, turn.spelling)], pieces)


def half_line(parser: ScriptParser) -> str | None:
    """The line that is being written, as far as it is, with its indentation; None between lines."""
    partial = parser.partial
    if not isinstance(partial, Replace | Insert) or parser.op_mark not in (REPLACE, INSERT):
        return None
    return partial.lines[-1] if partial.lines else None


def _lines(lines: Iterable[str], frame: Frame) -> list[Piece]:
    return list(render_lines(lines, frame.layout))


def _after(parser: ScriptParser) -> frozenset[Expect]:
    """What may come once the text that may come now is there."""
    return parser.expects if parser.op_mark in (REPLACE, INSERT) else frozenset()


def _checked(turn: Turn, index: int, ids: list[int], pieces: Sequence[Piece]) -> list[int]:
    """Ids that a turn can begin with. Raises: UsageError: they cannot be read back, or leave no room."""
    if len(ids) >= turn.request.max_tokens:
        raise UsageError(f"that makes {len(ids)} tokens, {turn.request.max_tokens} is the limit; write less")
    writing = turn.tape.blank(index)
    try:
        for token_id in ids:
            writing.take(Step(token_id, 0.0))
    except ScriptError as e:
        raise UsageError(f"this does not fit here: {e}") from e
    last = pieces[-1]
    wanted = last if isinstance(last, str) else ""  # a blank line is a mark without text
    if not "".join(writing.parser.texts[-1:]).endswith(wanted):
        raise UsageError("the model has no tokens for these characters; write others")
    return ids


def hunks_at(turn: Turn, index: int) -> tuple[Hunk, ...]:
    """The hunks of a turn with all that was written up to a token of its tape, against the file it began with."""
    return diff(turn.base, turn.tape.file(index))


def line_at(turn: Turn, index: int) -> str | None:
    """The line that was being written after a token, as far as it was; None between lines."""
    if quoted := _quoted(turn, index):
        return quoted_branching.half_line(quoted)
    return half_line(turn.tape.parser(index))


def _quoted(turn: Turn, index: int) -> QuotedWriting | None:
    """The script of a model that quotes, read up to a token; None for another one's."""
    return as_quoted(turn.tape.read(index))
