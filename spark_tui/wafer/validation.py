"""Every published cell beside what the simulator says."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from spark_tui.wafer import constants
from spark_tui.wafer.cases import Case, answer, misfit, parse_case, placement_of
from spark_tui.wafer.constants import ELEMENT_BYTES
from spark_tui.wafer.machine import WAFERS, shape_named
from spark_tui.wafer.placement import place
from spark_tui.wafer.published import CELLS, Cell


@dataclass(frozen=True, slots=True)
class Compared:
    """A published cell and the simulated figure, both in the cell's unit."""

    cell: Cell
    simulated: float

    @property
    def error(self) -> float:
        """How far it is off, as a share of what is published."""
        return self.simulated / self.cell.published - 1

    @property
    def ok(self) -> bool | None:
        """Whether that counts as agreement, or keeps the bound; None without a gate."""
        if self.cell.bound:
            return self.error >= 0 if self.cell.bound == "min" else self.error <= 0
        return None if self.cell.gate is None else abs(self.error) <= self.cell.gate

    @property
    def scaled(self) -> bool:
        """Whether the model does not fit where it was timed: some of its layers were, the figure is scaled up."""
        return not self.cell.bound and bool(misfit(_case_of(self.cell)))


def validate(cells: Iterable[Cell] = CELLS) -> list[Compared]:
    """Simulate every cell, in the order given."""
    return [Compared(cell, simulated(cell)) for cell in cells]


def simulated(cell: Cell) -> float:
    """What the simulator says in place of a published figure, in the same unit."""
    if cell.bound and "model" in cell.case:
        shape, wafer, context = shape_named(cell.case["model"]), WAFERS[cell.case["device"]], int(cell.case["context"])
        if cell.unit == "ms":  # to the first token of an answer
            return 1e3 * place(shape, wafer, context=context, aim="prompt").prompt_seconds(context)
        return place(shape, wafer, context=context).tokens_per_second
    result = answer(_case_of(cell))
    if cell.unit == "PB/s":
        assert result.milliseconds is not None
        return ELEMENT_BYTES * int(cell.case["size"]) ** 2 / result.milliseconds / 1e12
    figures = {
        "tokens/s": result.tokens_per_second, "ms": result.milliseconds, "tokens": result.max_tokens,
        "x": result.energy_ratio, "cycles": result.cycles,
    }  # fmt: skip
    figure = figures[cell.unit]
    assert figure is not None
    return float(figure)


def in_cycles(each: Compared) -> Compared | None:
    """A cell in cycles, its device's clock taken; None where it is no time on a wafer.

    Errors change their sign where a cell has tokens/s: one too many is a cycle too few.
    """
    cell = each.cell
    if cell.unit in {"tokens", "x"}:
        return None
    if cell.bound and "model" in cell.case:
        seconds = each.simulated / 1e3 if cell.unit == "ms" else 1 / each.simulated
        cycles: float | None = seconds * WAFERS[cell.case["device"]].clock
    else:
        cycles = answer(_case_of(cell)).cycles
    if cycles is None:
        return None
    faster = cell.published / each.simulated
    published = cycles * (faster if cell.unit in {"ms", "cycles"} else 1 / faster)
    return Compared(replace(cell, published=published, unit="cycles"), cycles)


def full_token(case: Case) -> dict[str, float] | None:
    """A decoded token with the model's own heads, LM head, sampling and links, for programs; None where none is."""
    placed = placement_of(case)
    if placed is None:
        return None
    return {
        "cycles": placed.token_cycles,
        "tokens_per_second": placed.tokens_per_second,
        "wafers": placed.wafers,
        "regions": len(placed.regions),
    }


def _case_of(cell: Cell) -> Case:
    return parse_case(f"{key}={value}" for key, value in cell.case.items() if key != "known")


def agrees(compared: Iterable[Compared]) -> bool:
    """Whether every cell with a gate is within it."""
    return all(each.ok for each in compared if each.cell.gate is not None)


def mean_errors(compared: Sequence[Compared]) -> dict[str, float]:
    """Set -> the mean of its absolute errors, bounds left out."""
    sets = dict.fromkeys(each.cell.set for each in compared if not each.cell.bound)
    return {name: fmean([abs(each.error) for each in compared if each.cell.set == name]) for name in sets}


def constants_used() -> str:
    """The file of constants, and the SHA-256 of what is in it."""
    path = Path(constants.__file__)
    return f"wafer/{path.name} sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"


def as_json(compared: Sequence[Compared]) -> dict[str, Any]:
    """The report for programs."""
    return {
        "constants": constants_used(),
        "cells": [_cell(each) for each in compared],
        "mean_abs_error": mean_errors(compared),
    }


def _cell(each: Compared) -> dict[str, Any]:
    case, cycles = each.cell.case, in_cycles(each)
    return {
        "set": each.cell.set,
        "model": each.cell.label,
        "grid": int(case["grid"]) if "grid" in case else None,
        "context": int(case["context"]) if "context" in case else None,
        "published": each.cell.published,
        "simulated": each.simulated,
        "unit": each.cell.unit,
        "error": each.error,
        "gate": each.cell.gate,
        "bound": each.cell.bound or None,
        "ok": each.ok,
        "source": each.cell.source,
        "device": case.get("device", "wse2"),
        "case": case,
        "fits": not each.scaled,
        "published_cycles": cycles and cycles.cell.published,
        "cycles": cycles and cycles.simulated,
        "error_in_cycles": cycles and cycles.error,
        "full_token": None if each.cell.bound else full_token(_case_of(each.cell)),
    }
