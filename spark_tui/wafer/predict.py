"""What a device would do with a model: seconds, tokens and joules, from the closed forms."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from spark_tui.errors import UsageError
from spark_tui.wafer import costs
from spark_tui.wafer.collective_costs import CALIBRATED, two_tree_drain
from spark_tui.wafer.constants import (
    CODE_RESERVE,
    ELEMENT_BYTES,
    HOP,
    ISSUE,
    PRODUCT_EFFICIENCY,
    PROMPT_BANDWIDTH,
    PROMPT_COMPUTE,
    THROUGH_PE,
    WAVELET,
)
from spark_tui.wafer.machine import Gpu, Shape, Stack, Wafer

_MOST_STEPS = 4096
"""Contexts that a long answer is counted at; on a very small grid not every one of them."""


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast something runs. `layer_cycles`: of one layer and token (or prompt); `seconds`: of the whole model."""

    layer_cycles: float
    seconds: float
    tokens: int

    @property
    def tokens_per_second(self) -> float:
        """Tokens a second."""
        return self.tokens / self.seconds


def check_grid(wafer: Wafer, grid: int) -> None:
    """Refuse a grid that is none. Raises: UsageError: no PEs, or more than the wafer has."""
    if not 1 <= grid <= wafer.largest_grid:
        raise UsageError(f"a grid of {grid} x {grid} PEs: {wafer.name} takes 1 to {wafer.largest_grid} a side")


def decode(shape: Shape, wafer: Wafer, grid: int, context: int) -> Speed:
    """One token behind `context` others, layer after layer: what WaferLLM timed."""
    check_grid(wafer, grid)
    cycles = costs.decode_layer(shape, grid, context, wafer.lanes)
    return Speed(cycles, cycles * shape.layers / wafer.clock, 1)


def prefill(shape: Shape, wafer: Wafer, grid: int, tokens: int) -> Speed:
    """A prompt of so many tokens, layer after layer; a short one token by token where that is faster."""
    check_grid(wafer, grid)
    one_by_one = tokens * costs.decode_layer(shape, grid, tokens, wafer.lanes)
    cycles = min(costs.prefill_layer(shape, grid, tokens, wafer.lanes), one_by_one)
    return Speed(cycles, cycles * shape.layers / wafer.clock, tokens)


def request(shape: Shape, wafer: Wafer, grids: tuple[int, int], prompt: int, output: int) -> Speed:
    """A whole request: its prompt on one grid, then token after token on another, the context growing.

    Args: grids: for prefill and for decode. Returns: `tokens` are those written.
    """
    first = prefill(shape, wafer, grids[0], prompt)
    contexts = _contexts(prompt, output, grids[1])
    rest = sum(decode(shape, wafer, grids[1], length).seconds * count for length, count in contexts)
    return Speed(first.layer_cycles, first.seconds + rest, output)


