"""The models that are measured, and the same weights for a peer."""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from safetensors.numpy import save_file

from spark_tui.cli.bench.command import Bench
from spark_tui.cli.start import quotes, ready_backend, settings_of
from spark_tui.config import cache_dir
from spark_tui.engine import library
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.gguf_write import write_gguf
from spark_tui.engine.library import LoadedModel, model_name, read_model
from spark_tui.engine.model import Model
from spark_tui.engine.weights import expected_shapes, token_weights
from spark_tui.errors import ModelError

QUANTISATIONS: dict[int, Literal["q8_0", "q4_0"]] = {8: "q8_0", 4: "q4_0"}
"""Bits a weight -> what a GGUF file with as many bits is called."""
FLOAT32 = 32
_SEED = 0
_SCALE = 0.02
_QWEN: dict[str, Any] = {
    "model_type": "qwen2", "vocab_size": 151_936, "hidden_size": 896, "num_hidden_layers": 24,
    "num_attention_heads": 14, "num_key_value_heads": 2, "head_dim": 64, "intermediate_size": 4864,
    "max_position_embeddings": 4096, "rope_theta": 1_000_000.0, "rms_norm_eps": 1e-6, "tie_word_embeddings": True,
    "hidden_act": "silu",
}  # fmt: skip
_LLAMA = _QWEN | {
    "model_type": "llama", "vocab_size": 49_152, "hidden_size": 576, "num_hidden_layers": 30,
    "num_attention_heads": 9, "num_key_value_heads": 3, "intermediate_size": 1536, "rope_theta": 100_000.0,
    "rms_norm_eps": 1e-5,
}  # fmt: skip
_MIXTURE = _QWEN | {
    "model_type": "qwen3_moe", "vocab_size": 49_152, "hidden_size": 2048, "num_hidden_layers": 20,
    "num_attention_heads": 16, "num_key_value_heads": 4, "head_dim": 128, "intermediate_size": 6144,
    "num_experts": 24, "num_experts_per_tok": 8, "moe_intermediate_size": 768, "norm_topk_prob": True,
}  # fmt: skip
SHAPES = {"135m": _LLAMA, "0.5b": _QWEN, "mixture": _MIXTURE}
"""Of SmolLM2-135M and Qwen2.5-Coder-0.5B, with as much context as is measured, and of a mixture with
the layers of Qwen3-30B-A3B, but so few of them and of experts that 1.1 of its 2.6 billion weights are
read for a token. Source: their config.json."""


def load_editor(bench: Bench) -> LoadedModel:
    """Load the model asked for, as `load_for`. Raises: ModelError: it does not write spark's own edit format."""
    path = library.find_model(settings_of(bench.args).model)
    if not quotes(path):
        raise ModelError(f"{model_name(path)} was not taught to edit; only `spark bench decode` measures it")
    return load_for(bench, path)


def load_for(bench: Bench, path: Path, bits: int | None = None) -> LoadedModel:
    """Load a model as a user has it once code is compiled for it; compile first if need be.

    Args: bits: of a weight in compiled code; None as in the settings.
    """
    settings = settings_of(bench.args)
    loaded = library.load(path, ready_backend(replace(settings, bits=bits or settings.bits), bench.say))
    bench.notes[f"{loaded.name} with {arithmetic(loaded.model)}"] = loaded.model.kernels
    bench.say(f"{loaded.name}: {loaded.model.kernels}, {loaded.bytes / 1e6:.0f} MB")
    return loaded


def bits_of(model: Model) -> int:
    """The bits of a weight as the model computes with it; numpy does so in float32, whatever the settings say."""
    return int(getattr(model, "bits", FLOAT32))


def arithmetic(model: Model) -> str:
    """What a model computes with, as rows name it: "8 bits", "numpy float32"."""
    return f"{bits_of(model)} bits" if hasattr(model, "bits") else model.kernels


def bytes_a_token(config: ModelConfig, bits: int, context: int) -> float:
    """The least that is read for one token: its weights once, and the keys and values of `context` tokens.

    Those are fp16; float32 where the weights are.
    """
    number = 4.0 if bits == FLOAT32 else 2.0
    return (
        token_weights(config) * bits / 8 + 2 * number * config.n_layers * config.n_kv_heads * config.head_dim * context
    )


@contextmanager
def as_gguf(path: Path, bits: int) -> Iterator[Path]:
    """The same model as a temporary GGUF file with weights of so many bits."""
    stored = read_model(path)
    with tempfile.TemporaryDirectory(prefix="spark-bench-") as folder:
        file, name = Path(folder) / "model.gguf", model_name(path)
        write_gguf(file, stored.config, stored.weights, stored.tokenizer, QUANTISATIONS[bits], name=name)
        yield file


def random_model(size: str, tokenizer_of: Path, say: Callable[[str], None]) -> Path:
    """A model folder with random weights, made once and kept in the cache: it is up to a gigabyte.

    Args: size: one of `SHAPES`. tokenizer_of: a model folder whose tokenizer it gets; nothing measured reads text.
    """
    folder = cache_dir() / "bench" / f"random-{size}"
    if not folder.is_dir():
        say(f"writing a model of random weights to {folder}, used again next time")
        write_random_model(folder, SHAPES[size], tokenizer_of)
    return folder


def write_random_model(folder: Path, shape: dict[str, Any], tokenizer_of: Path) -> None:
    """Write a model folder with random weights; it is there whole or not at all. Args: shape: its config.json."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=folder.name, dir=folder.parent) as parent:
        made = Path(parent) / folder.name
        made.mkdir()
        (made / "config.json").write_text(json.dumps(shape), "utf-8")
        shutil.copy(tokenizer_of / "tokenizer.json", made)
        _write_random_weights(made)
        os.replace(made, folder)  # noqa: PTH105 - as one step


def _write_random_weights(folder: Path) -> None:
    """Normal matrices as float16, norms of one, biases of zero: small enough numbers that nothing overflows."""
    rng = np.random.default_rng(_SEED)
    tensors = {}
    for name, shape in expected_shapes(ModelConfig.read(folder)).items():
        if len(shape) == 2:
            tensors[name] = (rng.standard_normal(shape, np.float32) * np.float32(_SCALE)).astype(np.float16)
        else:
            tensors[name] = np.full(shape, 0.0 if name.endswith("bias") else 1.0, np.float16)
    save_file(tensors, folder / "model.safetensors")
