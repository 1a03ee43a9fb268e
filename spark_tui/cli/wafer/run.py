"""`spark wafer run`: an edit whose every token goes through a layer on a simulated mesh."""

import argparse
from codecs import getincrementaldecoder
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from math import ceil
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from spark_tui.cli import output
from spark_tui.cli.common import CANNOT_EDIT, add_model_argument, can_edit, read_stdin
from spark_tui.cli.open import INSTRUCTION, PLACE, PROJECT
from spark_tui.cli.output import table
from spark_tui.cli.wafer.models import add_device_argument, wafer_of
from spark_tui.config import added_models
from spark_tui.errors import Abstained, ModelError, SparkError, UsageError
from spark_tui.resources import examples_dir
from spark_tui.wafer.machine import Wafer

if TYPE_CHECKING:
    from spark_tui.editing.formats.quoted import QuotedRequest
    from spark_tui.engine.loader import LoadedModel
    from spark_tui.providers.base import AnswerFinished
    from spark_tui.wafer.mesh_model import LayerOnMesh


_LINKS = 5
"""Busiest links that a report names."""
_NOT_IN_TABLE = {"instruction", "phases", "text"}
"""Keys that people see elsewhere."""
_BAR = 30
"""Characters of the longest bar."""


@dataclass(frozen=True, slots=True)
class DemoEdit:
    """The answer of a model to an instruction for the demo's function.

    Attributes:
        prompt: Tokens of the prompt.
        tokens: Tokens of the answer.
        text: The answer.
        message: The outcome in words.
        edits: Whether it is an edit, or was cut off because no more tokens were wanted.
    """

    prompt: int
    tokens: tuple[int, ...]
    text: str
    message: str
    edits: bool


@dataclass(frozen=True, slots=True)
class MeshRun:
    """A run through the mesh.

    Attributes:
        mesh: The mesh after the run.
        edit: The answer of the model.
        same: Whether the plain engine wrote the same tokens; None without --verify.
    """

    mesh: "LayerOnMesh"
    edit: DemoEdit
    same: bool | None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the instruction, the mesh and what is wanted besides."""
    instruction_help = "of the demo's; - reads it from stdin"
    parser.add_argument("instruction", nargs="?", metavar="INSTRUCTION", help=instruction_help)
    layer_help = "the layer on the mesh, from 1 (default: the middle)"
    parser.add_argument("--layer", type=int, metavar="N", help=layer_help)
    parser.add_argument("--grid", type=int, default=32, metavar="P", help="P x P PEs (default: 32)")
    add_device_argument(parser)
    tokens_help = "stop after N tokens (default: at the end of the edit)"
    parser.add_argument("--tokens", type=int, metavar="N", help=tokens_help)
    verify_help = "also run the plain engine, and compare"
    parser.add_argument("--verify", action="store_true", help=verify_help)
    add_model_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Write through the mesh, and print a report.

    Returns:
        3 where no edit was found.

    Raises:
        UsageError: No such device, mesh, layer or model, or the layer does not fit.
        ModelError: The model cannot edit.
        SparkError: The plain engine writes other tokens.
    """
    device = wafer_of(args.device, "run on")
    if args.tokens is not None and args.tokens < 1:
        raise UsageError(f"--tokens {args.tokens}: give at least 1")
    instruction = _instruction(args.instruction)
    mesh_run = _run_on_mesh(args, device, instruction)
    body = as_json(mesh_run, instruction)
    if args.json:
        output.show_json(body)
    else:
        output.show("\n".join(_report(body)))
    if mesh_run.same is False:
        raise SparkError(
            "the plain engine writes different tokens than the mesh; this is a bug in the simulator"
        )
    return 0 if mesh_run.edit.edits else Abstained.exit_code


