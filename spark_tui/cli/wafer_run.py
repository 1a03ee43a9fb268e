"""`spark wafer run`: an edit whose every token is computed on a simulated mesh, and what that took there and here."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from statistics import fmean, median
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from spark_tui.cli import output
from spark_tui.cli.start import add_model_argument
from spark_tui.cli.wafer_write import Written, write
from spark_tui.errors import Abstained, SparkError, UsageError
from spark_tui.wafer.devices import WAFERS, Wafer, device_named
from spark_tui.wafer.plots import Bar, Plot, as_text, check_plot, write_plot

if TYPE_CHECKING:
    from spark_tui.wafer.mesh_model import MeshModel, Pass

_LINKS = 5
_LEFT_OUT = "all layers on this one mesh, without the way to a host and back; `plan` counts it, on the best grid"
_SHORT = {"queries, keys, values": "q, k, v"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the instruction, the mesh and what is wanted besides."""
    parser.add_argument("instruction", nargs="?", metavar="INSTRUCTION", help="of the demo's; - reads it from stdin")
    parser.add_argument("--grid", type=int, default=32, metavar="P", help="P x P PEs (default: 32)")
    parser.add_argument("--device", default="wse2", metavar="D", help=f"{' or '.join(WAFERS)} (default: wse2)")
    parser.add_argument("--tokens", type=int, metavar="N", help="stop after so many; by default at the edit's end")
    parser.add_argument("--verify", action="store_true", help="have the plain engine write, too, and compare")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the time line: a .svg or a .txt file")
    add_model_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Write on the mesh. Returns: 3 where no edit was found.

    Raises: UsageError: no such device, mesh or model, or it does not fit. FileError: no plot.
    SparkError: the plain engine writes other tokens.
    """
    device = device_named(args.device)
    if not isinstance(device, Wafer):
        raise UsageError(f"{device.name} has no mesh to run on; choose {' or '.join(WAFERS)}")
    if args.tokens is not None and args.tokens < 1:
        raise UsageError(f"--tokens {args.tokens}: give at least 1")
    if args.plot is not None:
        check_plot(args.plot)
    from spark_tui.engine.blas import use_one_blas_thread

    use_one_blas_thread()
    from spark_tui.engine.decoder import Decoder
    from spark_tui.engine.library import LoadedModel, find_model, model_name, read_model
    from spark_tui.wafer.mesh_model import MeshModel

    path = _path(args.model) or find_model(args.model)
    stored, name = read_model(path), model_name(path)
    mesh = MeshModel(stored.config, stored.weights, name=name, grid=args.grid, wafer=device)
    loaded = LoadedModel(name, path, stored.config, stored.tokenizer, mesh, 0.0, mesh.bytes, stored.extras)
    instruction = _instruction(args.instruction)
    if not args.json:
        output.show_line(f"{name} on {args.grid} x {args.grid} PEs of {device.name}, simulated: {instruction}")
    written = write(loaded, mesh, instruction, args.tokens, live=not args.json)
    plain = None
    if args.verify:
        plain = write(loaded, Decoder(stored.config, stored.weights), instruction, args.tokens, live=False)
    same = None if plain is None else plain.tokens == written.tokens
    if args.plot is not None:
        write_plot(args.plot, [_plot(mesh)])
        output.say(f"spark: drawn in {args.plot}")
    if args.json:
        output.show_json(as_json(mesh, instruction, written, same=same))
    else:
        output.show("\n".join(_report(mesh, written, same=same)))
    if same is False:
        raise SparkError("the plain engine writes other tokens than the mesh; that is an error in the simulator")
    return Abstained.exit_code if written.abstained else 0


def _path(name: str | None) -> Path | None:
    from spark_tui.config import added_models

    return added_models().get(name or "")


def _instruction(given: str | None) -> str:
    from spark_tui.cli.demo import INSTRUCTION

    words = " ".join((sys.stdin.read() if given == "-" else given or INSTRUCTION).split())
    if not words:
        raise UsageError("the instruction is empty; say what to do in plain words")
    return words


def as_json(mesh: "MeshModel", instruction: str, written: Written, *, same: bool | None) -> dict[str, Any]:
    """The run for programs. `phases` are the cycles of a token; `busiest_links` count the words of the whole run."""
    prompt, tokens = _prompt(mesh), _tokens(mesh)
    memory, colors = mesh.fabric.memory, mesh.fabric.colors
    return {
        "model": mesh.shape.name,
        "device": mesh.wafer.name,
        "grid": mesh.grid,
        "instruction": instruction,
        "prompt_tokens": prompt.tokens if prompt else 0,
        "prompt_cycles": prompt.cycles if prompt else None,
        "closed_form_prompt_cycles": _closed_prompt(mesh, prompt) if prompt else None,
        "tokens": list(written.tokens),
        "attempts": list(written.attempts),
        "text": written.attempts[max(written.answered, 1) - 1],
        "answered": written.answered or None,
        "message": written.message,
        "tokens_through_mesh": len(tokens),
        "cycles_per_token": _mean([each.cycles for each in tokens]),
        "closed_form_cycles_per_token": _mean(_closed(mesh, tokens)),
        "simulated_tokens_per_second": _simulated_rate(mesh, tokens),
        "measured": {"milliseconds_per_token": _milliseconds(tokens), "tile_cycles_per_second": _speed(mesh, tokens)},
        "phases": _phases(tokens),
        "bytes": {"most": int(memory.max()), "least": int(memory.min()), "sram": mesh.wafer.sram, **_entries(mesh)},
        "colors": {"used": colors.most, "routes": {name: route.path for name, route in colors.routes.items()}},
        "busiest_links": [asdict(link) for link in mesh.fabric.busiest_links(_LINKS)],
        "equals_plain_engine": same,
    }


def _prompt(mesh: "MeshModel") -> "Pass | None":
    return next((each for each in mesh.passes if each.tokens > 1), None)


def _tokens(mesh: "MeshModel") -> "list[Pass]":
    return [each for each in mesh.passes if each.tokens == 1]


def _closed(mesh: "MeshModel", tokens: "Sequence[Pass]") -> list[float]:
    from spark_tui.wafer.mesh_model import token_cycles

    return [token_cycles(mesh.shape, mesh.wafer, mesh.grid, each.token, each.context) for each in tokens]


def _closed_prompt(mesh: "MeshModel", prompt: "Pass") -> float:
    from spark_tui.wafer.mesh_model import prompt_cycles

    return prompt_cycles(mesh.shape, mesh.wafer, mesh.grid, prompt.tokens)


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _simulated_rate(mesh: "MeshModel", tokens: "Sequence[Pass]") -> float | None:
    return mesh.wafer.clock / fmean(each.cycles for each in tokens) if tokens else None


def _milliseconds(tokens: "Sequence[Pass]") -> float | None:
    return 1e3 * median(each.seconds for each in tokens) if tokens else None


def _speed(mesh: "MeshModel", tokens: "Sequence[Pass]") -> float | None:
    return median(mesh.grid**2 * each.cycles / each.seconds for each in tokens) if tokens else None


def _phases(tokens: "Sequence[Pass]") -> dict[str, float]:
    """Mean cycles of a token in each phase, in the order a token goes through them."""
    return {name: fmean(each.parts.get(name, 0.0) for each in tokens) for name in (tokens[0].parts if tokens else {})}


def _entries(mesh: "MeshModel") -> dict[str, int]:
    """What lies on the fullest PE."""
    fullest = mesh.fabric.memory.argmax()
    return {name: int(held.flat[fullest]) for name, held in mesh.fabric.ledger.entries.items()}


def _kinds(mesh: "MeshModel", tokens: "Sequence[Pass]") -> str:
    """What the cycles of the layers go to, whatever the phase."""
    from spark_tui.wafer.serving import layer_parts

    parts = layer_parts(mesh.shape, mesh.grid, tokens[-1].context, mesh.wafer.lanes)
    return ", ".join(f"{name} {cycles / sum(parts.values()):.0%}" for name, cycles in parts.items())


def _plot(mesh: "MeshModel") -> Plot:
    tokens = _tokens(mesh)
    phases = _phases(tokens or mesh.passes)
    total = sum(phases.values()) or 1
    bars = [
        Bar(_SHORT.get(name, name), cycles, f"{cycles:,.0f} cycles, {cycles / total:.1%}")
        for name, cycles in phases.items()
    ]
    on = f"{mesh.shape.name} on {mesh.grid} x {mesh.grid} PEs of {mesh.wafer.name}"
    whose = "A token's" if tokens else "The prompt's"
    return Plot(f"{whose} time line, {on}, simulated", bars, f"{total:,.0f} cycles in all")


def _report(mesh: "MeshModel", written: Written, *, same: bool | None) -> list[str]:
    tokens, prompt = _tokens(mesh), _prompt(mesh)
    verdict = "`--verify` has the plain engine write, too" if same is None else "the plain engine's are the same"
    beside = f", behind a prompt of {prompt.tokens}" if prompt else ""
    title, *bars = as_text([_plot(mesh)], width=78).splitlines()
    if same is False:
        verdict = "the plain engine has others"
    attempts, count = len(written.attempts), f"{len(written.tokens)}"
    if attempts > 1:
        count += f" in {attempts} attempts, each going on where it parts from an earlier one"
    if len(tokens) + 1 < len(written.tokens):
        count += f", {len(tokens)} by passes of their own, the others forced or the prompt's"
    answer = f" (attempt {written.answered})" if attempts > 1 and written.answered else ""
    return [
        *_entry("outcome", written.message + answer),
        *_entry("tokens", f"{count}{beside}; {verdict}"),
        *_speeds(mesh, tokens, prompt),
        "",
        title,
        *(f"  {line}" for line in bars),
        "",
        *_where(mesh),
    ]


def _entry(name: str, text: str) -> list[str]:
    return [f"  {title:<9} {line}" for title, line in zip_longest((name,), wrap(text, 66), fillvalue="")]


def _where(mesh: "MeshModel") -> list[str]:
    """What lies on the PEs, and what went over their links."""
    memory, colors = mesh.fabric.memory, mesh.fabric.colors
    entries = ", ".join(f"{name} {size:,}" for name, size in _entries(mesh).items())
    most, least = int(memory.max()), int(memory.min())
    return [
        *_entry(
            "memory", f"{most:,} of {mesh.wafer.sram:,} bytes on the fullest PE, {least:,} on the emptiest: {entries}"
        ),
        *_entry("colors", f"{colors.most} on the busiest PE: {'; '.join(colors.routes)}"),
        *_entry("links", f"words over the busiest each way: {'; '.join(_busiest(mesh))}"),
    ]


def _busiest(mesh: "MeshModel") -> list[str]:
    """The link of each direction that carried the most, and what its links carried on average."""
    told = []
    for direction, words in mesh.fabric.links.items():
        row, column = divmod(int(words.argmax()), mesh.grid)
        told.append(f"{direction} {words.max():,} from PE ({row}, {column}), mean {words.mean():,.0f}")
    return told


def _speeds(mesh: "MeshModel", tokens: "Sequence[Pass]", prompt: "Pass | None") -> list[str]:
    lines = []
    if prompt:
        ms = 1e3 * prompt.cycles / mesh.wafer.clock
        closed = _closed_prompt(mesh, prompt)
        lines += _entry("prompt", f"{prompt.cycles:,.0f} cycles ({closed:,.0f} in closed form): {ms:.2f} ms, simulated")
    if tokens:
        cycles, closed = fmean(each.cycles for each in tokens), fmean(_closed(mesh, tokens))
        rate, speed = mesh.wafer.clock / cycles, (_speed(mesh, tokens) or 0) / 1e6
        lines += [
            *_entry("token", f"{cycles:,.0f} cycles ({closed:,.0f} in closed form): {rate:,.0f} tokens/s, simulated"),
            *_entry("", _LEFT_OUT),
            *_entry("of these", _kinds(mesh, tokens)),
            *_entry("measured", f"{_milliseconds(tokens):.0f} ms a token here, {speed:,.0f} million tile-cycles/s"),
        ]
    return lines
