"""What guides a turn's choice: it may be made, and weigh edits, while the instruction is still being written."""

from collections.abc import Sequence
from functools import lru_cache

from spark_tui.context.regions import Region
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.format import Frame
from spark_tui.editing.guide import Guide
from spark_tui.editing.snippet import Around
from spark_tui.editing.text import Text
from spark_tui.engine.library import LoadedModel
from spark_tui.session.intents import leaning
from spark_tui.session.surroundings import around
from spark_tui.session.tape import free_words


def guided(loaded: LoadedModel, words: str, region: Region, base: Text, begun: Sequence[int] = ()) -> Guide:
    """What guides the choice for some words about a region; that of the last ones is still there.

    Args: words: of `words_within`. begun: as for `Guide`.
    """
    lines = tuple(base.lines[region.start_line - 1 : region.end_line])
    return _made(loaded, words, lines, region.selected, tuple(begun), around(base.lines, region, words))


def forget() -> None:
    """Make the next one anew."""
    _made.cache_clear()


@lru_cache(maxsize=2)
def _made(
    loaded: LoadedModel,
    words: str,
    lines: tuple[str, ...],
    selected: tuple[int, int] | None,
    begun: tuple[int, ...],
    beside: Around,
) -> Guide:
    return Guide(
        loaded.tokenizer,
        loaded.config.vocab_size,
        Frame.of(lines),
        lines,
        Request(words, selected),
        free_words=free_words(loaded, begun),
        begun=begun,
        leaning=leaning(loaded, words, lines),
        around=beside,
    )
