"""Makes a base to train from any model the engine reads, with the vocabulary that code needs.

Byte-level BPE numbers its tokens by how frequent they are, so the first tokens of a large
vocabulary that spell plain ASCII are kept. Every single byte is kept, too, so any text can still be
written; what is cut takes more tokens. The base is in half precision.
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
"""The vocabulary is filled up to a multiple of this, for kernels that compute so many at a time."""


def write_base(source: Path, folder: Path, *, vocabulary: int | None = None) -> None:
    """Write a model folder or GGUF file as a base, its head tied.

    The base is config.json, tokenizer.json and model.safetensors.

    Args:
        source: The model.
        folder: The folder, which is made; its files are written over.
        vocabulary: Tokens to keep; None for all.

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
    # Where files hold a copy of the table for the head, it is the more exact one.
    table = weights.pop(HEAD, weights[EMBEDDING])[kept]
    # rows of zeros, which no token has
    padding = np.zeros((-len(table) % _ROUND, table.shape[1]), table.dtype)
    weights[EMBEDDING] = np.concatenate([table, padding])
    changed = {
        "vocab_size": len(weights[EMBEDDING]),
        "tie_word_embeddings": True,
        "torch_dtype": "float16",
    }
    write_files(folder, config_entries(stored.config) | changed, state, weights)


def pruned(
    state: Mapping[str, Any], tokenizer: Tokenizer, count: int
) -> tuple[dict[str, Any], NDArray[np.int64]]:
    """Cut a vocabulary to about `count` tokens.

    Args:
        state: A tokenizer.json.
        tokenizer: The tokenizer that it describes.
        count: The tokens to keep.

    Returns:
        The tokenizer.json of the smaller vocabulary, and the old id of each token.
    """
    vocabulary: dict[str, int] = state["model"]["vocab"]
    # Every byte is a token of its own; of the rest those in plain ASCII, the most frequent first.
    special = {entry["content"] for entry in state["added_tokens"]}
    singles = []
    plain = []
    for symbols, number in vocabulary.items():
        piece = tokenizer.piece(number)
        if symbols in special:
            continue
        if len(piece) == 1:
            singles.append(symbols)
        elif isinstance(piece, bytes) and piece.isascii():
            plain.append(symbols)
    plain.sort(key=vocabulary.__getitem__)
    room = count - len(singles) - len(SPECIALS)
    kept = sorted([*singles, *plain[:room]], key=vocabulary.__getitem__)
    numbers = {symbols: number for number, symbols in enumerate(kept)}
    merges = []
    for merge in state["model"]["merges"]:  # older files have texts, newer ones pairs
        pair = merge.split(" ") if isinstance(merge, str) else merge
        # A merge needs both its parts and its result; in their old order they tokenize as before.
        if {*pair, "".join(pair)} <= numbers.keys():
            merges.append(pair)
    # New ids count from 0 without gaps, with the special tokens at the end.
    ids = [vocabulary[symbols] for symbols in kept]
    added = []
    for entry in state["added_tokens"]:
        if entry["content"] in SPECIALS:
            added.append({**entry, "id": len(ids)})
            ids.append(entry["id"])
    model = {**state["model"], "vocab": numbers, "merges": merges}
    return {**state, "model": model, "added_tokens": added}, np.array(ids)
