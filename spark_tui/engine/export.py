"""Export: writes models for other programs, as GGUF files and as Hugging Face folders.

Source: ggml docs/gguf.md; which keys a model needs, src/llama-model.cpp, ggml-org/llama.cpp.
"""

import json
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, Literal, get_args

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save_file

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.config import FAMILIES, Experts, ModelConfig, RopeScaling
from spark_tui.engine.config import FILE_NAME as CONFIG_FILE
from spark_tui.engine.gguf import (
    ALIGNMENT,
    ARRAY,
    BOOL,
    FLOAT32,
    INT32,
    MAGIC,
    ROPE_FACTORS,
    STRING,
    UINT32,
    aligned,
    architecture,
    expert_of,
    gguf_name,
    interleaved,
    rope_factors,
)
from spark_tui.engine.gguf_quants import (
    ENCODINGS,
    F16,
    F32,
    Q4_0,
    Q8_0,
    quantise_q4_0,
    quantise_q8_0,
)
from spark_tui.engine.gguf_tokenizer import tokenizer_metadata
from spark_tui.engine.lora import GGUF_ALPHA, GGUF_DOWN, GGUF_UP
from spark_tui.engine.tokenizer import FILE_NAME as TOKENIZER_FILE
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.engine.weights import EMBEDDING, HEAD, ROUTER, expected_shapes
from spark_tui.engine.weights import FILE_NAME as WEIGHTS_FILE
from spark_tui.errors import ModelError

Quantisation = Literal["f32", "f16", "q8_0", "q4_0"]
QUANTISATIONS: tuple[Quantisation, ...] = get_args(Quantisation)
_KINDS = {"f32": F32, "f16": F16, "q8_0": Q8_0, "q4_0": Q4_0}
# Source: llama.cpp, llama.h, enum llama_ftype.
_FILE_TYPES = {"f32": 0, "f16": 1, "q8_0": 7, "q4_0": 2}
_ENCODE: dict[int, Callable[[FloatArray], npt.NDArray[Any]]] = {
    F32: lambda array: array.astype("<f4"),
    F16: lambda array: array.astype("<f2"),
    Q8_0: quantise_q8_0,
    Q4_0: quantise_q4_0,
}

Entry = bool | int | float | str | list[str] | list[int]


def write_gguf(
    path: Path,
    config: ModelConfig,
    weights: Mapping[str, FloatArray],
    tokenizer: Tokenizer,
    quantisation: Quantisation = "q8_0",
    *,
    name: str,
    head: Quantisation | None = None,
) -> None:
    """Write a model as a GGUF file, replacing an existing file.

    Vectors stay float32. A matrix whose rows are no multiple of 32 numbers cannot be cut into
    blocks, so it is written as f16 where a quantised format was asked for.

    Args:
        path: The file.
        config: The model's shape.
        weights: The weights by Hugging Face name, as `read_weights` returns them.
        tokenizer: The model's tokenizer.
        quantisation: The number format of matrices.
        name: The name of the model in the file.
        head: The number format of the embedding and the head, which matter most; None for the same
            as all other matrices.

    Raises:
        OSError: The file cannot be written.
        ModelError: GGUF cannot express this shape or tokenizer.
    """
    if config.experts is not None and not config.experts.normalized:
        raise ModelError(
            "norm_topk_prob is false, which a GGUF file cannot say; write a Hugging Face folder"
        )
    tensors = _tensors(config, weights, quantisation, head or quantisation)
    entries: dict[str, Entry] = {
        "general.name": name,
        "general.type": "model",
        "general.file_type": _FILE_TYPES[quantisation],
        "general.quantization_version": 2,  # of the block formats: GGML_QNT_VERSION of ggml.h
        **_shape_entries(config),
        **tokenizer_metadata(tokenizer, config.vocab_size),
    }
    # Written beside the file and renamed: nobody sees half a model, and a failure leaves the old
    # one.
    unfinished = path.with_name(f"{path.name}.part")
    try:
        with unfinished.open("wb") as stream:
            _write(stream, entries, tensors)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def write_part(path: Path, tensors: Mapping[str, tuple[tuple[int, ...], int, bytes]]) -> None:
    """Write a GGUF file of tensors only, as one of several files of a model folder.

    Args:
        path: The file.
        tensors: Name -> shape, number format and encoded bytes.

    Raises:
        OSError: The file cannot be written.
    """
    parts = []
    for name, (shape, kind, data) in tensors.items():
        parts.append(_Tensor(name, shape, kind, partial(np.frombuffer, data, np.uint8)))
    entries: dict[str, Entry] = {"general.type": "model", "general.quantization_version": 2}
    with path.open("wb") as stream:
        _write(stream, entries, parts, encode=False)


