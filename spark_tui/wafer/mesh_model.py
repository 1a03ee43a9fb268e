"""One layer of the engine's model on a simulated mesh: every token goes through it tile by tile, its cycles counted.

On a wafer each region of PEs holds a few layers, and tokens go from one to the next. Here one region is simulated, with
one layer; what comes before it and behind it the plain engine computes.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.branches import Branches
from spark_tui.engine.cache import KVCache
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.decoder import Decoder
from spark_tui.engine.rope import attention_factor, frequencies
from spark_tui.errors import ShapeError, UsageError
from spark_tui.wafer import costs
from spark_tui.wafer.attention import KvRows
from spark_tui.wafer.fabric import Fabric
from spark_tui.wafer.layer import LayerWeights, MeshLayer
from spark_tui.wafer.machine import WAFERS, Shape, Wafer
from spark_tui.wafer.placement import place
from spark_tui.wafer.predict import check_grid

GRID = 32
"""The side of a mesh with room for a layer of 15 million parameters, simulated in some 30 ms a token."""
_CONTEXT = 2048
"""Tokens that the whole model's regions have room for."""


@dataclass(frozen=True, slots=True)
class Pass:
    """What one token, or one prompt, took in the layer.

    Args: context: tokens in its cache then. parts: cycles by phase. seconds: that simulating it took.
    """

    tokens: int
    context: int
    cycles: float
    parts: dict[str, float]
    seconds: float


class LayerOnMesh:
    """A layer of a model on P x P PEs of a wafer. `passes` says what each token took.

    Args: weights: by Hugging Face name, as `read_weights` returns them. number: of the layer, from 1. name: of the
        model.
    Raises: UsageError: no such layer, no such grid on this wafer, or the PE that has too little memory, be it for the
        layer or for a context of 2,048 tokens.
    """

    def __init__(
        self, config: ModelConfig, weights: Mapping[str, FloatArray], number: int, *, name: str = "model",
        grid: int = GRID, wafer: Wafer = WAFERS["wse2"],
    ) -> None:  # fmt: skip
        check_grid(wafer, grid)
        if not 1 <= number <= config.n_layers:
            raise UsageError(f"{name} has layers 1 to {config.n_layers}, no layer {number}")
        self.number, self.wafer, self.grid = number, wafer, grid
        self.shape = Shape.of(config, name)
        self.fabric = Fabric(grid, grid, sram=wafer.sram, lanes=wafer.lanes)
        self.passes: list[Pass] = []
        self._layer = MeshLayer(
            _layer_weights(config, weights, f"model.layers.{number - 1}"), self.shape, self.fabric,
            frequencies=frequencies(config), factor=attention_factor(config), eps=config.rms_norm_eps,
        )  # fmt: skip
        placed = place(self.shape, wafer, grid=grid, context=_CONTEXT)
        self._beside = placed.token_cycles - self.shape.layers * self._decoding(_CONTEXT)

    @property
    def words(self) -> str:
        """What lies where, for people."""
        return f"layer {self.number} of {self.shape.layers} on {self.grid} x {self.grid} PEs of {self.wafer.name}"

    def new_rows(self) -> KvRows:
        """An empty cache for the layer."""
        return self._layer.new_cache()

    def at_once(self, tokens: int, rows: KvRows) -> bool:
        """Whether tokens go through in one pass: a prompt for which all PEs have room."""
        return tokens > 1 and not rows.length and self._layer.has_room(tokens)

    def run(self, hidden: FloatArray, rows: KvRows) -> FloatArray:
        """Run tokens behind those in the cache. Args: hidden: (T, E), T >= 1. Returns: what they become, (T, E).

        Raises: UsageError: the PE that has no room left.
        """
        pieces = [hidden] if self.at_once(len(hidden), rows) else np.split(hidden, len(hidden))
        return np.concatenate([self._pass(piece, rows) for piece in pieces])

    def _pass(self, hidden: FloatArray, rows: KvRows) -> FloatArray:
        """All PEs begin together."""
        fabric, began = self.fabric, time.perf_counter()
        fabric.ready[:] = 0.0
        fabric.phases.clear()
        result = self._layer.forward(hidden, rows)
        seconds = time.perf_counter() - began
        self.passes.append(Pass(len(hidden), rows.length, fabric.now, fabric.cycles_by_phase(), seconds))
        return result

    def closed_form(self, run: Pass) -> float:
        """The cycles of a pass in closed form."""
        if run.tokens == 1:
            return self._decoding(run.context)
        return costs.prefill_layer(self.shape, self.grid, run.tokens, self.wafer.lanes)

    def _decoding(self, context: int) -> float:
        return costs.decode_layer(self.shape, self.grid, context, self.wafer.lanes)

    def whole_token(self, cycles: float) -> float:
        """The cycles of a token through the whole model. Args: cycles: of a token in this layer.

        All layers take as many; the LM head and the ways between regions as large as this mesh come in closed form.
        """
        return self.shape.layers * cycles + self._beside


