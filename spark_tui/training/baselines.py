"""What costs nothing to beat: no edit, and a kind guessed from single words with the first edit its codemod lists."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache

from spark_tui.editing.codemods.base import Request, applied, listed
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.registry import kinds

Lines = tuple[str, ...]
_WORD = re.compile(r"[a-z]+")


def copy(_before: Sequence[str], _instruction: str, _selected: tuple[int, int] | None) -> Lines | None:
    """No edit, whatever is asked."""
    return None


def by_words(before: Sequence[str], instruction: str, selected: tuple[int, int] | None) -> Lines | None:
    """The kind whose skeletons use the words of the instruction most (naive Bayes), and its codemod's first edit."""
    snippet = Snippet(tuple(before))
    codemod = codemods().get(_likeliest(instruction))
    edits = listed(codemod, snippet, Request(instruction, selected)) if codemod else None
    return tuple(applied(snippet, edits[0])) if edits else None


def _likeliest(instruction: str) -> str:
    words = _WORD.findall(instruction.lower())
    return max(_word_rates(), key=lambda kind: sum(_word_rates()[kind].get(word, -12.0) for word in words))


@cache
def _word_rates() -> dict[str, dict[str, float]]:
    """The log-frequency of each word in the skeletons of each kind."""
    counts = {kind.name: Counter(_WORD.findall(kind.skeletons.lower())) for kind in kinds()}
    return {
        kind: {word: math.log(count / found.total()) for word, count in found.items()} for kind, found in counts.items()
    }