def write_adapter(
    path: Path,
    config: ModelConfig,
    pairs: Mapping[str, tuple[FloatArray, FloatArray]],
    alpha: float,
) -> None:
    """Write a low-rank adapter in 8 bits, for this engine (`lora`) and llama.cpp's `--lora`.

    Args:
        path: The file.
        config: The shape of the model.
        pairs: Hugging Face name of a weight -> the matrices (rank, in) and (out, rank).
        alpha: Divided by the rank, the factor of the product of the two.

    Raises:
        OSError: The file cannot be written.
    """
    tensors = []
    for name, (down, up) in pairs.items():
        matrices = {GGUF_DOWN: down, GGUF_UP: interleaved(name, up, config)}
        for ending, matrix in matrices.items():
            kind = _kind(matrix.shape, "q8_0")
            values = partial(np.asarray, matrix)
            tensors.append(_Tensor(gguf_name(name) + ending, matrix.shape, kind, values))
    entries: dict[str, Entry] = {
        "general.type": "adapter",
        "general.architecture": architecture(config.family),
        "general.quantization_version": 2,
        "adapter.type": "lora",
        GGUF_ALPHA: float(alpha),
    }
    with path.open("wb") as stream:
        _write(stream, entries, tensors)


@dataclass(frozen=True, slots=True)
class _Tensor:
    """A tensor to be written.

    Attributes:
        name: The name in the file.
        shape: The shape, rows first.
        kind: The number format.
        values: Returns the values, or the encoded bytes. A function, so that only the tensor being
            written takes memory.
    """

    name: str
    shape: tuple[int, ...]
    kind: int
    values: Callable[[], npt.NDArray[Any]]

    @property
    def bytes(self) -> int:
        """The bytes that the tensor takes in the file."""
        return ENCODINGS[self.kind].bytes_of(prod(self.shape))


