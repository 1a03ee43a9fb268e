"""The tokenizers of GGUF files: read from metadata, and written as metadata.

The kind "gpt2" is byte-level BPE. GGUF names how its text is split before merging instead of
writing that down; a tokenizer that splits in a way without a name cannot be written. The kind
"llama" is scored pieces: any two neighbors that make a third piece may merge, best first.

Source: ggml docs/gguf.md; SentencePiece, arXiv:1808.06226, its BPE; the order of merges,
src/llama-vocab.cpp, ggml-org/llama.cpp.
"""

import heapq
import math
import re  # noqa: TID251 - reads characters as such
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import tokenizers
from tokenizers import decoders, models, pre_tokenizers

from spark_tui.engine.config import damaged
from spark_tui.engine.gguf import GgufFile
from spark_tui.engine.tokenizer import BYTES, Tokenizer
from spark_tui.errors import ModelError

# The kinds of tokens. Source: llama.h, enum llama_token_type.
NORMAL = 1
UNKNOWN = 2
CONTROL = 3
USER_DEFINED = 4
UNUSED = 5
BYTE = 6
_SPECIAL = (UNKNOWN, CONTROL, USER_DEFINED)
SPACE = "\u2581"
"""A space, as pieces spell it."""
_LITERAL = "\udc81"
"""Stands for that character itself in a text; no piece holds it, so it is encoded in bytes."""


class ScoredTokenizer(Tokenizer):
    """Pieces with scores, bytes for the rest, and special tokens that no text spells.

    No space is put before a text, as some models were trained with: an encoded text comes back as
    it was.

    Args:
        texts: The text of each token; each byte needs a token, or a piece of that character.
        kinds: The kind of each token.
        scores: The score of each token.
    """

    def __init__(self, texts: Sequence[str], kinds: Sequence[int], scores: Sequence[float]) -> None:
        self._texts = texts
        self._kinds = kinds
        self._specials: dict[int, str] = {}
        self._pieces: dict[str, tuple[float, int]] = {}
        """A piece -> its score, negative so that the best comes first, and its token."""
        for number, text in enumerate(texts):
            if kinds[number] in _SPECIAL:
                self._specials[number] = text
            elif kinds[number] == NORMAL and text:
                self._pieces[text] = (-scores[number], number)
        self._ids = {text: number for number, text in self._specials.items()}
        self._pairs: set[str] = set()
        """Characters that stand side by side in some piece."""
        for text in self._pieces:
            self._pairs.update(map("".join, pairwise(text)))
        self._of_byte = _byte_ids(texts, kinds)
        self._byte_of = {number: bytes([byte]) for byte, number in self._of_byte.items()}

    @property
    def vocab_size(self) -> int:
        """The number of ids, specials included."""
        return len(self._texts)

    def spells_everything(self) -> bool:
        """Whether there is a token for each byte that needs one."""
        for byte in range(256):
            is_ascii_piece = byte < 0x80 and _spelled(chr(byte)) in self._pieces
            if byte not in self._of_byte and not is_ascii_piece:
                return False
        return True

    def encode(self, text: str) -> list[int]:
        """Encode a text; what cannot be written as UTF-8 becomes a question mark."""
        sound = text.encode("utf-8", "replace").decode("utf-8")
        tokens: list[int] = []
        for run in self._runs(list(map(_spelled, sound))):
            for piece in self._merge(run):
                tokens += self._numbers(piece)
        return tokens

    def piece(self, token_id: int) -> str | bytes:
        """Return the name of a special token as str, or the bytes of a text token.

        The bytes of an unused id are empty.
        """
        if token_id in self._specials:
            return self._specials[token_id]
        if not 0 <= token_id < len(self._texts) or self._kinds[token_id] == UNUSED:
            return b""
        text = self._texts[token_id]
        return self._byte_of.get(token_id) or text.replace(SPACE, " ").encode()

    def state(self) -> dict[str, Any]:
        """Refuse to be written.

        Raises:
            ModelError: Always; no tokenizer.json says the same.
        """
        raise ModelError(
            "this model's tokenizer is scored pieces, which cannot be exported; name another model"
        )

    def _numbers(self, piece: str) -> Iterator[int]:
        """Return the token of a piece, or those of its bytes."""
        if piece in self._pieces:
            yield self._pieces[piece][1]
            return
        text = piece.replace(SPACE, " ")
        if piece == _LITERAL:
            text = SPACE
        for byte in text.encode():
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
        """Merge neighbors until no two of them make a piece; of equal scores the leftmost first."""
        following = list(range(1, len(symbols) + 1))
        before = list(range(-1, len(symbols) - 1))
        candidates: list[tuple[float, int, str]] = []

        def consider(left: int, right: int) -> None:
            if left < 0 or right >= len(symbols):
                return
            both = symbols[left] + symbols[right]
            if both in self._pieces:
                heapq.heappush(candidates, (self._pieces[both][0], left, both))

        for right in range(1, len(symbols)):
            consider(right - 1, right)
        while candidates:
            _, left, both = heapq.heappop(candidates)
            right = following[left]
            if not symbols[left] or right >= len(symbols) or symbols[left] + symbols[right] != both:
                continue  # one of the two has merged with another since
            symbols[left] = both
            symbols[right] = ""
            following[left] = following[right]
            if following[left] < len(symbols):
                before[following[left]] = left
            consider(before[left], left)
            consider(left, following[left])
        return [symbol for symbol in symbols if symbol]


