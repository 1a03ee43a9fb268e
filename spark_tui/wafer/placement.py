"""Where the layers of a model lie on wafers: regions of P x P PEs, filled one after another under the memory of a PE.

A token goes through the regions in order, so that layers which follow each other lie side by side; each region can
serve another request meanwhile. The grid is searched for: the fewest wafers first, then the fastest token.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal

from spark_tui.errors import UsageError
from spark_tui.wafer import costs
from spark_tui.wafer.constants import CODE_RESERVE, COLORS, ELEMENT_BYTES, RESERVED_COLORS
from spark_tui.wafer.machine import Shape, Wafer
from spark_tui.wafer.predict import check_grid, hand_over, head_cycles, layer_parts, prompt_cycles, token_parts

COLOR_USES = {
    "sums along rows: two by turns, one for the way back": 3,
    "sums along columns: the same": 3,
    "shifts of MeshGEMM: two along rows, two along columns": 4,
    "keys and values that move up a row": 1,
    "hidden states, to and from the next region": 2,
}
"""What the colors of a PE carry. Source: WaferLLM, K + 1 paths at a root (K = 2), two-hop shifts."""
MOST_CONTEXT = 1 << 24
_BITS = (8, 16)


@dataclass(frozen=True, slots=True)
class Need:
    """Bytes that a model takes on each PE of a region.

    Args: layer_weights, layer_cache: of a layer. buffers: of a token under way, and of weights being shifted.
        prompt_row: of another token of a prompt. vocab_row: of one row of an embedding, of which there are vocab_rows.
    """

    layer_weights: int
    layer_cache: int
    buffers: int
    prompt_row: int
    vocab_row: int
    vocab_rows: int

    @property
    def layer(self) -> int:
        """A layer: its weights, and its keys and values."""
        return self.layer_weights + self.layer_cache

    @property
    def fixed(self) -> int:
        """What every region takes, whatever lies there."""
        return CODE_RESERVE + self.buffers

    @classmethod
    def of(cls, shape: Shape, grid: int, context: int, bits: int) -> "Need":
        """What a model takes on grid x grid PEs, each width padded to a multiple of the grid."""
        tiles = costs.Tiles.of(shape, grid, context)
        matrices = 2 * tiles.dim * tiles.q + 2 * tiles.dim * tiles.kv + 3 * tiles.dim * tiles.ffn
        scales = tiles.q + 2 * tiles.kv + 2 * tiles.dim + 2 * tiles.ffn if bits < 16 else 0
        values = tiles.under_way
        shifted = max(given * made for given, made in tiles.products)
        return cls(
            layer_weights=matrices * bits // 8 + (scales + 2 * tiles.dim) * ELEMENT_BYTES,
            layer_cache=2 * tiles.context * tiles.kv * ELEMENT_BYTES,
            buffers=(values + shifted) * ELEMENT_BYTES,
            prompt_row=values * ELEMENT_BYTES,
            vocab_row=tiles.dim * bits // 8,
            vocab_rows=ceil(shape.vocab / grid),
        )


@dataclass(frozen=True, slots=True)
class WaferRegion:
    """A square of PEs and what lies there.

    Args: wafer: which one, from 0. row, column: of its first PE. first, layers: the layers first to first + layers - 1.
        embedding, head: rows of the input and output embedding on each PE. bytes: in use on each PE.
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
    """A model on wafers. `context`: tokens the cache of each layer holds; `bits`: of a weight."""

    shape: Shape
    wafer: Wafer
    grid: int
    context: int
    bits: int
    need: Need
    regions: tuple[WaferRegion, ...]

    @property
    def wafers(self) -> int:
        """How many wafers it takes."""
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
        """What the cycles of a whole token go to."""
        heads = [region.head for region in self.regions if region.head]
        return token_parts(
            self.shape, self.wafer, self.grid, self.context, regions=len(self.regions), wafers=self.wafers, heads=heads
        )

    @property
    def token_cycles(self) -> float:
        """Cycles of a whole token."""
        return sum(self.token_parts.values())

    @property
    def tokens_per_second(self) -> float:
        """Tokens a second of one request."""
        return self.wafer.clock / self.token_cycles

    @property
    def all_tokens_per_second(self) -> float:
        """Tokens a second of as many requests as there are regions, each of them busy: the slowest one's pace."""
        return self.wafer.clock / max(self._busy(region) for region in self.regions)

    def _busy(self, region: WaferRegion) -> float:
        """Cycles that a token keeps a region: its layers, its rows of the LM head, and handing over or the way back."""
        lanes = self.wafer.lanes
        layer = sum(layer_parts(self.shape, self.grid, self.context, lanes).values())
        head = head_cycles(self.shape, self.grid, region.head, lanes) if region.head else 0.0
        back = self.wafer.rows + self.wafer.columns if region == self.regions[-1] else 0
        return region.layers * layer + head + hand_over(self.shape, self.grid, 1) + back

    def prompt_seconds(self, tokens: int) -> float:
        """Seconds until the first token of an answer is there."""
        rows = 1 + (self.wafer.sram - self.used) // self.need.prompt_row
        prompt = prompt_cycles(self.shape, self.wafer, self.grid, tokens, stages=self.stages, most_rows=rows)
        layer = sum(layer_parts(self.shape, self.grid, self.context, self.wafer.lanes).values())
        return (prompt + self.token_cycles - self.shape.layers * layer) / self.wafer.clock


