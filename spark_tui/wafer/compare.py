"""One model on wafers and on GPUs: how fast, how soon, for how much power, and how sure that is.

Every figure is simulated, for one request at a time. What services were measured to reach stands beside it as context.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from spark_tui.errors import UsageError
from spark_tui.wafer.devices import GPUS, STACKS, WAFERS, Gpu, Wafer
from spark_tui.wafer.placement import check_size, place
from spark_tui.wafer.predict import gpu_prompt, gpu_token, needed_bytes
from spark_tui.wafer.published import CELLS
from spark_tui.wafer.shapes import Shape
from spark_tui.wafer.validate import validate

_UNCALIBRATED: Final = 0.25
"""How far off a device may be that nothing here was calibrated on: its clock, or its software, is not published."""
_GPUS_A_NODE: Final = (1, 8)
_STACK: Final = "sglang"
_WHY_NOT_SURE = {
    "wse3": "nothing calibrated on it; WSE-2's software costs, clock and watts assumed, twice the lanes",
    "h100": "software overheads taken from the A100",
    "h200": "software overheads taken from the A100",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A model on one or more devices.

    Args: count: how many devices. tokens_per_second: of one request, all of a token counted. first_token_seconds: for
        the prompt. watts: of all devices. uncertainty: a share of the speed. note: why it is unsure, or what is left
        out. fits: otherwise all figures are 0.
    """

    model: str
    device: str
    count: int
    tokens_per_second: float
    first_token_seconds: float
    watts: float
    uncertainty: float
    note: str
    fits: bool = True

    @property
    def tokens_per_joule(self) -> float:
        """Tokens for a joule."""
        return self.tokens_per_second / self.watts if self.watts else 0.0


@dataclass(frozen=True, slots=True)
class Service:
    """What a public service was measured, or said, to reach. `models`: the shapes it stands beside."""

    models: tuple[str, ...]
    speed: str
    note: str


SERVICES: Final = (
    Service(("llama3-8b",), "1,800 to 2,200 tokens/s", "Llama 3.1 8B, 16 bits, one CS-3 (Cerebras, 2024 and 2026)"),
    Service(
        ("llama3-70b",), "450 tokens/s", "Llama 3.1 70B, 16 bits, four CS-3, no speculative decoding (Cerebras, 2024)"
    ),
    Service(
        ("llama3-70b",),
        "170 ms to the first token",
        "the service of late 2024, queue and network included, for a prompt of unsaid length",
    ),
    Service(("llama3-8b",), "242 tokens/s", "the fastest H100 service of 2024, as Cerebras quotes it"),
    Service(("llama3-70b",), "128 tokens/s", "the fastest H100 service of 2024, as Cerebras quotes it"),
)
"""Published figures of services: network, queues and batches are in them, so they bound and do not validate."""


def compare(shape: Shape, *, context: int = 4096, bits: int = 16) -> list[Row]:
    """A model on every device. Args: context: tokens of the prompt and in the cache. bits: of a weight on a wafer.

    Raises: UsageError: a context or number of bits that makes no sense.
    """
    check_size(context, bits)
    sure = _worst_errors()
    wafers = [_on_wafers(shape, wafer, context, bits, sure["e2e"]) for wafer in WAFERS.values()]
    return [*wafers, *(_on_gpus(shape, gpu, n, context, sure["gpu"]) for gpu in GPUS.values() for n in _GPUS_A_NODE)]


@cache
def _worst_errors() -> dict[str, float]:
    """Set -> the largest error of its published cells, with a gate or without, on the stack that is compared."""
    worst: dict[str, float] = {}
    for each in validate(cell for cell in CELLS if cell.case.get("stack") in {None, _STACK}):
        worst[each.cell.set] = max(worst.get(each.cell.set, 0.0), abs(each.error))
    return worst


def _on_wafers(shape: Shape, wafer: Wafer, context: int, bits: int, sure: float) -> Row:
    """Prompt and answer each on the grid that suits it, as WaferLLM has it."""
    try:
        answer = place(shape, wafer, context=context, bits=bits)
        prompt = place(shape, wafer, context=context, bits=bits, aim="prompt")
    except UsageError:
        return _no_room(shape, wafer.name, 1, "a layer is larger than the wafer's memory")
    note = _WHY_NOT_SURE.get(wafer.name, "")
    return Row(
        model=shape.name,
        device=wafer.name,
        count=answer.wafers,
        tokens_per_second=answer.tokens_per_second,
        first_token_seconds=prompt.prompt_seconds(context),
        watts=answer.wafers * wafer.watts,
        uncertainty=_UNCALIBRATED if note else sure,
        note=note,
    )


def _on_gpus(shape: Shape, gpu: Gpu, count: int, context: int, sure: float) -> Row:
    if (needed := needed_bytes(shape, context)) > count * gpu.memory:
        have = count * gpu.memory / 1e9
        return _no_room(shape, gpu.name, count, f"takes {needed / 1e9:,.0f} GB of {have:,.0f} GB")
    note, stack = _WHY_NOT_SURE.get(gpu.name, ""), STACKS[_STACK]
    return Row(
        model=shape.name,
        device=gpu.name,
        count=count,
        tokens_per_second=1 / gpu_token(shape, gpu, stack, context, count),
        first_token_seconds=gpu_prompt(shape, gpu, stack, context, count),
        watts=count * gpu.watts,
        uncertainty=_UNCALIBRATED if note else sure,
        note=note,
    )


def _no_room(shape: Shape, device: str, count: int, note: str) -> Row:
    return Row(shape.name, device, count, 0.0, 0.0, 0.0, 0.0, note, fits=False)


def services(shape: Shape) -> list[Service]:
    """The published figures that stand beside a model."""
    return [service for service in SERVICES if shape.name in service.models]


def as_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The rows for programs; None where the model has no room."""
    figures = ("tokens_per_second", "first_token_seconds", "watts", "tokens_per_joule", "uncertainty")
    return [
        {"model": row.model, "device": row.device, "count": row.count, "fits": row.fits, "note": row.note}
        | {name: getattr(row, name) if row.fits else None for name in figures}
        for row in rows
    ]
