"""What a device would do with a model: seconds, tokens and joules, from the closed forms."""

from dataclasses import dataclass
from math import ceil

from spark_tui.errors import UsageError
from spark_tui.wafer import costs
from spark_tui.wafer.constants import CODE_RESERVE, ELEMENT_BYTES
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
    """A prompt of so many tokens, layer after layer."""
    check_grid(wafer, grid)
    cycles = costs.prefill_layer(shape, grid, tokens, wafer.lanes)
    return Speed(cycles, cycles * shape.layers / wafer.clock, tokens)


def request(shape: Shape, wafer: Wafer, grids: tuple[int, int], prompt: int, output: int) -> Speed:
    """A whole request: its prompt on one grid, then token after token on another, the context growing.

    Args: grids: for prefill and for decode. Returns: `tokens` are those written.
    """
    first = prefill(shape, wafer, grids[0], prompt)
    rest = sum(
        decode(shape, wafer, grids[1], length).seconds * count for length, count in _contexts(prompt, output, grids[1])
    )
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


def gpu_token(shape: Shape, gpu: Gpu, stack: Stack, gpus: int = 1, nodes: int = 1) -> float:
    """Seconds of a decoded token on `nodes` nodes with `gpus` GPUs each: a roofline with overheads."""
    devices = gpus * nodes
    streaming = shape.streamed * ELEMENT_BYTES / (devices * gpu.bandwidth * stack.efficiency)
    allreduce = stack.between_nodes_seconds if nodes > 1 else stack.allreduce_seconds if gpus > 1 else 0.0
    return streaming + shape.layers * (stack.layer_seconds + 2 * allreduce)


def gpu_prompt(shape: Shape, gpu: Gpu, stack: Stack, tokens: int, gpus: int = 1, nodes: int = 1) -> float:
    """Seconds of a prompt on GPUs: arithmetic at a share of the peak, and two allreduces a layer."""
    devices = gpus * nodes
    attention = 2 * shape.layers * shape.q_dim * tokens * tokens
    flops = 2 * shape.layers * shape.layer_parameters * tokens + attention
    allreduce = 0.0
    if devices > 1:
        allreduce = stack.bulk[nodes > 1] + tokens * shape.dim * ELEMENT_BYTES / stack.bulk_bandwidth
    return flops / (devices * gpu.flops * stack.compute) + 2 * shape.layers * allreduce


def gpu_gemv(gpu: Gpu, stack: Stack, size: int, gpus: int = 1, nodes: int = 1) -> float:
    """Seconds of a vector times a square matrix on GPUs."""
    beside = stack.gemv_seconds[2 if nodes > 1 else int(gpus > 1)]
    return beside + size * size * ELEMENT_BYTES / (gpus * nodes * gpu.bandwidth * stack.gemv_efficiency)


def energy_ratio(gpu: Gpu, wafer: Wafer, gpu_seconds: float, wafer_seconds: float, devices: int) -> float:
    """Joules of the GPUs over joules of the wafer for the same work. Source: WaferLLM, tables 6 to 8."""
    return devices * gpu.watts * gpu_seconds / (wafer.watts * wafer_seconds)