def _contexts(prompt: int, output: int, grid: int) -> list[tuple[int, int]]:
    """(context, tokens decoded at its cost): the cost changes where another position is needed on every PE."""
    width = grid * max(1, output // grid // _MOST_STEPS)
    ends = range(grid * (prompt // grid) + width, prompt + output + width, width)
    starts = [prompt, *ends]
    return [(start, min(stop, prompt + output) - start) for start, stop in zip(starts, ends, strict=False)]


def gemv(wafer: Wafer, grid: int, size: int) -> Speed:
    """A vector times a square matrix, the sums left where they meet."""
    check_grid(wafer, grid)
    tile = ceil(size / grid)
    cycles = tile * costs.vector(tile, wafer.lanes) + costs.reduce(grid, tile)
    return Speed(cycles, cycles / wafer.clock, 1)


def kv_capacity(shape: Shape, wafer: Wafer) -> int:
    """Tokens whose keys and values fit beside the weights, spread evenly over the wafer (shift-based cache)."""
    free = wafer.pes * (wafer.sram - CODE_RESERVE) - shape.parameters * ELEMENT_BYTES
    return max(0, int(free // (2 * shape.layers * shape.kv_dim * ELEMENT_BYTES)))


def needed_bytes(shape: Shape, context: int) -> int:
    """Bytes of a model at 16 bits, with keys and values of so many tokens."""
    return ELEMENT_BYTES * (shape.parameters + 2 * shape.layers * shape.kv_dim * context)


def gpu_token(shape: Shape, gpu: Gpu, stack: Stack, context: float, gpus: int = 1, nodes: int = 1) -> float:
    """Seconds of a decoded token on `nodes` nodes with `gpus` GPUs each: weights and cache streamed, and overheads.

    Args: context: tokens in the cache, of several decoded ones their mean.
    """
    read = ELEMENT_BYTES * (shape.streamed + 2 * shape.layers * shape.kv_dim * context)
    streaming = read / (gpus * nodes * gpu.bandwidth * stack.efficiency)
    return streaming + shape.layers * (stack.layer_seconds + 2 * stack.link(gpus, nodes).allreduce)


def gpu_prompt(shape: Shape, gpu: Gpu, stack: Stack, tokens: int, gpus: int = 1, nodes: int = 1) -> float:
    """Seconds of a prompt on GPUs: arithmetic at a share of the peak, and two allreduces a layer.

    A short one takes as long as a decoded token: the weights have to be read.
    """
    attention = 2 * shape.layers * shape.q_dim * tokens * tokens
    flops = 2 * shape.layers * shape.layer_parameters * tokens + attention
    allreduce, devices = 0.0, gpus * nodes
    if devices > 1:
        link = stack.link(gpus, nodes)
        allreduce = link.allreduce + tokens * (link.row + shape.dim * ELEMENT_BYTES / PROMPT_BANDWIDTH)
    computing = flops / (devices * gpu.flops * PROMPT_COMPUTE) + 2 * shape.layers * allreduce
    return max(computing, gpu_token(shape, gpu, stack, tokens, gpus, nodes))


def gpu_gemv(gpu: Gpu, stack: Stack, size: int, gpus: int = 1, nodes: int = 1) -> float:
    """Seconds of a vector times a square matrix on GPUs."""
    streaming = size * size * ELEMENT_BYTES / (gpus * nodes * gpu.bandwidth * PRODUCT_EFFICIENCY)
    return streaming + stack.link(gpus, nodes).product


def energy_ratio(gpu: Gpu, wafer: Wafer, gpu_seconds: float, wafer_seconds: float, devices: int) -> float:
    """Joules of the GPUs over joules of the wafer for the same work. Source: WaferLLM, tables 6 to 8."""
    return devices * gpu.watts * gpu_seconds / (wafer.watts * wafer_seconds)


def layer_parts(shape: Shape, grid: int, context: int, lanes: int) -> dict[str, float]:
    """What the cycles of `costs.decode_layer` go to; they add up to it."""
    tiles = costs.Tiles.of(shape, grid, context)
    operations = sum(given for given, _ in tiles.products) + len(tiles.vectors)
    products = sum(given * costs.vector(made, lanes) for given, made in tiles.products)
    vectors = products + sum(costs.vector(length, lanes) for length in tiles.vectors)
    words = sum(two_tree_drain(grid, costs.wavelets(elements), CALIBRATED) for elements in tiles.reduced)
    return {
        "issue of operations": operations * ISSUE,
        "arithmetic": vectors - operations * ISSUE,
        "words on links": words,
        "reduction depth": costs.decode_layer(shape, grid, context, lanes) - vectors - words,
    }


def token_parts(
    shape: Shape, wafer: Wafer, grid: int, context: int, *, regions: int, wafers: int, heads: Sequence[int]
) -> dict[str, float]:
    """What the cycles of a whole token go to.

    Args: regions, wafers: it goes through. heads: rows of the LM head on each PE, of the regions that have some.
    """
    layers = layer_parts(shape, grid, context, wafer.lanes)
    crossing = shape.dim * ELEMENT_BYTES / wafer.link_bandwidth * wafer.clock + wafer.rows + wafer.columns
    return {
        **{name: cycles * shape.layers for name, cycles in layers.items()},
        "hand-over between regions": (regions - 1) * hand_over(shape, grid, 1),
        "links between wafers": wafers * crossing if wafers > 1 else 0.0,
        "LM head and sampling": sum(head_cycles(shape, grid, rows, wafer.lanes) for rows in heads),
        "embedding and way back": hand_over(shape, grid, 1) + wafer.rows + wafer.columns,
    }


def hand_over(shape: Shape, grid: int, rows: int) -> float:
    """Cycles until the hidden states of `rows` tokens a PE row are where the next region needs them."""
    return grid * HOP + THROUGH_PE + WAVELET * costs.wavelets(rows * ceil(shape.dim / grid))


def head_cycles(shape: Shape, grid: int, rows: int, lanes: int) -> float:
    """The last norm, the product with some rows of the LM head, and the largest logit with its token."""
    dim = ceil(shape.dim / grid)
    norm = 2 * costs.vector(dim, lanes) + costs.allreduce(grid, 1)
    product = dim * costs.vector(rows, lanes) + costs.allreduce(grid, rows)
    return norm + product + costs.vector(rows, lanes) + costs.allreduce(grid, 4)


def prompt_cycles(
    shape: Shape, wafer: Wafer, grid: int, tokens: int, *, stages: Sequence[int], most_rows: int
) -> float:
    """Cycles until the last token of a prompt has left the last region.

    The prompt goes through the regions in pieces, as many as make it fastest, or token by token as an answer does:
    while one region has the second piece, the next one has the first.

    Args: stages: layers of each region. most_rows: tokens a PE row has room for.
    """
    rows = ceil(tokens / grid)
    allowed = {min(most_rows, ceil(rows / (1 << halving))) for halving in range(rows.bit_length())}
    singly = _in_line(tokens, costs.decode_layer(shape, grid, tokens, wafer.lanes), hand_over(shape, grid, 1), stages)
    return min(singly, *(_in_pieces(shape, wafer, grid, tokens, size, stages) for size in allowed))


def _in_pieces(shape: Shape, wafer: Wafer, grid: int, tokens: int, rows: int, stages: Sequence[int]) -> float:
    pieces = ceil(tokens / (rows * grid))
    return _in_line(pieces, _piece(shape, grid, rows, tokens, wafer.lanes), hand_over(shape, grid, rows), stages)


def _in_line(pieces: int, layer: float, over: float, stages: Sequence[int]) -> float:
    """The first piece goes through every region; the others follow at the pace of the slowest one."""
    return sum(stages) * layer + len(stages) * over + (pieces - 1) * (max(stages) * layer + over)


def _piece(shape: Shape, grid: int, rows: int, context: int, lanes: int) -> float:
    """A piece of a prompt through one layer; attention over the whole context, which is more than early pieces have."""
    tokens = min(rows * grid, context)
    alone, whole = (_attention(shape, grid, rows, length, lanes) for length in (tokens, context))
    return costs.prefill_layer(shape, grid, tokens, lanes) + whole - alone


def _attention(shape: Shape, grid: int, rows: int, context: int, lanes: int) -> float:
    """Scores and values of some rows over a context."""
    tiles = costs.Tiles.of(shape, grid, context)
    moved = rows * tiles.scores, tiles.kv * tiles.context
    products = sum(costs.gemm(grid, rows, given, made, lanes, moved) for given, made in tiles.products[3:5])
    return products + rows * 4 * costs.vector(tiles.scores, lanes)
