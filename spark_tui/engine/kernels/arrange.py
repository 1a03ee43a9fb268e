"""A model's weights, gathered into the few matrices a pass multiplies with and packed.

Heads are padded to a multiple of 32 numbers and matrices to what the kernels take; what is added is 0 and adds nothing.
Within a head of queries and keys the halves that RoPE turns together begin at 0 and at half the padded size.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from spark_tui.engine.arrays import FloatArray, Rows
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.kernels.arena import Arena
from spark_tui.engine.kernels.attention import TOKENS
from spark_tui.engine.kernels.pack import Packed, Stacked, fill, pack, padded, room_for
from spark_tui.engine.kernels.tiles import GROUP
from spark_tui.engine.kernels.unpack import unpack
from spark_tui.engine.memory import require
from spark_tui.engine.weights import EMBEDDING, EXPERTS, FINAL_NORM, HEAD, ROUTER, LazyWeights, weight_bytes


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One layer. `qkv_bias`, `q_norm`, `k_norm`: None where the family has none."""

    VECTORS: ClassVar = ("norm", "inner_norm", "qkv_bias", "q_norm", "k_norm")
    """Those that are not packed, in the order that compiled code knows."""
    MATRICES: ClassVar = ("qkv", "out", "gate_up", "down")
    """Those that are packed, in the order that compiled code knows."""
    norm: FloatArray
    inner_norm: FloatArray
    qkv_bias: FloatArray | None
    q_norm: FloatArray | None
    k_norm: FloatArray | None
    qkv: Packed
    out: Packed
    gate_up: Packed
    down: Packed
    router: Packed | None = None
    """Of a mixture, in 32 bits: `gate_up` and `down` are then those of all experts, one below the other."""

    def vectors(self) -> tuple[FloatArray | None, ...]:
        """See `VECTORS`."""
        return tuple(getattr(self, name) for name in self.VECTORS)

    def matrices(self) -> tuple[Packed, ...]:
        """See `MATRICES`."""
        return tuple(getattr(self, name) for name in self.MATRICES)


@dataclass(frozen=True, slots=True, eq=False)
class Arranged:
    """All weights of a model. `head`: the embedding itself where they are tied."""

    layers: Sequence[Layer]
    embedding: Packed
    norm: FloatArray
    head: Packed
    pack_expert: Callable[[int, int], None] | None = None
    """Puts the weights of an expert, by its layer and its number, where there is only room for them until then."""

    def matrices(self) -> tuple[Packed, ...]:
        """All of them, each once."""
        ends = (self.embedding,) if self.head is self.embedding else (self.embedding, self.head)
        return (*(matrix for layer in self.layers for matrix in layer.matrices()), *ends)

    @property
    def bits(self) -> int:
        """Of a weight."""
        return self.embedding.bits


def arrange(config: ModelConfig, weights: Mapping[str, FloatArray], bits: int, threads: int) -> Arranged:
    """Args: weights: by Hugging Face name, not kept. bits: of a weight. threads: that share the work.

    Raises: ModelError: the machine has not the memory for it.
    """
    require(weight_bytes(config, bits / 8), f"packing the weights in {bits} bits")
    arena = Arena()
    if isinstance(weights, LazyWeights):
        weights = weights.unpacked_by(unpack)
    with ThreadPoolExecutor(threads) as pool:
        ends = pool.submit(_ends, config, weights, bits, arena)
        layers = list(pool.map(partial(_layer, config, weights, bits, arena), range(config.n_layers)))
        arranged = Arranged(layers, *ends.result())
    if config.experts is None:
        return arranged
    return replace(arranged, pack_expert=partial(_pack_expert, weights, layers))


def _pack_expert(weights: Mapping[str, FloatArray], layers: Sequence[Layer], number: int, expert: int) -> None:
    prefix, layer = f"model.layers.{number}.{EXPERTS}.{expert}", layers[number]
    gate, up, down = (_rows(weights, f"{prefix}.{each}_proj.weight") for each in ("gate", "up", "down"))
    fill(layer.gate_up, _gate_and_up(gate, up), expert)
    fill(layer.down, down, expert)


