"""Compare every published cell with the simulator's figure, and make the report for programs."""

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
class Comparison:
    """A published cell and the simulated figure.

    Attributes:
        cell: The published figure.
        simulated: The simulated one, in the same unit.
    """

    cell: Cell
    simulated: float

    @property
    def error(self) -> float:
        """Relative error of the simulated figure."""
        return self.simulated / self.cell.published - 1

    @property
    def ok(self) -> bool | None:
        """Whether the simulated figure keeps its bound or agrees; None without bound and gate."""
        if self.cell.bound == "min":
            return self.error >= 0
        if self.cell.bound == "max":
            return self.error <= 0
        if self.cell.gate is None:
            return None
        return abs(self.error) <= self.cell.gate

    @property
    def scaled(self) -> bool:
        """Whether the model did not fit where it was timed: some layers were, and scaled up."""
        return not self.cell.bound and bool(misfit(_case_of(self.cell)))


def validate(cells: Iterable[Cell] = CELLS) -> list[Comparison]:
    """Simulate every cell, in the order given."""
    return [Comparison(cell, simulated(cell)) for cell in cells]


def simulated(cell: Cell) -> float:
    """Simulate a published figure, in the same unit."""
    if _is_service(cell):
        return _simulated_service(cell)
    figures = answer(_case_of(cell))
    if cell.unit == "PB/s":
        assert figures.milliseconds is not None
        # Every weight is read once; 1e12 bytes a millisecond are a petabyte a second.
        return ELEMENT_BYTES * int(cell.case["size"]) ** 2 / figures.milliseconds / 1e12
    by_unit = {
        "tokens/s": figures.tokens_per_second,
        "ms": figures.milliseconds,
        "tokens": figures.max_tokens,
        "x": figures.energy_ratio,
        "cycles": figures.cycles,
    }
    figure = by_unit[cell.unit]
    assert figure is not None
    return float(figure)


def _is_service(cell: Cell) -> bool:
    """Return whether a whole model serves: its cell is a placement, not a case."""
    return bool(cell.bound) and "model" in cell.case


def _simulated_service(cell: Cell) -> float:
    shape = shape_named(cell.case["model"])
    wafer = WAFERS[cell.case["device"]]
    context = int(cell.case["context"])
    if cell.unit == "ms":  # until the first token of an answer
        placement = place(shape, wafer, context=context, aim="prompt")
        return 1e3 * placement.prompt_seconds(context)
    return place(shape, wafer, context=context).tokens_per_second


def in_cycles(comparison: Comparison) -> Comparison | None:
    """Convert a comparison to cycles of the device's clock.

    An error in tokens/s changes its sign: one token too many is a cycle too few.

    Returns:
        None where the cell is no time on a wafer.
    """
    cell = comparison.cell
    if cell.unit in {"tokens", "x"}:
        return None
    cycles = _simulated_cycles(comparison)
    if cycles is None:
        return None
    # The published figure in cycles: the ratio of two times, or the inverse ratio of two speeds.
    faster = cell.published / comparison.simulated
    if cell.unit not in {"ms", "cycles"}:
        faster = 1 / faster
    return Comparison(replace(cell, published=cycles * faster, unit="cycles"), cycles)


def _simulated_cycles(comparison: Comparison) -> float | None:
    cell = comparison.cell
    if not _is_service(cell):
        return answer(_case_of(cell)).cycles
    seconds = 1 / comparison.simulated
    if cell.unit == "ms":
        seconds = comparison.simulated / 1e3
    return seconds * WAFERS[cell.case["device"]].clock


def full_token(case: Case) -> dict[str, float] | None:
    """Report a whole decoded token for programs.

    The model keeps its own heads; LM head, sampling and the ways between regions count.

    Returns:
        None where the case decodes no token on a wafer, or the model has no room.
    """
    placement = placement_of(case)
    if placement is None:
        return None
    return {
        "cycles": placement.token_cycles,
        "tokens_per_second": placement.tokens_per_second,
        "wafers": placement.wafers,
        "regions": len(placement.regions),
    }


def _case_of(cell: Cell) -> Case:
    return parse_case(f"{key}={value}" for key, value in cell.case.items() if key != "known")


def agrees(comparisons: Iterable[Comparison]) -> bool:
    """Return whether every cell with a gate is within it."""
    return all(comparison.ok for comparison in comparisons if comparison.cell.gate is not None)


def mean_errors(comparisons: Sequence[Comparison]) -> dict[str, float]:
    """Return set -> mean of its absolute errors; bounds do not count."""
    errors: dict[str, list[float]] = {}
    for comparison in comparisons:
        if not comparison.cell.bound:
            errors.setdefault(comparison.cell.set, []).append(abs(comparison.error))
    return {name: fmean(values) for name, values in errors.items()}


def constants_used() -> str:
    """Return the name of the file of constants, and the SHA-256 of its bytes."""
    path = Path(constants.__file__)
    return f"wafer/{path.name} sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"


def as_json(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """Return the report for programs."""
    return {
        "constants": constants_used(),
        "cells": [_cell_json(comparison) for comparison in comparisons],
        "mean_abs_error": mean_errors(comparisons),
    }


def _number(case: dict[str, str], key: str) -> int | None:
    if key not in case:
        return None
    return int(case[key])


def _cell_json(comparison: Comparison) -> dict[str, Any]:
    cell = comparison.cell
    case = cell.case
    cycles = in_cycles(comparison)
    token = None
    if not cell.bound:
        token = full_token(_case_of(cell))
    return {
        "set": cell.set,
        "model": cell.label,
        "grid": _number(case, "grid"),
        "context": _number(case, "context"),
        "published": cell.published,
        "simulated": comparison.simulated,
        "unit": cell.unit,
        "error": comparison.error,
        "gate": cell.gate,
        "bound": cell.bound or None,
        "ok": comparison.ok,
        "source": cell.source,
        "device": case.get("device", "wse2"),
        "case": case,
        "fits": not comparison.scaled,
        "published_cycles": cycles and cycles.cell.published,
        "cycles": cycles and cycles.simulated,
        "error_in_cycles": cycles and cycles.error,
        "full_token": token,
    }
