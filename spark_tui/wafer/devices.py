"""Wafers and GPUs as data, each number with its source."""

from dataclasses import dataclass

from spark_tui.errors import UsageError


@dataclass(frozen=True, slots=True)
class Wafer:
    """A wafer-scale device.

    Args: rows, columns: PEs that programs may use. sram: bytes a PE. clock: Hz. lanes: fp16 multiply-adds a PE and
        cycle. watts: what it draws. link_bandwidth: bytes/s between two wafers. source: where this is said.
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
class Stack:
    """The software that serves a model on GPUs, as a roofline with overheads.

    Args: efficiency: share of the memory bandwidth that is reached. layer_seconds: overhead of a layer.
        allreduce_seconds: of one small allreduce within a node; between_nodes_seconds: over several nodes.
        compute: share of the peak flops that a prompt reaches. bulk: seconds of a prompt's allreduce beside its
        bytes, within a node and over several; bulk_bandwidth: its bytes/s.
        gemv_efficiency: share of the bandwidth in one large product; gemv_seconds: what is beside it on one GPU,
        on a node, and over several nodes.
    """

    name: str
    efficiency: float
    layer_seconds: float
    allreduce_seconds: float
    between_nodes_seconds: float
    source: str
    compute: float = 0.675
    bulk: tuple[float, float] = (1.9e-3, 3.1e-3)
    bulk_bandwidth: float = 26e9
    gemv_efficiency: float = 0.883
    gemv_seconds: tuple[float, float, float] = (37e-6, 205e-6, 283e-6)


_WAFERS = (
    Wafer("wse2", 750, 994, 48 * 1024, 1.1e9, 4, 15_000, 150e9, "csl-examples (757 x 996 less I/O); Hot Chips 34"),
    Wafer("wse3", 755, 1170, 48 * 1024, 1.1e9, 8, 23_000, 150e9, "ALCF CS-3 (762 x 1172 less I/O); CSL documentation"),
)
_GPUS = (
    Gpu("a100", 2.039e12, 80e9, 312e12, 400, "NVIDIA A100 80GB SXM data sheet"),
    Gpu("h100", 3.35e12, 80e9, 989e12, 700, "NVIDIA H100 SXM data sheet"),
    Gpu("h200", 4.8e12, 141e9, 989e12, 700, "NVIDIA H200 data sheet"),
)
# The defaults of a stack are calibrated on WaferLLM's A100 rows: tables 3 (prompts) and 6 (products).
_STACKS = (
    Stack("sglang", 0.72, 76e-6, 3.5e-6, 47e-6, "calibrated on WaferLLM table 4, A100"),
    Stack("gpt-fast", 0.80, 50e-6, 7.5e-6, 47e-6, "calibrated on gpt-fast's README, A100"),
)
WAFERS = {device.name: device for device in _WAFERS}
GPUS = {device.name: device for device in _GPUS}
STACKS = {stack.name: stack for stack in _STACKS}


def device_named(name: str) -> Wafer | Gpu:
    """A device by its name. Raises: UsageError: there is none of that name."""
    found = WAFERS.get(name.lower()) or GPUS.get(name.lower())
    if found is None:
        raise UsageError(f"no device {name!r} is known; choose one of {', '.join([*WAFERS, *GPUS])}")
    return found