def _run_on_mesh(args: argparse.Namespace, device: Wafer, instruction: str) -> MeshRun:
    from spark_tui.engine.decoder import Decoder
    from spark_tui.engine.loader import LoadedModel, model_name, read_model
    from spark_tui.wafer.mesh_model import LayerOnMesh, MeshModel

    live = not args.json  # a program gets nothing before the end
    path = _model_path(args.model)
    name = model_name(path)
    if live:
        output.show_line(f"{name}: {instruction}")
    stored = read_model(path)
    number = args.layer
    if number is None:
        number = (stored.config.n_layers + 1) // 2
    mesh = LayerOnMesh(
        stored.config, stored.weights, number, name=name, grid=args.grid, wafer=device
    )
    if live:
        output.show_line(f"{mesh.description}, simulated; the rest by the plain engine")
    plain = Decoder(stored.config, stored.weights)
    loaded = LoadedModel(
        name, path, stored.config, stored.tokenizer, MeshModel(plain, mesh), 0.0, plain.bytes
    )
    edit = write(loaded, instruction, args.tokens, live=live)
    if not args.verify:
        return MeshRun(mesh, edit, same=None)
    plain_edit = write(replace(loaded, model=plain), instruction, args.tokens, live=False)
    return MeshRun(mesh, edit, same=plain_edit.tokens == edit.tokens)


def _model_path(name: str | None) -> Path:
    from spark_tui.engine.loader import find_model, model_name

    path = added_models().get(name or "") or find_model(name)
    if not can_edit(path):
        raise ModelError(f"{model_name(path)} {CANNOT_EDIT}; name another model")
    return path


def _instruction(given: str | None) -> str:
    text = given or INSTRUCTION
    if given == "-":
        text = read_stdin()
    instruction = " ".join(text.split())
    if not instruction:
        raise UsageError("the instruction is empty; say what to change")
    return instruction


def as_json(mesh_run: MeshRun, instruction: str) -> dict[str, Any]:
    """Return the run for programs.

    Cycles are those of the layer but for `token_cycles`, which are the whole model's. `phases` are
    of a token, on average, in order. `busiest_links` count the words of the whole run.
    """
    mesh = mesh_run.mesh
    edit = mesh_run.edit
    # The prompt is one pass only where all PEs have room for it.
    prompts = [mesh_pass for mesh_pass in mesh.passes if mesh_pass.tokens > 1]
    prompt_cycles = None
    closed_form_prompt_cycles = None
    if prompts:
        prompt_cycles = prompts[0].cycles
        closed_form_prompt_cycles = mesh.closed_form(prompts[0])
    tokens = [mesh_pass for mesh_pass in mesh.passes if mesh_pass.tokens == 1]
    cycles = _mean([token.cycles for token in tokens])
    token_cycles = None
    tokens_per_second = None
    if cycles is not None:
        token_cycles = mesh.whole_token(cycles)
        tokens_per_second = mesh.wafer.clock / token_cycles
    return {
        "model": mesh.shape.name,
        "device": mesh.wafer.name,
        "grid": mesh.grid,
        "layer": mesh.number,
        "layers": mesh.shape.layers,
        "instruction": instruction,
        "prompt_tokens": edit.prompt,
        "prompt_cycles": prompt_cycles,
        "closed_form_prompt_cycles": closed_form_prompt_cycles,
        "tokens": list(edit.tokens),
        "text": edit.text,
        "message": edit.message,
        "tokens_through_mesh": len(tokens),
        "cycles_per_token": cycles,
        "closed_form_cycles_per_token": _mean([mesh.closed_form(token) for token in tokens]),
        "token_cycles": token_cycles,
        "simulated_tokens_per_second": tokens_per_second,
        "measured": {
            "milliseconds_per_token": _median([1e3 * token.seconds for token in tokens]),
            "tile_cycles_per_second": _median(
                [mesh.grid**2 * token.cycles / token.seconds for token in tokens]
            ),
        },
        "phases": _mean_phases([token.parts for token in tokens]),
        "bytes": _memory_json(mesh),
        "colors": {"used": len(mesh.fabric.colors), "routes": mesh.fabric.colors},
        "busiest_links": [asdict(link) for link in mesh.fabric.busiest_links(_LINKS)],
        "equals_plain_engine": mesh_run.same,
    }


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _median(values: Sequence[float]) -> float | None:
    return median(values) if values else None


