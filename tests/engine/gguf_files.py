"""GGUF files: made by hand, entry by entry, so that they can be wrong in every way; and of tiny
models.
"""

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

from spark_tui.engine.export import Quantisation, write_gguf
from spark_tui.engine.tokenizer import Tokenizer
from tests.engine.tiny import FAMILIES, random_weights, tiny_tokenizer

RECORDED = Path(__file__).parent / "fixtures" / "gguf_llama_cpp.npz"
"""Logits of llama.cpp behind the last two of IDS, for each of MODELS in each number format."""
IDS = [7, 3, 7, 41, 41, 200, 12, 99]
MODELS = ("llama", "qwen2", "qwen3")
UINT8, INT8, UINT16, INT16, UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY, UINT64, INT64, FLOAT64 = (
    range(13)
)


def text(value: str | bytes) -> bytes:
    """A text with its length."""
    data = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(data)) + data


def array(kind: int, count: int, items: bytes = b"") -> bytes:
    """A list that says it has so many items."""
    return struct.pack("<IQ", kind, count) + items


def info(name: str, shape: Sequence[int], kind: int = 0, offset: int = 0) -> bytes:
    """What a file says of a tensor; its shape is columns first."""
    return text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset)


def gguf(
    entries: Mapping[str, tuple[int, bytes]] | None = None,
    infos: Sequence[bytes] = (),
    data: bytes = b"",
    *,
    version: int = 3,
    counts: tuple[int, int] | None = None,
) -> bytes:
    """A whole file.

    Args:
        counts: Of tensors and of entries, where they are not what is there.
    """
    entries = entries or {}
    n_tensors, n_entries = counts or (len(infos), len(entries))
    head = b"GGUF" + struct.pack("<IQQ", version, n_tensors, n_entries)
    body = b"".join(
        text(key) + struct.pack("<I", kind) + value for key, (kind, value) in entries.items()
    )
    head += body + b"".join(infos)
    return head + bytes(-len(head) % 32) + data


def saved(folder: Path, content: bytes) -> Path:
    """The file on disk."""
    file = folder / "made.gguf"
    file.write_bytes(content)
    return file


def written(folder: Path, name: str, quantisation: Quantisation) -> Path:
    """A tiny random model of a family."""
    config, file = FAMILIES[name], folder / f"{name}.gguf"
    write_gguf(
        file, config, random_weights(config), Tokenizer(tiny_tokenizer()), quantisation, name=name
    )
    return file
