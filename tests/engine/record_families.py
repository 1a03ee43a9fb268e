"""Records what transformers (on torch) and llama.cpp compute, for the tests to compare with.

Run by hand, with both installed: python -m tests.engine.record_families
"""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from spark_tui.engine.arrays import FloatArray, IntArray
from spark_tui.engine.export import write_gguf
from spark_tui.engine.tokenizer import Tokenizer
from tests.engine.record_gguf import llama_cpp_logits
from tests.engine.tiny import FAMILIES, KINDS, MIXTURES, VOCAB, random_weights, write_model

FIXTURES = Path(__file__).parent / "fixtures"
PEERS = ("transformers", "llama_cpp")
RECORDED = {"families": FAMILIES, "mixtures": MIXTURES}
"""File -> the models in it."""
TOKENS: IntArray = np.random.default_rng(11).integers(0, VOCAB, 64).astype(np.int32)
"""Enough of them that every RoPE scaling in use turns some pairs differently."""
PLACES = slice(None, None, 9)
"""The tokens whose logits are recorded."""
IDS = slice(None, None, 5)
"""The vocabulary entries whose logits are recorded."""
SEED = 5


def runs(peer: str, name: str) -> bool:
    """Whether a peer computes this model: llama.cpp has the shares of all experts add up to 1."""
    experts = KINDS[name].experts
    return peer == "transformers" or experts is None or experts.normalized


def recorded_part(logits: FloatArray) -> FloatArray:
    """The places that are recorded. logits: (T, V)."""
    return logits[PLACES, IDS].astype(np.float32)


def difference(left: FloatArray, right: FloatArray) -> float:
    """The largest difference between logits, as a share of the largest logit."""
    return float(np.abs(left - right).max() / np.abs(right).max())


def transformers_logits(folder: Path) -> FloatArray:
    """Logits after every token, (T, V), of a Hugging Face folder."""
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager"
    )
    with torch.no_grad():
        logits: FloatArray = model(torch.tensor([TOKENS.tolist()])).logits[0].numpy()
    return logits


def logits_of(peer: str, name: str) -> FloatArray:
    """What one of `PEERS` makes of a tiny model, at the places that are recorded."""
    config = KINDS[name]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_model(folder, config, SEED)
        if peer == "transformers":
            return recorded_part(transformers_logits(folder))
        weights = random_weights(config, SEED)
        write_gguf(folder / "tiny.gguf", config, weights, Tokenizer.read(folder), "f32", name=name)
        return recorded_part(llama_cpp_logits(folder / "tiny.gguf", TOKENS.tolist()))


def main() -> None:
    for peer in PEERS:
        for file, names in RECORDED.items():
            arrays: dict[str, Any] = {
                name: logits_of(peer, name) for name in names if runs(peer, name)
            }
            np.savez_compressed(FIXTURES / f"{file}_{peer}.npz", **arrays)


if __name__ == "__main__":
    main()
