"""The tokenizers of GGUF files.

Scored pieces, the tokenizer GGUF calls "llama": any two neighbours that make a third piece may
merge, best first.

Source: SentencePiece, arXiv:1808.06226, its BPE; the order of merges, src/llama-vocab.cpp,
ggml-org/llama.cpp.

A tokenizer as GGUF metadata has it, and the way back.

GGUF names how text is split before merging instead of writing it down. A tokenizer that splits in a
way without a name cannot be written. Source: ggml docs/gguf.md; src/llama-vocab.cpp,
ggml-org/llama.cpp.
"""

import heapq
import math
import re
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

NORMAL = 1
UNKNOWN = 2
CONTROL = 3
USER_DEFINED = 4
UNUSED = 5
BYTE = 6
SPACE = "\u2581"
"""How a piece spells a space."""
_LITERAL = "\udc81"
"""That character itself, where it stands in a text; no piece holds this one, so it comes out in
bytes.
"""


class ScoredTokenizer(Tokenizer):
    """Pieces with scores, bytes for what they cannot spell, and special tokens that text cannot
    spell.

    No space is put before a text, as some models were trained with: what is encoded comes back as
    it was.

    Args:
        texts, kinds, scores: Of each token. Needs a token for every byte, or a piece of that
            character.
    """

    def __init__(self, texts: Sequence[str], kinds: Sequence[int], scores: Sequence[float]) -> None:
        special = (UNKNOWN, CONTROL, USER_DEFINED)
        self._texts = texts
        self._kinds = kinds
        self._specials = {n: text for n, text in enumerate(texts) if kinds[n] in special}
        self._ids = {text: number for number, text in self._specials.items()}
        self._pieces = {
            text: (-scores[n], n) for n, text in enumerate(texts) if kinds[n] == NORMAL and text
        }
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
            byte in self._of_byte or (byte < 0x80 and _spelled(chr(byte)) in self._pieces)
            for byte in range(256)
        )

    def encode(self, text: str) -> list[int]:
        """Text to token ids; what cannot be written as UTF-8 becomes a question mark."""
        sound = text.encode("utf-8", "replace").decode("utf-8")
        runs = self._runs([_spelled(each) for each in sound])
        return [
            number for run in runs for piece in self._merge(run) for number in self._numbers(piece)
        ]

    def piece(self, token_id: int) -> str | bytes:
        """A special token's name as str, or the bytes of a text token (b"" for an id the
        vocabulary leaves unused).
        """
        if token_id in self._specials:
            return self._specials[token_id]
        if not 0 <= token_id < len(self._texts) or self._kinds[token_id] == UNUSED:
            return b""
        text = self._texts[token_id]
        return self._byte_of.get(token_id) or text.replace(SPACE, " ").encode()

    def state(self) -> dict[str, Any]:
        """Raises:
        ModelError: Always; no tokenizer.json says the same.
        """
        raise ModelError(
            "this model's tokenizer is scored pieces, which cannot be exported; name another model"
        )

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
        """Merge neighbours until no two of them make a piece; of equal scores the leftmost
        first.
        """
        following = list(range(1, len(symbols) + 1))
        before = list(range(-1, len(symbols) - 1))
        candidates: list[tuple[float, int, str]] = []

        def consider(left: int, right: int) -> None:
            if (
                left >= 0
                and right < len(symbols)
                and (both := symbols[left] + symbols[right]) in self._pieces
            ):
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
    if char == " ":
        return SPACE
    if char == SPACE:
        return _LITERAL
    return char


def _byte_ids(texts: Sequence[str], kinds: Sequence[int]) -> dict[int, int]:
    """The token of each byte that has one of its own."""
    matches = (
        (number, re.fullmatch("<0x([0-9A-F]{2})>", text))
        for number, text in enumerate(texts)
        if kinds[number] == BYTE
    )
    return {int(match[1], 16): number for number, match in matches if match}


_GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+"
_REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_PUNCTUATION = r"[\p{P}\$\+<=>\^~\|]+"
_DIGIT = r"\p{N}"
_DIGITS = r"\p{N}+"
_THREE = r"[0-9][0-9][0-9]"


@dataclass(frozen=True, slots=True)
class Split:
    """Expressions, each of which splits what the ones before it left.

    `whole_words`: whether a piece that is a token as it stands is taken without merging.
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
    """The name of how a tokenizer.json splits; None where GGUF has none for it."""
    steps = state.get("pre_tokenizer") or {}
    missing = unspelled(state["model"]["vocab"])
    patterns = [_pattern(step) for step in steps.get("pretokenizers", [steps])]
    patterns = [each for each in patterns if each != missing]
    found = Split(
        tuple(each for each in patterns if each), bool(state["model"].get("ignore_merges"))
    )
    if None in patterns or state.get("normalizer"):
        return None
    return next((name for name, split in SPLITS.items() if split == found), None)


def unspelled(vocabulary: Container[str]) -> str:
    """An expression for the bytes that no token spells, over which nothing merges; "" where
    there are none.
    """
    missing = "".join(re.escape(symbol) for symbol in BYTES if symbol not in vocabulary)
    return f"[{missing}]" if missing else ""


def _pattern(step: dict[str, Any]) -> str | None:
    """The expression that one step splits at; "" for one that does not split, None for one that
    is unknown here.
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
"""Where some files have the tokenizer.json itself."""
_ELSE = "name another model"
_ENDS = ("<END>", "<|im_end|>", "<|eot_id|>", "<|end_of_text|>", "<|endoftext|>", "</s>")
"""Tokens that end a text, the likeliest first."""