def place(
    shape: Shape,
    wafer: Wafer,
    *,
    grid: int | None = None,
    context: int = 4096,
    bits: int = 16,
    wafers: int | None = None,
    aim: Literal["token", "prompt"] = "token",
) -> Placement:
    """Place a model on as few wafers as hold it, on the grid that makes a token, or a prompt, fastest.

    Args: grid: the side of a region; searched for when None. context: tokens. bits: 8 or 16. wafers: at most so many.
        aim: a prompt of `context` tokens is spread over all of the wafers.
    Raises: UsageError: it does not fit, or one of these makes no sense.
    """
    check_size(context, bits)
    if grid is not None:
        check_grid(wafer, grid)
    if wafers is not None and wafers < 1:
        raise UsageError(f"{wafers} wafers: give at least 1")
    grids = range(1, wafer.largest_grid + 1) if grid is None else (grid,)
    placed = [filled for side in grids if (filled := _fill(shape, wafer, side, context, bits))]
    found = _best(placed, aim)
    if found is None:
        raise UsageError(_too_narrow(shape, wafer, grid, context, bits))
    if wafers is not None and found.wafers > wafers:
        on = f"grids of {grid} x {grid}" if grid else "the best grid"
        raise UsageError(
            f"{shape.name} at {bits} bits with {context:,} tokens takes {found.wafers:,} {wafer.name} on {on}, "
            f"not {wafers}; give more wafers, fewer bits or a shorter context"
        )
    return found


def check_size(context: int, bits: int) -> None:
    """Refuse a cache or weights that make no sense. Raises: UsageError: it is so."""
    if not 1 <= context <= MOST_CONTEXT:
        raise UsageError(f"a context of {context:,} tokens: give 1 to {MOST_CONTEXT:,}")
    if bits not in _BITS:
        raise UsageError(f"weights of {bits} bits: choose 8 or 16")


def _too_narrow(shape: Shape, wafer: Wafer, grid: int | None, context: int, bits: int) -> str:
    at = grid or wafer.largest_grid
    need = Need.of(shape, at, context, bits)
    return (
        f"{shape.name} does not fit: one layer takes {need.layer + need.fixed:,} of {wafer.sram:,} bytes on each of "
        f"{at} x {at} PEs; give a larger grid, fewer bits or a shorter context"
    )


def _best(placed: Sequence[Placement], aim: str) -> Placement | None:
    """Of those on the fewest wafers, each with its regions as evenly filled as can be, the fastest one."""
    fewest = min((each.wafers for each in placed), default=0)
    fitting = [each for each in placed if each.wafers == fewest]
    if aim == "token":
        levelled = (_levelled(each, len(each.regions)) for each in fitting)
        return min(levelled, key=lambda each: each.token_cycles, default=None)
    spread = (_levelled(each, fewest * _slots(each.wafer, each.grid)) for each in fitting)
    return min(spread, key=lambda each: each.prompt_seconds(each.context), default=None)


def _fill(shape: Shape, wafer: Wafer, grid: int, context: int, bits: int) -> Placement | None:
    """Place a model in the fewest regions of a size; None: a layer does not fit into one."""
    need = Need.of(shape, grid, context, bits)
    contents = _contents(shape.layers, need, wafer.sram)
    if contents is None:
        return None
    return Placement(shape, wafer, grid, context, bits, need, tuple(_regions(contents, wafer, grid, need)))


def _levelled(placement: Placement, most: int) -> Placement:
    """The same on up to `most` regions, with the fullest PE as empty as these allow."""
    need = placement.need
    low, high = 0, placement.used
    while low < high:
        tried = _contents(placement.shape.layers, need, middle := (low + high) // 2)
        low, high = (low, middle) if tried and len(tried) <= most else (middle + 1, high)
    contents = _contents(placement.shape.layers, need, high)
    assert contents is not None
    return replace(placement, regions=tuple(_regions(contents, placement.wafer, placement.grid, need)))


def _slots(wafer: Wafer, grid: int) -> int:
    return (wafer.rows // grid) * (wafer.columns // grid)


def _contents(layers: int, need: Need, sram: int) -> list[tuple[int, int, int]] | None:
    """(rows of the embedding, layers, rows of the head) of each region, filled in order; None: a layer is too big."""
    room = sram - need.fixed
    if room < max(need.layer, need.vocab_row):
        return None
    left = [need.vocab_rows, layers, need.vocab_rows]
    sizes = need.vocab_row, need.layer, need.vocab_row
    regions = []
    while any(left):
        free, taken = room, [0, 0, 0]
        for kind, size in enumerate(sizes):
            taken[kind] = min(left[kind], free // size)
            free -= taken[kind] * size
            left[kind] -= taken[kind]
            if left[kind]:
                break
        regions.append((taken[0], taken[1], taken[2]))
    return regions


def _regions(contents: list[tuple[int, int, int]], wafer: Wafer, grid: int, need: Need) -> Iterator[WaferRegion]:
    """Regions in the order a token meets them: along a row, and back along the next one."""
    across = wafer.columns // grid
    first = 0
    for number, (embedding, layers, head) in enumerate(contents):
        board, slot = divmod(number, _slots(wafer, grid))
        down, along = divmod(slot, across)
        column = along if down % 2 == 0 else across - 1 - along
        used = need.fixed + layers * need.layer + (embedding + head) * need.vocab_row
        yield WaferRegion(board, down * grid, column * grid, first, layers, embedding, head, used)
        first += layers


def capacity(placement: Placement) -> int:
    """Tokens that the cache could hold with the same grid and no more wafers, moved up the rows as it fills."""
    low, high = placement.context, MOST_CONTEXT
    while low < high:
        middle = (low + high + 1) // 2
        tried = _fill(placement.shape, placement.wafer, placement.grid, middle, placement.bits)
        low, high = (middle, high) if tried and tried.wafers <= placement.wafers else (low, middle - 1)
    return low
