"""Writing a model as one GGUF file, for llama.cpp and everything built on it.

Source: ggml docs/gguf.md; which keys a model needs, src/llama-model.cpp, ggml-org/llama.cpp.
"""

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, Literal, get_args

import numpy as np
import numpy.typing as npt

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.gguf import ALIGNMENT, ARRAY, BOOL, FLOAT32, INT32, MAGIC, STRING, UINT32, aligned
from spark_tui.engine.gguf_names import gguf_name, interleaved
from spark_tui.engine.gguf_quants import ENCODINGS, F16, F32, Q4_0, Q8_0, quantise_q4_0, quantise_q8_0
from spark_tui.engine.gguf_tokenizer import tokenizer_metadata
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.engine.weights import EMBEDDING, HEAD, expected_shapes

Quantisation = Literal["f32", "f16", "q8_0", "q4_0"]
QUANTISATIONS: tuple[Quantisation, ...] = get_args(Quantisation)
_KINDS = {"f32": F32, "f16": F16, "q8_0": Q8_0, "q4_0": Q4_0}
_FILE_TYPES = {"f32": 0, "f16": 1, "q8_0": 7, "q4_0": 2}
_ENCODE: dict[int, Callable[[FloatArray], npt.NDArray[Any]]] = {
    F32: lambda array: array.astype("<f4"),
    F16: lambda array: array.astype("<f2"),
    Q8_0: quantise_q8_0,
    Q4_0: quantise_q4_0,
}

Entry = bool | int | float | str | list[str] | list[int] | list[float]


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
    """Write a model, replacing what is there.

    Vectors stay float32; a matrix whose rows are no multiple of 32 is written as f16 where blocks were asked for.

    Args: weights: by Hugging Face name, as `read_weights` returns them. name: what the file says it is.
        head: the number format of the embedding and the head, which matter most; None: as all the others.
    Raises: OSError: the file cannot be written.
    """
    kinds = {
        each: _kind(shape, (head or quantisation) if each in (EMBEDDING, HEAD) else quantisation)
        for each, shape in expected_shapes(config).items()
    }
    entries = {
        **_general(name, quantisation),
        **_shape_entries(config),
        **tokenizer_metadata(tokenizer, config.vocab_size),
    }
    unfinished = path.with_name(f"{path.name}.part")
    try:
        with unfinished.open("wb") as stream:
            _write(stream, entries, kinds, config, weights)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _kind(shape: tuple[int, ...], quantisation: Quantisation) -> int:
    if len(shape) == 1:
        return F32
    kind = _KINDS[quantisation]
    return kind if shape[-1] % ENCODINGS[kind].items == 0 else F16


def _general(name: str, quantisation: Quantisation) -> dict[str, Entry]:
    return {
        "general.name": name,
        "general.type": "model",
        "general.file_type": _FILE_TYPES[quantisation],
        "general.quantization_version": 2,
    }


def _shape_entries(config: ModelConfig) -> dict[str, Entry]:
    """What llama.cpp wants to know of the architecture, and what only spark does."""
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
    own: dict[str, Entry] = {"spark.min_confidence": config.min_confidence, "spark.free_words": list(config.free_words)}
    return {
        "general.architecture": config.family,
        **{f"{config.family}.{key}": value for key, value in values.items()},
        **(own if config.min_confidence or config.free_words else {}),
    }


def _write(
    stream: BinaryIO,
    entries: Mapping[str, Entry],
    kinds: Mapping[str, int],
    config: ModelConfig,
    weights: Mapping[str, FloatArray],
) -> None:
    stream.write(MAGIC + struct.pack("<IQQ", 3, len(kinds), len(entries)))
    stream.writelines(_text(key) + _entry(value) for key, value in entries.items())
    stream.writelines(_infos(kinds, expected_shapes(config)))
    for name, kind in kinds.items():
        _pad(stream)
        stream.write(_ENCODE[kind](interleaved(name, weights[name], config)).tobytes())
    _pad(stream)


def _infos(kinds: Mapping[str, int], shapes: Mapping[str, tuple[int, ...]]) -> Iterator[bytes]:
    place = 0
    for name, kind in kinds.items():
        shape = shapes[name]
        yield _text(gguf_name(name)) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape[::-1], kind, place)
        place = aligned(place + prod(shape) // ENCODINGS[kind].items * ENCODINGS[kind].bytes, ALIGNMENT)


def _pad(stream: BinaryIO) -> None:
    stream.write(bytes(aligned(stream.tell(), ALIGNMENT) - stream.tell()))


def _entry(value: Entry) -> bytes:
    """Value type and value."""
    if isinstance(value, list):
        return struct.pack("<I", ARRAY) + _list(value)
    if isinstance(value, str):
        return struct.pack("<I", STRING) + _text(value)
    if isinstance(value, bool):
        return struct.pack("<IB", BOOL, value)
    return struct.pack("<II", UINT32, value) if isinstance(value, int) else struct.pack("<If", FLOAT32, value)


def _list(values: Sequence[str] | Sequence[int] | Sequence[float]) -> bytes:
    """Type of the values, how many, and each; floats are told from whole numbers by the first one."""
    if not values or isinstance(values[0], str):
        return struct.pack("<IQ", STRING, len(values)) + b"".join(_text(str(value)) for value in values)
    kind, code = (FLOAT32, "<f4") if isinstance(values[0], float) else (INT32, "<i4")
    return struct.pack("<IQ", kind, len(values)) + np.array(values, code).tobytes()


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data
