"""`spark wafer run`: an edit whose every token goes through a layer on a simulated mesh, and what that took."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from math import ceil
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from spark_tui.cli import output
from spark_tui.cli.demo import INSTRUCTION
from spark_tui.cli.start import CANNOT_EDIT, add_model_argument, can_edit
from spark_tui.cli.table import table
from spark_tui.cli.wafer_shapes import add_device_argument, wafer_of
from spark_tui.cli.wafer_write import Written, write
from spark_tui.config import added_models
from spark_tui.errors import Abstained, ModelError, SparkError, UsageError
from spark_tui.wafer.machine import Wafer

if TYPE_CHECKING:
    from spark_tui.wafer.mesh_model import LayerOnMesh

_LINKS = 5
_APART = {"instruction", "phases", "text"}
"""What people see elsewhere."""
_BAR = 30
"""Characters of the longest."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the instruction, the mesh and what is wanted besides."""
    parser.add_argument("instruction", nargs="?", metavar="INSTRUCTION", help="of the demo's; - reads it from stdin")
    parser.add_argument("--layer", type=int, metavar="N", help="the layer on the mesh, from 1 (default: the middle)")
    parser.add_argument("--grid", type=int, default=32, metavar="P", help="P x P PEs (default: 32)")
    add_device_argument(parser)
    parser.add_argument("--tokens", type=int, metavar="N", help="stop after N tokens (default: at the end of the edit)")
    parser.add_argument("--verify", action="store_true", help="also run the plain engine, and compare")
    add_model_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Write through the mesh. Returns: 3 where no edit was found.

    Raises: UsageError: no such device, mesh, layer or model, or it does not fit.
    ModelError: the model cannot edit. SparkError: the plain engine writes other tokens.
    """
    device = wafer_of(args.device, "run on")
    if args.tokens is not None and args.tokens < 1:
        raise UsageError(f"--tokens {args.tokens}: give at least 1")
    instruction = _instruction(args.instruction)
    mesh, written, same = _write(args, device, instruction)
    body = as_json(mesh, instruction, written, same=same)
    if args.json:
        output.show_json(body)
    else:
        output.show("\n".join(_report(body)))
    if same is False:
        raise SparkError("the plain engine writes different tokens than the mesh; this is a bug in the simulator")
    return 0 if written.edits else Abstained.exit_code


def _write(args: argparse.Namespace, device: Wafer, instruction: str) -> "tuple[LayerOnMesh, Written, bool | None]":
    """The mesh after what was written through it, and whether the plain engine wrote the same."""
    from spark_tui.engine.decoder import Decoder
    from spark_tui.engine.library import LoadedModel, model_name, read_model
    from spark_tui.wafer.mesh_model import LayerOnMesh, MeshModel

    path = _path(args.model)
    name = model_name(path)
    tell = str if args.json else output.show_line  # for programs nothing is told before the end
    tell(f"{name}: {instruction}")
    stored = read_model(path)
    number = (stored.config.n_layers + 1) // 2 if args.layer is None else args.layer
    mesh = LayerOnMesh(stored.config, stored.weights, number, name=name, grid=args.grid, wafer=device)
    tell(f"{mesh.description}, simulated; the rest by the plain engine")
    plain = Decoder(stored.config, stored.weights)
    loaded = LoadedModel(name, path, stored.config, stored.tokenizer, MeshModel(plain, mesh), 0.0, plain.bytes)
    written = write(loaded, instruction, args.tokens, live=not args.json)
    if not args.verify:
        return mesh, written, None
    again = write(replace(loaded, model=plain), instruction, args.tokens, live=False)
    return mesh, written, again.tokens == written.tokens


def _path(name: str | None) -> Path:
    from spark_tui.engine.library import find_model, model_name

    path = added_models().get(name or "") or find_model(name)
    if not can_edit(path):
        raise ModelError(f"{model_name(path)} {CANNOT_EDIT}; name another model")
    return path


def _instruction(given: str | None) -> str:
    words = " ".join((sys.stdin.read() if given == "-" else given or INSTRUCTION).split())
    if not words:
        raise UsageError("the instruction is empty; say what to change")
    return words


def as_json(mesh: "LayerOnMesh", instruction: str, written: Written, *, same: bool | None) -> dict[str, Any]:
    """The run for programs. Cycles are those of the layer but for `token_cycles`, of the whole model.

    `phases`: of a token, on average, in the order it goes through them. `busiest_links` count the words of the whole
    run.
    """
    prompt = next((each for each in mesh.passes if each.tokens > 1), None)  # where it went through at once
    tokens = [each for each in mesh.passes if each.tokens == 1]
    memory, colors = mesh.fabric.memory, mesh.fabric.colors
    fullest = {name: int(held.flat[memory.argmax()]) for name, held in mesh.fabric.ledger.entries.items()}
    phases = tokens[0].parts if tokens else ()
    cycles = _mean([each.cycles for each in tokens])
    whole = None if cycles is None else mesh.whole_token(cycles)
    return {
        "model": mesh.shape.name,
        "device": mesh.wafer.name,
        "grid": mesh.grid,
        "layer": mesh.number,
        "layers": mesh.shape.layers,
        "instruction": instruction,
        "prompt_tokens": written.prompt,
        "prompt_cycles": prompt.cycles if prompt else None,
        "closed_form_prompt_cycles": mesh.closed_form(prompt) if prompt else None,
        "tokens": list(written.tokens),
        "text": written.text,
        "message": written.message,
        "tokens_through_mesh": len(tokens),
        "cycles_per_token": cycles,
        "closed_form_cycles_per_token": _mean([mesh.closed_form(each) for each in tokens]),
        "token_cycles": whole,
        "simulated_tokens_per_second": mesh.wafer.clock / whole if whole else None,
        "measured": {
            "milliseconds_per_token": _median([1e3 * each.seconds for each in tokens]),
            "tile_cycles_per_second": _median([mesh.grid**2 * each.cycles / each.seconds for each in tokens]),
        },
        "phases": {name: fmean(each.parts.get(name, 0.0) for each in tokens) for name in phases},
        "bytes": {"most": int(memory.max()), "least": int(memory.min()), "sram": mesh.wafer.sram, **fullest},
        "colors": {"used": len(colors), "routes": colors},
        "busiest_links": [asdict(link) for link in mesh.fabric.busiest_links(_LINKS)],
        "equals_plain_engine": same,
    }


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _median(values: Sequence[float]) -> float | None:
    return median(values) if values else None


def _report(body: dict[str, Any]) -> list[str]:
    """The same for people: what each phase takes of a token as bars, and all else but the tokens' numbers."""
    phases: dict[str, float] = body["phases"]
    longest, total = max(phases.values(), default=0) or 1, sum(phases.values()) or 1
    bars = (
        f"  {name:<22} {'█' * ceil(cycles / longest * _BAR)} {cycles:,.0f}, {cycles / total:.1%}"
        for name, cycles in phases.items()
    )
    rest = {key: value for key, value in body.items() if key not in _APART}
    head = "Phases of a token, in cycles of this layer; `token cycles` are the whole model's"
    return [*table(rest | {"tokens": len(body["tokens"])}), "", head, *bars]
