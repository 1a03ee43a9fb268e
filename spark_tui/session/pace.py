"""Works out a pace from its name: real, tokens a second, or a device that runs a model.

A pace only limits how fast tokens are shown; `session.throttle` does the waiting.
"""

from dataclasses import dataclass

from spark_tui.engine.loader import LoadedModel
from spark_tui.errors import UsageError
from spark_tui.wafer.machine import GPUS, SHAPES, STACKS, WAFERS, Gpu, ModelShape, shape_named
from spark_tui.wafer.placement import place
from spark_tui.wafer.predict import gpu_token, needed_bytes

_REAL = frozenset({"real", "off", "full"})
"""The names of no pace at all."""
SLOWEST = 0.1
FASTEST = 1e6
"""The range of paces, in tokens a second."""
_CONTEXT = 2048
"""Tokens of context for which a device's pace is computed."""


@dataclass(frozen=True, slots=True)
class Pace:
    """A number of tokens a second.

    Args:
        device, model: Whose simulated speed it is; "" for a number that the user gave.
    """

    rate: float
    device: str = ""
    model: str = ""


def pace_for(name: str, loaded: LoadedModel) -> Pace | None:
    """The pace with a name; a device without a model stands for that of `loaded`.

    Returns and Raises: as `pace_named`.
    """
    return pace_named(name, ModelShape.of(loaded.config, loaded.name))


def pace_named(name: str, shape: ModelShape) -> Pace | None:
    """The pace with a name: real (off, full), tokens a second, DEVICE, or DEVICE:MODEL.

    Args:
        shape: The model for a device without one.

    Returns:
        None for real.

    Raises:
        UsageError: There is no such pace.
    """
    if name.lower() in _REAL:  # reads a choice of a few
        return None
    device, colon, model = name.lower().partition(":")  # reads a choice of a few
    # A colon without a model after it is no pace.
    if (device in WAFERS or device in GPUS) and bool(colon) == bool(model):
        return _of_device(device, shape_named(model) if model else shape)
    try:
        rate = float(name if name.isascii() else "")
    except ValueError:
        known = ", ".join([*WAFERS, *reversed(GPUS)])
        raise UsageError(
            f"no pace {name!r}; give real, tokens a second, {known}, or a device with a model, "
            f"say h200:llama3-70b"
        ) from None
    if not SLOWEST <= rate <= FASTEST:
        raise UsageError(f"a pace of {name} tokens a second; give {SLOWEST} to {FASTEST:,.0f}")
    return Pace(rate)


def check_pace(name: str) -> None:
    """Refuse a name that stands for no pace.

    Raises:
        UsageError.
    """
    pace_named(name, next(iter(SHAPES.values())))


def _of_device(device: str, shape: ModelShape) -> Pace:
    """The pace of one request on as many devices as it takes: wafers as placed, GPUs by node."""
    if device in WAFERS:
        return Pace(
            place(shape, WAFERS[device], context=_CONTEXT).tokens_per_second, device, shape.name
        )
    gpu = GPUS[device]
    count = 1 if _fits(shape, gpu, 1) else 8  # the GPUs of a node
    if not _fits(shape, gpu, count):
        raise UsageError(f"{shape.name} does not fit on {count} {device}; name another device")
    name = device if count == 1 else f"{count} x {device}"
    return Pace(1 / gpu_token(shape, gpu, STACKS["sglang"], _CONTEXT, count), name, shape.name)


def _fits(shape: ModelShape, gpu: Gpu, count: int) -> bool:
    return needed_bytes(shape, _CONTEXT) <= count * gpu.memory
