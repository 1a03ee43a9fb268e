"""`spark model`: which models there are, the facts of one, and models of the user's own."""

import argparse
import shutil
from dataclasses import asdict
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_tui.cli import model_files, output
from spark_tui.cli.catalogue import Listed, Prospect, catalogue
from spark_tui.cli.start import CANNOT_EDIT, backend_of, can_edit
from spark_tui.cli.table import table
from spark_tui.config import added_models, cache_dir, load_settings

if TYPE_CHECKING:
    from spark_tui.engine.library import LoadedModel

_READ_BYTES = 1 << 27
"""Read to measure the bandwidth of memory: more than a cache holds, in a fraction of a second."""
_PLACE = "a name, a model folder or a .gguf file"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare `list`, `info`, `add`, `remove` and `export`."""
    commands = parser.add_subparsers(dest="action", required=True, metavar="list|info|add|remove|export")
    names = commands.add_parser("list", help="the models known by name")
    facts = commands.add_parser("info", help="the facts of one model")
    facts.add_argument("name", nargs="?", help=f"{_PLACE} (default: the model in use)")
    for each in (names, facts):
        each.add_argument("--json", action="store_true", help="print one object")
    names.add_argument("--all", action="store_true", help="also those that can be downloaded by name")
    added = commands.add_parser("add", help="check a model and keep a copy of it under a name")
    added.add_argument(
        "source",
        metavar="NAME_OR_PLACE",
        help="a Hugging Face folder, a .gguf file, or a name of `list --all`, which is downloaded from the hub",
    )
    added.add_argument("--name", help="its name (default: that of the folder or file)")
    removed = commands.add_parser("remove", help="delete a model that was added")
    removed.add_argument("name", help="its name")
    exported = commands.add_parser(
        "export",
        help="write a model as GGUF or a Hugging Face folder, for a server that spark asks with"
        ' format = "quoting", or for other programs',
    )
    exported.add_argument("destination", metavar="DEST", help="the file or folder to write; it must not exist")
    exported.add_argument("-m", "--model", help=f"{_PLACE} (default: the model in use)")
    exported.add_argument("--format", choices=("gguf", "hf"), default="gguf", help="gguf (default) or hf")
    exported.add_argument("--weights", choices=model_files.WEIGHTS, help="number format of a GGUF file (default: f16)")


def run(args: argparse.Namespace) -> int:
    """Do it. Raises: UsageError: no such model, or a place that is taken. ModelError: it cannot be loaded."""
    if args.action == "list":
        return _list(as_json=args.json, fetchable=args.all)
    if args.action == "info":
        return _info(args.name, as_json=args.json)
    return {"add": model_files.add, "remove": model_files.remove, "export": model_files.export}[args.action](args)


def _list(*, as_json: bool, fetchable: bool) -> int:
    from spark_tui.engine.library import DEFAULT_MODEL, find_model, list_models

    shipped = {name: find_model(name) for name in list_models()}
    models = [
        {"name": name, "path": str(path), "default": name == DEFAULT_MODEL, "added": name not in shipped}
        | {"edits": can_edit(path)}
        for name, path in {**added_models(), **shipped}.items()
    ]
    models.sort(key=lambda model: (model["added"], model["name"]))
    settings = load_settings()
    endpoints = settings.models.values()
    known = _prospects(settings.bits) if fetchable else []
    if as_json:
        named = [{"name": each.name, "base_url": each.base_url, "model": each.model} for each in endpoints]
        entries = [asdict(each) | asdict(prospect) for each, prospect in known]
        more = {"catalogue": entries} if fetchable else {}
        output.show_json({"version": 1, "models": models, "endpoints": named} | more)
        return 0
    for model in models:
        notes = " (default)" if model["default"] else " (added)" if model["added"] else ""
        notes += "" if model["edits"] else " (for measuring only)"
        output.show_line(f"{model['name']}{notes}  {model['path']}")
    for each in endpoints:
        output.show_line(f"{each.name} (endpoint)  {each.base_url}, {each.model}")
    for listed, prospect in known:
        adding = f"{listed.name} (`spark model add {listed.name}`)"
        output.show_line(f"{adding}  {listed.told}; {prospect.told}")
    if not models:
        output.say("spark: no model is installed; give a model folder with -m")
    return 0


def _prospects(bits: int) -> list[tuple[Listed, Prospect]]:
    """The models that can be added, and how each would run here. Args: bits: of a weight."""
    from spark_tui.cli.bench.machine import read_bandwidth
    from spark_tui.engine.memory import available_bytes

    free, bandwidth = available_bytes(), read_bandwidth(_READ_BYTES)
    free_disk = _free_disk(cache_dir())
    return [
        (each, Prospect.of(each, bits, free, bandwidth, free_disk))
        for each in catalogue().values()
        if each.name not in added_models()
    ]


def _free_disk(folder: Path) -> int:
    """The bytes that are free where a folder is, or will be; 0 where the system does not tell."""
    existing = next(each for each in (folder, *folder.parents) if each.exists())
    try:
        return shutil.disk_usage(existing).free
    except OSError:
        return 0


def _info(name: str | None, *, as_json: bool) -> int:
    from spark_tui.engine.library import find_model, load

    settings = load_settings({"model": name})
    facts = model_facts(load(find_model(settings.model), backend_of(settings)))
    if as_json:
        output.show_json({"version": 1, **facts})
        return 0
    output.show("\n".join(table(facts)))
    if not facts["edits"]:
        output.show_line(CANNOT_EDIT)
    return 0


def model_facts(loaded: "LoadedModel") -> dict[str, Any]:
    """What can be said of a loaded model; `edits`: whether it can."""
    from spark_tui.engine.library import number_formats
    from spark_tui.engine.weights import expected_shapes

    config = loaded.config
    return {
        "name": loaded.name,
        "path": str(loaded.path),
        "family": config.family,
        "parameters": sum(prod(shape) for shape in expected_shapes(config).values()),
        "weights": list(number_formats(loaded.path)),
        "layers": config.n_layers,
        "hidden_size": config.hidden_size,
        "heads": config.n_heads,
        "kv_heads": config.n_kv_heads,
        "vocabulary": config.vocab_size,
        "context": config.max_position_embeddings,
        "bytes": loaded.bytes,
        "load_seconds": round(loaded.load_seconds, 3),
        "edits": can_edit(loaded.path),
    }
