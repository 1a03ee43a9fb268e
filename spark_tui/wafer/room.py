"""Whether there is room for what a case asks about, and the whole token where its layers find room.

Studies time one layer on a grid and scale up, whether the model fits or not: such a case has an answer, and `misfit`
tells what it leaves out. What no device could run at all is refused by `check_possible`.
"""

from math import ceil

from spark_tui.errors import UsageError
from spark_tui.wafer import costs, predict
from spark_tui.wafer.cases import Case
from spark_tui.wafer.constants import CODE_RESERVE, ELEMENT_BYTES
from spark_tui.wafer.placement import Need, Placement, place


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
