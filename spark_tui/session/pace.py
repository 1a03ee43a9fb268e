"""How fast tokens are shown: as fast as they come, or at the pace that a device would have with a
model.

A pace is a limit. What is computed here never gets faster by it.
"""

from dataclasses import dataclass

from spark_tui.engine.loader import LoadedModel
from spark_tui.errors import UsageError
from spark_tui.wafer.machine import GPUS, SHAPES, STACKS, WAFERS, Gpu, ModelShape, shape_named
from spark_tui.wafer.placement import place
from spark_tui.wafer.predict import gpu_token, needed_bytes

_REAL = frozenset({"real", "off", "full"})
"""Names of no pace at all."""
SLOWEST = 0.1
FASTEST = 1e6
"""Tokens a second that may be asked for."""
_CONTEXT = 2048


@dataclass(frozen=True, slots=True)
class Pace:
    """So many tokens a second.

    Args:
        device, model: Whose simulated speed it is; "" for a number of the user's.
    """

    rate: float
    device: str = ""
    model: str = ""


def pace_for(name: str, loaded: LoadedModel) -> Pace | None:
    """A pace by its name; a device without a model means that of `loaded`.

    Returns and Raises: as `pace_named`.
    """
    return pace_named(name, ModelShape.of(loaded.config, loaded.name))


def pace_named(name: str, shape: ModelShape) -> Pace | None:
    """A pace by its name: real (or off, or full), tokens a second, DEVICE, or DEVICE:MODEL.

    Args:
        shape: The model of a device that names none.

    Returns:
        None for real.

    Raises:
        UsageError: It is none of these.
    """
    if name.lower() in _REAL:
        return None
    device, colon, model = name.lower().partition(":")
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
    """Refuse what is no pace.

    Raises:
        UsageError.
    """
    pace_named(name, next(iter(SHAPES.values())))


def _of_device(device: str, shape: ModelShape) -> Pace:
    """One request on as many devices as it takes: wafers as placed, GPUs by the node."""
    if device in WAFERS:
        return Pace(
            place(shape, WAFERS[device], context=_CONTEXT).tokens_per_second, device, shape.name
        )
    gpu = GPUS[device]
    count = 1 if _fits(shape, gpu, 1) else 8
    if not _fits(shape, gpu, count):
        raise UsageError(f"{shape.name} does not fit on {count} {device}; name another device")
    name = device if count == 1 else f"{count} x {device}"
    return Pace(1 / gpu_token(shape, gpu, STACKS["sglang"], _CONTEXT, count), name, shape.name)


def _fits(shape: ModelShape, gpu: Gpu, count: int) -> bool:
    return needed_bytes(shape, _CONTEXT) <= count * gpu.memory
