"""One question to the simulator, as `key=value` words, and its answer.

The well-known families are taken on a wafer as WaferLLM timed them (`Shape.as_measured`, the time of a layer times
the layers), so that answers stand beside its tables.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from spark_tui.errors import UsageError
from spark_tui.wafer import collective_costs, costs, predict
from spark_tui.wafer.constants import CODE_RESERVE, ELEMENT_BYTES
from spark_tui.wafer.machine import GPUS, SHAPES, STACKS, WAFERS, Gpu, Shape, Stack, Wafer, device_named, shape_named
from spark_tui.wafer.placement import Need, Placement, place
from spark_tui.wafer.predict import Speed

Shapes = Callable[[str], Shape]

_ON_GPUS = {"gpus", "nodes", "stack"}
_USES = {
    "decode": {"model", "grid", "context"},
    "prefill": {"model", "grid", "context"},
    "gemv": {"grid", "size"},
    "e2e": {"model", "grid_prefill", "grid_decode", "context", "output"},
    "kv": {"model", "grid", "kv"},
    "energy": {"model", "grid", "context"},
    "collective": {"collective", "p", "words"},
    "gpu": {"model", "context"},
}
"""Phase -> what it uses beside the device, and beside `_ON_GPUS` where GPUs come in."""
_OTHER_GRIDS = {"decode": {"grid_decode"}, "prefill": {"grid_prefill"}, "e2e": {"grid"}}
"""Other names that a phase's grid may have."""
PHASES = tuple(_USES)
_TELLING = {"collective": "collective", "p": "collective", "size": "gemv", "kv": "kv", "output": "e2e"}
"""Key -> the phase of a case that has it and does not say its phase."""
_TEXTS = {
    "model": "llama3-8b", "phase": "decode", "device": "wse2", "collective": "tree", "kv": "shift", "stack": "sglang",
}  # fmt: skip
_NUMBERS = {
    "grid": (660, 1 << 20), "grid_prefill": (660, 1 << 20), "grid_decode": (360, 1 << 20), "context": (4096, 1 << 24),
    "output": (128, 1 << 20), "size": (32768, 1 << 24), "gpus": (1, 1024), "nodes": (1, 1024), "p": (512, 1 << 20),
    "words": (256, 1 << 24),
}  # fmt: skip
"""Key -> what it is when left out, and the largest value that is taken."""
_GRIDS = {"kv": 360, "gemv": 1 << 20}
"""Other grids than 660 that WaferLLM used: for the KV cache, and all of the wafer for a single product."""
_ENERGY_GRIDS = {"decode": 420, "prefill": 720, "gemv": 1 << 20}
KEYS = (*_TEXTS, *_NUMBERS)


@dataclass(frozen=True, slots=True)
class CaseFigures:
    """What a case comes to; None where a figure means nothing for it.

    `cycles`: of the whole model. `milliseconds`: of a token, a prompt, a request, a product or a collective.
    `energy_ratio`: joules of the GPUs over joules of the wafer. `max_tokens`: that the KV cache holds.
    """

    cycles: float | None = None
    layer_cycles: float | None = None
    tokens_per_second: float | None = None
    milliseconds: float | None = None
    energy_ratio: float | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """A complete question. `values`: every key it uses, those left out included; `shape`: None without a model."""

    values: dict[str, Any]
    phase: str
    wafer: Wafer
    gpu: Gpu
    on_gpu: bool
    shape: Shape | None
    energy: bool

    @property
    def measured(self) -> Shape:
        """The shape as WaferLLM timed it, where it is one of the well-known ones."""
        return self.model.as_measured() if self.model.name in SHAPES else self.model

    @property
    def model(self) -> Shape:
        """The shape as it is."""
        assert self.shape is not None
        return self.shape

    @property
    def stack(self) -> Stack:
        """The software on the GPUs."""
        return STACKS[self.values.get("stack", "sglang")]

    @property
    def gpus(self) -> tuple[int, int]:
        """GPUs a node, and nodes."""
        return self.values.get("gpus", 1), self.values.get("nodes", 1)


