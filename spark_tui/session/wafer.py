"""What the screen shows of the simulated wafer: a map, and a mesh that follows a turn.

The map shows where the model would lie. The mesh holds the model's first layer, which takes rows of
the embedding as they are, so that no other layer need run. A token takes some thirty milliseconds:
the mesh belongs in a worker, one call at a time, and lags behind a turn that writes faster.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spark_tui.engine.arrays import Rows
from spark_tui.engine.kv_cache import common_prefix
from spark_tui.engine.loader import LoadedModel, read_model
from spark_tui.engine.weights import EMBEDDING, LazyWeights
from spark_tui.session.pace import Pace
from spark_tui.session.turn import Turn
from spark_tui.wafer.attention import KvRows
from spark_tui.wafer.machine import WAFERS, ModelShape, shape_named
from spark_tui.wafer.mesh_model import GRID, LayerOnMesh, MeshPass
from spark_tui.wafer.placement import place

_DEVICE = "wse2"  # shown where the pace names no wafer
_CONTEXT = 2048  # tokens that the placement leaves room for in the KV cache

Shares = tuple[tuple[float, ...], ...]
"""A share from 0 to 1 for each PE, row by row."""


@dataclass(frozen=True, slots=True)
class MapRegion:
    """A square of PEs.

    Args:
        row, column: The position of its first PE.
        what: What lies there, in words.
    """

    row: int
    column: int
    what: str


@dataclass(frozen=True, slots=True)
class WaferMap:
    """A model on its first wafer.

    Args:
        rows, columns: PEs of the wafer.
        grid: The side of a region, in PEs.
        rate: tokens/s, simulated.
    """

    model: str
    device: str
    rows: int
    columns: int
    grid: int
    wafers: int
    regions: tuple[MapRegion, ...]
    rate: float


@dataclass(frozen=True, slots=True)
class MeshToken:
    """The mesh after a token, or after a prompt.

    Args:
        model, device: The model that wrote the tokens, and the device of the PEs.
        layers: Layers of the model; the mesh has the first one.
        done: Tokens of the turn that ran on the mesh; negative during the prompt.
        written: Tokens of the turn so far.
        tokens: Tokens of this pass.
        memory: The share of each PE's memory in use.
        heat: Words this pass put on each PE's busiest link, as a share of the most.
        emptiest, fullest, sram: Bytes in use of the emptiest and the fullest PE, and bytes of each.
        busiest: Words on the busiest link.
        cycles, phases: Cycles of the layer, in all and by name.
        rate: tokens/s of the whole model, simulated; 0 for a prompt.
        milliseconds: How long the simulation took.
    """

    model: str
    device: str
    grid: int
    layers: int
    done: int
    written: int
    tokens: int
    memory: Shares
    heat: Shares
    emptiest: int
    fullest: int
    sram: int
    busiest: int
    cycles: float
    phases: tuple[tuple[str, float], ...]
    rate: float
    milliseconds: float


class WaferView:
    """One model on a wafer, and its first layer on a small mesh.

    The methods take long; call one at a time.

    Args:
        loaded: The model whose tokens run on the mesh; its files are read again.
        pace: The pace of the session: a wafer there is the wafer shown, and a model there is the
            model on the map.
        grid: The side of the mesh, in PEs.
    """

    def __init__(self, loaded: LoadedModel, pace: Pace | None = None, grid: int = GRID) -> None:
        self.loaded = loaded
        self.pace = pace
        self._grid = grid
        on_wafer = pace is not None and pace.device in WAFERS
        self._wafer = WAFERS[pace.device if pace and on_wafer else _DEVICE]
        self._shape = ModelShape.of(loaded.config, loaded.name)
        if pace and on_wafer and pace.model != loaded.name:
            self._shape = shape_named(pace.model)
        self._made: tuple[LayerOnMesh, KvRows, Rows] | None = None
        self._turn: Turn | None = None
        self._prompt: Sequence[int] = ()
        self._ids: list[int] = []
        """The tokens that ran, or were about to."""

    def place(self) -> WaferMap:
        """Where the model would lie.

        Raises:
            UsageError: The model does not fit.
        """
        placed = place(self._shape, self._wafer, context=_CONTEXT)
        regions = []
        for region in placed.regions:
            if region.wafer == 0:
                contents = _contents(region.first, region.layers, region.embedding, region.head)
                regions.append(MapRegion(region.row, region.column, contents))
        wafer = placed.wafer
        return WaferMap(
            self._shape.name,
            wafer.name,
            wafer.rows,
            wafer.columns,
            placed.grid,
            placed.wafers,
            tuple(regions),
            placed.tokens_per_second,
        )

    def follow(self, turn: Turn, written: Sequence[int]) -> MeshToken | None:
        """Run one more token of a turn; at first its whole prompt, if that fits at once.

        Returns:
            None: nothing is left to run, or an endpoint answers, whose tokens are unknown.

        Raises:
            UsageError: The layer, or the turn, does not fit on the mesh.
            ModelError: The model's files cannot be read.
        """
        if self._made is None:
            self._made = self._read()
        mesh, rows, embedding = self._made
        if turn is not self._turn:
            self._turn = turn
            self._prompt = turn.prompt
            # Only an empty mesh takes a whole prompt in one pass. Rows that share less than half
            # with the new prompt are not worth keeping for that.
            if 2 * _shared(self._ids, self._prompt) < len(self._prompt):
                self._ids = []
        prompt = len(self._prompt)
        ids = [*self._prompt, *written]
        # The tokens that the mesh has run already, as far as this turn begins with them.
        rows.trim(min(_shared(self._ids, ids), rows.length))
        if not prompt or rows.length == len(ids):
            return None
        stop = prompt if mesh.at_once(prompt, rows) else rows.length + 1
        self._ids = ids[:stop]
        before = _loads(mesh)
        new = [embedding[token : token + 1] for token in self._ids[rows.length :]]
        mesh.run(np.concatenate(new), rows)
        return _seen(mesh, before, rows.length - prompt, len(written))

    def _read(self) -> tuple[LayerOnMesh, KvRows, Rows]:
        stored = read_model(self.loaded.path)
        name = self.loaded.name
        weights = stored.weights
        mesh = LayerOnMesh(stored.config, weights, 1, name=name, grid=self._grid, wafer=self._wafer)
        # The embedding is the largest matrix, and only the rows of a few tokens are needed of it.
        if isinstance(weights, LazyWeights):
            embedding = weights.rows(EMBEDDING)
        else:
            embedding = weights[EMBEDDING]
        return mesh, mesh.new_rows(), embedding


def _shared(some: Sequence[int], others: Sequence[int]) -> int:
    """The length of the common prefix of two sequences of tokens."""
    return common_prefix(np.array(some, np.int32), np.array(others, np.int32))


def _contents(first: int, layers: int, embedding: int, head: int) -> str:
    """What lies in a region, in words."""
    numbers = f"{first + 1}" if layers == 1 else f"{first + 1} to {first + layers}"
    parts = [
        (embedding, "embedding"),
        (layers, f"layer{'s' * (layers > 1)} {numbers}"),
        (head, "head"),
    ]
    return ", ".join(words for there, words in parts if there)


def _loads(mesh: LayerOnMesh) -> NDArray[np.int64]:
    """Words on the four links of each PE, of shape (4, R, C)."""
    return np.stack(list(mesh.fabric.links.values()))


def _seen(mesh: LayerOnMesh, before: NDArray[np.int64], done: int, written: int) -> MeshToken:
    run: MeshPass = mesh.passes.pop()
    # The links count from the start; the difference is this pass, (4, R, C) -> (R, C).
    words = (_loads(mesh) - before).max(axis=0)
    memory = mesh.fabric.memory
    sram = mesh.wafer.sram
    return MeshToken(
        model=mesh.shape.name,
        device=mesh.wafer.name,
        grid=mesh.grid,
        layers=mesh.shape.layers,
        done=done,
        written=written,
        tokens=run.tokens,
        memory=_shares(memory, sram),
        heat=_shares(words, int(words.max())),
        emptiest=int(memory.min()),
        fullest=int(memory.max()),
        sram=sram,
        busiest=int(words.max()),
        cycles=run.cycles,
        phases=tuple(run.parts.items()),
        rate=mesh.wafer.clock / mesh.whole_token(run.cycles) if run.tokens == 1 else 0.0,
        milliseconds=1e3 * run.seconds,
    )


def _shares(values: NDArray[np.int64], whole: int) -> Shares:
    return tuple(tuple(row) for row in (values / max(whole, 1)).tolist())
