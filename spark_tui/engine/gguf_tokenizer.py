"""A tokenizer as GGUF metadata has it, and the way back.

GGUF names how text is split before merging instead of writing it down. A tokenizer that splits in a way without a
name is written as scored pieces, which need no splitting and come close, and whole beside them, for readers that
take the key the specification has for that, as spark does.
Source: ggml docs/gguf.md; src/llama-vocab.cpp, ggml-org/llama.cpp.
"""

import json
from typing import Any

from spark_tui.engine.gguf_splits import split_name
from spark_tui.engine.tokenizer import Tokenizer

WHOLE = "tokenizer.huggingface.json"
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
SPACE = "\u2581"
"""How scored pieces spell a space."""
_LAST = -1e6
_ENDS = ("<END>", "<|im_end|>", "<|eot_id|>", "<|end_of_text|>", "<|endoftext|>", "</s>")
"""Tokens that end a text, the likeliest first."""


def tokenizer_metadata(tokenizer: Tokenizer, vocab_size: int) -> dict[str, Any]:
    """The `tokenizer.ggml.*` entries of a file. Args: vocab_size: ids of the model; some may have no token."""
    state = tokenizer.state()
    name = split_name(state)
    entries = _merged(tokenizer, state, name) if name else _scored(tokenizer, state)
    unused = range(tokenizer.vocab_size, vocab_size)
    entries["tokenizer.ggml.tokens"] += [f"[PAD{number}]" for number in unused]
    entries["tokenizer.ggml.token_type"] += [UNUSED for _ in unused]
    ends = [number for each in _ENDS if (number := tokenizer.find(each)) is not None]
    if ends:
        entries["tokenizer.ggml.eos_token_id"] = ends[0]
    return entries | {"tokenizer.ggml.add_bos_token": False}


def _merged(tokenizer: Tokenizer, state: dict[str, Any], name: str) -> dict[str, Any]:
    """Byte-level BPE as it is."""
    special = [isinstance(tokenizer.piece(number), str) for number in range(tokenizer.vocab_size)]
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": name,
        "tokenizer.ggml.tokens": tokenizer.symbols(),
        "tokenizer.ggml.token_type": [CONTROL if each else NORMAL for each in special],
        "tokenizer.ggml.merges": [" ".join(_pair(each)) for each in state["model"]["merges"]],
    }


def _scored(tokenizer: Tokenizer, state: dict[str, Any]) -> dict[str, Any]:
    """Pieces that merge wherever two make a third, the earliest merge first.

    A space joins its word only when all words are whole, from left to right: so it goes where the expression, which
    also reads from left to right, would have put it.
    """
    ranks: dict[str, int] = {}
    for rank, pair in enumerate(state["model"]["merges"]):
        ranks.setdefault("".join(_pair(pair)), rank)
    pieces = [
        _scored_piece(tokenizer, number, ranks.get(symbols, -1)) for number, symbols in enumerate(tokenizer.symbols())
    ]
    texts, kinds, scores = (list(column) for column in zip(*pieces, strict=True))
    return {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": texts,
        "tokenizer.ggml.scores": scores,
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.add_space_prefix": False,
        WHOLE: json.dumps(state, ensure_ascii=False, separators=(",", ":")),
    }


def _scored_piece(tokenizer: Tokenizer, number: int, rank: int) -> tuple[str, int, float]:
    """Text, type and score of a token."""
    piece = tokenizer.piece(number)
    if isinstance(piece, str):
        return piece, CONTROL, 0.0
    if len(piece) == 1 and piece[0] >= 0x80:
        return f"<0x{piece[0]:02X}>", BYTE, 0.0
    text = piece.decode("utf-8", "replace")
    spaced = " " in text and text.strip(" ") != ""
    if text.encode() != piece or (spaced and tokenizer.encode(text) != [number]):
        return f"[PART{number}]", UNUSED, 0.0  # never written by the merges alone: half a character, half a keyword
    return text.replace(" ", SPACE), NORMAL, _LAST if spaced else -float(rank + 1)


def _pair(merge: str | list[str]) -> list[str]:
    return merge.split(" ") if isinstance(merge, str) else merge
