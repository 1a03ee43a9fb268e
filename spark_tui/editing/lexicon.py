"""The words a line may be written in: those of the region and the instruction, Python's own, and a model's idiom.

A small model copies well and spells badly. Held to whole words that are there to be copied, it cannot invent half
a name. Numbers may be any.
"""

import keyword
import re
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from spark_tui.editing.tokens import TokenClasses

IntArray = npt.NDArray[np.int32]
_WORD = re.compile(r"\w+")
_TAIL = re.compile(r"\w*\Z")


class Lexicon:
    """Words by which the tokens of a line are chosen.

    Args: tokens: of the model's vocabulary. texts: whose words may be used, whole, in parts between underscores, and
        capitalised. free: more words; without any, every token is allowed.
    """

    def __init__(self, tokens: TokenClasses, texts: Iterable[str], free: Iterable[str]) -> None:
        self._tokens = tokens
        self._free = frozenset(free)
        words = {word for text in texts for word in _WORD.findall(text)}
        parts = {part for word in words for part in word.split("_") if part}
        self._words = words | parts | {part.capitalize() for part in parts} | self._free | set(keyword.kwlist)
        self._beginnings = {word[:length] for word in self._words for length in range(len(word) + 1)}
        self._after: dict[str, IntArray] = {}

    def ends(self, text: str) -> bool:
        """Whether a line may end after `text`."""
        return not self._free or self._whole(_tail(text))

    def following(self, text: str) -> Sequence[int] | IntArray:
        """The ids of the tokens that may follow `text` in its line."""
        tail = _tail(text)
        if not self._free or tail[:1].isdigit():
            return self._tokens.line_text
        if tail not in self._after:
            self._after[tail] = np.array(self._going_on(tail), np.int32)
        return self._after[tail]

    def _going_on(self, tail: str) -> list[int]:
        """The ids of the tokens that may follow the beginning of a word."""
        more = [*self._tokens.towards(tail, self._words)] + ([] if tail else self._tokens.digits)
        for token_id, lead, rest in self._tokens.breaking:
            if rest in self._beginnings and self._whole(tail + lead):
                more.append(token_id)
        return more

    def _whole(self, word: str) -> bool:
        return not word or word in self._words or word[0].isdigit()


def _tail(text: str) -> str:
    """The word, or part of one, that a text ends in."""
    found = _TAIL.search(text)
    return found[0] if found else ""