def _spelled(char: str) -> str:
    if char == " ":
        return SPACE
    if char == SPACE:
        return _LITERAL
    return char


def _byte_ids(texts: Sequence[str], kinds: Sequence[int]) -> dict[int, int]:
    """Return the token of each byte that has one of its own."""
    ids = {}
    for number, text in enumerate(texts):
        match = re.fullmatch("<0x([0-9A-F]{2})>", text)
        if match and kinds[number] == BYTE:
            ids[int(match[1], 16)] = number
    return ids


_GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+"
_REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_PUNCTUATION = r"[\p{P}\$\+<=>\^~\|]+"
_DIGIT = r"\p{N}"
_DIGITS = r"\p{N}+"
_THREE = r"[0-9][0-9][0-9]"


@dataclass(frozen=True, slots=True)
class Split:
    """A way to split text before merging.

    Attributes:
        patterns: Expressions, each of which splits what the ones before it left.
        whole_words: Whether a piece that is a token as it stands is taken without merging.
    """

    patterns: tuple[str, ...]
    whole_words: bool = False


_LLAMA3 = Split((rf"{_WORDS}|\p{{N}}{{1,3}}|{_REST}",), whole_words=True)
_QWEN2 = Split((rf"{_WORDS}|\p{{N}}|{_REST}",))
_DIGITS_APART = Split((_DIGIT, _GPT2))
SPLITS = {
    "gpt-2": Split((_GPT2,)),
    "llama-bpe": _LLAMA3,
    "qwen2": _QWEN2,
    "smollm": _DIGITS_APART,
    "default": Split((_PUNCTUATION, _GPT2, _DIGITS, _THREE)),
    "dbrx": Split(_LLAMA3.patterns),
    **dict.fromkeys(("mpt", "olmo", "phi-2", "jais"), Split((_GPT2,))),
    **dict.fromkeys(("llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral"), _LLAMA3),
    **dict.fromkeys(("smaug-bpe",), Split(_LLAMA3.patterns)),
    **dict.fromkeys(("deepseek-r1-qwen", "stablelm2", "hunyuan"), _QWEN2),
    **dict.fromkeys(
        ("starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b"), _DIGITS_APART
    ),
}
"""Name -> how it splits; the first name of several that split alike is the one written."""


