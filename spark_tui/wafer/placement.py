"""Where a model lies on wafers: regions of P x P PEs, filled in order up to the memory of a PE.

A token goes through the regions in order, so neighboring layers lie side by side. While one region
has the token, the others can serve other requests. `place` searches for the grid: the fewest wafers
first, then the fastest token or prompt.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal

from spark_tui.errors import UsageError
from spark_tui.wafer import costs
from spark_tui.wafer.constants import CODE_RESERVE, COLORS, ELEMENT_BYTES, RESERVED_COLORS
from spark_tui.wafer.machine import ModelShape, Wafer
from spark_tui.wafer.predict import (
    check_grid,
    hand_over,
    head_cycles,
    layer_parts,
    prompt_cycles,
    token_parts,
)

COLOR_USES = {
    "sums along rows: two by turns, one for the way back": 3,
    "sums along columns: the same": 3,
    "shifts of MeshGEMM: two along rows, two along columns": 4,
    "keys and values that move up a row": 1,
    "hidden states, to and from the next region": 2,
}
"""Use -> colors of a PE.

Source:
    WaferLLM, K + 1 paths at a root (K = 2), two-hop shifts.
"""
MOST_CONTEXT = 1 << 24
"""Tokens; no model reads as many."""
_BITS = (8, 16)


@dataclass(frozen=True, slots=True)
class Need:
    """Bytes that a model takes on each PE of a region.

    Attributes:
        layer_weights: Weights of one layer.
        layer_cache: Keys and values of one layer.
        buffers: A token in flight, and weights that shift.
        prompt_row: Each further token of a prompt in flight.
        vocab_row: One row of an embedding.
        vocab_rows: Rows of an embedding on each PE.
    """

    layer_weights: int
    layer_cache: int
    buffers: int
    prompt_row: int
    vocab_row: int
    vocab_rows: int

    @property
    def layer(self) -> int:
        """One layer: weights, keys and values."""
        return self.layer_weights + self.layer_cache

    @property
    def fixed(self) -> int:
        """What every region takes, whatever lies there."""
        return CODE_RESERVE + self.buffers

    @classmethod
    def of(cls, shape: ModelShape, grid: int, context: int, bits: int) -> "Need":
        """Compute the need of a model, each width padded to a multiple of the grid.

        Args:
            shape: The model.
            grid: Side of a region.
            context: Tokens that the cache holds.
            bits: Of a weight, 8 or 16.
        """
        tiles = costs.Tiles.of(shape, grid, context)
        # Queries and output, keys and values, then gate, up and down.
        matrices = 2 * tiles.dim * tiles.q + 2 * tiles.dim * tiles.kv + 3 * tiles.dim * tiles.ffn
        norms = 2 * tiles.dim
        scales = 0
        if bits < 16:  # one for each output of a product
            scales = tiles.q + 2 * tiles.kv + 2 * tiles.dim + 2 * tiles.ffn
        # A tile that shifts to a PE needs room beside the one that is still in use there.
        largest_shift = max(k * n for k, n in tiles.products)
        return cls(
            layer_weights=matrices * bits // 8 + (scales + norms) * ELEMENT_BYTES,
            layer_cache=2 * tiles.context * tiles.kv * ELEMENT_BYTES,
            buffers=(tiles.under_way + largest_shift) * ELEMENT_BYTES,
            prompt_row=tiles.under_way * ELEMENT_BYTES,
            vocab_row=tiles.dim * bits // 8,
            vocab_rows=ceil(shape.vocab / grid),
        )


@dataclass(frozen=True, slots=True)
class WaferRegion:
    """A square of PEs and what lies there.

    Attributes:
        wafer: Number of the wafer, from 0.
        row: Row of the first PE.
        column: Column of the first PE.
        first: Number of the first layer, from 0.
        layers: Layers.
        embedding: Rows of the input embedding on each PE.
        head: Rows of the LM head on each PE.
        bytes: Bytes in use on each PE.
    """

    wafer: int
    row: int
    column: int
    first: int
    layers: int
    embedding: int
    head: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Placement:
    """A model on wafers.

    Attributes:
        shape: The model.
        wafer: The device.
        grid: Side of a region.
        context: Tokens that the cache of each layer holds.
        bits: Of a weight.
        need: Bytes on each PE.
        regions: All regions, in the order of a token.
    """

    shape: ModelShape
    wafer: Wafer
    grid: int
    context: int
    bits: int
    need: Need
    regions: tuple[WaferRegion, ...]

    @property
    def wafers(self) -> int:
        """Wafers in use."""
        return self.regions[-1].wafer + 1

    @property
    def colors(self) -> int:
        """Colors in use on the busiest PE."""
        return sum(COLOR_USES.values())

    @property
    def colors_free(self) -> int:
        """Colors that programs may use and this one does not."""
        return COLORS - len(RESERVED_COLORS) - self.colors

    @property
    def used(self) -> int:
        """Bytes in use on the fullest PE."""
        return max(region.bytes for region in self.regions)

    @property
    def stages(self) -> list[int]:
        """Layers of each region that has any."""
        return [region.layers for region in self.regions if region.layers]

    @property
    def token_parts(self) -> dict[str, float]:
        """Cycles of a whole token by what they go to."""
        return token_parts(
            self.shape,
            self.wafer,
            self.grid,
            self.context,
            regions=len(self.regions),
            wafers=self.wafers,
            heads=[region.head for region in self.regions if region.head],
        )

    @property
    def token_cycles(self) -> float:
        """Cycles of a whole token."""
        return sum(self.token_parts.values())

    @property
    def tokens_per_second(self) -> float:
        """Tokens/s of one request."""
        return self.wafer.clock / self.token_cycles

    @property
    def all_tokens_per_second(self) -> float:
        """Tokens/s of as many requests as there are regions, at the pace of the slowest one."""
        # Full, the regions are a pipeline: a token leaves it whenever the slowest region has one.
        return self.wafer.clock / max(self._token_cycles_of(region) for region in self.regions)

    @property
    def _layer_cycles(self) -> float:
        parts = layer_parts(self.shape, self.grid, self.context, self.wafer.lanes)
        return sum(parts.values())

    def _token_cycles_of(self, region: WaferRegion) -> float:
        """Return the cycles that a token keeps a region busy.

        A region runs its layers and its rows of the LM head, and hands the token over; the last
        region sends it back to the first.
        """
        head = 0.0
        if region.head:
            head = head_cycles(self.shape, self.grid, region.head, self.wafer.lanes)
        back = 0
        if region == self.regions[-1]:
            back = self.wafer.rows + self.wafer.columns
        over = hand_over(self.shape, self.grid, 1)
        return region.layers * self._layer_cycles + head + over + back

    def prompt_seconds(self, tokens: int) -> float:
        """Return the seconds until the first token of an answer to a prompt."""
        # The bytes in use include one token on each PE row; what is free has room for others.
        free = self.wafer.sram - self.used
        prompt = prompt_cycles(
            self.shape,
            self.wafer,
            self.grid,
            tokens,
            stages=self.stages,
            most_rows=1 + free // self.need.prompt_row,
        )
        # The layers of the last token are part of the prompt. Embedding, LM head and ways are not.
        layers = self.shape.layers * self._layer_cycles
        return (prompt + self.token_cycles - layers) / self.wafer.clock


def place(
    shape: ModelShape,
    wafer: Wafer,
    *,
    grid: int | None = None,
    context: int = 4096,
    bits: int = 16,
    wafers: int | None = None,
    aim: Literal["token", "prompt"] = "token",
) -> Placement:
    """Place a model on as few wafers as hold it, on the fastest grid.

    Args:
        shape: The model.
        wafer: The device.
        grid: Side of a region; None searches for the best one.
        context: Tokens that the cache holds.
        bits: Of a weight, 8 or 16.
        wafers: The most wafers; None for any number.
        aim: Make a token fastest, or a prompt of `context` tokens, which is spread over all regions
            of the wafers.

    Raises:
        UsageError: The model does not fit, or an argument makes no sense.
    """
    check_size(context, bits)
    if grid is not None:
        check_grid(wafer, grid)
    if wafers is not None and wafers < 1:
        raise UsageError(f"{wafers} wafers: give at least 1")
    grids: Iterable[int] = [grid] if grid is not None else range(1, wafer.largest_grid + 1)
    candidates = []
    for side in grids:
        candidate = _fill(shape, wafer, side, context, bits)
        if candidate is not None:
            candidates.append(candidate)
    best = _best(candidates, aim)
    if best is None:
        raise UsageError(_too_large(shape, wafer, grid, context, bits))
    if wafers is not None and best.wafers > wafers:
        on_grid = f"grids of {grid} x {grid}" if grid else "the best grid"
        raise UsageError(
            f"{shape.name} at {bits} bits with {context:,} tokens takes {best.wafers:,} "
            f"{wafer.name} on {on_grid}, not {wafers}; "
            "give more wafers, fewer bits or a shorter context"
        )
    return best


def check_size(context: int, bits: int) -> None:
    """Refuse a cache or weights that make no sense.

    Raises:
        UsageError: The context or the bits are out of range.
    """
    if not 1 <= context <= MOST_CONTEXT:
        raise UsageError(f"a context of {context:,} tokens: give 1 to {MOST_CONTEXT:,}")
    if bits not in _BITS:
        raise UsageError(f"weights of {bits} bits: choose 8 or 16")


def _too_large(shape: ModelShape, wafer: Wafer, grid: int | None, context: int, bits: int) -> str:
    side = grid or wafer.largest_grid
    need = Need.of(shape, side, context, bits)
    return (
        f"{shape.name} does not fit: one layer takes {need.layer + need.fixed:,} of "
        f"{wafer.sram:,} bytes on each of {side} x {side} PEs; "
        "give a larger grid, fewer bits or a shorter context"
    )


def _best(candidates: Sequence[Placement], aim: str) -> Placement | None:
    """Pick the fastest of the placements on the fewest wafers, with regions evenly filled."""
    fewest = min((candidate.wafers for candidate in candidates), default=0)
    smallest = [candidate for candidate in candidates if candidate.wafers == fewest]
    if aim == "token":
        # More regions would only add hand-overs.
        even = [_leveled(candidate, len(candidate.regions)) for candidate in smallest]
        return min(even, key=lambda candidate: candidate.token_cycles, default=None)
    # The pieces of a prompt overlap in a pipeline, so more regions with fewer layers are quicker.
    spread = []
    for candidate in smallest:
        slots = fewest * _slots(candidate.wafer, candidate.grid)
        spread.append(_leveled(candidate, slots))
    return min(
        spread, key=lambda candidate: candidate.prompt_seconds(candidate.context), default=None
    )


def _fill(shape: ModelShape, wafer: Wafer, grid: int, context: int, bits: int) -> Placement | None:
    """Place a model in the fewest regions of a size; None if a layer does not fit into one."""
    need = Need.of(shape, grid, context, bits)
    contents = _contents(shape.layers, need, wafer.sram)
    if contents is None:
        return None
    regions = tuple(_regions(contents, wafer, grid, need))
    return Placement(shape, wafer, grid, context, bits, need, regions)


def _leveled(placement: Placement, most_regions: int) -> Placement:
    """Spread a placement over more regions, with the fullest PE as empty as these allow."""
    layers = placement.shape.layers
    need = placement.need
    # The lower the limit, the more regions: search for the lowest one that is allowed.
    low = 0
    high = placement.used
    while low < high:
        middle = (low + high) // 2
        contents = _contents(layers, need, middle)
        if contents and len(contents) <= most_regions:
            high = middle
        else:
            low = middle + 1
    contents = _contents(layers, need, high)
    assert contents is not None
    regions = tuple(_regions(contents, placement.wafer, placement.grid, need))
    return replace(placement, regions=regions)


def _slots(wafer: Wafer, grid: int) -> int:
    """Count the regions that fit on a wafer."""
    return (wafer.rows // grid) * (wafer.columns // grid)


_Contents = tuple[int, int, int]
"""Rows of the embedding, layers, rows of the LM head."""


def _contents(layers: int, need: Need, sram: int) -> list[_Contents] | None:
    """Fill regions in order; None if a layer, or a row of the embedding, does not fit."""
    room = sram - need.fixed
    if room < max(need.layer, need.vocab_row):
        return None
    # In the order of a token: rows of the embedding, layers, rows of the LM head.
    sizes = (need.vocab_row, need.layer, need.vocab_row)
    left = [need.vocab_rows, layers, need.vocab_rows]
    regions = []
    while any(left):
        free = room
        counts = [0, 0, 0]
        for kind, size in enumerate(sizes):
            counts[kind] = min(left[kind], free // size)
            free -= counts[kind] * size
            left[kind] -= counts[kind]
            # The order of a token is kept: no later kind before all of this kind is placed.
            if left[kind]:
                break
        embedding, region_layers, head = counts
        regions.append((embedding, region_layers, head))
    return regions


def _regions(
    contents: list[_Contents], wafer: Wafer, grid: int, need: Need
) -> Iterator[WaferRegion]:
    """Lay out regions in the order of a token: along a row, and back along the next one.

    So each region is next to the one before it, on the same wafer.
    """
    across = wafer.columns // grid
    first = 0
    for number, (embedding, layers, head) in enumerate(contents):
        wafer_number, slot = divmod(number, _slots(wafer, grid))
        down, along = divmod(slot, across)
        if down % 2:
            along = across - 1 - along
        yield WaferRegion(
            wafer=wafer_number,
            row=down * grid,
            column=along * grid,
            first=first,
            layers=layers,
            embedding=embedding,
            head=head,
            bytes=need.fixed + layers * need.layer + (embedding + head) * need.vocab_row,
        )
        first += layers


def capacity(placement: Placement) -> int:
    """Return the tokens that the cache could hold on the same grid and no more wafers."""
    low = placement.context
    high = MOST_CONTEXT
    while low < high:
        middle = (low + high + 1) // 2
        longer = _fill(placement.shape, placement.wafer, placement.grid, middle, placement.bits)
        if longer is not None and longer.wafers <= placement.wafers:
            low = middle
        else:
            high = middle - 1
    return low
