"""Going on from somewhere in a script that quotes, with words of the user's own: `branching` for such turns."""

from spark_tui.editing.quoting import ADD, RENAME, QuotingError
from spark_tui.editing.quoting_grammar import Grammar
from spark_tui.errors import UsageError
from spark_tui.session.quoted_writing import QuotedWriting, as_quoted
from spark_tui.session.turn import Turn

NO_TOKENS = "this does not fit here; write how the line goes on"


def half_line(writing: QuotedWriting) -> str | None:
    """The new line that is being written, as far as it is; None elsewhere."""
    opened = writing.grammar.open.decode("utf-8", "ignore")
    return opened[1:] if opened[:1] == ADD else None


def in_name(writing: QuotedWriting) -> bool:
    """Whether the new name of a renaming is being written."""
    return writing.grammar.open.decode("utf-8", "ignore").startswith(RENAME) and writing.grammar.open.count(b" ") > 1


def going_on(turn: Turn, index: int, words: str) -> list[int]:
    """The tokens up to one of the tape, but for half a character, and then words; lines after the first are new ones.

    Raises: UsageError: they do not fit there.
    """
    kept = turn.tape.kept(index)
    del kept[len(kept) - turn.tape.half(index) :]
    return _spelled(turn, index, kept, words)


def instead(turn: Turn, index: int, line: str) -> list[int]:
    """The tokens before the text of the line that is being written, and then that text as it should be."""
    kept = turn.tape.kept(index)
    while kept and _fed(turn, index, kept).open != ADD.encode():
        kept.pop()
    return _spelled(turn, index, kept, line)


def _spelled(turn: Turn, index: int, kept: list[int], text: str) -> list[int]:
    words = _blank(turn, index).vocabulary
    first, *more = text.split("\n")
    ids = [*kept, *words.spell(first)]
    for line in more:
        ids += [*words.spell("\n"), *words.spell(ADD), *words.spell(line)]
    if len(ids) >= turn.request.max_tokens:
        raise UsageError(f"that makes {len(ids)} tokens, {turn.request.max_tokens} is the limit; write less")
    grammar = _fed(turn, index, ids)
    if not grammar.open.endswith((text.rpartition("\n")[2]).encode()):
        raise UsageError(NO_TOKENS)
    return ids


def _fed(turn: Turn, index: int, ids: list[int]) -> Grammar:
    """A script read up to some tokens. Raises: UsageError: the grammar does not allow them."""
    blank = _blank(turn, index)
    for token in ids:
        allowed = blank.grammar.allowed()
        fits = bool(allowed[token]) if allowed.dtype == bool else token in allowed
        if not fits:
            raise UsageError(NO_TOKENS)
        try:
            blank.grammar.take(token)
        except QuotingError as error:
            raise UsageError(f"{NO_TOKENS} ({error})") from error
    return blank.grammar


def _blank(turn: Turn, index: int) -> QuotedWriting:
    blank = as_quoted(turn.tape.blank(index))
    if blank is None:
        raise UsageError(NO_TOKENS)
    return blank