def parse_case(words: Iterable[str], shapes: Shapes = shape_named) -> Case:
    """Read `key=value` words, and add what was left out.

    Args: shapes: the shape of a model by its name. Raises: UsageError: a key or value that makes no sense.
    """
    given: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or key not in KEYS:
            raise UsageError(f"{word!r} is not a case: give KEY=VALUE, with KEY one of {', '.join(KEYS)}")
        if key in given:
            raise UsageError(f"{key} is given twice in the case; give it once")
        given[key] = text if key in _TEXTS else _whole(key, text)
    meant = next((phase for key, phase in _TELLING.items() if key in given), "decode")
    asked = _one_of("phase", given.get("phase", meant), PHASES)
    return _case(given, asked, _part_of(asked, given), shapes)


def _whole(key: str, text: str) -> int:
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else 0
    most = _NUMBERS[key][1]
    if not 1 <= number <= most:
        raise UsageError(f"{key}={text}: give a whole number from 1 to {most:,}")
    return number


def _one_of(key: str, value: str, known: Iterable[str]) -> str:
    if value not in (names := list(known)):
        raise UsageError(f"unknown {key} {value!r}; choose one of {', '.join(names)}")
    return value


def _part_of(asked: str, given: dict[str, Any]) -> str:
    """What the energy, or a GPU, is asked of: a product, a prompt, or a token."""
    if asked not in {"energy", "gpu"}:
        return asked
    return "gemv" if "size" in given else "prefill" if "grid_prefill" in given else "decode"


def _case(given: dict[str, Any], asked: str, phase: str, shapes: Shapes) -> Case:
    device = device_named(given.get("device", "a100" if asked in {"gpu", "energy"} else "wse2"))
    if asked == "gpu" and not isinstance(device, Gpu):
        raise UsageError(f"phase=gpu takes a GPU, not {device.name}; choose one of {', '.join(GPUS)}")
    if asked in {"kv", "collective"} and not isinstance(device, Wafer):
        raise UsageError(f"phase={asked} takes a wafer, not {device.name}; choose one of {', '.join(WAFERS)}")
    wafer, gpu = (device, GPUS["a100"]) if isinstance(device, Wafer) else (WAFERS["wse2"], device)
    on_gpu = isinstance(device, Gpu) and asked != "energy"
    uses = _used(given, asked, phase, on_gpu=on_gpu)
    values = given | {"phase": asked, "device": device.name}
    for key in sorted(uses - values.keys()):
        if key.startswith("grid"):
            values[key] = _grid(key, given, asked, phase, wafer)
        else:
            values[key] = _TEXTS[key] if key in _TEXTS else _NUMBERS[key][0]
    for key in ("grid", "grid_prefill", "grid_decode"):
        predict.check_grid(wafer, values.get(key, 1))
    _one_of("stack", values.get("stack", "sglang"), STACKS)
    _one_of("kv", values.get("kv", "shift"), ("shift", "concat"))
    shape = shapes(values["model"]) if "model" in uses else None
    return Case(values, phase, wafer, gpu, on_gpu, shape, asked == "energy" or bool({"gpus", "nodes"} & given.keys()))


def _used(given: dict[str, Any], asked: str, phase: str, *, on_gpu: bool) -> set[str]:
    """The keys that matter to a case. Raises: UsageError: it has others."""
    uses, others = _USES[phase], _OTHER_GRIDS.get(phase, set())
    if on_gpu:
        uses, others = {key for key in uses if not key.startswith("grid")}, set()
    if phase == "kv" and given.get("kv", "shift") == "shift":
        uses, others = uses - {"grid"}, {"grid"}
    joules = phase in {"decode", "prefill", "gemv"} and bool({"gpus", "nodes"} & given.keys())
    if on_gpu or asked == "energy" or joules:
        uses = uses | _ON_GPUS
    useless = [key for key in given if key not in uses | others | {"phase", "device"}]
    if useless:
        where = f" on {given['device']}" if on_gpu and asked != "gpu" else ""
        verb = "mean" if len(useless) > 1 else "means"
        raise UsageError(f"{', '.join(useless)} {verb} nothing for phase {asked}{where}; leave it out")
    return uses