class MeshCache(KVCache):
    """A cache whose keys and values of one layer lie in the memory of PEs. Args: rows: these."""

    def __init__(self, config: ModelConfig, capacity: int | None, rows: KvRows) -> None:
        self.rows = rows
        super().__init__(config, capacity)

    def _move_to(self, length: int) -> None:
        if self.rows.length > length:
            self.rows.trim(length)
        super()._move_to(length)

    def recall(self, token_ids: npt.ArrayLike) -> None:
        """Nothing of earlier sequences is kept on a mesh."""


class MeshModel:
    """See `Model`: one sequence at a time, through all layers of `plain` but the one on `mesh`."""

    def __init__(self, plain: Decoder, mesh: LayerOnMesh) -> None:
        self.config, self.plain, self.mesh = plain.config, plain, mesh

    @property
    def chunk(self) -> int:
        """See `Model.chunk`: a prompt goes through in one piece."""
        return self.config.max_position_embeddings

    @property
    def kernels(self) -> str:
        """What it computes with, for people."""
        return f"{self.mesh.words}, simulated, the others in {self.plain.kernels}"

    @property
    def bytes(self) -> int:
        """Memory the weights take, those on PEs with them."""
        return self.plain.bytes + int(self.mesh.fabric.memory.sum())

    def new_cache(self, capacity: int | None = None) -> MeshCache:
        """See `Model.new_cache`."""
        return MeshCache(self.config, capacity, self.mesh.new_rows())

    def forward(self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True) -> FloatArray:
        """See `Model.forward`. Raises: UsageError: the PE that has no room left; the cache is as before."""
        if not isinstance(cache, MeshCache):
            raise ShapeError("a cache that does not lie on the mesh")
        rows = cache.rows
        mesh = {self.mesh.number - 1: lambda hidden: self.mesh.run(hidden, rows)}
        try:
            return self.plain.forward_through(mesh, token_ids, cache, last_only=last_only)
        finally:
            cache.trim(cache.length)  # what a pass left that was broken off

    def forward_branches(self, token_ids: npt.ArrayLike, branches: Branches, which: npt.ArrayLike) -> FloatArray:
        """See `Model.forward_branches`; it is not done here. Raises: UsageError: always."""
        raise UsageError("a mesh runs one sequence at a time; ask for one answer")


def _layer_weights(config: ModelConfig, weights: Mapping[str, FloatArray], prefix: str) -> LayerWeights:
    """One layer's weights, matrices as (in, out)."""
    names = {"first_norm": "input_layernorm", "second_norm": "post_attention_layernorm"}
    names |= {part: f"self_attn.{part}_proj" for part in "qkvo"}
    names |= {part: f"mlp.{part}_proj" for part in ("gate", "up", "down")}
    names |= {f"{part}_norm": f"self_attn.{part}_norm" for part in "qk" if config.qk_norm}
    found = {ours: weights[f"{prefix}.{name}.weight"].T for ours, name in names.items()}  # a vector stays as it is
    if config.attention_bias:
        found["bias"] = np.concatenate([weights[f"{prefix}.self_attn.{part}_proj.bias"] for part in "qkv"])
    return LayerWeights(**found)