def _tensors(
    config: ModelConfig,
    weights: Mapping[str, FloatArray],
    quantisation: Quantisation,
    head: Quantisation,
) -> list[_Tensor]:
    def laid_out(name: str) -> FloatArray:
        return interleaved(name, weights[name], config)

    def stacked(names: list[str]) -> FloatArray:
        return np.stack([weights[name] for name in names])

    # One tensor each, apart from experts: those of one kind in a layer become one stack.
    tensors = []
    stacks = dict[str, list[str]]()
    for name, shape in expected_shapes(config).items():
        if expert_of(name) is not None:
            stacks.setdefault(gguf_name(name), []).append(name)
            continue
        if name in (EMBEDDING, HEAD):
            kind = _kind(shape, head)
        elif name.endswith(f"{ROUTER}.weight"):
            kind = F32  # rounding could choose other experts, a far larger error than any other
        else:
            kind = _kind(shape, quantisation)
        tensors.append(_Tensor(gguf_name(name), shape, kind, partial(laid_out, name)))
    for stack, names in stacks.items():
        shape = expected_shapes(config)[names[0]]
        kind = _kind(shape, quantisation)
        tensors.append(_Tensor(stack, (len(names), *shape), kind, partial(stacked, names)))
    if config.rope_scaling is not None and config.rope_scaling.kind == "llama3":
        shape = (config.head_dim // 2,)
        tensors.append(_Tensor(ROPE_FACTORS, shape, F32, partial(rope_factors, config)))
    return tensors


def _kind(shape: tuple[int, ...], quantisation: Quantisation) -> int:
    """Return the number format of a tensor; blocks lie along its rows, and must fill them."""
    if len(shape) == 1:
        return F32
    kind = _KINDS[quantisation]
    if shape[-1] % ENCODINGS[kind].items:
        return F16
    return kind


def _shape_entries(config: ModelConfig) -> dict[str, Entry]:
    """Return the metadata that llama.cpp needs about the architecture and its sizes."""
    values: dict[str, Entry] = {
        "vocab_size": config.vocab_size,
        "context_length": config.max_position_embeddings,
        "embedding_length": config.hidden_size,
        "block_count": config.n_layers,
        "feed_forward_length": config.intermediate_size,
        "attention.head_count": config.n_heads,
        "attention.head_count_kv": config.n_kv_heads,
        "attention.key_length": config.head_dim,
        "attention.value_length": config.head_dim,
        "attention.layer_norm_rms_epsilon": config.rms_norm_eps,
        "rope.dimension_count": config.head_dim,
        "rope.freq_base": config.rope_theta,
    }
    if config.experts is not None:
        values["expert_count"] = config.experts.count
        values["expert_used_count"] = config.experts.active
        values["expert_feed_forward_length"] = config.experts.size
    for key, value in _scaling(config.rope_scaling).items():
        values[f"rope.scaling.{key}"] = value
    kind = architecture(config.family)
    entries: dict[str, Entry] = {"general.architecture": kind}
    for key, value in values.items():
        entries[f"{kind}.{key}"] = value
    return entries


def _scaling(scaling: RopeScaling | None) -> dict[str, Entry]:
    """Return the metadata about the scaling of RoPE.

    The factors of a llama3 are a tensor of the file. Of the numbers they come from, the
    metadata has only the first context, which llama.cpp does not need, but `gguf` does.
    """
    if scaling is None:
        return {}
    if scaling.kind == "llama3":
        return {"original_context_length": scaling.original_positions}
    if scaling.kind == "linear":
        return {"type": "linear", "factor": scaling.factor}
    usual = 1 + 0.1 * math.log(scaling.factor)  # llama.cpp multiplies attn_factor by this
    return {
        "type": "yarn",
        "factor": scaling.factor,
        "original_context_length": scaling.original_positions,
        "attn_factor": scaling.attention_factor / usual,
        "yarn_beta_fast": scaling.beta_fast,
        "yarn_beta_slow": scaling.beta_slow,
    }


def _write(
    stream: BinaryIO,
    entries: Mapping[str, Entry],
    tensors: Sequence[_Tensor],
    *,
    encode: bool = True,
) -> None:
    """Write a GGUF file.

    Args:
        stream: The file.
        entries: The metadata.
        tensors: The tensors, in the order of the file.
        encode: Whether `_Tensor.values` gives float32 values that must still be encoded.
    """
    # The head: magic, version 3 and two counts. Then the metadata.
    stream.write(MAGIC + struct.pack("<IQQ", 3, len(tensors), len(entries)))
    stream.writelines(_text(key) + _entry(value) for key, value in entries.items())
    # The info of each tensor: name, shape, format, and its offset in the data.
    place = 0
    for tensor in tensors:
        # GGUF names the innermost dimension first.
        dimensions = struct.pack(f"<I{len(tensor.shape)}Q", len(tensor.shape), *tensor.shape[::-1])
        stream.write(_text(tensor.name) + dimensions + struct.pack("<IQ", tensor.kind, place))
        place = aligned(place + tensor.bytes, ALIGNMENT)
    # The data, padded before each tensor as the places above assume.
    for tensor in tensors:
        _pad(stream)
        values = tensor.values()
        if encode:
            values = _ENCODE[tensor.kind](values)
        stream.write(values.tobytes())
    _pad(stream)


def _pad(stream: BinaryIO) -> None:
    place = stream.tell()
    stream.write(bytes(aligned(place, ALIGNMENT) - place))


def _entry(value: Entry) -> bytes:
    """Return the type of a value and the value, encoded."""
    if isinstance(value, list):
        return struct.pack("<I", ARRAY) + _list(value)
    if isinstance(value, str):
        return struct.pack("<I", STRING) + _text(value)
    if isinstance(value, bool):  # before int: a bool is an int to Python
        return struct.pack("<IB", BOOL, value)
    if isinstance(value, int):
        return struct.pack("<II", UINT32, value)
    return struct.pack("<If", FLOAT32, value)


def _list(values: Sequence[str] | Sequence[int]) -> bytes:
    """Return the type of the values, their count and the values, encoded."""
    if not values or isinstance(values[0], str):
        texts = b"".join(_text(str(value)) for value in values)
        return struct.pack("<IQ", STRING, len(values)) + texts
    return struct.pack("<IQ", INT32, len(values)) + np.array(values, "<i4").tobytes()


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


END = "<|endoftext|>"
"""The token that ends answers of models that spark trains, and of their bases.

A server that does not know this token would not stop at it.
"""


def write_folder(
    folder: Path, config: ModelConfig, weights: Mapping[str, FloatArray], tokenizer: Tokenizer
) -> None:
    """Write a model into a new folder, in half precision if that loses nothing, else in float32.

    Args:
        folder: The folder, which must not exist.
        config: The model's shape.
        weights: The weights by Hugging Face name, as `read_weights` returns them.
        tokenizer: The model's tokenizer.

    Raises:
        OSError: The folder exists, or cannot be written.
        ModelError: The tokenizer cannot be written as a tokenizer.json.
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
    folder: Path,
    entries: Mapping[str, Any],
    state: Mapping[str, Any],
    weights: Mapping[str, FloatArray],
) -> None:
    """Write the files of a model folder.

    Args:
        folder: The folder, which exists.
        entries: The content of config.json; its torch_dtype is the number type of the weights.
        state: The content of tokenizer.json.
        weights: The weights by Hugging Face name.
    """
    _write_json(folder / CONFIG_FILE, entries)
    text = json.dumps(state, ensure_ascii=False, separators=(",", ":"))
    (folder / TOKENIZER_FILE).write_text(text, "utf-8")
    tensors = {}
    for name, array in weights.items():
        tensors[name] = np.ascontiguousarray(array, entries["torch_dtype"])
    save_file(tensors, folder / WEIGHTS_FILE, metadata={"format": "pt"})
    # The library lets only the owner read its file; give it the mode of the other files.
    (folder / WEIGHTS_FILE).chmod((folder / CONFIG_FILE).stat().st_mode)


def _write_json(path: Path, entries: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(entries, indent=2) + "\n", "utf-8")


def config_entries(config: ModelConfig) -> dict[str, Any]:
    """Return the content of a config.json for a config."""
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
        "rope_scaling": _rope_scaling(config.rope_scaling),
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


def _rope_scaling(scaling: RopeScaling | None) -> dict[str, Any] | None:
    if scaling is None:
        return None
    entries: dict[str, Any] = {"rope_type": scaling.kind, "factor": scaling.factor}
    if scaling.kind == "linear":
        return entries
    entries["original_max_position_embeddings"] = scaling.original_positions
    if scaling.kind == "llama3":
        return entries | {
            "low_freq_factor": scaling.low_freq_factor,
            "high_freq_factor": scaling.high_freq_factor,
        }
    return entries | {
        "beta_fast": scaling.beta_fast,
        "beta_slow": scaling.beta_slow,
        "attention_factor": scaling.attention_factor,
        "truncate": scaling.whole_bounds,
    }


def _fits_half(array: FloatArray) -> bool:
    # Values beyond half precision become infinite, and so differ.
    with np.errstate(over="ignore"):
        return np.array_equal(array.astype(np.float16), array)
