"""One layer of the engine's model on a simulated mesh, with the cycles of every token counted.

On a wafer each region of PEs holds a few layers, and tokens go from region to region. Here a single
region is simulated, with one layer; the plain engine computes the layers before and behind it.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.config import ModelConfig, attention_factor, frequencies
from spark_tui.engine.decoder import Decoder
from spark_tui.engine.kv_cache import Branches, KVCache
from spark_tui.errors import ShapeError, UsageError
from spark_tui.wafer import costs
from spark_tui.wafer.attention import KvRows
from spark_tui.wafer.fabric import Fabric
from spark_tui.wafer.layer import LayerWeights, MeshLayer
from spark_tui.wafer.machine import WAFERS, ModelShape, Wafer
from spark_tui.wafer.placement import place
from spark_tui.wafer.predict import check_grid

GRID = 32
"""Side of the default mesh, enough for a layer of 15 million parameters, in some 30 ms a token."""
_CONTEXT = 2048
"""Tokens that the regions of the whole model have room for."""


@dataclass(frozen=True, slots=True)
class MeshPass:
    """A pass of one token, or of one prompt, through the layer.

    Attributes:
        tokens: Tokens of the pass.
        context: Tokens in the cache after it.
        cycles: Simulated cycles.
        parts: Phase -> its cycles.
        seconds: Time that the simulation took.
    """

    tokens: int
    context: int
    cycles: float
    parts: dict[str, float]
    seconds: float


class LayerOnMesh:
    """A layer of a model on P x P PEs of a wafer.

    Args:
        config: The model.
        weights: Its weights by Hugging Face name, as `read_weights` returns them.
        number: Number of the layer, from 1.
        name: Name of the model.
        grid: P.
        wafer: The device.

    Attributes:
        passes: Every pass through the layer so far.

    Raises:
        UsageError: No such layer, no such grid on this wafer, or a PE, which the message names, has
            too little memory for the layer or for a context of 2,048 tokens.
    """

    def __init__(
        self,
        config: ModelConfig,
        weights: Mapping[str, FloatArray],
        number: int,
        *,
        name: str = "model",
        grid: int = GRID,
        wafer: Wafer = WAFERS["wse2"],
    ) -> None:
        check_grid(wafer, grid)
        if not 1 <= number <= config.n_layers:
            raise UsageError(f"{name} has layers 1 to {config.n_layers}, no layer {number}")
        self.number = number
        self.wafer = wafer
        self.grid = grid
        self.shape = ModelShape.of(config, name)
        self.fabric = Fabric(grid, grid, sram=wafer.sram, lanes=wafer.lanes)
        self.passes: list[MeshPass] = []
        self._layer = MeshLayer(
            _layer_weights(config, weights, f"model.layers.{number - 1}"),
            self.shape,
            self.fabric,
            frequencies=frequencies(config),
            factor=attention_factor(config),
            eps=config.rms_norm_eps,
        )
        # Outside the layers a token costs the same at every position: the LM head, and the ways
        # between as many regions as a context of `_CONTEXT` tokens takes.
        placement = place(self.shape, wafer, grid=grid, context=_CONTEXT)
        layers = self.shape.layers * self._decode_cycles(_CONTEXT)
        self._cycles_beside_layers = placement.token_cycles - layers

    @property
    def description(self) -> str:
        """Which layer lies where, in words for people."""
        layer = f"layer {self.number} of {self.shape.layers}"
        return f"{layer} on {self.grid} x {self.grid} PEs of {self.wafer.name}"

    def new_rows(self) -> KvRows:
        """Create an empty cache for the layer."""
        return self._layer.new_cache()

    def at_once(self, tokens: int, rows: KvRows) -> bool:
        """Return whether tokens run in one pass: a prompt for which all PEs have room."""
        return tokens > 1 and not rows.length and self._layer.has_room(tokens)

    def run(self, hidden: FloatArray, rows: KvRows) -> FloatArray:
        """Run tokens behind those in the cache.

        Args:
            hidden: (T, E), T >= 1.
            rows: Takes in the tokens.

        Returns:
            Their hidden states behind the layer, (T, E).

        Raises:
            UsageError: A PE, which the message names, has no room left.
        """
        pieces = [hidden]
        if not self.at_once(len(hidden), rows):
            pieces = np.split(hidden, len(hidden))
        # Even a single piece is copied: the engine's products run on contiguous arrays.
        return np.concatenate([self._run_pass(piece, rows) for piece in pieces])

    def _run_pass(self, hidden: FloatArray, rows: KvRows) -> FloatArray:
        fabric = self.fabric
        start = time.perf_counter()
        # All PEs begin each pass together at cycle 0, however they ended the pass before.
        fabric.ready[:] = 0.0
        fabric.phases.clear()
        result = self._layer.forward(hidden, rows)
        seconds = time.perf_counter() - start
        mesh_pass = MeshPass(
            tokens=len(hidden),
            context=rows.length,
            cycles=fabric.now,
            parts=fabric.cycles_by_phase(),
            seconds=seconds,
        )
        self.passes.append(mesh_pass)
        return result

    def closed_form(self, mesh_pass: MeshPass) -> float:
        """Return the cycles of a pass by the closed form."""
        if mesh_pass.tokens == 1:
            return self._decode_cycles(mesh_pass.context)
        return costs.prefill_layer(self.shape, self.grid, mesh_pass.tokens, self.wafer.lanes)

    def _decode_cycles(self, context: int) -> float:
        return costs.decode_layer(self.shape, self.grid, context, self.wafer.lanes)

    def whole_token(self, cycles: float) -> float:
        """Return the cycles of a token through the whole model.

        All layers take as many cycles; the LM head and the ways between regions as large as this
        mesh come in closed form.

        Args:
            cycles: Cycles of a token in this layer.
        """
        return self.shape.layers * cycles + self._cycles_beside_layers


class MeshCache(KVCache):
    """A cache whose keys and values of one layer lie in the memory of PEs.

    Args:
        config: The model.
        capacity: See `KVCache`.
        rows: The keys and values on the mesh.
    """

    def __init__(self, config: ModelConfig, capacity: int | None, rows: KvRows) -> None:
        self.rows = rows
        super().__init__(config, capacity)

    def _move_to(self, length: int) -> None:
        if self.rows.length > length:
            self.rows.trim(length)
        super()._move_to(length)

    def recall(self, token_ids: npt.ArrayLike) -> None:
        """Recall nothing: a mesh keeps no earlier sequences."""


class MeshModel:
    """A `Model` with one layer on a mesh; it runs one sequence at a time.

    Args:
        plain: Runs the other layers.
        mesh: The layer on the mesh.
    """

    def __init__(self, plain: Decoder, mesh: LayerOnMesh) -> None:
        self.config = plain.config
        self.plain = plain
        self.mesh = mesh

    @property
    def chunk(self) -> int:
        """See `Model.chunk`: a prompt runs in one piece."""
        return self.config.max_position_embeddings

    @property
    def kernels(self) -> str:
        """The arithmetic, in words for people."""
        return f"{self.mesh.description}, simulated, the others in {self.plain.kernels}"

    @property
    def bytes(self) -> int:
        """Memory that the weights take, those on PEs included."""
        return self.plain.bytes + int(self.mesh.fabric.memory.sum())

    def new_cache(self, capacity: int | None = None) -> MeshCache:
        """See `Model.new_cache`."""
        return MeshCache(self.config, capacity, self.mesh.new_rows())

    def forward(
        self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True
    ) -> FloatArray:
        """See `Model.forward`.

        Raises:
            UsageError: A PE, which the message names, has no room left; the cache is unchanged.
        """
        if not isinstance(cache, MeshCache):
            raise ShapeError("a cache that does not lie on the mesh")
        rows = cache.rows
        layers = {self.mesh.number - 1: lambda hidden: self.mesh.run(hidden, rows)}
        try:
            return self.plain.forward_through(layers, token_ids, cache, last_only=last_only)
        finally:
            # A pass that broke off has left positions on the mesh beyond the cache's length.
            cache.trim(cache.length)

    def forward_branches(
        self, token_ids: npt.ArrayLike, branches: Branches, which: npt.ArrayLike
    ) -> FloatArray:
        """See `Model.forward_branches`, which a mesh cannot run.

        Raises:
            UsageError: Always.
        """
        raise UsageError("a mesh runs one sequence at a time; ask for one answer")


def _layer_weights(
    config: ModelConfig, weights: Mapping[str, FloatArray], prefix: str
) -> LayerWeights:
    """Collect the weights of one layer, matrices as (in, out).

    Args:
        config: The model.
        weights: By Hugging Face name.
        prefix: What the names of this layer begin with.
    """
    names = {"first_norm": "input_layernorm", "second_norm": "post_attention_layernorm"}
    for part in ("q", "k", "v", "o"):
        names[part] = f"self_attn.{part}_proj"
    for part in ("gate", "up", "down"):
        names[part] = f"mlp.{part}_proj"
    if config.qk_norm:
        names |= {"q_norm": "self_attn.q_norm", "k_norm": "self_attn.k_norm"}
    # Transposing leaves a vector as it is.
    arrays = {ours: weights[f"{prefix}.{theirs}.weight"].T for ours, theirs in names.items()}
    if config.attention_bias:
        biases = [weights[f"{prefix}.self_attn.{part}_proj.bias"] for part in "qkv"]
        arrays["bias"] = np.concatenate(biases)
    return LayerWeights(**arrays)