def gguf_tokenizer(file: GgufFile) -> Tokenizer:
    """The tokenizer of a file.

    Raises:
        ModelError: None, a damaged one, or one of a kind this engine does not run.
    """
    text = file.metadata.get(WHOLE)
    if isinstance(text, str):
        return Tokenizer.checked(file.path, lambda: tokenizers.Tokenizer.from_str(text))
    kind = file.metadata.get("tokenizer.ggml.model")
    if kind not in ("gpt2", "llama"):
        raise damaged(
            file.path,
            f"its tokenizer is {str(kind)[:40]!r}; this engine reads 'gpt2' and 'llama'",
            _ELSE,
        )
    texts = _column(file, "tokens", str)
    kinds = _column(file, "token_type", int)
    if not texts or len(kinds) != len(texts) or not set(kinds) <= set(range(1, 7)):
        raise damaged(
            file.path, f"{len(kinds):,} token types for {len(texts):,} tokens, or unknown ones"
        )
    return _read_merged(file, texts, kinds) if kind == "gpt2" else _read_scored(file, texts, kinds)


def _column(file: GgufFile, name: str, kind: type) -> list[Any]:
    """A list of the metadata, its values all of a kind."""
    values = file.metadata.get(f"tokenizer.ggml.{name}")
    found = values.tolist() if isinstance(values, np.ndarray) else values
    if not isinstance(found, list) or not all(type(value) is kind for value in found):
        raise damaged(
            file.path, f"tokenizer.ggml.{name} is missing or not a list of {kind.__name__}"
        )
    return found


def _read_merged(file: GgufFile, texts: list[str], kinds: list[int]) -> Tokenizer:
    name = file.metadata.get("tokenizer.ggml.pre", "default")
    split = SPLITS.get(str(name))
    if split is None:
        raise damaged(
            file.path, f"its tokenizer splits text like {str(name)[:40]!r}, unknown here", _ELSE
        )
    merges: list[Any] = [tuple(each.split(" ")) for each in _column(file, "merges", str)]
    used = 1 + max((number for number, kind in enumerate(kinds) if kind != UNUSED), default=-1)
    texts = texts[:used]  # what is behind them is only there to fill the embedding
    vocabulary = {text: number for number, text in enumerate(texts)}
    if len(vocabulary) < len(texts) or any(len(each) != 2 for each in merges):
        raise damaged(file.path, "two tokens with the same text, or a merge that is not of two")
    added = [
        (text, kind)
        for text, kind in zip(texts, kinds, strict=False)
        if kind in (UNKNOWN, CONTROL, USER_DEFINED)
    ]
    tokens = [
        tokenizers.AddedToken(text, special=kind != USER_DEFINED, normalized=False)
        for text, kind in added
    ]
    return Tokenizer.checked(
        file.path, lambda: _backend(vocabulary, merges, tokens, split), spellable=True
    )


def _backend(vocabulary: dict[str, int], merges: list[Any], added: list[Any], split: Split) -> Any:
    backend = tokenizers.Tokenizer(models.BPE(vocabulary, merges, ignore_merges=split.whole_words))
    steps: list[Any] = [
        pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated") for pattern in split.patterns
    ]
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
        raise damaged(
            file.path,
            f"{len(scores):,} scores for {len(texts):,} tokens, or some that are not numbers",
        )
    tokenizer = ScoredTokenizer(texts, kinds, scores)
    if not tokenizer.spells_everything():
        raise damaged(
            file.path, "not every byte has a token: some text would not come back as it was", _ELSE
        )
    return tokenizer


def tokenizer_metadata(tokenizer: Tokenizer, vocab_size: int) -> dict[str, Any]:
    """The `tokenizer.ggml.*` entries of a file.

    Args:
        vocab_size: Ids of the model; some may have no token.

    Raises:
        ModelError: GGUF cannot say how it splits text.
    """
    state = tokenizer.state()
    if (name := split_name(state)) is None:
        raise ModelError(
            "GGUF has no name for how this tokenizer splits text; export the model with --format hf"
        )
    kinds = [
        USER_DEFINED
        if tokenizer.is_plain(number)
        else CONTROL
        if isinstance(tokenizer.piece(number), str)
        else NORMAL
        for number in range(tokenizer.vocab_size)
    ]
    unused = range(tokenizer.vocab_size, vocab_size)
    ends = [number for each in _ENDS if (number := tokenizer.find(each)) is not None]
    entries = {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": name,
        "tokenizer.ggml.tokens": tokenizer.symbols() + [f"[PAD{number}]" for number in unused],
        "tokenizer.ggml.token_type": kinds + [UNUSED] * len(unused),
        "tokenizer.ggml.merges": [
            each if isinstance(each, str) else " ".join(each) for each in state["model"]["merges"]
        ],
        "tokenizer.ggml.add_bos_token": False,
    }
    if ends:
        entries["tokenizer.ggml.eos_token_id"] = ends[0]
        # Without one llama.cpp takes token 11, a comma, for the start, and llama_cpp.server drops
        # it.
        entries["tokenizer.ggml.bos_token_id"] = ends[0]
    return entries
