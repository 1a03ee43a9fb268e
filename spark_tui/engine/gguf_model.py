"""A model out of a GGUF file: its metadata as the config.json it was made from, its tensors by their usual names."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np

from spark_tui.engine.arrays import FloatArray, LazyRows, Rows
from spark_tui.engine.config import FAMILIES, ModelConfig
from spark_tui.engine.entries import Entries
from spark_tui.engine.files import damaged
from spark_tui.engine.gguf import GgufFile, Value
from spark_tui.engine.gguf_names import ROPE_FACTORS, architecture, expert_of, gguf_name, halved, rope_factors
from spark_tui.engine.gguf_quants import Unpack
from spark_tui.engine.weights import LazyWeights, expected_shapes

_ELSE = "name another model"
_SIZES = {
    "hidden_size": "embedding_length",
    "num_hidden_layers": "block_count",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "intermediate_size": "feed_forward_length",
    "max_position_embeddings": "context_length",
    "head_dim": "attention.key_length",
    "rms_norm_eps": "attention.layer_norm_rms_epsilon",
    "rope_theta": "rope.freq_base",
    "num_experts": "expert_count",
    "num_experts_per_tok": "expert_used_count",
    "moe_intermediate_size": "expert_feed_forward_length",
}
"""Name in config.json -> in the metadata, behind the architecture."""
_FAMILIES = {architecture(family): family for family in FAMILIES}
"""Architecture -> family."""
_NEUTRAL = {
    "attention.sliding_window": 0,
    "attention.clamp_kqv": 0.0,
    "attention.scale": 0.0,
    "attention.causal": True,
    "attn_logit_softcapping": 0.0,
    "final_logit_softcapping": 0.0,
    "logit_scale": 1.0,
    "embedding_scale": 1.0,
    "residual_scale": 1.0,
}
"""Settings that change the arithmetic, and the value with which they do not."""
_LLAMA3 = {"rope_type": "llama3", "low_freq_factor": 1.0, "high_freq_factor": 4.0}
_LLAMA3_POSITIONS = 8192
"""What every Llama 3 was first trained on; the file holds the outcome alone."""


def gguf_config(file: GgufFile) -> ModelConfig:
    """The shape of the model in a file.

    Raises: ModelError: the metadata lacks it, or describes a model this engine does not run.
    """
    family = _scalar(file, "general.architecture")
    if family not in _FAMILIES:
        known = ", ".join(_FAMILIES)
        raise damaged(
            file.path,
            f"its architecture is {str(family)[:40]!r}; this engine runs {known}",
            _ELSE,
        )
    if _scalar(file, "split.count") not in (None, 0, 1):
        raise damaged(file.path, "one of several parts", "join them with llama-gguf-split --merge")
    for key, neutral in _NEUTRAL.items():
        if (value := _scalar(file, f"{family}.{key}")) not in (None, neutral):
            raise damaged(file.path, f"{key} is {str(value)[:40]!r}, which this engine does not run", _ELSE)
    embedding = file.tensors.get("token_embd.weight")
    values = {
        "model_type": _FAMILIES[family],
        "vocab_size": embedding.shape[0] if embedding else None,
        "tie_word_embeddings": "output.weight" not in file.tensors,
        "rope_scaling": _scaling(file, family),
        "norm_topk_prob": True,  # as llama.cpp computes every model of this architecture
        **{name: _scalar(file, f"{family}.{key}") for name, key in _SIZES.items()},
    }
    values["head_dim"] = values["head_dim"] or _head_dim(values)
    config = ModelConfig.of(file.path, Entries(file.path, values))
    _check_heads(file, family, config)
    _check_rope_factors(file, config)
    return config


@dataclass(frozen=True, slots=True)
class GgufWeights(LazyWeights):
    """The tensors of a file by Hugging Face name, each read and made float32 when it is taken.

    Taking one raises ModelError where it holds values that are not finite, or the file has changed meanwhile.
    """

    file: GgufFile
    config: ModelConfig
    names: Mapping[str, str]
    """Hugging Face name -> the one in the file."""
    unpack: Unpack | None = None
    """As of `GgufTensor.values`."""

    def __getitem__(self, name: str) -> FloatArray:
        return halved(name, self.stored(name), self.config)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def rows(self, name: str) -> Rows:
        """See `LazyWeights`: as it lies in the file."""
        shape = self.file.tensors[self.names[name]].shape
        return LazyRows(shape[-2:], partial(self.stored, name))

    def unpacked_by(self, unpack: Unpack) -> Self:
        """See `LazyWeights`."""
        return replace(self, unpack=unpack)

    def stored(self, name: str, rows: slice | None = None) -> FloatArray:
        """A tensor as it lies in the file, or some of its rows."""
        tensor, expert = self.file.tensors[self.names[name]], expert_of(name)
        if expert is not None:
            tensor = tensor.part(expert)
        values = tensor.values(rows, self.unpack)
        flat = values.reshape(-1)
        with np.errstate(invalid="ignore", over="ignore"):
            doubtful = not np.isfinite(flat @ flat)  # one number, which is finite only if all are
        if doubtful and not np.isfinite(values).all():
            raise damaged(self.file.path, f"{self.names[name]} holds values that are not finite numbers")
        return values


def gguf_weights(file: GgufFile, config: ModelConfig) -> GgufWeights:
    """The tensors of a file in float32.

    Raises: ModelError: one is missing, unknown, or of another shape than the config says.
    """
    shapes = expected_shapes(config)
    names = {name: gguf_name(name) for name in shapes}
    missing = [name for name in dict.fromkeys(names.values()) if name not in file.tensors]
    unknown = sorted(file.tensors.keys() - set(names.values()) - {ROPE_FACTORS})
    for problem, which in (("missing", missing), ("unknown to a model of this kind", unknown)):
        if which:
            raise damaged(file.path, f"{len(which)} tensors are {problem}, {which[0][:80]!r} first")
    for name, shape in shapes.items():
        stack = () if config.experts is None or expert_of(name) is None else (config.experts.count,)
        found, wanted = file.tensors[names[name]].shape, (*stack, *shape)
        if found != wanted:
            problem = f"{names[name]} has shape {found}, the metadata asks for {wanted}"
            raise damaged(file.path, problem)
    return GgufWeights(file, config, names)


def _scalar(file: GgufFile, key: str) -> Any:
    """A value of the metadata that is no list; None where it is missing."""
    value: Value | None = file.metadata.get(key)
    if isinstance(value, list | np.ndarray):
        raise damaged(file.path, f"{key} differs from layer to layer, which this engine does not run", _ELSE)
    return value


def _head_dim(values: dict[str, Any]) -> int | None:
    hidden, heads = values["hidden_size"], values["num_attention_heads"]
    return hidden // heads if isinstance(hidden, int) and isinstance(heads, int) and heads > 0 else None


def _check_heads(file: GgufFile, family: str, config: ModelConfig) -> None:
    """Values as wide as keys, and all of a head turned."""
    for key in ("attention.value_length", "rope.dimension_count"):
        width = _scalar(file, f"{family}.{key}")
        if width not in (None, config.head_dim):
            raise damaged(file.path, f"{key} is {str(width)[:40]!r}, this engine runs only {config.head_dim}", _ELSE)


def _scaling(file: GgufFile, family: str) -> dict[str, Any] | None:
    """rope_scaling of config.json."""

    def value(key: str) -> Any:
        return _scalar(file, f"{family}.rope.scaling.{key}")

    factors = file.tensors.get(ROPE_FACTORS)
    if factors is not None:
        slowest = float(factors.values().max(initial=1.0))
        first = value("original_context_length") or _LLAMA3_POSITIONS
        return {**_LLAMA3, "factor": slowest, "original_max_position_embeddings": first}
    kind, factor = value("type"), value("factor")
    if kind in (None, "none"):
        return None
    scaling = {
        "rope_type": kind,
        "factor": factor,
        "original_max_position_embeddings": value("original_context_length"),
    }
    more = value("attn_factor")
    if kind == "yarn" and isinstance(factor, float) and isinstance(more, float) and 1 <= factor < math.inf:
        scaling["attention_factor"] = more * (1 + 0.1 * math.log(factor))
    return scaling | {name: value(f"yarn_{name}") for name in ("beta_fast", "beta_slow")}


def _check_rope_factors(file: GgufFile, config: ModelConfig) -> None:
    """Refuse factors that do not come out of the numbers they were taken for."""
    factors = file.tensors.get(ROPE_FACTORS)
    if factors is None:
        return
    values, expected = factors.values(), rope_factors(config)
    if values.shape != expected.shape or not np.allclose(values, expected, rtol=1e-3):
        raise damaged(file.path, f"{ROPE_FACTORS} are not the factors of a Llama 3, the only ones run", _ELSE)
