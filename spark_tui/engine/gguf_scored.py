"""Scored pieces, the tokenizer GGUF calls "llama": any two neighbours that make a third piece may merge, best first.

Source: SentencePiece, arXiv:1808.06226, its BPE; the order of merges, src/llama-vocab.cpp, ggml-org/llama.cpp.
"""

import heapq
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.errors import ModelError

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
SPACE = "\u2581"
"""How a piece spells a space."""
_LITERAL = "\udc81"
"""That character itself, where it stands in a text; no piece holds this one, so it comes out in bytes."""


class ScoredTokenizer(Tokenizer):
    """Pieces with scores, bytes for what they cannot spell, and special tokens that text cannot spell.

    No space is put before a text, as some models were trained with: what is encoded comes back as it was.

    Args: texts, kinds, scores: of each token. Needs a token for every byte, or a piece of that character.
    """

    def __init__(self, texts: Sequence[str], kinds: Sequence[int], scores: Sequence[float]) -> None:
        special = (UNKNOWN, CONTROL, USER_DEFINED)
        self._texts, self._kinds = texts, kinds
        self._specials = {n: text for n, text in enumerate(texts) if kinds[n] in special}
        self._ids = {text: number for number, text in self._specials.items()}
        self._pieces = {text: (-scores[n], n) for n, text in enumerate(texts) if kinds[n] == NORMAL and text}
        self._pairs = {text[n : n + 2] for text in self._pieces for n in range(len(text) - 1)}
        self._of_byte = _byte_ids(texts, kinds)
        self._byte_of = {number: bytes([byte]) for byte, number in self._of_byte.items()}

    @property
    def vocab_size(self) -> int:
        """How many ids there are, specials included."""
        return len(self._texts)

    def spells_everything(self) -> bool:
        """Whether there is a token for each byte that needs one."""
        return all(
            byte in self._of_byte or (byte < 0x80 and _spelled(chr(byte)) in self._pieces) for byte in range(256)
        )

    def encode(self, text: str) -> list[int]:
        """Text to token ids; what cannot be written as UTF-8 becomes a question mark."""
        sound = text.encode("utf-8", "replace").decode("utf-8")
        runs = self._runs([_spelled(each) for each in sound])
        return [number for run in runs for piece in self._merge(run) for number in self._numbers(piece)]

    def piece(self, token_id: int) -> str | bytes:
        """A special token's name as str, or the bytes of a text token (b"" for an id the vocabulary leaves unused)."""
        if token_id in self._specials:
            return self._specials[token_id]
        if not 0 <= token_id < len(self._texts) or self._kinds[token_id] == UNUSED:
            return b""
        text = self._texts[token_id]
        return self._byte_of.get(token_id) or text.replace(SPACE, " ").encode()

    def state(self) -> dict[str, Any]:
        """Raises: ModelError: always; no tokenizer.json says the same."""
        raise ModelError("this model's tokenizer is scored pieces, which cannot be exported; name another model")

    def _numbers(self, piece: str) -> Iterator[int]:
        if piece in self._pieces:
            yield self._pieces[piece][1]
            return
        for byte in (SPACE if piece == _LITERAL else piece.replace(SPACE, " ")).encode():
            yield self._of_byte[byte]

    def _runs(self, symbols: list[str]) -> Iterator[list[str]]:
        """Cut between symbols that stand beside each other in no piece: nothing merges across."""
        start = 0
        for end, (left, right) in enumerate(pairwise(symbols), 1):
            if left + right not in self._pairs:
                yield symbols[start:end]
                start = end
        yield symbols[start:]

    def _merge(self, symbols: list[str]) -> list[str]:
        """Merge neighbours until no two of them make a piece; of equal scores the leftmost first."""
        following, before = list(range(1, len(symbols) + 1)), list(range(-1, len(symbols) - 1))
        candidates: list[tuple[float, int, str]] = []

        def consider(left: int, right: int) -> None:
            if left >= 0 and right < len(symbols) and (both := symbols[left] + symbols[right]) in self._pieces:
                heapq.heappush(candidates, (self._pieces[both][0], left, both))

        for right in range(1, len(symbols)):
            consider(right - 1, right)
        while candidates:
            _, left, both = heapq.heappop(candidates)
            right = following[left]
            if not symbols[left] or right >= len(symbols) or symbols[left] + symbols[right] != both:
                continue  # one of the two has merged with another since
            symbols[left], symbols[right] = both, ""
            following[left] = following[right]
            if following[left] < len(symbols):
                before[following[left]] = left
            consider(before[left], left)
            consider(left, following[left])
        return [symbol for symbol in symbols if symbol]


def _spelled(char: str) -> str:
    return SPACE if char == " " else _LITERAL if char == SPACE else char


def _byte_ids(texts: Sequence[str], kinds: Sequence[int]) -> dict[int, int]:
    """The token of each byte that has one of its own."""
    matches = (
        (number, re.fullmatch("<0x([0-9A-F]{2})>", text)) for number, text in enumerate(texts) if kinds[number] == BYTE
    )
    return {int(match[1], 16): number for number, match in matches if match}
