"""A whole token and a whole prompt on regions of PEs: the layers, and what WaferLLM's tables leave out.

That is the embedding, the LM head, choosing a token, handing over from region to region and from wafer to wafer. Of
the links between wafers only the bytes are counted: how long a wafer takes to answer is not published.
"""

from collections.abc import Sequence
from math import ceil

from spark_tui.wafer import costs
from spark_tui.wafer.collective_costs import CALIBRATED, two_tree_drain
from spark_tui.wafer.constants import ELEMENT_BYTES, HOP, ISSUE, THROUGH_PE, WAVELET
from spark_tui.wafer.devices import Wafer
from spark_tui.wafer.shapes import Shape


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
