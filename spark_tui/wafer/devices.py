"""Wafers and GPUs as data, each number with its source."""

from dataclasses import dataclass

from spark_tui.errors import UsageError
from spark_tui.wafer import constants


@dataclass(frozen=True, slots=True)
class Wafer:
    """A wafer-scale device.

    Args: rows, columns: PEs that programs may use. sram: bytes a PE. clock: Hz. lanes: fp16 multiply-adds a PE and
        cycle. watts: what the wafer draws, its system left out. link_bandwidth: bytes/s between two wafers.
        source: where this is said.
    """

    name: str
    rows: int
    columns: int
    sram: int
    clock: float
    lanes: int
    watts: float
    link_bandwidth: float
    source: str

    @property
    def pes(self) -> int:
        """PEs that programs may use."""
        return self.rows * self.columns

    @property
    def largest_grid(self) -> int:
        """The side of the largest square of PEs."""
        return min(self.rows, self.columns)


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU. Args: bandwidth: bytes/s of its memory. memory: bytes. flops: fp16, dense. watts: as WaferLLM takes it."""

    name: str
    bandwidth: float
    memory: float
    flops: float
    watts: float
    source: str


@dataclass(frozen=True, slots=True)
class Link:
    """What joins GPUs, as software uses it.

    Args: allreduce: seconds of a small allreduce. row: seconds that each token adds to one beside its bytes.
        product: seconds of adding up one large product.
    """

    allreduce: float
    row: float
    product: float


@dataclass(frozen=True, slots=True)
class Stack:
    """The software that serves a model on GPUs, as a roofline with overheads.

    Args: efficiency: share of the memory bandwidth that is reached. layer_seconds: overhead of a layer.
        within, between: what joins the GPUs of a node, and several nodes.
    """

    name: str
    efficiency: float
    layer_seconds: float
    within: Link
    between: Link

    def link(self, gpus: int, nodes: int) -> Link:
        """What joins so many GPUs a node on so many nodes: nothing where it is one GPU."""
        return self.between if nodes > 1 else self.within if gpus > 1 else Link(0.0, 0.0, 0.0)


# WSE-2's watts follow from WaferLLM's energy ratios, WSE-3's are assumed equal. A whole CS-2 or CS-3 draws 23 kW.
_WAFERS = (
    Wafer("wse2", 750, 994, 48 * 1024, 1.1e9, 4, 15_000, 150e9, "csl-examples (757 x 996 less I/O); Hot Chips 34"),
    Wafer("wse3", 755, 1170, 48 * 1024, 1.1e9, 8, 15_000, 150e9, "ALCF CS-3 (762 x 1172 less I/O); CSL documentation"),
)
_GPUS = (
    Gpu("a100", 2.039e12, 80e9, 312e12, 400, "NVIDIA A100 80GB SXM data sheet"),
    Gpu("h100", 3.35e12, 80e9, 989e12, 700, "NVIDIA H100 SXM data sheet"),
    Gpu("h200", 4.8e12, 141e9, 989e12, 700, "NVIDIA H200 data sheet"),
)
_BETWEEN = Link(
    constants.NODES_ALLREDUCE_SECONDS, constants.NODES_PROMPT_ROW_SECONDS, constants.NODES_PRODUCT_REDUCE_SECONDS
)


def _stack(name: str, efficiency: float, layer_seconds: float, allreduce: float) -> Stack:
    within = Link(allreduce, constants.PROMPT_ROW_SECONDS, constants.PRODUCT_REDUCE_SECONDS)
    return Stack(name, efficiency, layer_seconds, within, _BETWEEN)


_STACKS = (
    _stack("sglang", constants.SGLANG_EFFICIENCY, constants.SGLANG_LAYER_SECONDS, constants.SGLANG_ALLREDUCE_SECONDS),
    _stack(
        "gpt-fast",
        constants.GPT_FAST_EFFICIENCY,
        constants.GPT_FAST_LAYER_SECONDS,
        constants.GPT_FAST_ALLREDUCE_SECONDS,
    ),
)
WAFERS = {device.name: device for device in _WAFERS}
GPUS = {device.name: device for device in _GPUS}
STACKS = {stack.name: stack for stack in _STACKS}


def device_named(name: str) -> Wafer | Gpu:
    """A device by its name. Raises: UsageError: there is none of that name."""
    found = WAFERS.get(name.lower()) or GPUS.get(name.lower())
    if found is None:
        raise UsageError(f"unknown device {name!r}; choose one of {', '.join([*WAFERS, *GPUS])}")
    return found
