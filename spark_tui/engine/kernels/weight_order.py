"""Gather the weights of a model into the few matrices that a pass multiplies with, and pack them.

Heads are padded to a multiple of 32 numbers, and matrices to the sizes that the kernels take. The
padding is 0 and adds nothing. Within a head of queries or keys, the halves that RoPE turns together
begin at 0 and at half the padded size.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import ClassVar

import numpy as np

from spark_tui.engine.arrays import FloatArray, Rows
from spark_tui.engine.config import Experts, ModelConfig
from spark_tui.engine.kernels.attention import TOKENS
from spark_tui.engine.kernels.expert_file import ExpertFile
from spark_tui.engine.kernels.packed_weights import (
    Arena,
    Packed,
    Stacked,
    fill,
    pack,
    padded,
    room_for,
)
from spark_tui.engine.kernels.tiles import GROUP
from spark_tui.engine.kernels.unpack import unpack
from spark_tui.engine.machine import ADVICE, require
from spark_tui.engine.weights import (
    EMBEDDING,
    EXPERTS,
    FINAL_NORM,
    HEAD,
    ROUTER,
    LazyWeights,
    resident_bytes,
    weight_bytes,
)


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """The weights of one layer.

    Attributes:
        norm: The norm of the attention.
        inner_norm: The norm of the MLP.
        qkv_bias: None where the family has none.
        q_norm: None where the family has none.
        k_norm: None where the family has none.
        qkv: The projections to queries, keys and values.
        out: The projection behind attention.
        gate_up: The gate and up of the MLP; in a mixture those of all experts, one below the other.
        down: The way down of the MLP; in a mixture those of all experts.
        router: The router of a mixture, in 32 bits.
    """

    VECTORS: ClassVar = ("norm", "inner_norm", "qkv_bias", "q_norm", "k_norm")
    """The names of the vectors, which are not packed, in the order that compiled code expects."""
    MATRICES: ClassVar = ("qkv", "out", "gate_up", "down")
    """The names of the packed matrices, in the order that compiled code expects."""
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

    def vectors(self) -> tuple[FloatArray | None, ...]:
        """Return the vectors in the order of `VECTORS`."""
        return (self.norm, self.inner_norm, self.qkv_bias, self.q_norm, self.k_norm)

    def matrices(self) -> tuple[Packed, ...]:
        """Return the matrices in the order of `MATRICES`."""
        return (self.qkv, self.out, self.gate_up, self.down)

    def whole_matrices(self) -> dict[str, Packed]:
        """Return the matrices that are packed at once, by name: all except a mixture's experts."""
        names = self.whole_names(self.router is not None)
        return {name: getattr(self, name) for name in names}

    @classmethod
    def whole_names(cls, mixed: bool) -> tuple[str, ...]:
        """Return the names of `whole_matrices`.

        Args:
            mixed: Whether the layer has experts.
        """
        return ("qkv", "out", "router") if mixed else cls.MATRICES


@dataclass(frozen=True, slots=True, eq=False)
class Arranged:
    """All weights of a model.

    Attributes:
        layers: The layers.
        embedding: The embedding.
        norm: The last norm.
        head: The LM head; the embedding itself where they are tied.
        pack_expert: Packs the weights of an expert into the room that is there for them, given the
            numbers of its layer and of the expert. None for a model without experts.
        experts_mapped: Whether the experts of a mixture are mapped from disk.
        problem: The reason why they could not be mapped, or "".
    """

    layers: Sequence[Layer]
    embedding: Packed
    norm: FloatArray
    head: Packed
    pack_expert: Callable[[int, int], None] | None = None
    experts_mapped: bool = False
    problem: str = ""

    def matrices(self) -> list[Packed]:
        """Return all matrices, each once."""
        matrices: list[Packed] = []
        for layer in self.layers:
            matrices += layer.matrices()
        return matrices + self._ends()

    @property
    def bytes(self) -> int:
        """The bytes of the weights, without mapped ones, whose memory the system takes back."""
        matrices = self.matrices()
        if self.experts_mapped:
            matrices = self._ends()
            for layer in self.layers:
                matrices += layer.whole_matrices().values()
        return sum(matrix.bytes for matrix in matrices)

    def _ends(self) -> list[Packed]:
        if self.head is self.embedding:
            return [self.embedding]
        return [self.embedding, self.head]

    @property
    def bits(self) -> int:
        """The bits of a weight."""
        return self.embedding.bits