def _mean_phases(tokens: Sequence[dict[str, float]]) -> dict[str, float]:
    if not tokens:
        return {}
    return {name: fmean([parts.get(name, 0.0) for parts in tokens]) for name in tokens[0]}


def _memory_json(mesh: "LayerOnMesh") -> dict[str, int]:
    """Return the bytes in use: the most and the least of a PE, and all entries of the fullest."""
    memory = mesh.fabric.memory
    fullest = memory.argmax()
    entries = mesh.fabric.ledger.entries.items()
    return {
        "most": int(memory.max()),
        "least": int(memory.min()),
        "sram": mesh.wafer.sram,
        **{name: int(size.flat[fullest]) for name, size in entries},
    }


def _report(body: dict[str, Any]) -> list[str]:
    """Return the lines for people: a table, and the phases of a token as bars."""
    rest = {key: value for key, value in body.items() if key not in _NOT_IN_TABLE}
    rest["tokens"] = len(body["tokens"])
    phases: dict[str, float] = body["phases"]
    longest = max(phases.values(), default=0) or 1
    total = sum(phases.values()) or 1
    bars = []
    for name, cycles in phases.items():
        bar = "█" * ceil(cycles / longest * _BAR)
        bars.append(f"  {name:<22} {bar} {cycles:,.0f}, {cycles / total:.1%}")
    heading = "Phases of a token, in cycles of this layer; `token cycles` are the whole model's"
    return [*table(rest), "", heading, *bars]


def write(loaded: "LoadedModel", instruction: str, most: int | None, *, live: bool) -> DemoEdit:
    """Let a model answer an instruction for the demo's function.

    Args:
        loaded: The model.
        instruction: What to change.
        most: Stop after so many tokens; None for the end of the answer.
        live: Show the text as it comes.

    Raises:
        UsageError: The instruction is too long, or a PE has no room left.
    """
    from spark_tui.providers.base import AnswerFinished, GenerationRequest, TokenGenerated
    from spark_tui.providers.chat_model import Rewriter
    from spark_tui.providers.spark_model import SparkModel, calibration_of

    # No drafts: rejected tokens would go through the mesh, too.
    kind = SparkModel if calibration_of(loaded) else Rewriter
    answerer = kind(loaded, speculate=False)
    request = _demo_request(instruction)
    prompt = len(answerer.prompt(request))
    if live:
        output.show_line(f"reading a prompt of {prompt} tokens")
    tokens: list[int] = []
    text = b""
    answer = None
    decoder = getincrementaldecoder("utf-8")("replace")
    with closing(answerer.write(GenerationRequest(request)).write()) as items:
        for item in items:
            if isinstance(item, TokenGenerated):
                tokens.append(item.token)
                text += item.piece
                if live:
                    output.show_part(decoder.decode(item.piece))
            # the last item counts: an answer that was cut off by --tokens has none
            answer = item if isinstance(item, AnswerFinished) else None
            if len(tokens) == most:
                break
    if live and not text.endswith(b"\n"):
        output.show("")
    message, edits = _outcome(answer, request, len(tokens))
    return DemoEdit(prompt, tuple(tokens), text.decode("utf-8", "replace"), message, edits)


def _outcome(
    answer: "AnswerFinished | None", request: "QuotedRequest", count: int
) -> tuple[str, bool]:
    """Return what came of an answer in words, and whether that is no failure."""
    if answer is None:
        return f"stopped after {count} tokens", True
    if not answer.finished:
        return f"no end after {count} tokens", False
    if answer.declined or answer.lines == request.lines:
        return "no edit found for this", False
    return f"an edit of these {len(request.lines)} lines", True


def _demo_request(instruction: str) -> "QuotedRequest":
    from spark_tui.context.regions import Source
    from spark_tui.editing.formats.quoted import QuotedRequest

    path, name = PLACE.split("::")
    source = Source(path, (examples_dir() / PROJECT / path).read_bytes())
    (symbol,) = source.named((name,))
    lines = source.lines[symbol.start_line - 1 : symbol.end_line]
    return QuotedRequest(path, tuple(lines), instruction)
