"""Reading model.safetensors into float32 arrays, checked against the config before and after."""

from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import safetensors

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.files import damaged, read_model_file

FILE_NAME = "model.safetensors"
EMBEDDING, FINAL_NORM, HEAD = "model.embed_tokens.weight", "model.norm.weight", "lm_head.weight"
_HEADER_BYTES = 16 << 20
_ITEM_BYTES = {"F16": 2, "BF16": 2, "F32": 4}
_deserialize: Callable[[bytes], list[tuple[str, dict[str, Any]]]] = safetensors.deserialize


def expected_shapes(config: ModelConfig) -> dict[str, tuple[int, ...]]:
    """Every tensor a model of this shape needs, by its Hugging Face name."""
    shapes: dict[str, tuple[int, ...]] = {
        EMBEDDING: (config.vocab_size, config.hidden_size),
        FINAL_NORM: (config.hidden_size,),
    }
    for number in range(config.n_layers):
        shapes |= {f"model.layers.{number}.{name}.weight": shape for name, shape in layer_shapes(config).items()}
    return shapes if config.tie_word_embeddings else shapes | {HEAD: shapes[EMBEDDING]}


def layer_shapes(config: ModelConfig) -> dict[str, tuple[int, ...]]:
    """The tensors of one layer; a projection is (out, in)."""
    hidden, inner = config.hidden_size, config.intermediate_size
    queries, keys = config.n_heads * config.head_dim, config.n_kv_heads * config.head_dim
    return {
        "input_layernorm": (hidden,),
        "self_attn.q_proj": (queries, hidden),
        "self_attn.k_proj": (keys, hidden),
        "self_attn.v_proj": (keys, hidden),
        "self_attn.q_norm": (config.head_dim,),
        "self_attn.k_norm": (config.head_dim,),
        "self_attn.o_proj": (hidden, queries),
        "post_attention_layernorm": (hidden,),
        "mlp.gate_proj": (inner, hidden),
        "mlp.up_proj": (inner, hidden),
        "mlp.down_proj": (hidden, inner),
    }


def read_weights(folder: Path, config: ModelConfig) -> dict[str, FloatArray]:
    """Read model.safetensors of a model folder.

    Args: folder: holds the file. config: the shape its tensors must have.
    Returns: every tensor the config asks for, float32, copied into memory of our own.
    Raises: ModelError: the file is missing, truncated, damaged, or of another shape than the config says.
    """
    path = folder / FILE_NAME
    shapes = expected_shapes(config)
    tensors = _read_tensors(path, sum(map(prod, shapes.values())) + prod(shapes[EMBEDDING]))
    if config.tie_word_embeddings:
        tensors.pop(HEAD, None)  # some writers store the shared matrix twice
    _check_names(path, tensors, shapes)
    return {name: _to_float32(path, name, tensors[name], shape) for name, shape in shapes.items()}


def _read_tensors(path: Path, most_items: int) -> dict[str, dict[str, Any]]:
    """Name -> shape, dtype and data. The file is held to the size the config allows before any of it is unpacked."""
    data = read_model_file(path, limit=max(_ITEM_BYTES.values()) * most_items + _HEADER_BYTES)
    try:
        return dict(_deserialize(data))
    except safetensors.SafetensorError as error:
        raise damaged(path, f"truncated or not a safetensors file ({error})") from error


def _check_names(path: Path, tensors: dict[str, dict[str, Any]], shapes: dict[str, tuple[int, ...]]) -> None:
    missing, unknown = sorted(shapes.keys() - tensors.keys()), sorted(tensors.keys() - shapes.keys())
    if missing:
        raise damaged(path, f"{len(missing)} tensors that config.json asks for are missing, {missing[0]} first")
    if unknown:
        raise damaged(path, f"{len(unknown)} tensors that config.json does not ask for, {unknown[0]} first")


def _to_float32(path: Path, name: str, tensor: dict[str, Any], shape: tuple[int, ...]) -> FloatArray:
    if tuple(tensor["shape"]) != shape:
        raise damaged(path, f"{name} has shape {tuple(tensor['shape'])}, config.json asks for {shape}")
    if tensor["dtype"] not in _ITEM_BYTES:
        raise damaged(path, f"{name} is {tensor['dtype']}, this engine reads {', '.join(_ITEM_BYTES)}")
    array = _decode(tensor["data"], tensor["dtype"]).reshape(shape)
    if not np.isfinite(array).all():
        raise damaged(path, f"{name} holds values that are not finite numbers")
    return array


def _decode(data: bytes, dtype: str) -> FloatArray:
    if dtype == "BF16":  # the upper half of a float32
        return (np.frombuffer(data, "<u2").astype(np.uint32) << 16).view(np.float32)
    return np.frombuffer(data, "<f2" if dtype == "F16" else "<f4").astype(np.float32)
