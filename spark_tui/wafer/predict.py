"""Predict from closed forms what a device does with a model: seconds, tokens and joules.

Times on wafers come in two kinds. `decode`, `prefill` and `request` are the time of a layer times
the number of layers, as in WaferLLM's tables. `token_parts` and `prompt_cycles` are whole tokens
and prompts on regions of PEs, with everything that these tables leave out: embedding, LM head,
sampling, and the ways from region to region and from wafer to wafer. Only the bytes count for the
links between wafers, since no latency is published. GPUs are rooflines with overheads.

Source of the tables: WaferLLM, OSDI 2025, arXiv:2502.04563.
"""

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
from spark_tui.wafer.machine import Gpu, ModelShape, Stack, Wafer

_MOST_STEPS = 4096
"""Contexts at which a long answer is costed; a very small grid would have many more."""


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast something runs.

    Attributes:
        layer_cycles: Cycles of one layer, for a token or for a prompt.
        seconds: Of the whole model.
        tokens: Tokens in that time.
    """

    layer_cycles: float
    seconds: float
    tokens: int

    @property
    def tokens_per_second(self) -> float:
        """Tokens/s."""
        return self.tokens / self.seconds


def check_grid(wafer: Wafer, grid: int) -> None:
    """Refuse a grid without PEs, or with more than the wafer has.

    Raises:
        UsageError: The wafer has no such grid.
    """
    if not 1 <= grid <= wafer.largest_grid:
        sides = f"{wafer.name} takes 1 to {wafer.largest_grid} a side"
        raise UsageError(f"a grid of {grid} x {grid} PEs: {sides}")


def decode(shape: ModelShape, wafer: Wafer, grid: int, context: int) -> Speed:
    """Predict one token in a context of `context`, layer after layer, as WaferLLM timed it."""
    check_grid(wafer, grid)
    cycles = costs.decode_layer(shape, grid, context, wafer.lanes)
    return Speed(cycles, cycles * shape.layers / wafer.clock, 1)


def prefill(shape: ModelShape, wafer: Wafer, grid: int, tokens: int) -> Speed:
    """Predict a prompt, layer after layer; a short one token by token where that is faster."""
    check_grid(wafer, grid)
    at_once = costs.prefill_layer(shape, grid, tokens, wafer.lanes)
    one_by_one = tokens * costs.decode_layer(shape, grid, tokens, wafer.lanes)
    cycles = min(at_once, one_by_one)
    return Speed(cycles, cycles * shape.layers / wafer.clock, tokens)


def request(
    shape: ModelShape, wafer: Wafer, grids: tuple[int, int], prompt: int, output: int
) -> Speed:
    """Predict a request: its prompt on one grid, then its answer on another, token by token.

    Args:
        shape: The model.
        wafer: The device.
        grids: For the prompt, and for the answer.
        prompt: Tokens of the prompt.
        output: Tokens of the answer.

    Returns:
        The speed in tokens of the answer.
    """
    prompt_grid, answer_grid = grids
    first = prefill(shape, wafer, prompt_grid, prompt)
    answer_seconds = 0.0
    for context, count in answer_contexts(prompt, output, answer_grid):
        answer_seconds += decode(shape, wafer, answer_grid, context).seconds * count
    return Speed(first.layer_cycles, first.seconds + answer_seconds, output)


def answer_contexts(prompt: int, output: int, grid: int) -> list[tuple[int, int]]:
    """Group the tokens of an answer by cost.

    The cost changes where every PE has to hold another position.

    Returns:
        (context, tokens at its cost), in order.
    """
    # A mesh of P rows takes P tokens before one PE holds a position more.
    width = grid * max(1, output // grid // _MOST_STEPS)
    end = prompt + output
    stops = range(grid * (prompt // grid) + width, end + width, width)
    starts = [prompt, *stops]
    return [(start, min(stop, end) - start) for start, stop in zip(starts, stops, strict=False)]


def gemv(wafer: Wafer, grid: int, size: int) -> Speed:
    """Predict a vector times a square matrix; the sums stay where they meet."""
    check_grid(wafer, grid)
    # One vector operation of the tile's width for each input on a PE, then the sums of a line.
    tile = ceil(size / grid)
    cycles = tile * costs.vector(tile, wafer.lanes) + costs.reduce(grid, tile)
    return Speed(cycles, cycles / wafer.clock, 1)


def kv_capacity(shape: ModelShape, wafer: Wafer) -> int:
    """Return the tokens whose keys and values fit beside the weights, spread over all PEs."""
    free = wafer.pes * (wafer.sram - CODE_RESERVE) - shape.parameters * ELEMENT_BYTES
    token = 2 * shape.layers * shape.kv_dim * ELEMENT_BYTES
    return max(0, int(free // token))


def needed_bytes(shape: ModelShape, context: int) -> int:
    """Return the bytes of a model at 16 bits together with a cache of `context` tokens."""
    cache = 2 * shape.layers * shape.kv_dim * context
    return ELEMENT_BYTES * (shape.parameters + cache)


def layer_parts(shape: ModelShape, grid: int, context: int, lanes: int) -> dict[str, float]:
    """Split the cycles of `costs.decode_layer` by what they go to.

    Returns:
        Part -> cycles; together those of the layer.
    """
    tiles = costs.Tiles.of(shape, grid, context)
    operations = sum(k for k, _ in tiles.products) + len(tiles.vectors)
    products = sum(k * costs.vector(n, lanes) for k, n in tiles.products)
    vectors = products + sum(costs.vector(elements, lanes) for elements in tiles.vectors)
    words = 0.0
    for elements in tiles.reduced:
        words += two_tree_drain(grid, costs.wavelets(elements), CALIBRATED)
    return {
        "issue of operations": operations * ISSUE,
        "arithmetic": vectors - operations * ISSUE,
        "words on links": words,
        # What is left: hops, ramps and additions of first words, and the shifts.
        "reduction depth": costs.decode_layer(shape, grid, context, lanes) - vectors - words,
    }


def token_parts(
    shape: ModelShape,
    wafer: Wafer,
    grid: int,
    context: int,
    *,
    regions: int,
    wafers: int,
    heads: Sequence[int],
) -> dict[str, float]:
    """Split the cycles of a whole token by what they go to.

    Args:
        shape: The model.
        wafer: The device.
        grid: Side of a region.
        context: Tokens in the cache.
        regions: Regions that the token goes through.
        wafers: Wafers that the token goes through.
        heads: Rows of the LM head on each PE, for the regions that have some.

    Returns:
        Part -> cycles.
    """
    parts = layer_parts(shape, grid, context, wafer.lanes)
    token = {name: cycles * shape.layers for name, cycles in parts.items()}
    between_wafers = 0.0
    if wafers > 1:
        hidden_bytes = shape.dim * ELEMENT_BYTES
        transfer = hidden_bytes / wafer.link_bandwidth * wafer.clock
        # For each wafer one link, the one back to the first wafer included, and the way across the
        # wafer, at most from corner to corner.
        between_wafers = wafers * (transfer + wafer.rows + wafer.columns)
    to_next_region = hand_over(shape, grid, 1)
    token["hand-over between regions"] = (regions - 1) * to_next_region
    token["links between wafers"] = between_wafers
    head = sum(head_cycles(shape, grid, rows, wafer.lanes) for rows in heads)
    token["LM head and sampling"] = head
    token["embedding and way back"] = to_next_region + wafer.rows + wafer.columns
    return token


def hand_over(shape: ModelShape, grid: int, rows: int) -> float:
    """Return the cycles until hidden states lie where the next region needs them.

    Args:
        shape: The model.
        grid: Side of a region.
        rows: Tokens on each PE row.
    """
    words = costs.wavelets(rows * ceil(shape.dim / grid))
    # The first word crosses a region and enters a PE; the others follow in a stream.
    return grid * HOP + THROUGH_PE + WAVELET * words


def head_cycles(shape: ModelShape, grid: int, rows: int, lanes: int) -> float:
    """Return the cycles of the last norm, of the LM head and of the choice of a token.

    Args:
        shape: The model.
        grid: Side of the region.
        rows: Rows of the LM head on each PE.
        lanes: fp16 multiply-adds per PE and cycle.
    """
    dim = ceil(shape.dim / grid)
    norm = 2 * costs.vector(dim, lanes) + costs.allreduce(grid, 1)
    product = dim * costs.vector(rows, lanes) + costs.allreduce(grid, rows)
    # The largest logit travels with its token: four elements of 16 bits.
    return norm + product + costs.vector(rows, lanes) + costs.allreduce(grid, 4)


def prompt_cycles(
    shape: ModelShape,
    wafer: Wafer,
    grid: int,
    tokens: int,
    *,
    stages: Sequence[int],
    most_rows: int,
) -> float:
    """Return the cycles until the last token of a prompt has left the last region.

    The prompt goes through the regions in pieces, as many as make it fastest, or token by token as
    an answer does. While one region has the second piece, the next one has the first.

    Args:
        shape: The model.
        wafer: The device.
        grid: Side of a region.
        tokens: Tokens of the prompt.
        stages: Layers of each region.
        most_rows: Tokens that a PE row has room for.
    """
    layer = costs.decode_layer(shape, grid, tokens, wafer.lanes)
    best = _pipeline_cycles(tokens, layer, hand_over(shape, grid, 1), stages)
    # More pieces fill the regions sooner, but each pays for its steps and hand-overs anew.
    all_rows = ceil(tokens / grid)
    halved = {ceil(all_rows / (1 << halving)) for halving in range(all_rows.bit_length())}
    for rows in {min(most_rows, size) for size in halved}:
        pieces = ceil(tokens / (rows * grid))
        layer = _piece_cycles(shape, grid, rows, tokens, wafer.lanes)
        cycles = _pipeline_cycles(pieces, layer, hand_over(shape, grid, rows), stages)
        best = min(best, cycles)
    return best


def _pipeline_cycles(pieces: int, layer: float, over: float, stages: Sequence[int]) -> float:
    """Return the cycles of a pipeline: the first piece, then the others at the slowest pace.

    Args:
        pieces: Pieces that go through every region.
        layer: Cycles of a piece in one layer.
        over: Cycles to hand a piece over to the next region.
        stages: Layers of each region.
    """
    first = sum(stages) * layer + len(stages) * over
    return first + (pieces - 1) * (max(stages) * layer + over)


def _piece_cycles(shape: ModelShape, grid: int, rows: int, context: int, lanes: int) -> float:
    """Return the cycles of a piece of a prompt in one layer.

    Every piece is charged for attention over the whole context, although early pieces have less.
    """
    # `prefill_layer` lets a piece attend to itself only; exchange that for the whole context.
    tokens = min(rows * grid, context)
    own = _attention_cycles(shape, grid, rows, tokens, lanes)
    whole = _attention_cycles(shape, grid, rows, context, lanes)
    return costs.prefill_layer(shape, grid, tokens, lanes) + whole - own


def _attention_cycles(shape: ModelShape, grid: int, rows: int, context: int, lanes: int) -> float:
    """Return the cycles of scores, softmax and values of `rows` tokens on each PE row.

    The allreduces of the softmax are left out. They do not depend on the context, so they would not
    change the difference that `_piece_cycles` takes.
    """
    tiles = costs.Tiles.of(shape, grid, context)
    moved = (rows * tiles.scores, tiles.kv * tiles.context)
    products = sum(costs.gemm(grid, rows, k, n, lanes, moved) for k, n in tiles.attention_products)
    return products + rows * 4 * costs.vector(tiles.scores, lanes)


def gpu_token(
    shape: ModelShape, gpu: Gpu, stack: Stack, context: float, gpus: int = 1, nodes: int = 1
) -> float:
    """Return the seconds of a decoded token on GPUs: streaming, and overheads of each layer.

    Args:
        shape: The model.
        gpu: The device.
        stack: Its software.
        context: Tokens in the cache; the mean of several decoded tokens.
        gpus: GPUs of a node.
        nodes: Nodes.
    """
    cache = 2 * shape.layers * shape.kv_dim * context
    read = ELEMENT_BYTES * (shape.streamed + cache)
    streaming = read / (gpus * nodes * gpu.bandwidth * stack.efficiency)
    # Two allreduces a layer, behind attention and behind the feed-forward network.
    layer = stack.layer_seconds + 2 * stack.link(gpus, nodes).allreduce
    return streaming + shape.layers * layer


def gpu_prompt(
    shape: ModelShape, gpu: Gpu, stack: Stack, tokens: int, gpus: int = 1, nodes: int = 1
) -> float:
    """Return the seconds of a prompt on GPUs: a share of peak flops, two allreduces a layer.

    A short prompt takes as long as a decoded token, since the weights have to be read.
    """
    devices = gpus * nodes
    # Scores and weighted values take 2 flops each for a pair of tokens and an element of a query;
    # the causal mask leaves half of the pairs.
    attention = 2 * shape.layers * shape.q_dim * tokens * tokens
    flops = 2 * shape.layers * shape.layer_parameters * tokens + attention
    allreduce = 0.0
    if devices > 1:
        link = stack.link(gpus, nodes)
        row = link.row + shape.dim * ELEMENT_BYTES / PROMPT_BANDWIDTH
        allreduce = link.allreduce + tokens * row
    arithmetic = flops / (devices * gpu.flops * PROMPT_COMPUTE)
    computing = arithmetic + 2 * shape.layers * allreduce
    return max(computing, gpu_token(shape, gpu, stack, tokens, gpus, nodes))


def gpu_gemv(gpu: Gpu, stack: Stack, size: int, gpus: int = 1, nodes: int = 1) -> float:
    """Return the seconds of a vector times a square matrix on GPUs."""
    matrix = size * size * ELEMENT_BYTES
    # Bound by memory: every weight is read once, each GPU has its share of them.
    streaming = matrix / (gpus * nodes * gpu.bandwidth * PRODUCT_EFFICIENCY)
    return streaming + stack.link(gpus, nodes).product


def energy_ratio(
    gpu: Gpu, wafer: Wafer, gpu_seconds: float, wafer_seconds: float, devices: int
) -> float:
    """Divide the joules of GPUs by those of a wafer for the same work.

    Source:
        WaferLLM, tables 6 to 8.
    """
    return devices * gpu.watts * gpu_seconds / (wafer.watts * wafer_seconds)