def arrange(
    config: ModelConfig,
    weights: Mapping[str, FloatArray],
    bits: int,
    threads: int,
    experts: ExpertFile | None = None,
    problem: str = "",
) -> Arranged:
    """Pack the weights of a model.

    Args:
        config: The model's shape.
        weights: The weights by Hugging Face name; a mixture keeps them, to pack its experts later.
        bits: The bits of a weight.
        threads: The threads that share the work.
        experts: The file of a mixture's experts; None keeps them in memory.
        problem: The reason why they could not go to disk, or "".

    Raises:
        ModelError: The machine has not the memory for it.
    """
    # Ask for the memory before any is taken. Mapped experts need none that the system could not
    # take back, except for those in use.
    needed = weight_bytes(config, bits / 8)
    if experts is not None:
        needed = resident_bytes(config, bits / 8)
    advice = ADVICE
    if problem:
        advice += f", or make room for its experts on disk: {problem}"
    require(needed, f"packing the weights in {bits} bits", advice)
    arena = Arena()
    weights = unpacked(weights)
    layer = partial(_layer, config, weights, bits, arena, experts)
    with ThreadPoolExecutor(threads) as pool:
        ends = pool.submit(_ends, config, weights, bits, arena)
        layers = list(pool.map(layer, range(config.n_layers)))
        arranged = Arranged(layers, *ends.result())
    if config.experts is None:
        return arranged
    if experts is not None:
        return with_experts(arranged, experts, lambda: weights)
    packer = partial(_pack_expert, weights, layers)
    return replace(arranged, pack_expert=packer, problem=problem)


def unpacked(weights: Mapping[str, FloatArray]) -> Mapping[str, FloatArray]:
    """Return the same weights, unpacked by compiled code where a file holds them in blocks."""
    if isinstance(weights, LazyWeights):
        return weights.unpacked_by(unpack)
    return weights


def with_experts(
    arranged: Arranged,
    experts: ExpertFile,
    weights: Callable[[], Mapping[str, FloatArray]],
) -> Arranged:
    """Return the same weights with experts out of a file.

    Args:
        arranged: The weights; its layers have the rooms of that file.
        experts: The file.
        weights: Reads what the file lacks; called once, when an expert is missing.
    """
    opened = cache(weights)  # so that the file of the weights is opened once, if at all

    def pack_expert(number: int, expert: int) -> None:
        experts.take(number, expert, lambda: _expert(opened(), number, expert))

    return replace(arranged, pack_expert=pack_expert, experts_mapped=True)


def _pack_expert(
    weights: Mapping[str, FloatArray], layers: Sequence[Layer], number: int, expert: int
) -> None:
    gate_up, down = _expert(weights, number, expert)
    fill(layers[number].gate_up, gate_up, expert)
    fill(layers[number].down, down, expert)


def _expert(weights: Mapping[str, FloatArray], number: int, expert: int) -> tuple[Rows, Rows]:
    """Return the gate and up of an expert, one below the other, and its way down."""
    prefix = f"model.layers.{number}.{EXPERTS}.{expert}"
    gate = _rows(weights, f"{prefix}.gate_proj.weight")
    up = _rows(weights, f"{prefix}.up_proj.weight")
    return _gate_and_up(gate, up), _rows(weights, f"{prefix}.down_proj.weight")


def _gate_and_up(gate: Rows, up: Rows) -> Stacked:
    # Padded, so that the numbers that `down` takes in are whole groups.
    half = padded(gate.shape[0], GROUP)
    return Stacked((gate, up), (0, half), (2 * half, gate.shape[1]))


def head_width(config: ModelConfig) -> int:
    """Return the padded size of a head."""
    return padded(config.head_dim, TOKENS)