def _gate_and_up(gate: Rows, up: Rows) -> Stacked:
    half = padded(gate.shape[0], GROUP)
    return Stacked((gate, up), (0, half), (2 * half, gate.shape[1]))


def head_width(config: ModelConfig) -> int:
    """The padded size of a head."""
    return padded(config.head_dim, TOKENS)


def _layer(config: ModelConfig, weights: Mapping[str, FloatArray], bits: int, arena: Arena, number: int) -> Layer:
    def get(name: str, kind: str = "weight") -> FloatArray | None:
        return weights.get(f"model.layers.{number}.{name}.{kind}")

    def need(name: str) -> FloatArray:
        return weights[f"model.layers.{number}.{name}.weight"]

    def rows(name: str) -> Rows:
        return _rows(weights, f"model.layers.{number}.{name}.weight")

    halves, straight = (partial(_padded_heads, config.head_dim, head_width(config), parts) for parts in (2, 1))
    projections = [f"self_attn.{letter}_proj" for letter in "qkv"]
    pairs = [halves, halves, straight]
    biases = [get(name, "bias") for name in projections]
    router = None
    if config.experts is None:
        gate_up = pack(_gate_and_up(rows("mlp.gate_proj"), rows("mlp.up_proj")), bits, arena)
        down = pack(rows("mlp.down_proj"), bits, arena)
    else:
        count, inner, hidden = config.experts.count, config.experts.size, config.hidden_size
        gate_up = room_for((2 * padded(inner, GROUP), hidden), bits, arena, count)
        down = room_for((hidden, inner), bits, arena, count)
        router = pack(need(ROUTER), 32, arena)
    return Layer(
        norm=_vector(need("input_layernorm")),
        inner_norm=_vector(need("post_attention_layernorm")),
        qkv_bias=_vector(np.concatenate([pad(b) for pad, b in zip(pairs, biases, strict=True) if b is not None]))
        if biases[0] is not None
        else None,
        q_norm=_maybe(halves, get("self_attn.q_norm")),
        k_norm=_maybe(halves, get("self_attn.k_norm")),
        qkv=pack(np.concatenate([pad(need(name)) for pad, name in zip(pairs, projections, strict=True)]), bits, arena),
        out=pack(straight(need("self_attn.o_proj").T).T, bits, arena),
        gate_up=gate_up,
        down=down,
        router=router,
    )


def _ends(
    config: ModelConfig, weights: Mapping[str, FloatArray], bits: int, arena: Arena
) -> tuple[Packed, FloatArray, Packed]:
    """The embedding, the last norm and the head."""
    embedding = pack(_rows(weights, EMBEDDING), bits, arena)
    head = embedding if config.tie_word_embeddings else pack(_rows(weights, HEAD), bits, arena)
    return embedding, _vector(weights[FINAL_NORM]), head


def _padded_heads(size: int, width: int, parts: int, rows: FloatArray) -> FloatArray:
    """Pad each head's rows; its `parts` begin at equal shares of the padded head. rows: (heads * D, ...)."""
    split = rows.reshape(-1, parts, size // parts, *rows.shape[1:])
    filled = np.zeros((len(split), parts, width // parts, *rows.shape[1:]), np.float32)
    filled[:, :, : size // parts] = split
    return filled.reshape(-1, *rows.shape[1:])


def _rows(weights: Mapping[str, FloatArray], name: str) -> Rows:
    """A matrix, whole only where it is so already."""
    return weights.rows(name) if isinstance(weights, LazyWeights) else weights[name]


def _vector(values: FloatArray) -> FloatArray:
    filled = np.zeros(padded(len(values), GROUP), np.float32)
    filled[: len(values)] = values
    return filled


def _maybe(pad: Callable[[FloatArray], FloatArray], values: FloatArray | None) -> FloatArray | None:
    return None if values is None else np.ascontiguousarray(pad(values))
