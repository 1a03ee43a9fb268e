"""Writing a model as a Hugging Face folder: config.json, tokenizer.json and model.safetensors."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.config import FAMILIES, Experts, ModelConfig
from spark_tui.engine.config import FILE_NAME as CONFIG_FILE
from spark_tui.engine.rope import RopeScaling
from spark_tui.engine.tokenizer import FILE_NAME as TOKENIZER_FILE
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.engine.weights import FILE_NAME as WEIGHTS_FILE

END = "<|endoftext|>"
"""What ends an answer of the models that spark teaches, and of their bases: servers must know its token."""


def write_folder(folder: Path, config: ModelConfig, weights: Mapping[str, FloatArray], tokenizer: Tokenizer) -> None:
    """Write a model into a new folder, in half precision where that loses nothing, else in float32.

    Args: weights: by Hugging Face name, as `read_weights` returns them.
    Raises: OSError: the folder is there, or cannot be written. ModelError: the tokenizer cannot be written so.
    """
    state = tokenizer.state()
    kind = "float16" if all(map(_fits_half, weights.values())) else "float32"
    folder.mkdir(parents=True)
    entries = config_entries(config) | {"torch_dtype": kind}
    end = tokenizer.find(END)
    if end is not None:
        entries["eos_token_id"] = end
    write_files(folder, entries, state, weights)
    if end is not None:
        tokens = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": END}
        _write_json(folder / "tokenizer_config.json", tokens)


def write_files(
    folder: Path, entries: Mapping[str, Any], state: Mapping[str, Any], weights: Mapping[str, FloatArray]
) -> None:
    """Write the files. Args: entries: of config.json; weights get its torch_dtype. state: of tokenizer.json."""
    _write_json(folder / CONFIG_FILE, entries)
    (folder / TOKENIZER_FILE).write_text(json.dumps(state, ensure_ascii=False, separators=(",", ":")), "utf-8")
    tensors = {name: np.ascontiguousarray(array, entries["torch_dtype"]) for name, array in weights.items()}
    save_file(tensors, folder / WEIGHTS_FILE, metadata={"format": "pt"})
    (folder / WEIGHTS_FILE).chmod((folder / CONFIG_FILE).stat().st_mode)  # it is written for its owner alone


def _write_json(path: Path, entries: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(entries, indent=2) + "\n", "utf-8")


def config_entries(config: ModelConfig) -> dict[str, Any]:
    """A config as a config.json."""
    return {
        "architectures": [FAMILIES[config.family]],
        "model_type": config.family,
        "vocab_size": config.vocab_size,
        "hidden_size": config.hidden_size,
        "num_hidden_layers": config.n_layers,
        "num_attention_heads": config.n_heads,
        "num_key_value_heads": config.n_kv_heads,
        "head_dim": config.head_dim,
        "intermediate_size": config.intermediate_size,
        "hidden_act": "silu",
        "rms_norm_eps": config.rms_norm_eps,
        "rope_theta": config.rope_theta,
        "rope_scaling": _scaling(config.rope_scaling),
        "max_position_embeddings": config.max_position_embeddings,
        "tie_word_embeddings": config.tie_word_embeddings,
        "attention_bias": config.attention_bias,
        **_experts(config.experts),
    }


def _experts(experts: Experts | None) -> dict[str, Any]:
    if experts is None:
        return {}
    return {
        "num_experts": experts.count,
        "num_experts_per_tok": experts.active,
        "moe_intermediate_size": experts.size,
        "norm_topk_prob": experts.normalized,
        "decoder_sparse_step": 1,
        "mlp_only_layers": [],
    }


def _scaling(scaling: RopeScaling | None) -> dict[str, Any] | None:
    if scaling is None:
        return None
    entries: dict[str, Any] = {"rope_type": scaling.kind, "factor": scaling.factor}
    if scaling.kind == "linear":
        return entries
    entries["original_max_position_embeddings"] = scaling.original_positions
    if scaling.kind == "llama3":
        return entries | {"low_freq_factor": scaling.low_freq_factor, "high_freq_factor": scaling.high_freq_factor}
    return entries | {
        "beta_fast": scaling.beta_fast,
        "beta_slow": scaling.beta_slow,
        "attention_factor": scaling.attention_factor,
        "truncate": scaling.whole_bounds,
    }


def _fits_half(array: FloatArray) -> bool:
    with np.errstate(over="ignore"):
        return np.array_equal(array.astype(np.float16), array)