def split_name(state: dict[str, Any]) -> str | None:
    """Return the name of how a tokenizer.json splits; None where GGUF has none for it."""
    steps = state.get("pre_tokenizer") or {}
    model = state["model"]
    missing = unspelled(model["vocab"])
    patterns: list[str] = []
    for step in steps.get("pretokenizers", [steps]):
        pattern = _pattern(step)
        if pattern is None:
            return None
        if pattern and pattern != missing:
            patterns.append(pattern)
    if state.get("normalizer"):
        return None
    split = Split(tuple(patterns), bool(model.get("ignore_merges")))
    for name, known in SPLITS.items():
        if known == split:
            return name
    return None


def unspelled(vocabulary: Container[str]) -> str:
    """Return an expression for the bytes that no token spells, over which nothing merges.

    Returns:
        "" where there are none.
    """
    missing = "".join(re.escape(symbol) for symbol in BYTES if symbol not in vocabulary)
    if not missing:
        return ""
    return f"[{missing}]"


def _pattern(step: dict[str, Any]) -> str | None:
    """Return the expression that a step splits at.

    Returns:
        "" for a step that does not split, None for one that is unknown here.
    """
    match step:
        case {
            "type": "Split",
            "pattern": {"Regex": str(regex)},
            "behavior": "Isolated",
            "invert": False,
        }:
            return regex
        case {"type": "Digits", "individual_digits": True}:
            return _DIGIT
        case {"type": "ByteLevel", "add_prefix_space": False}:
            return _GPT2 if step.get("use_regex", True) else ""
    return None


WHOLE = "tokenizer.huggingface.json"
"""The key under which some files have the tokenizer.json itself."""
_OTHER_MODEL = "name another model"
_ENDS = ("<END>", "<|im_end|>", "<|eot_id|>", "<|end_of_text|>", "<|endoftext|>", "</s>")
"""Tokens that end a text, the likeliest first."""


def gguf_tokenizer(file: GgufFile) -> Tokenizer:
    """Read the tokenizer of a file.

    Raises:
        ModelError: None, a damaged one, or one of a kind this engine does not run.
    """
    text = file.metadata.get(WHOLE)
    if isinstance(text, str):
        return Tokenizer.checked(file.path, lambda: tokenizers.Tokenizer.from_str(text))
    kind = file.metadata.get("tokenizer.ggml.model")
    if kind not in ("gpt2", "llama"):
        problem = f"its tokenizer is {str(kind)[:40]!r}; this engine reads 'gpt2' and 'llama'"
        raise damaged(file.path, problem, _OTHER_MODEL)
    texts = _column(file, "tokens", str)
    kinds = _column(file, "token_type", int)
    if not texts or len(kinds) != len(texts) or not set(kinds) <= set(range(1, 7)):
        counts = f"{len(kinds):,} token types for {len(texts):,} tokens"
        raise damaged(file.path, f"{counts}, or unknown ones")
    if kind == "gpt2":
        return _read_merged(file, texts, kinds)
    return _read_scored(file, texts, kinds)


def _column(file: GgufFile, name: str, kind: type) -> list[Any]:
    """Return a list of the metadata, its values all of a kind."""
    values = file.metadata.get(f"tokenizer.ggml.{name}")
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if not isinstance(values, list) or not all(type(value) is kind for value in values):
        problem = f"tokenizer.ggml.{name} is missing or not a list of {kind.__name__}"
        raise damaged(file.path, problem)
    return values