def _grid(key: str, given: dict[str, Any], asked: str, phase: str, wafer: Wafer) -> int:
    """A grid that the case leaves open: one it names for something near, else the paper's, within the wafer."""
    other = {"prefill": "grid_prefill", "decode": "grid_decode"}.get(phase, "grid_decode")
    named = given.get("grid") or (given.get(other) if key == "grid" else None)
    usual = _ENERGY_GRIDS[phase] if asked == "energy" else _GRIDS.get(phase, _NUMBERS[key][0])
    return int(named or min(usual, wafer.largest_grid))


def answer(case: Case) -> CaseFigures:
    """What a case comes to. Raises: UsageError: it asks for what there is not."""
    if case.phase == "kv":
        most = predict.kv_capacity(case.model, case.wafer)
        return CaseFigures(max_tokens=most // case.values["grid"] if case.values["kv"] == "concat" else most)
    if case.phase == "collective":
        cycles = collective_costs.case(*(case.values[key] for key in ("collective", "p", "words")))
        return CaseFigures(cycles=cycles, milliseconds=cycles / case.wafer.clock * 1e3)
    if case.on_gpu:
        return _on_gpu(case)
    result = _on_wafer(case)
    if not case.energy or case.phase == "e2e":
        return result
    assert result.milliseconds is not None
    seconds = gpu_seconds(case)
    ratio = predict.energy_ratio(case.gpu, case.wafer, seconds, result.milliseconds / 1e3, case.gpus[0] * case.gpus[1])
    return replace(result, energy_ratio=ratio)


def _on_wafer(case: Case) -> CaseFigures:
    values = case.values
    if case.phase == "gemv":
        product = predict.gemv(case.wafer, values["grid"], values["size"])
        return CaseFigures(cycles=float(product.layer_cycles), milliseconds=product.seconds * 1e3)
    if case.phase == "e2e":
        grids = values["grid_prefill"], values["grid_decode"]
        whole = predict.request(case.measured, case.wafer, grids, values["context"], values["output"])
        return replace(_timed(whole, case), layer_cycles=None)
    layers = {"prefill": predict.prefill, "decode": predict.decode}[case.phase]
    return _timed(layers(case.measured, case.wafer, values["grid"], values["context"]), case)


def _timed(speed: Speed, case: Case) -> CaseFigures:
    cycles = speed.layer_cycles * case.model.layers if case.phase != "e2e" else speed.seconds * case.wafer.clock
    return CaseFigures(float(cycles), float(speed.layer_cycles), speed.tokens_per_second, speed.seconds * 1e3)


def _on_gpu(case: Case) -> CaseFigures:
    seconds = gpu_seconds(case)
    if case.phase == "gemv":
        return CaseFigures(milliseconds=seconds * 1e3)
    counted = {"prefill": "context", "e2e": "output"}.get(case.phase)
    tokens = case.values[counted] if counted else 1
    return CaseFigures(tokens_per_second=tokens / seconds, milliseconds=seconds * 1e3)


def gpu_seconds(case: Case) -> float:
    """Seconds that GPUs take for what a case asks."""
    gpu, stack, values = case.gpu, case.stack, case.values
    if case.phase == "gemv":
        return predict.gpu_gemv(gpu, stack, values["size"], *case.gpus)
    context: int = values["context"]
    if case.phase not in {"prefill", "e2e"}:
        return predict.gpu_token(case.model, gpu, stack, context, *case.gpus)
    prompt = predict.gpu_prompt(case.model, gpu, stack, context, *case.gpus)
    if case.phase == "prefill":
        return prompt
    output: int = values["output"]
    return prompt + output * predict.gpu_token(case.model, gpu, stack, context + (output - 1) / 2, *case.gpus)


def misfit(case: Case) -> str:
    """Why not all of a case fits where it has it, and by how much; "" where it does."""
    if why := _on_gpus(case) or _on_the_wafer(case):
        return f"does not fit: {why}"
    return ""


def check_possible(case: Case) -> None:
    """Refuse what cannot be. Raises: UsageError: a layer, a product, a model or a cache without the memory it takes."""
    why = _on_gpus(case) or (_no_cache(case) if case.phase == "kv" else "" if case.on_gpu else _too_large(case))
    if why:
        raise UsageError(f"{case.shape.name if case.shape else 'the product'} does not fit: {why}; {_advice(case)}")


def placement_of(case: Case) -> Placement | None:
    """The whole model on regions of the grid of a decoded token; None where none is asked for, or it has no room."""
    if case.on_gpu or case.phase != "decode" or case.values["phase"] == "energy":
        return None
    try:
        return place(case.model, case.wafer, grid=case.values["grid"], context=case.values["context"])
    except UsageError:
        return None


def _on_gpus(case: Case) -> str:
    if not (case.on_gpu or case.energy):
        return ""
    memory = int(case.gpu.memory) * case.gpus[0] * case.gpus[1]
    if case.shape is None:
        return _over("a matrix", ELEMENT_BYTES * case.values["size"] ** 2, memory)
    return _over("weights and cache", predict.needed_bytes(case.shape, _tokens(case)), memory)


def _tokens(case: Case) -> int:
    return int(case.values["context"]) + int(case.values.get("output", 0))


def _on_the_wafer(case: Case) -> str:
    if case.on_gpu or case.shape is None:
        return ""
    memory = case.wafer.pes * (case.wafer.sram - CODE_RESERVE)
    if case.phase == "kv":
        return _over("weights", predict.needed_bytes(case.shape, 1), memory)
    if why := _over("weights and cache", predict.needed_bytes(case.shape, _tokens(case)), memory):
        return f"{why}; a layer of it was simulated, and scaled up"
    return _worst(case, least=False)


def _over(what: str, needed: int, memory: int) -> str:
    if needed <= memory:
        return ""
    places = 0 if round(needed / 1e9) > round(memory / 1e9) else 3
    return f"{what} of {needed / 1e9:,.{places}f} GB on {memory / 1e9:,.{places}f} GB"


def _no_cache(case: Case) -> str:
    most = predict.kv_capacity(case.model, case.wafer)
    if most and case.values["kv"] == "concat" and most < (rows := case.values["grid"]):
        return f"beside the weights a cache has room for {most:,} tokens, fewer than {rows} rows"
    return "" if most else _on_the_wafer(case)


def _too_large(case: Case) -> str:
    """What a product, or a layer at the least, takes of a PE; "" where it has as much."""
    if case.phase == "gemv":
        tile = ceil(case.values["size"] / case.values["grid"])
        return _over_pe(case, "it", (tile + 2) * tile * ELEMENT_BYTES + CODE_RESERVE, case.values["grid"])
    return "" if case.shape is None else _worst(case, least=True)


def _worst(case: Case, *, least: bool) -> str:
    """The first of a case's phases whose layer is too large for a PE. Args: least: buffers are not counted."""
    values = case.values
    found = []
    if case.phase in {"prefill", "e2e"}:
        found.append(_layer(case, values.get("grid_prefill") or values["grid"], values["context"], least, prompt=True))
    if case.phase in {"decode", "e2e"}:
        found.append(_layer(case, values.get("grid_decode") or values["grid"], _tokens(case), least, prompt=False))
    return next(filter(None, found), "")


def _layer(case: Case, grid: int, context: int, least: bool, *, prompt: bool) -> str:
    need, tiles = Need.of(case.model, grid, context, 16), costs.Tiles.of(case.model, grid, context)
    rows, what = (tiles.context, "a layer and the prompt's values") if prompt else (1, "a layer")
    if least:
        taken = CODE_RESERVE + need.layer + rows * tiles.dim * ELEMENT_BYTES
    else:
        taken = need.fixed + need.layer + (rows - 1) * need.prompt_row
    return _over_pe(case, what, taken, grid)


def _over_pe(case: Case, what: str, taken: int, grid: int) -> str:
    verb = "take" if " and " in what else "takes"
    told = f"{what} {verb} {taken:,} of {case.wafer.sram:,} bytes on each of {grid} x {grid} PEs"
    return told if taken > case.wafer.sram else ""


def _advice(case: Case) -> str:
    if _on_gpus(case):
        return "give more of them with gpus=N, or something smaller"
    if case.phase == "kv":
        return "name a smaller model" if predict.kv_capacity(case.model, case.wafer) == 0 else "take kv=shift"
    return "give a larger grid or something smaller"
