"""A model's weights, gathered into the few matrices a pass multiplies with and packed.

Heads are padded to a multiple of 32 numbers and matrices to what the kernels take; what is added is 0 and adds nothing.
Within a head of queries and keys the halves that RoPE turns together begin at 0 and at half the padded size.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from spark_tui.engine.arrays import FloatArray, Rows
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.gguf_model import GgufWeights
from spark_tui.engine.kernels.arena import Arena
from spark_tui.engine.kernels.attention import TOKENS
from spark_tui.engine.kernels.pack import Packed, Stacked, pack, padded
from spark_tui.engine.kernels.tiles import GROUP
from spark_tui.engine.weights import EMBEDDING, FINAL_NORM, HEAD


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One layer. `qkv_bias`, `q_norm`, `k_norm`: None where the family has none."""

    norm: FloatArray
    inner_norm: FloatArray
    qkv_bias: FloatArray | None
    q_norm: FloatArray | None
    k_norm: FloatArray | None
    qkv: Packed
    out: Packed
    gate_up: Packed
    down: Packed

    def vectors(self) -> tuple[FloatArray | None, ...]:
        """Those that are not packed, in the order that compiled code knows."""
        return self.norm, self.inner_norm, self.qkv_bias, self.q_norm, self.k_norm

    def matrices(self) -> tuple[Packed, ...]:
        """Those that are packed, in the order that compiled code knows."""
        return self.qkv, self.out, self.gate_up, self.down


def head_width(config: ModelConfig) -> int:
    """The padded size of a head."""
    return padded(config.head_dim, TOKENS)


def arrange_layer(
    config: ModelConfig, weights: Mapping[str, FloatArray], number: int, bits: int, arena: Arena
) -> Layer:
    """Args: weights: by Hugging Face name."""

    def get(name: str, kind: str = "weight") -> FloatArray | None:
        return weights.get(f"model.layers.{number}.{name}.{kind}")

    def need(name: str) -> FloatArray:
        return weights[f"model.layers.{number}.{name}.weight"]

    def rows(name: str) -> Rows:
        return _rows(weights, f"model.layers.{number}.{name}.weight")

    projections = [f"self_attn.{letter}_proj" for letter in "qkv"]
    pairs = [_halves(config), _halves(config), _straight(config)]
    biases = [get(name, "bias") for name in projections]
    return Layer(
        norm=_vector(need("input_layernorm")),
        inner_norm=_vector(need("post_attention_layernorm")),
        qkv_bias=_vector(np.concatenate([pad(b) for pad, b in zip(pairs, biases, strict=True) if b is not None]))
        if biases[0] is not None
        else None,
        q_norm=_maybe(_halves(config), get("self_attn.q_norm")),
        k_norm=_maybe(_halves(config), get("self_attn.k_norm")),
        qkv=pack(np.concatenate([pad(need(name)) for pad, name in zip(pairs, projections, strict=True)]), bits, arena),
        out=pack(_straight(config)(need("self_attn.o_proj").T).T, bits, arena),
        gate_up=pack(_stacked(rows("mlp.gate_proj"), rows("mlp.up_proj")), bits, arena),
        down=pack(rows("mlp.down_proj"), bits, arena),
    )


def arrange_ends(
    config: ModelConfig, weights: Mapping[str, FloatArray], bits: int, arena: Arena
) -> tuple[Packed, FloatArray, Packed]:
    """The embedding, the last norm and the head; the embedding is the head where they are tied."""
    embedding = pack(_rows(weights, EMBEDDING), bits, arena)
    head = embedding if config.tie_word_embeddings else pack(_rows(weights, HEAD), bits, arena)
    return embedding, _vector(weights[FINAL_NORM]), head


def _halves(config: ModelConfig) -> Callable[[FloatArray], FloatArray]:
    return lambda rows: _padded_heads(rows, config.head_dim, head_width(config), 2)


def _straight(config: ModelConfig) -> Callable[[FloatArray], FloatArray]:
    return lambda rows: _padded_heads(rows, config.head_dim, head_width(config), 1)


def _padded_heads(rows: FloatArray, size: int, width: int, parts: int) -> FloatArray:
    """Pad each head's rows; its `parts` begin at equal shares of the padded head. rows: (heads * D, ...)."""
    split = rows.reshape(-1, parts, size // parts, *rows.shape[1:])
    filled = np.zeros((len(split), parts, width // parts, *rows.shape[1:]), np.float32)
    filled[:, :, : size // parts] = split
    return filled.reshape(-1, *rows.shape[1:])


def _stacked(gate: Rows, up: Rows) -> Stacked:
    rows = padded(gate.shape[0], GROUP)
    return Stacked((gate, up), (0, rows), (2 * rows, gate.shape[1]))


def _rows(weights: Mapping[str, FloatArray], name: str) -> Rows:
    """A matrix, whole only where it is so already."""
    return weights.rows(name) if isinstance(weights, GgufWeights) else weights[name]


def _vector(values: FloatArray) -> FloatArray:
    filled = np.zeros(padded(len(values), GROUP), np.float32)
    filled[: len(values)] = values
    return filled


def _maybe(pad: Callable[[FloatArray], FloatArray], values: FloatArray | None) -> FloatArray | None:
    return None if values is None else np.ascontiguousarray(pad(values))
