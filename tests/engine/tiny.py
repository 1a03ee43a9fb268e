"""A random model of a few thousand weights, in memory and as a Hugging Face folder."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
from safetensors.numpy import save_file
from tokenizers import decoders, models, pre_tokenizers, trainers

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.config import Experts, ModelConfig, RopeScaling
from spark_tui.engine.decoder import Decoder
from spark_tui.engine.export import config_entries as written_entries
from spark_tui.engine.weights import expected_shapes

VOCAB = 320
SCALINGS = {
    "linear": RopeScaling("linear", 4.0),
    "llama3": RopeScaling("llama3", 8.0, 32, low_freq_factor=1.0, high_freq_factor=4.0),
    "yarn": RopeScaling("yarn", 4.0, 24, attention_factor=0.1 * math.log(4.0) + 1.0),
}
SPECIALS = ["<PAD>", "<REG>", "</REG>", "<OUT>", "<END>", *(f"<L{n}>" for n in range(8))]
CONFIG = ModelConfig(
    vocab_size=VOCAB,
    hidden_size=32,
    n_layers=3,
    n_heads=4,
    n_kv_heads=2,
    head_dim=8,
    intermediate_size=48,
    rope_theta=10_000.0,
    rms_norm_eps=1e-6,
    max_position_embeddings=96,
    tie_word_embeddings=True,
)


FAMILIES = {
    "llama": replace(CONFIG, family="llama", qk_norm=False, tie_word_embeddings=False),
    "llama-tied": replace(CONFIG, family="llama", qk_norm=False, n_kv_heads=4),
    "llama-llama3": replace(CONFIG, family="llama", qk_norm=False, rope_scaling=SCALINGS["llama3"]),
    "llama-linear": replace(CONFIG, family="llama", qk_norm=False, rope_scaling=SCALINGS["linear"]),
    "qwen2": replace(
        CONFIG, family="qwen2", qk_norm=False, attention_bias=True, tie_word_embeddings=False
    ),
    "qwen2-tied": replace(
        CONFIG, family="qwen2", qk_norm=False, attention_bias=True, rope_theta=1e6
    ),
    "qwen2-yarn": replace(
        CONFIG, family="qwen2", qk_norm=False, attention_bias=True, rope_scaling=SCALINGS["yarn"]
    ),
    "qwen3": CONFIG,
    "qwen3-untied": replace(CONFIG, tie_word_embeddings=False, head_dim=16),
}
"""A tiny model of each kind that is run."""
MIXTURES = {
    "qwen3_moe": replace(CONFIG, family="qwen3_moe", experts=Experts(8, 3, 24)),
    "qwen3_moe-untied": replace(
        CONFIG, family="qwen3_moe", tie_word_embeddings=False, experts=Experts(5, 2, 16)
    ),
    "qwen3_moe-shares": replace(CONFIG, family="qwen3_moe", experts=Experts(6, 2, 40, False)),
}
"""The same of mixtures of experts; the shares of the last do not add up to 1."""
KINDS = FAMILIES | MIXTURES


def config_entries(config: ModelConfig = CONFIG) -> dict[str, Any]:
    """A config as a Hugging Face config.json."""
    entries = written_entries(replace(config, rope_scaling=None))
    scaling = {"rope_scaling": scaling_entries(config.rope_scaling)} if config.rope_scaling else {}
    return {name: value for name, value in (entries | scaling).items() if value is not None}


def scaling_entries(scaling: RopeScaling) -> dict[str, Any]:
    """A RoPE scaling as it stands in a Hugging Face config.json."""
    entries = {"rope_type": scaling.kind, "factor": scaling.factor}
    if scaling.kind != "linear":
        entries["original_max_position_embeddings"] = scaling.original_positions
    if scaling.kind == "llama3":
        entries |= {
            "low_freq_factor": scaling.low_freq_factor,
            "high_freq_factor": scaling.high_freq_factor,
        }
    return entries


def random_weights(config: ModelConfig = CONFIG, seed: int = 0) -> dict[str, FloatArray]:
    """Weights large enough that every part of the network matters, exact in half precision."""
    rng = np.random.default_rng(seed)

    def draw(name: str, shape: tuple[int, ...]) -> FloatArray:
        centre, spread = (1.0, 0.3) if "norm" in name else (0.0, 0.25)
        return rng.normal(centre, spread, shape).astype(np.float16).astype(np.float32)

    return {name: draw(name, shape) for name, shape in expected_shapes(config).items()}


def tiny_model(config: ModelConfig = CONFIG, seed: int = 0) -> Decoder:
    return Decoder(config, random_weights(config, seed))


def tiny_tokenizer() -> Any:
    """A byte-level BPE with special tokens numbered from 0."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB,
        special_tokens=SPECIALS,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(
        ["def sum(values): return values", "the values are returned"] * 4, trainer
    )
    return tokenizer


def write_model(folder: Path, config: ModelConfig = CONFIG, seed: int = 0) -> None:
    """A tiny model as config.json, tokenizer.json and an F16 model.safetensors."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config_entries(config)))
    tiny_tokenizer().save(str(folder / "tokenizer.json"))
    weights = {
        name: array.astype(np.float16) for name, array in random_weights(config, seed).items()
    }
    save_file(weights, folder / "model.safetensors")
