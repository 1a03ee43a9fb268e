"""A random model of a few thousand weights, in memory and as a Hugging Face folder."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
from safetensors.numpy import save_file
from tokenizers import decoders, models, pre_tokenizers, trainers

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.decoder import Decoder
from spark_tui.engine.weights import expected_shapes

VOCAB = 320
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


def config_entries() -> dict[str, Any]:
    """CONFIG as a Hugging Face config.json."""
    return {
        "architectures": ["Qwen3ForCausalLM"],
        "model_type": "qwen3",
        "vocab_size": CONFIG.vocab_size,
        "hidden_size": CONFIG.hidden_size,
        "num_hidden_layers": CONFIG.n_layers,
        "num_attention_heads": CONFIG.n_heads,
        "num_key_value_heads": CONFIG.n_kv_heads,
        "head_dim": CONFIG.head_dim,
        "intermediate_size": CONFIG.intermediate_size,
        "rope_theta": CONFIG.rope_theta,
        "rms_norm_eps": CONFIG.rms_norm_eps,
        "max_position_embeddings": CONFIG.max_position_embeddings,
        "tie_word_embeddings": True,
        "hidden_act": "silu",
    }


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
    tokenizer.train_from_iterator(["def sum(values): return values", "the values are returned"] * 4, trainer)
    return tokenizer


def write_model(folder: Path) -> None:
    """The tiny model as config.json, tokenizer.json and an F16 model.safetensors."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config_entries()))
    tiny_tokenizer().save(str(folder / "tokenizer.json"))
    save_file(
        {name: array.astype(np.float16) for name, array in random_weights().items()}, folder / "model.safetensors"
    )
