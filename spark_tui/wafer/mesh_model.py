"""The engine's model on a simulated mesh: every token is computed there, tile by tile, and its cycles are counted."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spark_tui.engine.arrays import FloatArray, IntArray
from spark_tui.engine.branches import Branches
from spark_tui.engine.cache import KVCache
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.rope import attention_factor, frequencies
from spark_tui.engine.weights import EMBEDDING, FINAL_NORM, HEAD
from spark_tui.errors import ShapeError, SparkError, UsageError
from spark_tui.wafer import costs
from spark_tui.wafer.devices import WAFERS, Wafer
from spark_tui.wafer.fabric import Fabric
from spark_tui.wafer.head import MeshHead, enter_cycles
from spark_tui.wafer.kv_rows import KvRows
from spark_tui.wafer.layer import MeshLayer
from spark_tui.wafer.layer_tiles import LayerWeights
from spark_tui.wafer.predict import check_grid
from spark_tui.wafer.serving import hand_over, head_cycles
from spark_tui.wafer.shapes import Shape

GRID = 32
"""The side of a mesh that a small model runs on in tens of milliseconds a token."""


@dataclass(frozen=True, slots=True)
class Pass:
    """What one token, or one prompt, took. Args: context: tokens in the cache then. parts: cycles by phase.

    wavelets: sent. seconds: that simulating it took.
    """

    token: int
    tokens: int
    context: int
    cycles: float
    parts: dict[str, float]
    wavelets: int
    seconds: float


class MeshCache(KVCache):
    """A cache whose keys and values lie on the mesh, in the memory of its PEs. Args: rows: of each layer."""

    def __init__(self, config: ModelConfig, capacity: int | None, rows: Sequence[KvRows]) -> None:
        self.rows = rows
        super().__init__(config, capacity)

    def _allocate(self, config: ModelConfig) -> None:
        """Rows grow as tokens come."""

    def _move_to(self, length: int) -> None:
        for rows in self.rows:
            if rows.length > length:
                rows.trim(length)
        super()._move_to(length)

    def settle(self) -> None:
        """Forget what a pass left that was broken off."""
        self._move_to(self.length)

    def recall(self, token_ids: npt.ArrayLike) -> None:
        """Nothing of earlier sequences is kept on a mesh."""


class MeshModel:
    """See `Model`: one sequence at a time, on P x P PEs of a wafer. `passes` says what each token took.

    Args: weights: by Hugging Face name, as `read_weights` returns them. name: of the model.
    Raises: UsageError: no such grid on this wafer, or the PE that has too little memory.
    """

    def __init__(
        self, config: ModelConfig, weights: Mapping[str, FloatArray], *, name: str = "model", grid: int = GRID,
        wafer: Wafer = WAFERS["wse2"],
    ) -> None:  # fmt: skip
        check_grid(wafer, grid)
        self.config, self.wafer, self.grid = config, wafer, grid
        self.shape = shape_of(config, name)
        self.fabric = fabric = Fabric(grid, grid, sram=wafer.sram, lanes=wafer.lanes)
        self.passes: list[Pass] = []
        eps, turns = config.rms_norm_eps, frequencies(config)
        self._head = MeshHead(
            self.shape, fabric, weights[EMBEDDING], None if config.tie_word_embeddings else weights[HEAD],
            weights[FINAL_NORM], eps=eps,
        )  # fmt: skip
        self._layers = [
            MeshLayer(
                _layer_weights(config, weights, f"model.layers.{number}"), self.shape, fabric,
                frequencies=turns, factor=attention_factor(config), eps=eps,
            )
            for number in range(config.n_layers)
        ]  # fmt: skip
        self._embedding = weights[EMBEDDING]

    @property
    def chunk(self) -> int:
        """See `Model.chunk`: a prompt goes through in one piece."""
        return self.config.max_position_embeddings

    @property
    def kernels(self) -> str:
        """What it computes with, for people."""
        return f"{self.grid} x {self.grid} PEs, simulated"

    @property
    def bytes(self) -> int:
        """Memory the weights take on all PEs, code included."""
        return int(self.fabric.memory.sum())

    def new_cache(self, capacity: int | None = None) -> MeshCache:
        """See `Model.new_cache`."""
        return MeshCache(self.config, capacity, [layer.new_cache() for layer in self._layers])

    def forward(self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True) -> FloatArray:
        """See `Model.forward`. Raises: UsageError: the PE that has no room left; the cache is as before."""
        if not isinstance(cache, MeshCache):
            raise ShapeError("a cache that does not lie on the mesh")
        ids = self._checked(token_ids, cache)
        try:
            logits = self._run(ids, cache, last_only=last_only)
        except SparkError:
            cache.settle()
            raise
        cache.extend(ids)
        return logits[-1] if last_only else np.stack(logits)

    def forward_branches(self, token_ids: npt.ArrayLike, branches: Branches, which: npt.ArrayLike) -> FloatArray:
        """See `Model.forward_branches`; it is not done here. Raises: UsageError: always."""
        raise UsageError("a mesh runs one sequence at a time; ask for one answer")

    def _checked(self, token_ids: npt.ArrayLike, cache: KVCache) -> IntArray:
        ids = np.asarray(token_ids, np.int32)
        if ids.ndim != 1 or not 1 <= len(ids) <= cache.room:
            raise ShapeError(f"tokens of shape {ids.shape} for a cache with room for {cache.room}")
        if ids.min() < 0 or ids.max() >= self.config.vocab_size:
            raise ShapeError(f"token ids from {ids.min()} to {ids.max()} of {self.config.vocab_size}")
        return ids

    def _run(self, ids: IntArray, cache: MeshCache, *, last_only: bool) -> list[FloatArray]:
        """A prompt at once where all of it is to give one answer, else token by token."""
        if last_only and len(ids) > 1 and not cache.length:
            return [self._prompt(ids, cache)]
        return [self._token(int(token), cache) for token in ids]

    def _token(self, token: int, cache: MeshCache) -> FloatArray:
        began, sent = self._begin()
        x = self._head.enter(token)
        for layer, rows in zip(self._layers, cache.rows, strict=True):
            x = layer.decode(x, rows)
        logits = self._head.logits(x)
        self._end(token, 1, cache.rows[0].length, began, sent)
        return logits

    def _prompt(self, ids: IntArray, cache: MeshCache) -> FloatArray:
        began, sent = self._begin()
        first, count = self._layers[0], len(ids)
        with self.fabric.phase("embedding"):
            x = first.cut(self._embedding[ids])
            self.fabric.compute(hand_over(self.shape, self.grid, x.shape[2]))
        for layer, rows in zip(self._layers, cache.rows, strict=True):
            x = layer.prefill(x, rows, count)
        with self.fabric.phase("embedding"):
            last = first.spread(first.join(x, count)[-1])
            self.fabric.compute(hand_over(self.shape, self.grid, 1))
            self.fabric.ready[:] = self.fabric.now
        logits = self._head.logits(last)
        self._end(int(ids[-1]), count, count, began, sent)
        return logits

    def _begin(self) -> tuple[float, int]:
        """All PEs begin together. Returns: seconds, and words sent so far."""
        self.fabric.ready[:] = 0.0
        self.fabric.timeline.phases.clear()
        return time.perf_counter(), int(self.fabric.sent.sum())

    def _end(self, token: int, tokens: int, context: int, began: float, sent: int) -> None:
        parts, words = self.fabric.timeline.by_name(), int(self.fabric.sent.sum()) - sent
        seconds = time.perf_counter() - began
        self.passes.append(Pass(token, tokens, context, self.fabric.now, parts, words, seconds))


def token_cycles(shape: Shape, wafer: Wafer, grid: int, token: int, context: int) -> float:
    """Cycles of one token through the whole model in closed form, with `context` tokens in the cache, itself included.

    `MeshModel` counts the same by running.
    """
    layers = shape.layers * costs.decode_layer(shape, grid, context, wafer.lanes)
    return enter_cycles(shape, grid, token) + layers + head_cycles(shape, grid, -(-shape.vocab // grid), wafer.lanes)


def prompt_cycles(shape: Shape, wafer: Wafer, grid: int, tokens: int) -> float:
    """Cycles of a prompt through the whole model in closed form, as `MeshModel` counts it by running."""
    entering = hand_over(shape, grid, -(-tokens // grid)) + hand_over(shape, grid, 1)
    layers = shape.layers * costs.prefill_layer(shape, grid, tokens, wafer.lanes)
    return entering + layers + head_cycles(shape, grid, -(-shape.vocab // grid), wafer.lanes)


def shape_of(config: ModelConfig, name: str) -> Shape:
    """What a mesh must know of a model."""
    return Shape(
        name=name,
        dim=config.hidden_size,
        ffn=config.intermediate_size,
        layers=config.n_layers,
        heads=config.n_heads,
        kv_heads=config.n_kv_heads,
        head_dim=config.head_dim,
        vocab=config.vocab_size,
        tied=config.tie_word_embeddings,
        qk_norm=config.qk_norm,
        bias=config.attention_bias,
    )


def _layer_weights(config: ModelConfig, weights: Mapping[str, FloatArray], prefix: str) -> LayerWeights:
    """One layer's weights, matrices as (in, out)."""

    def matrix(name: str) -> FloatArray:
        return weights[f"{prefix}.{name}.weight"].T

    def vector(name: str) -> FloatArray:
        return weights[f"{prefix}.{name}.weight"]

    bias = None
    if config.attention_bias:
        bias = np.concatenate([weights[f"{prefix}.self_attn.{part}_proj.bias"] for part in "qkv"])
    return LayerWeights(
        q=matrix("self_attn.q_proj"),
        k=matrix("self_attn.k_proj"),
        v=matrix("self_attn.v_proj"),
        o=matrix("self_attn.o_proj"),
        gate=matrix("mlp.gate_proj"),
        up=matrix("mlp.up_proj"),
        down=matrix("mlp.down_proj"),
        first_norm=vector("input_layernorm"),
        second_norm=vector("post_attention_layernorm"),
        q_norm=vector("self_attn.q_norm") if config.qk_norm else None,
        k_norm=vector("self_attn.k_norm") if config.qk_norm else None,
        bias=bias,
    )
