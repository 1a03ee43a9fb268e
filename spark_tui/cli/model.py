"""`spark model`: which models there are, and the facts of one."""

import argparse
from math import prod
from typing import TYPE_CHECKING, Any

from spark_tui.cli import output
from spark_tui.config import load_settings

if TYPE_CHECKING:
    from spark_tui.engine.library import LoadedModel


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare `list` and `info`."""
    commands = parser.add_subparsers(dest="action", required=True, metavar="list|info")
    names = commands.add_parser("list", help="the models known by name")
    facts = commands.add_parser("info", help="the facts of one model")
    facts.add_argument("name", nargs="?", help="a name or a model folder; the model in use when left out")
    for each in (names, facts):
        each.add_argument("--json", action="store_true", help="print one object")


def run(args: argparse.Namespace) -> int:
    """Show it. Raises: UsageError: no such model. ModelError: it cannot be loaded."""
    return _list(as_json=args.json) if args.action == "list" else _info(args.name, as_json=args.json)


def _list(*, as_json: bool) -> int:
    from spark_tui.engine.library import DEFAULT_MODEL, find_model, list_models

    models = [{"name": name, "path": str(find_model(name)), "default": name == DEFAULT_MODEL} for name in list_models()]
    if as_json:
        output.show_json({"version": 1, "models": models})
        return 0
    for model in models:
        output.show_line(f"{model['name']}{' (default)' if model['default'] else ''}  {model['path']}")
    if not models:
        output.say("spark: no model is installed; give a model folder with -m")
    return 0


def _info(name: str | None, *, as_json: bool) -> int:
    from spark_tui.engine.blas import use_one_blas_thread

    use_one_blas_thread()
    from spark_tui.engine.library import find_model, load

    facts = model_facts(load(find_model(name or load_settings().model)))
    if as_json:
        output.show_json({"version": 1, **facts})
        return 0
    for key, value in facts.items():
        shown = ", ".join(value) if isinstance(value, list) else f"{value:,}" if isinstance(value, int) else value
        output.show_line(f"{key.replace('_', ' '):<14} {shown}")
    return 0


def model_facts(loaded: "LoadedModel") -> dict[str, Any]:
    """What can be said of a loaded model; `kinds` are the edits it was trained to make."""
    from spark_tui.editing.format import NO_EDIT, Mark, kind_of
    from spark_tui.engine.weights import expected_shapes

    config = loaded.config
    pieces = (loaded.tokenizer.piece(number) for number in range(loaded.tokenizer.vocab_size))
    kinds = {kind_of(Mark(piece)) for piece in pieces if isinstance(piece, str)} - {None, NO_EDIT}
    return {
        "name": loaded.name,
        "path": str(loaded.path),
        "parameters": sum(prod(shape) for shape in expected_shapes(config).values()),
        "layers": config.n_layers,
        "hidden_size": config.hidden_size,
        "heads": config.n_heads,
        "kv_heads": config.n_kv_heads,
        "vocabulary": config.vocab_size,
        "context": config.max_position_embeddings,
        "bytes": loaded.bytes,
        "load_seconds": round(loaded.load_seconds, 3),
        "kinds": sorted(kind for kind in kinds if kind and not kind.startswith("spare")),
    }
