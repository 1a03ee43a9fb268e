"""What a device would do with a model: seconds, tokens and joules, from the closed forms."""

from dataclasses import dataclass
from math import ceil

from spark_tui.errors import UsageError
from spark_tui.wafer import costs
from spark_tui.wafer.constants import CODE_RESERVE, ELEMENT_BYTES, PRODUCT_EFFICIENCY, PROMPT_BANDWIDTH, PROMPT_COMPUTE
from spark_tui.wafer.devices import Gpu, Stack, Wafer
from spark_tui.wafer.shapes import Shape

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
