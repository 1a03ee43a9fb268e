"""The shape of a model, read from a Hugging Face config.json of the Qwen3 family."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spark_tui.engine.files import damaged, read_model_file

FILE_NAME = "config.json"
_MAX_BYTES = 1 << 20

_SIZES = {
    "vocab_size": ("vocab_size", 1 << 20),
    "hidden_size": ("hidden_size", 1 << 16),
    "n_layers": ("num_hidden_layers", 1 << 10),
    "n_heads": ("num_attention_heads", 1 << 10),
    "n_kv_heads": ("num_key_value_heads", 1 << 10),
    "head_dim": ("head_dim", 1 << 12),
    "intermediate_size": ("intermediate_size", 1 << 18),
    "max_position_embeddings": ("max_position_embeddings", 1 << 20),
}
"""Field -> its name in the file, and the largest value taken from there."""

_SUPPORTED: dict[str, tuple[object, ...]] = {
    "model_type": ("qwen3",),
    "hidden_act": (None, "silu"),
    "attention_bias": (None, False),
    "use_sliding_window": (None, False),
    "rope_scaling": (None,),
}
"""Settings that change the arithmetic, and the values it is written for (None: not in the file)."""


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """The shape of a Qwen3 decoder."""

    vocab_size: int
    hidden_size: int
    n_layers: int
    n_heads: int
    n_kv_heads: int
    head_dim: int
    intermediate_size: int
    rope_theta: float
    rms_norm_eps: float
    max_position_embeddings: int
    tie_word_embeddings: bool
    free_words: tuple[str, ...] = ()
    """Words the model may write though its prompt does not hold them; none: every word."""
    min_confidence: float = 0.0
    """The probability from which an answer of the model is worth showing; measured when it was trained."""

    @classmethod
    def read(cls, folder: Path) -> "ModelConfig":
        """Read config.json of a model folder.

        Raises: ModelError: the file is missing, no JSON, or describes a model this engine does not run.
        """
        path = folder / FILE_NAME
        entries = _parse(path)
        _check_supported(path, entries)
        sizes = {field: _size(path, entries, name, most) for field, (name, most) in _SIZES.items()}
        config = cls(
            **sizes,
            rope_theta=_positive(path, _rope(path, entries), "rope_theta"),
            rms_norm_eps=_positive(path, entries, "rms_norm_eps"),
            tie_word_embeddings=entries.get("tie_word_embeddings") is True,
            free_words=_free_words(path, entries),
            min_confidence=_share(path, entries, "min_confidence"),
        )
        if config.n_heads % config.n_kv_heads:
            raise damaged(path, f"{config.n_heads} heads cannot share {config.n_kv_heads} key/value heads")
        if config.head_dim % 2:
            raise damaged(path, f"head_dim is {config.head_dim}, but rotary positions need an even one")
        return config


def _parse(path: Path) -> dict[str, Any]:
    try:
        entries = json.loads(read_model_file(path, limit=_MAX_BYTES))
    except (ValueError, RecursionError) as error:
        raise damaged(path, "not JSON") from error
    if not isinstance(entries, dict):
        raise damaged(path, "not a JSON object")
    return entries


def _check_supported(path: Path, entries: dict[str, Any]) -> None:
    for name, values in _SUPPORTED.items():
        if entries.get(name) not in values:
            raise damaged(
                path, f"{name} is {entries.get(name)!r}, this engine runs only {values[-1]!r}", "name another model"
            )


def _size(path: Path, entries: dict[str, Any], name: str, most: int) -> int:
    value = entries.get(name)
    if type(value) is not int or not 1 <= value <= most:
        raise damaged(path, f"{name} is {value!r}, not a whole number from 1 to {most:,}")
    return value


def _free_words(path: Path, entries: dict[str, Any]) -> tuple[str, ...]:
    """What spark's own models add to the usual file."""
    words = entries.get("free_words", [])
    if not isinstance(words, list) or not all(isinstance(one, str) for one in words):
        raise damaged(path, "free_words is not a list of words")
    return tuple(words)


def _share(path: Path, entries: dict[str, Any], name: str) -> float:
    value = entries.get(name, 0.0)
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise damaged(path, f"{name} is {value!r}, not a number from 0 to 1")
    return float(value)


def _rope(path: Path, entries: dict[str, Any]) -> dict[str, Any]:
    """Where rope_theta stands: newer writers group it under rope_parameters."""
    grouped = entries.get("rope_parameters")
    if not isinstance(grouped, dict):
        return entries
    if grouped.get("rope_type", "default") != "default":
        raise damaged(
            path, f"rope_type is {grouped['rope_type']!r}, this engine runs only 'default'", "name another model"
        )
    return grouped


def _positive(path: Path, entries: dict[str, Any], name: str) -> float:
    value = entries.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < math.inf:
        raise damaged(path, f"{name} is {value!r}, not a positive number")
    return float(value)
