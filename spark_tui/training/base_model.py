"""A base to train: any model the engine reads, as a folder in half precision with the vocabulary
that code needs.

Byte-level BPE puts what is frequent first: of a large vocabulary the first tokens that spell plain
ASCII are kept, with every single byte, so any text can still be written; what is cut is spelled
with more tokens.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spark_tui.engine.export import config_entries, write_files
from spark_tui.engine.loader import read_model
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.engine.weights import EMBEDDING, HEAD

SPECIALS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
_ROUND = 64
"""The vocabulary is filled up to a multiple of this, for kernels that compute so many logits at
a time.
"""


def write_base(source: Path, folder: Path, *, vocabulary: int | None = None) -> None:
    """Write config.json, tokenizer.json and model.safetensors of a model folder or GGUF file, its
    head tied.

    Args:
        folder: Made; its files are written over.
        vocabulary: Tokens to keep; None: all.

    Raises:
        ModelError: The model cannot be read.
        OSError: The folder cannot be written.
    """
    stored = read_model(source)
    state = stored.tokenizer.state()
    kept = np.arange(stored.config.vocab_size)
    if vocabulary is not None:
        state, kept = pruned(state, stored.tokenizer, vocabulary)
    folder.mkdir(parents=True, exist_ok=True)
    weights = dict(stored.weights)
    table = weights.pop(HEAD, weights[EMBEDDING])[
        kept
    ]  # files hold the head's own copy more exactly
    weights[EMBEDDING] = np.concatenate(
        [table, np.zeros((-len(table) % _ROUND, table.shape[1]), table.dtype)]
    )
    changed = {
        "vocab_size": len(weights[EMBEDDING]),
        "tie_word_embeddings": True,
        "torch_dtype": "float16",
    }
    write_files(folder, config_entries(stored.config) | changed, state, weights)


def pruned(
    state: Mapping[str, Any], tokenizer: Tokenizer, count: int
) -> tuple[dict[str, Any], NDArray[np.int64]]:
    """A tokenizer.json with about `count` tokens, and the old id of each."""
    vocabulary: dict[str, int] = state["model"]["vocab"]
    special = {entry["content"] for entry in state["added_tokens"]}
    pieces = {
        symbols: tokenizer.piece(number)
        for symbols, number in vocabulary.items()
        if symbols not in special
    }
    singles = [symbols for symbols, piece in pieces.items() if len(piece) == 1]
    plain = [
        symbols for symbols, piece in pieces.items() if isinstance(piece, bytes) and piece.isascii()
    ]
    first = sorted(set(plain) - set(singles), key=vocabulary.__getitem__)[
        : count - len(singles) - len(SPECIALS)
    ]
    kept = sorted([*singles, *first], key=vocabulary.__getitem__)
    numbers = {symbols: number for number, symbols in enumerate(kept)}
    pairs = (
        merge.split(" ") if isinstance(merge, str) else merge for merge in state["model"]["merges"]
    )
    merges = [pair for pair in pairs if {*pair, "".join(pair)} <= numbers.keys()]
    added = [entry for entry in state["added_tokens"] if entry["content"] in SPECIALS]
    ids = [*(vocabulary[symbols] for symbols in kept), *(entry["id"] for entry in added)]
    added = [entry | {"id": len(kept) + number} for number, entry in enumerate(added)]
    model = dict(state["model"]) | {"vocab": numbers, "merges": merges}
    return dict(state) | {"model": model, "added_tokens": added}, np.array(ids)