def _read_merged(file: GgufFile, texts: list[str], kinds: list[int]) -> Tokenizer:
    name = file.metadata.get("tokenizer.ggml.pre", "default")
    split = SPLITS.get(str(name))
    if split is None:
        problem = f"its tokenizer splits text like {str(name)[:40]!r}, unknown here"
        raise damaged(file.path, problem, _OTHER_MODEL)
    merges: list[Any] = [tuple(merge.split(" ")) for merge in _column(file, "merges", str)]
    # Unused tokens at the end only fill the embedding.
    used = len(texts)
    while used and kinds[used - 1] == UNUSED:
        used -= 1
    texts = texts[:used]
    vocabulary = {text: number for number, text in enumerate(texts)}
    if len(vocabulary) < len(texts) or any(len(merge) != 2 for merge in merges):
        raise damaged(file.path, "two tokens with the same text, or a merge that is not of two")
    added = []
    for text, kind in zip(texts, kinds, strict=False):
        if kind in _SPECIAL:
            is_special = kind != USER_DEFINED
            added.append(tokenizers.AddedToken(text, special=is_special, normalized=False))
    return Tokenizer.checked(
        file.path, lambda: _backend(vocabulary, merges, added, split), spellable=True
    )


def _backend(vocabulary: dict[str, int], merges: list[Any], added: list[Any], split: Split) -> Any:
    backend = tokenizers.Tokenizer(models.BPE(vocabulary, merges, ignore_merges=split.whole_words))
    steps: list[Any] = []
    for pattern in split.patterns:
        steps.append(pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated"))
    steps.append(pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False))
    if missing := unspelled(vocabulary):
        steps.append(pre_tokenizers.Split(tokenizers.Regex(missing), "isolated"))
    backend.pre_tokenizer = pre_tokenizers.Sequence(steps)
    backend.decoder = decoders.ByteLevel()
    backend.add_tokens(added)
    return backend


def _read_scored(file: GgufFile, texts: list[str], kinds: list[int]) -> Tokenizer:
    scores = _column(file, "scores", float)
    if len(scores) != len(texts) or any(map(math.isnan, scores)):
        counts = f"{len(scores):,} scores for {len(texts):,} tokens"
        raise damaged(file.path, f"{counts}, or some that are not numbers")
    tokenizer = ScoredTokenizer(texts, kinds, scores)
    if not tokenizer.spells_everything():
        problem = "not every byte has a token: some text would not come back as it was"
        raise damaged(file.path, problem, _OTHER_MODEL)
    return tokenizer


def tokenizer_metadata(tokenizer: Tokenizer, vocab_size: int) -> dict[str, Any]:
    """Return the `tokenizer.ggml.*` entries of a file.

    Args:
        tokenizer: The model's tokenizer.
        vocab_size: The ids of the model; some may have no token.

    Raises:
        ModelError: GGUF has no name for how the tokenizer splits text.
    """
    state = tokenizer.state()
    name = split_name(state)
    if name is None:
        raise ModelError(
            "GGUF has no name for how this tokenizer splits text; export the model with --format hf"
        )
    texts = tokenizer.symbols()
    kinds = [_kind(tokenizer, number) for number in range(tokenizer.vocab_size)]
    for number in range(tokenizer.vocab_size, vocab_size):
        texts.append(f"[PAD{number}]")
        kinds.append(UNUSED)
    merges = []
    for merge in state["model"]["merges"]:
        # older files have texts, newer ones pairs
        text = merge if isinstance(merge, str) else " ".join(merge)
        merges.append(text)
    entries = {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": name,
        "tokenizer.ggml.tokens": texts,
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.merges": merges,
        "tokenizer.ggml.add_bos_token": False,
    }
    ends = [number for number in map(tokenizer.find, _ENDS) if number is not None]
    if ends:
        entries["tokenizer.ggml.eos_token_id"] = ends[0]
        # Without one llama.cpp takes token 11, a comma, for the start, and llama_cpp.server drops
        # it.
        entries["tokenizer.ggml.bos_token_id"] = ends[0]
    return entries


def _kind(tokenizer: Tokenizer, number: int) -> int:
    if tokenizer.is_plain(number):
        return USER_DEFINED
    if isinstance(tokenizer.piece(number), str):
        return CONTROL
    return NORMAL
