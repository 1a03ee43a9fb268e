"""One question to the simulator, as `key=value` words, and its answer.

`parse_case` reads a question and fills in what was left out; `answer` computes its figures;
`check_possible` refuses what no device could run, and `misfit` says what an answer leaves out.

On a wafer, well-known models run as WaferLLM timed them (`ModelShape.as_measured`, the time of a
layer times the number of layers), so that answers can be compared with the paper's tables. Such
studies time one layer on a grid and scale up, whether the model fits or not. So a model that does
not fit has an answer here as well.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from spark_tui.errors import UsageError
from spark_tui.wafer import collective_costs, costs, predict
from spark_tui.wafer.constants import CODE_RESERVE, ELEMENT_BYTES
from spark_tui.wafer.machine import (
    GPUS,
    SHAPES,
    STACKS,
    WAFERS,
    Gpu,
    ModelShape,
    Stack,
    Wafer,
    device_named,
    shape_named,
)
from spark_tui.wafer.placement import Need, Placement, place
from spark_tui.wafer.predict import Speed

_GPU_KEYS = {"gpus", "nodes", "stack"}
_KEYS_OF_PHASE = {
    "decode": {"model", "grid", "context"},
    "prefill": {"model", "grid", "context"},
    "gemv": {"grid", "size"},
    "e2e": {"model", "grid_prefill", "grid_decode", "context", "output"},
    "kv": {"model", "grid", "kv"},
    "energy": {"model", "grid", "context"},
    "collective": {"collective", "p", "words"},
    "gpu": {"model", "context"},
}
"""Phase -> its keys beside the device, and beside `_GPU_KEYS` where GPUs come in."""
_OTHER_GRID_KEYS = {"decode": {"grid_decode"}, "prefill": {"grid_prefill"}, "e2e": {"grid"}}
"""Phase -> other keys that may give its grid."""
PHASES = tuple(_KEYS_OF_PHASE)
_PHASE_OF_KEY = {
    "collective": "collective",
    "p": "collective",
    "size": "gemv",
    "kv": "kv",
    "output": "e2e",
}
"""Key -> the phase of a case that gives this key and no phase."""
_DEFAULT_TEXTS = {
    "model": "llama3-8b",
    "phase": "decode",
    "device": "wse2",
    "collective": "tree",
    "kv": "shift",
    "stack": "sglang",
}
_NUMBERS = {
    "grid": (660, 1 << 20),
    "grid_prefill": (660, 1 << 20),
    "grid_decode": (360, 1 << 20),
    "context": (4096, 1 << 24),
    "output": (128, 1 << 20),
    "size": (32768, 1 << 24),
    "gpus": (1, 1024),
    "nodes": (1, 1024),
    "p": (512, 1 << 20),
    "words": (256, 1 << 24),
}
"""Key -> its default, and its largest value."""
_WHOLE_WAFER = 1 << 20
"""More than any wafer has; `_default_grid` cuts a grid down to the wafer."""
_GRIDS = {"kv": 360, "gemv": _WHOLE_WAFER}
"""Phase -> its grid in the paper, where this is not the default of the key."""
# The same in the paper's comparisons of energy.
_ENERGY_GRIDS = {"decode": 420, "prefill": 720, "gemv": _WHOLE_WAFER}
KEYS = (*_DEFAULT_TEXTS, *_NUMBERS)


@dataclass(frozen=True, slots=True)
class CaseFigures:
    """The figures of a case; None where a figure means nothing for it.

    Attributes:
        cycles: Cycles of the whole model.
        layer_cycles: Cycles of one layer.
        tokens_per_second: Tokens/s.
        milliseconds: Of a token, a prompt, a request, a product or a collective.
        energy_ratio: Joules of the GPUs over joules of the wafer.
        max_tokens: Tokens that the KV cache holds.
    """

    cycles: float | None = None
    layer_cycles: float | None = None
    tokens_per_second: float | None = None
    milliseconds: float | None = None
    energy_ratio: float | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """A complete question.

    Attributes:
        values: Every key that the case uses, with defaults filled in.
        phase: The phase that is computed: for energy and GPUs that of the work they do.
        wafer: The wafer, also where GPUs are asked about.
        gpu: The GPU, also where a wafer is asked about.
        on_gpu: Whether the case runs on GPUs.
        shape: The model, or None.
        energy: Whether the answer compares joules with those of GPUs.
    """

    values: dict[str, Any]
    phase: str
    wafer: Wafer
    gpu: Gpu
    on_gpu: bool
    shape: ModelShape | None
    energy: bool

    @property
    def model(self) -> ModelShape:
        """The model of a case that has one."""
        assert self.shape is not None
        return self.shape

    @property
    def measured(self) -> ModelShape:
        """The model as WaferLLM timed it if it is well known, else the model as it is."""
        if self.model.name in SHAPES:
            return self.model.as_measured()
        return self.model

    @property
    def stack(self) -> Stack:
        """The software on the GPUs."""
        return STACKS[self.values.get("stack", "sglang")]

    @property
    def gpus(self) -> tuple[int, int]:
        """GPUs of a node, and nodes."""
        return self.values.get("gpus", 1), self.values.get("nodes", 1)

    @property
    def gpu_count(self) -> int:
        """All GPUs."""
        gpus, nodes = self.gpus
        return gpus * nodes

    @property
    def last_context(self) -> int:
        """Tokens in the cache at the end of a request, or of what else is asked."""
        return int(self.values["context"]) + int(self.values.get("output", 0))


def parse_case(words: Iterable[str], shapes: Callable[[str], ModelShape] = shape_named) -> Case:
    """Read `key=value` words, and fill in what was left out.

    Args:
        words: The words.
        shapes: Looks up the shape of a model by its name.

    Raises:
        UsageError: A key or a value makes no sense.
    """
    given: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or key not in KEYS:
            keys = ", ".join(KEYS)
            raise UsageError(f"{word!r} is not a case: give KEY=VALUE, with KEY one of {keys}")
        if key in given:
            raise UsageError(f"{key} is given twice in the case; give it once")
        given[key] = text if key in _DEFAULT_TEXTS else _parse_number(key, text)
    asked = given.get("phase", _implied_phase(given))
    _check_choice("phase", asked, PHASES)
    return _complete_case(given, asked, shapes)


def _parse_number(key: str, text: str) -> int:
    number = 0
    # int() would also take other scripts' digits, and time that grows with their number.
    if text.isascii() and text.isdecimal() and len(text) < 20:
        number = int(text)
    most = _NUMBERS[key][1]
    if not 1 <= number <= most:
        raise UsageError(f"{key}={text}: give a whole number from 1 to {most:,}")
    return number


def _check_choice(key: str, value: str, choices: Iterable[str]) -> None:
    choices = list(choices)
    if value not in choices:
        raise UsageError(f"unknown {key} {value!r}; choose one of {', '.join(choices)}")


def _implied_phase(given: dict[str, Any]) -> str:
    for key, phase in _PHASE_OF_KEY.items():
        if key in given:
            return phase
    return "decode"


def _computed_phase(asked: str, given: dict[str, Any]) -> str:
    """Return what energy, or a GPU, is asked about: a product, a prompt or a token."""
    if asked not in {"energy", "gpu"}:
        return asked
    if "size" in given:
        return "gemv"
    if "grid_prefill" in given:
        return "prefill"
    return "decode"


def _complete_case(given: dict[str, Any], asked: str, shapes: Callable[[str], ModelShape]) -> Case:
    phase = _computed_phase(asked, given)
    device = _device(given, asked)
    wafer = device if isinstance(device, Wafer) else WAFERS["wse2"]
    gpu = device if isinstance(device, Gpu) else GPUS["a100"]
    # A case about energy runs on a wafer; a GPU that it names is the one to compare the wafer with.
    on_gpu = isinstance(device, Gpu) and asked != "energy"

    keys = _used_keys(given, asked, phase, on_gpu=on_gpu)
    values = given | {"phase": asked, "device": device.name}
    for key in sorted(keys - values.keys()):
        if key.startswith("grid"):
            values[key] = _default_grid(key, given, asked, phase, wafer)
        elif key in _DEFAULT_TEXTS:
            values[key] = _DEFAULT_TEXTS[key]
        else:
            values[key] = _NUMBERS[key][0]

    for key in ("grid", "grid_prefill", "grid_decode"):
        predict.check_grid(wafer, values.get(key, 1))
    _check_choice("stack", values.get("stack", "sglang"), STACKS)
    _check_choice("kv", values.get("kv", "shift"), ("shift", "concat"))
    shape = None
    if "model" in keys:
        shape = shapes(values["model"])
    return Case(
        values=values,
        phase=phase,
        wafer=wafer,
        gpu=gpu,
        on_gpu=on_gpu,
        shape=shape,
        energy=asked == "energy" or _names_gpus(given),
    )


def _device(given: dict[str, Any], asked: str) -> Wafer | Gpu:
    default = "a100" if asked in {"gpu", "energy"} else "wse2"
    device = device_named(given.get("device", default))
    if asked == "gpu" and not isinstance(device, Gpu):
        choices = ", ".join(GPUS)
        raise UsageError(f"phase=gpu takes a GPU, not {device.name}; choose one of {choices}")
    if asked in {"kv", "collective"} and not isinstance(device, Wafer):
        choices = ", ".join(WAFERS)
        raise UsageError(f"phase={asked} takes a wafer, not {device.name}; choose one of {choices}")
    return device


def _names_gpus(given: dict[str, Any]) -> bool:
    return "gpus" in given or "nodes" in given


def _used_keys(given: dict[str, Any], asked: str, phase: str, *, on_gpu: bool) -> set[str]:
    """Return the keys that matter to a case.

    Raises:
        UsageError: The case gives others.
    """
    keys = set(_KEYS_OF_PHASE[phase])
    also_allowed = {"phase", "device"}
    if on_gpu:
        keys = {key for key in keys if not key.startswith("grid")}
    else:
        also_allowed |= _OTHER_GRID_KEYS.get(phase, set())
    if phase == "kv" and given.get("kv", "shift") == "shift":
        # A cache that shifts fills every row, so the grid does not matter.
        keys.discard("grid")
        also_allowed.add("grid")
    compares_joules = phase in {"decode", "prefill", "gemv"} and _names_gpus(given)
    if on_gpu or asked == "energy" or compares_joules:
        keys |= _GPU_KEYS
    useless = [key for key in given if key not in keys | also_allowed]
    if useless:
        where = f" on {given['device']}" if on_gpu and asked != "gpu" else ""
        verb = "mean" if len(useless) > 1 else "means"
        names = ", ".join(useless)
        raise UsageError(f"{names} {verb} nothing for phase {asked}{where}; leave it out")
    return keys


def _default_grid(key: str, given: dict[str, Any], asked: str, phase: str, wafer: Wafer) -> int:
    """Return a grid that the case leaves open.

    Another grid of the case stands in; otherwise the paper's grid, cut down to the wafer.
    """
    if "grid" in given:
        return int(given["grid"])
    other_key = "grid_prefill" if phase == "prefill" else "grid_decode"
    if key == "grid" and other_key in given:
        return int(given[other_key])
    if asked == "energy":
        usual = _ENERGY_GRIDS[phase]
    else:
        usual = _GRIDS.get(phase, _NUMBERS[key][0])
    return min(usual, wafer.largest_grid)


def answer(case: Case) -> CaseFigures:
    """Compute the figures of a case.

    Raises:
        UsageError: The case asks for something that does not exist.
    """
    values = case.values
    if case.phase == "kv":
        tokens = predict.kv_capacity(case.model, case.wafer)
        # Without shifts every new position goes to the same row, which fills up first.
        if values["kv"] == "concat":
            tokens //= values["grid"]
        return CaseFigures(max_tokens=tokens)
    if case.phase == "collective":
        cycles = collective_costs.case(values["collective"], values["p"], values["words"])
        return CaseFigures(cycles=cycles, milliseconds=cycles / case.wafer.clock * 1e3)
    if case.on_gpu:
        return _gpu_figures(case)
    figures = _wafer_figures(case)
    if not case.energy or case.phase == "e2e":
        return figures
    assert figures.milliseconds is not None
    ratio = predict.energy_ratio(
        case.gpu, case.wafer, gpu_seconds(case), figures.milliseconds / 1e3, case.gpu_count
    )
    return replace(figures, energy_ratio=ratio)


def _wafer_figures(case: Case) -> CaseFigures:
    values = case.values
    if case.phase == "gemv":
        product = predict.gemv(case.wafer, values["grid"], values["size"])
        cycles = float(product.layer_cycles)
        return CaseFigures(cycles=cycles, milliseconds=product.seconds * 1e3)
    if case.phase == "e2e":
        grids = (values["grid_prefill"], values["grid_decode"])
        speed = predict.request(
            case.measured, case.wafer, grids, values["context"], values["output"]
        )
        # Two grids, hence no cycles of one layer.
        return _timed_figures(speed, cycles=speed.seconds * case.wafer.clock, layer_cycles=None)
    phase = predict.prefill if case.phase == "prefill" else predict.decode
    speed = phase(case.measured, case.wafer, values["grid"], values["context"])
    cycles = float(speed.layer_cycles * case.model.layers)
    return _timed_figures(speed, cycles=cycles, layer_cycles=float(speed.layer_cycles))


def _timed_figures(speed: Speed, *, cycles: float, layer_cycles: float | None) -> CaseFigures:
    return CaseFigures(
        cycles=cycles,
        layer_cycles=layer_cycles,
        tokens_per_second=speed.tokens_per_second,
        milliseconds=speed.seconds * 1e3,
    )


def _gpu_figures(case: Case) -> CaseFigures:
    seconds = gpu_seconds(case)
    milliseconds = seconds * 1e3
    if case.phase == "gemv":
        return CaseFigures(milliseconds=milliseconds)
    tokens = 1
    if case.phase == "prefill":
        tokens = case.values["context"]
    elif case.phase == "e2e":
        tokens = case.values["output"]
    return CaseFigures(tokens_per_second=tokens / seconds, milliseconds=milliseconds)


def gpu_seconds(case: Case) -> float:
    """Return the seconds that GPUs take for the work of a case."""
    gpu = case.gpu
    stack = case.stack
    values = case.values
    if case.phase == "gemv":
        return predict.gpu_gemv(gpu, stack, values["size"], *case.gpus)
    context: int = values["context"]
    if case.phase not in {"prefill", "e2e"}:
        return predict.gpu_token(case.model, gpu, stack, context, *case.gpus)
    prompt = predict.gpu_prompt(case.model, gpu, stack, context, *case.gpus)
    if case.phase == "prefill":
        return prompt
    output: int = values["output"]
    # A token's seconds grow linearly with its context, so the mean context gives the mean token.
    mean_context = context + (output - 1) / 2
    return prompt + output * predict.gpu_token(case.model, gpu, stack, mean_context, *case.gpus)


def placement_of(case: Case) -> Placement | None:
    """Place the whole model on regions of the grid of a decoded token.

    Returns:
        None where the case asks for none, or the model has no room.
    """
    values = case.values
    if case.on_gpu or case.phase != "decode" or values["phase"] == "energy":
        return None
    try:
        return place(case.model, case.wafer, grid=values["grid"], context=values["context"])
    except UsageError:
        return None


def misfit(case: Case) -> str:
    """Say why a case does not fit where it runs, and by how much; "" if it fits."""
    reason = _gpu_misfit(case) or _wafer_misfit(case)
    if reason:
        return f"does not fit: {reason}"
    return ""


def check_possible(case: Case) -> None:
    """Refuse what no device could run.

    Raises:
        UsageError: A layer, a product, a model or a cache has too little memory.
    """
    reason = _gpu_misfit(case)
    if not reason and case.phase == "kv":
        reason = _cache_misfit(case)
    elif not reason and not case.on_gpu:
        reason = _least_misfit(case)
    if reason:
        subject = case.shape.name if case.shape else "the product"
        raise UsageError(f"{subject} does not fit: {reason}; {_advice(case)}")


def _gpu_misfit(case: Case) -> str:
    if not (case.on_gpu or case.energy):
        return ""
    memory = int(case.gpu.memory) * case.gpu_count
    if case.shape is None:
        return _excess("a matrix", ELEMENT_BYTES * case.values["size"] ** 2, memory)
    needed = predict.needed_bytes(case.shape, case.last_context)
    return _excess("weights and cache", needed, memory)


def _wafer_misfit(case: Case) -> str:
    if case.on_gpu or case.shape is None:
        return ""
    memory = case.wafer.pes * (case.wafer.sram - CODE_RESERVE)
    if case.phase == "kv":
        return _excess("weights", predict.needed_bytes(case.shape, 1), memory)
    needed = predict.needed_bytes(case.shape, case.last_context)
    reason = _excess("weights and cache", needed, memory)
    if reason:
        return f"{reason}; a layer of it was simulated, and scaled up"
    return _layer_misfit(case, least=False)


def _excess(subject: str, needed: int, memory: int) -> str:
    if needed <= memory:
        return ""
    decimals = 0
    if round(needed / 1e9) == round(memory / 1e9):
        decimals = 3  # the difference is to be seen
    needed_gb = f"{needed / 1e9:,.{decimals}f}"
    memory_gb = f"{memory / 1e9:,.{decimals}f}"
    return f"{subject} of {needed_gb} GB on {memory_gb} GB"


def _cache_misfit(case: Case) -> str:
    tokens = predict.kv_capacity(case.model, case.wafer)
    if not tokens:
        return _wafer_misfit(case)
    if case.values["kv"] == "concat" and tokens < case.values["grid"]:
        rows = case.values["grid"]
        return f"beside the weights a cache has room for {tokens:,} tokens, fewer than {rows} rows"
    return ""


def _least_misfit(case: Case) -> str:
    """Say what a product, or a layer at the least, lacks on a PE."""
    if case.phase == "gemv":
        grid = case.values["grid"]
        tile = ceil(case.values["size"] / grid)
        # A tile of the matrix, one of the vector and one of the sums.
        size = (tile + 2) * tile * ELEMENT_BYTES + CODE_RESERVE
        return _pe_excess(case, "it takes", size, grid)
    if case.shape is None:
        return ""
    return _layer_misfit(case, least=True)


def _layer_misfit(case: Case, *, least: bool) -> str:
    """Say what the layer of the first phase that does not fit lacks on a PE.

    Args:
        case: The case.
        least: Leave out buffers that another program might do without.
    """
    values = case.values
    reason = ""
    if case.phase in {"prefill", "e2e"}:
        grid = values.get("grid_prefill") or values["grid"]
        reason = _prompt_misfit(case, grid, least=least)
    if not reason and case.phase in {"decode", "e2e"}:
        grid = values.get("grid_decode") or values["grid"]
        reason = _token_misfit(case, grid, least=least)
    return reason


def _prompt_misfit(case: Case, grid: int, *, least: bool) -> str:
    context = case.values["context"]
    need = Need.of(case.model, grid, context, 16)
    tiles = costs.Tiles.of(case.model, grid, context)
    # The buffers in `fixed` hold the first token of a PE row.
    size = need.fixed + need.layer + (tiles.context - 1) * need.prompt_row
    if least:
        size = _least_bytes(need, tiles, tiles.context)
    return _pe_excess(case, "a layer and the prompt's values take", size, grid)


def _token_misfit(case: Case, grid: int, *, least: bool) -> str:
    context = case.last_context
    need = Need.of(case.model, grid, context, 16)
    size = need.fixed + need.layer
    if least:
        size = _least_bytes(need, costs.Tiles.of(case.model, grid, context), 1)
    return _pe_excess(case, "a layer takes", size, grid)


def _least_bytes(need: Need, tiles: costs.Tiles, rows: int) -> int:
    """Return the bytes on a PE of a layer and of the hidden states of `rows` tokens."""
    return CODE_RESERVE + need.layer + rows * tiles.dim * ELEMENT_BYTES


def _pe_excess(case: Case, claim: str, size: int, grid: int) -> str:
    sram = case.wafer.sram
    if size <= sram:
        return ""
    return f"{claim} {size:,} of {sram:,} bytes on each of {grid} x {grid} PEs"


def _advice(case: Case) -> str:
    if _gpu_misfit(case):
        return "give more of them with gpus=N, or something smaller"
    if case.phase != "kv":
        return "give a larger grid or something smaller"
    if predict.kv_capacity(case.model, case.wafer) == 0:
        return "name a smaller model"
    return "take kv=shift"
