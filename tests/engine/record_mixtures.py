"""Records what llama.cpp writes with tiny random mixtures of experts, for the tests to compare
with.

Run by hand, with llama-cpp-python: python -m tests.engine.record_mixtures
"""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from spark_tui.engine.export import write_gguf
from spark_tui.engine.tokenizer import Tokenizer
from tests.engine.record_families import FIXTURES, SEED, runs
from tests.engine.tiny import MIXTURES, VOCAB, random_weights, tiny_tokenizer

FILE = FIXTURES / "mixtures_greedy_llama_cpp.npz"
PROMPTS = [np.random.default_rng(seed).integers(0, VOCAB, 4 + 2 * seed) for seed in range(20)]
WRITTEN = 24
"""Tokens behind each prompt."""
NAMES = [name for name in MIXTURES if runs("llama_cpp", name)]


def write_mixture(file: Path, name: str) -> None:
    """A tiny random mixture, float32."""
    config = MIXTURES[name]
    tokenizer = Tokenizer(tiny_tokenizer())
    write_gguf(file, config, random_weights(config, SEED), tokenizer, "f32", name=name)


def greedy_tokens(file: Path) -> npt.NDArray[np.int64]:
    """What llama.cpp writes behind each prompt, (20, WRITTEN)."""
    from llama_cpp import Llama

    model = Llama(
        str(file),
        n_ctx=96,
        n_threads=1,
        n_threads_batch=1,
        logits_all=True,
        verbose=False,
        type_k=0,
        type_v=0,
    )
    written = []
    for prompt in PROMPTS:
        model.reset()
        pending, found = prompt.tolist(), list[int]()
        while len(found) < WRITTEN:
            model.eval(pending)
            pending = [int(np.argmax(model.scores[model.n_tokens - 1]))]
            found += pending
        written.append(found)
    return np.array(written, np.int64)


def main() -> None:
    with tempfile.TemporaryDirectory() as made:
        file = Path(made) / "tiny.gguf"
        arrays: dict[str, Any] = {}
        for name in NAMES:
            write_mixture(file, name)
            arrays[name] = greedy_tokens(file)
    np.savez_compressed(FILE, **arrays)


if __name__ == "__main__":
    main()
