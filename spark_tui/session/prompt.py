"""What the model reads for a turn: the region, which is the same for every instruction about it, then the words."""

from collections.abc import Sequence

from spark_tui.context.regions import Region
from spark_tui.context.wording import with_lines
from spark_tui.editing.codemods.checks.misspelt import errors_in_singular
from spark_tui.editing.format import Frame, encode_pieces, render_region, render_request
from spark_tui.editing.text import Text
from spark_tui.engine.library import LoadedModel
from spark_tui.errors import UsageError
from spark_tui.session import answers

MAX_WORDS = 400
"""Tokens of the longest instruction."""
_LONGEST_TOKEN = 32
"""Characters a token that no code comes near to on average."""
ROOM = 512
"""Tokens for words and an answer, where the lines are to be chosen."""


def words_within(region: Region, instruction: str) -> str:
    """An instruction as the model reads it: numbers of lines counted within the region, names of errors as they are."""
    top, end = region.start_line, region.end_line
    return with_lines(errors_in_singular(instruction), lambda line: line - top + 1 if top <= line <= end else line)


def readable(lines: Sequence[str], capacity: int) -> bool:
    """Whether lines may be worth taking apart into tokens, which takes seconds a megabyte."""
    return sum(map(len, lines)) <= capacity * _LONGEST_TOKEN


def has_room(loaded: LoadedModel, lines: Sequence[str], capacity: int) -> bool:
    """Whether a region leaves room for words and an answer. Args: capacity: tokens that all of it may take."""
    if not readable(lines, capacity):
        return False
    ids = encode_pieces(render_region(lines, Frame.of(lines)), loaded.tokenizer)
    return len(ids) + min(ROOM, capacity // 4) <= capacity


def prompt_ids(loaded: LoadedModel, region: Region, base: Text, words: str, capacity: int) -> list[int]:
    """The tokens of a prompt.

    Args: words: of `words_within`. capacity: tokens that the prompt and an answer may take.
    Raises: UsageError: words or region are too long.
    """
    lines = _lines(region, base, capacity)
    frame = Frame.of(lines)
    asked = encode_pieces(render_request(words, frame, region.selected), loaded.tokenizer)
    if len(asked) > MAX_WORDS:
        raise UsageError(f"the instruction takes {len(asked)} tokens and at most {MAX_WORDS} are read; say less")
    ids = encode_pieces(render_region(lines, frame), loaded.tokenizer) + asked
    if len(ids) >= capacity:
        raise UsageError(_too_long(region, f"takes {len(ids)} tokens and the model reads {capacity}"))
    return ids


def _lines(region: Region, base: Text, capacity: int) -> Sequence[str]:
    lines = base.lines[region.start_line - 1 : region.end_line]
    if not readable(lines, capacity):
        size = f"has {sum(map(len, lines)):,} characters"
        raise UsageError(_too_long(region, f"{size}, far more than the {capacity} tokens that the model reads"))
    return lines


def _too_long(region: Region, why: str) -> str:
    return f"{answers.where(region)} {why}; select fewer lines with --at PATH:L1-L2"


def beginning(loaded: LoadedModel, region: Region, base: Text, written: str, capacity: int) -> list[int]:
    """The tokens that the prompt will begin with whatever is written next: the region and all whole words.

    Args: written: the instruction so far. capacity: as for `prompt_ids`. Raises: UsageError: the region is too long.
    """
    lines = _lines(region, base, capacity)
    frame = Frame.of(lines)
    words = written.rstrip() if written[-1:].isspace() else " ".join(written.split()[:-1])
    *request, _ = render_request(words_within(region, words), frame, region.selected)
    return encode_pieces([*render_region(lines, frame), *request], loaded.tokenizer)