def _layer(
    config: ModelConfig,
    weights: Mapping[str, FloatArray],
    bits: int,
    arena: Arena,
    experts: ExpertFile | None,
    number: int,
) -> Layer:
    def get(name: str, kind: str = "weight") -> FloatArray | None:
        return weights.get(f"model.layers.{number}.{name}.{kind}")

    def need(name: str) -> FloatArray:
        return weights[f"model.layers.{number}.{name}.weight"]

    def rows(name: str) -> Rows:
        return _rows(weights, f"model.layers.{number}.{name}.weight")

    # Queries and keys have halves that RoPE turns together; values have one part.
    halves = partial(_padded_heads, config.head_dim, head_width(config), 2)
    straight = partial(_padded_heads, config.head_dim, head_width(config), 1)
    projections = {
        "self_attn.q_proj": halves,
        "self_attn.k_proj": halves,
        "self_attn.v_proj": straight,
    }
    biases = []
    for name, pad in projections.items():
        bias = get(name, "bias")
        if bias is not None:
            biases.append(pad(bias))
    router = None
    if config.experts is None:
        gate_up = pack(_gate_and_up(rows("mlp.gate_proj"), rows("mlp.up_proj")), bits, arena)
        down = pack(rows("mlp.down_proj"), bits, arena)
    else:
        if experts is None:
            gate_up, down = _expert_rooms(config, config.experts, bits, arena)
        else:
            gate_up, down = experts.rooms(number)
        # Not rounded: a small error here would send a token to other experts.
        router = pack(need(ROUTER), 32, arena)
    qkv_bias = None
    if biases:
        qkv_bias = _vector(np.concatenate(biases))
    qkv = [pad(need(name)) for name, pad in projections.items()]
    return Layer(
        norm=_vector(need("input_layernorm")),
        inner_norm=_vector(need("post_attention_layernorm")),
        qkv_bias=qkv_bias,
        q_norm=_padded_if_any(halves, get("self_attn.q_norm")),
        k_norm=_padded_if_any(halves, get("self_attn.k_norm")),
        qkv=pack(np.concatenate(qkv), bits, arena),
        # The columns of the output matrix meet the values of the heads, so they are padded alike.
        out=pack(straight(need("self_attn.o_proj").T).T, bits, arena),
        gate_up=gate_up,
        down=down,
        router=router,
    )


def _expert_rooms(
    config: ModelConfig,
    experts: Experts,
    bits: int,
    arena: Arena,
) -> tuple[Packed, Packed]:
    """Return room in memory for the gates and ups of all experts, and for their ways down."""
    wide = (2 * padded(experts.size, GROUP), config.hidden_size)
    narrow = (config.hidden_size, experts.size)
    return (
        room_for(wide, bits, arena, experts.count),
        room_for(narrow, bits, arena, experts.count),
    )


def _ends(
    config: ModelConfig, weights: Mapping[str, FloatArray], bits: int, arena: Arena
) -> tuple[Packed, FloatArray, Packed]:
    """Pack the embedding, the last norm and the head."""
    embedding = pack(_rows(weights, EMBEDDING), bits, arena)
    head = embedding
    if not config.tie_word_embeddings:
        head = pack(_rows(weights, HEAD), bits, arena)
    return embedding, _vector(weights[FINAL_NORM]), head


def _padded_heads(size: int, width: int, parts: int, rows: FloatArray) -> FloatArray:
    """Pad the rows of each head.

    Args:
        size: The rows of a head.
        width: The rows of a padded head.
        parts: The number of parts of a head; they begin at equal distances in the padded head.
        rows: (heads * D, ...).

    Returns:
        (heads * width, ...).
    """
    split = rows.reshape(-1, parts, size // parts, *rows.shape[1:])
    # Zeros behind each part: they add nothing to a product of queries and keys.
    filled = np.zeros((len(split), parts, width // parts, *rows.shape[1:]), np.float32)
    filled[:, :, : size // parts] = split
    return filled.reshape(-1, *rows.shape[1:])


def _rows(weights: Mapping[str, FloatArray], name: str) -> Rows:
    """Return a matrix; of weights that are read lazily, one whose rows are read when wanted."""
    if isinstance(weights, LazyWeights):
        return weights.rows(name)
    return weights[name]


def _vector(values: FloatArray) -> FloatArray:
    filled = np.zeros(padded(len(values), GROUP), np.float32)
    filled[: len(values)] = values
    return filled


def _padded_if_any(
    pad: Callable[[FloatArray], FloatArray], values: FloatArray | None
) -> FloatArray | None:
    if values is None:
        return None
    return np.ascontiguousarray(pad(values))
