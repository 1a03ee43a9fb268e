"""The tokenizers of GGUF files: reads them from metadata, and writes them as metadata.

The kind "gpt2" is byte-level BPE. How its text is split before merging is not written down in GGUF,
but has a name there; a tokenizer that splits in a way without a name cannot be written. The kind
"llama" is scored pieces, the BPE of SentencePiece: any two neighbors that together are a piece may
merge, the pair with the best score first.

Source: ggml docs/gguf.md; SentencePiece, arXiv:1808.06226; the order of merges and the expressions
that split text, src/llama-vocab.cpp, ggml-org/llama.cpp.
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
"""The character that stands for a space in pieces."""
_LITERAL = "\udc81"
"""Stands for a `SPACE` that a text really holds.

A lone surrogate: neither a piece nor a valid text holds it, so it is always encoded as bytes.
"""


class ScoredTokenizer(Tokenizer):
    """A tokenizer of pieces with scores, bytes for the rest, and special tokens no text spells.

    Some models were trained with a space put before each text. That is not done here: decoding an
    encoded text gives the same text.

    Args:
        texts: The text of each token; each byte needs a token, or a piece of that character.
        kinds: The kind of each token.
        scores: The score of each token.
    """

    def __init__(self, texts: Sequence[str], kinds: Sequence[int], scores: Sequence[float]) -> None:
        # The initializer of the base class needs a backend of `tokenizers`, so it is not called.
        # Of the base class only the methods for special tokens are used; they read `_ids`.
        self._texts = texts
        self._kinds = kinds
        self._specials: dict[int, str] = {}
        self._pieces: dict[str, tuple[float, int]] = {}
        """A piece -> the negative of its score, so that the best sorts first, and the token."""
        for number, text in enumerate(texts):
            if kinds[number] in _SPECIAL:
                self._specials[number] = text
            elif kinds[number] == NORMAL and text:
                self._pieces[text] = (-scores[number], number)
        self._ids = {text: number for number, text in self._specials.items()}
        self._pairs: set[str] = set()
        """Pairs of characters that stand side by side in some piece."""
        for text in self._pieces:
            self._pairs.update(map("".join, pairwise(text)))
        self._of_byte = _byte_ids(texts, kinds)
        self._byte_of = {number: bytes([byte]) for byte, number in self._of_byte.items()}

    @property
    def vocab_size(self) -> int:
        """The number of ids, specials included."""
        return len(self._texts)

    def spells_everything(self) -> bool:
        """Whether each byte has a token, or is an ASCII character that is a piece."""
        for byte in range(256):
            is_ascii_piece = byte < 0x80 and _spelled(chr(byte)) in self._pieces
            if byte not in self._of_byte and not is_ascii_piece:
                return False
        return True

    def encode(self, text: str) -> list[int]:
        """Encode a text; characters that UTF-8 cannot encode become question marks."""
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
        """Refuse to be written as a tokenizer.json.

        Raises:
            ModelError: Always; a tokenizer.json cannot express this tokenizer.
        """
        raise ModelError(
            "this model's tokenizer is scored pieces, which cannot be exported; name another model"
        )

    def _numbers(self, piece: str) -> Iterator[int]:
        """Yield the token of a piece, or the tokens of its bytes if it is none."""
        if piece in self._pieces:
            yield self._pieces[piece][1]
            return
        text = piece.replace(SPACE, " ")
        if piece == _LITERAL:
            text = SPACE
        for byte in text.encode():
            yield self._of_byte[byte]

    def _runs(self, symbols: list[str]) -> Iterator[list[str]]:
        """Cut a text between symbols that no piece has side by side: nothing merges across."""
        start = 0
        for end, (left, right) in enumerate(pairwise(symbols), 1):
            if left + right not in self._pairs:
                yield symbols[start:end]
                start = end
        yield symbols[start:]

    def _merge(self, symbols: list[str]) -> list[str]:
        """Merge neighbors until no two of them are a piece; among equal scores the leftmost first.

        Source:
            llm_tokenizer_spm of src/llama-vocab.cpp, ggml-org/llama.cpp.
        """
        # A linked list over the symbols. A merge leaves its text in the left symbol, and "" in the
        # right one, which is no longer linked.
        following = list(range(1, len(symbols) + 1))
        before = list(range(-1, len(symbols) - 1))
        candidates: list[tuple[float, int, str]] = []

        def consider(left: int, right: int) -> None:
            if left < 0 or right >= len(symbols):
                return
            both = symbols[left] + symbols[right]
            if both in self._pieces:
                heapq.heappush(candidates, (self._pieces[both][0], left, both))

        # A heap of possible merges, by score, then place. Entries are not removed when a merge
        # makes them void, but skipped when they come up.
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
    """Return the token of each byte that has a token of its own."""
    ids = {}
    for number, text in enumerate(texts):
        match = re.fullmatch("<0x([0-9A-F]{2})>", text)
        if match and kinds[number] == BYTE:
            ids[int(match[1], 16)] = number
    return ids


# Expressions that cut a text into words, runs of digits and the like; merges stay within a cut.
# They equal those of llama.cpp, so that both programs give the same tokens.
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
        patterns: Expressions; each splits the parts that the expressions before it left.
        whole_words: Whether a part that is a token as it stands is taken without merging.
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
"""Name in GGUF -> its way to split; of several names for the same way, the first is written."""


def split_name(state: dict[str, Any]) -> str | None:
    """Return GGUF's name for the way in which a tokenizer.json splits text; None if it has none."""
    steps = state.get("pre_tokenizer") or {}
    model = state["model"]
    missing = unspelled(model["vocab"])
    patterns: list[str] = []
    for step in steps.get("pretokenizers", [steps]):
        pattern = _pattern(step)
        if pattern is None:
            return None
        # `_backend` adds a step for missing bytes, which is no part of the way to split.
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
        "" if tokens spell all bytes.
    """
    missing = "".join(re.escape(symbol) for symbol in BYTES if symbol not in vocabulary)
    if not missing:
        return ""
    return f"[{missing}]"


def _pattern(step: dict[str, Any]) -> str | None:
    """Return the expression at which a step of a tokenizer.json splits.

    Returns:
        "" for a step that does not split, None for a step that is unknown here.
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
"""The key under which some files hold a whole tokenizer.json."""
_OTHER_MODEL = "name another model"
_ENDS = ("<END>", "<|im_end|>", "<|eot_id|>", "<|end_of_text|>", "<|endoftext|>", "</s>")
"""Names of tokens that end a text, in the order in which they are looked for."""


def gguf_tokenizer(file: GgufFile) -> Tokenizer:
    """Read the tokenizer of a file.

    Raises:
        ModelError: The tokenizer is missing, damaged, or of a kind this engine does not run.
    """
    # A whole tokenizer.json says everything exactly, so it comes before the entries of GGUF.
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
    """Return a list of the metadata whose values must all have one type."""
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
    # Unused tokens at the end stand for nothing but further rows of the embedding.
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
    # Split the text, turn bytes into symbols, then set symbols apart that no token spells: as in
    # llama.cpp, nothing merges over them.
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
        vocab_size: The number of ids of the model; the last may have no token.

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
    # A GGUF file needs a token for each row of the embedding. Ids without a token are named as
    # convert_hf_to_gguf.py, ggml-org/llama.cpp, names them.
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
        # Without this entry llama.cpp takes token 11, a comma, for the start of a text, and
        # llama_cpp.server drops that token.
        entries["tokenizer.ggml.bos_token_id"] = ends[0]
    return entries


def _kind(tokenizer: Tokenizer, number: int) -> int:
    if tokenizer.is_plain(number):
        return USER_DEFINED
    if isinstance(tokenizer.piece(number), str):
        return CONTROL
    return NORMAL
