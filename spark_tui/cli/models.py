"""`spark model`: which models are here, and more of them.

`spark model add`, `remove` and `export`: models of the user's own, and ours for servers.

`spark model`: which models there are, the facts of one, and models of the user's own.
"""

import argparse
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_tui.cli import output
from spark_tui.cli.catalogue import Listed, Prospect, catalogue, fetched, forget, named
from spark_tui.cli.common import CANNOT_EDIT, backend_of, can_edit
from spark_tui.cli.output import table
from spark_tui.config import added_models, cache_dir, data_dir, load_settings
from spark_tui.errors import FileError, ModelError, UsageError

if TYPE_CHECKING:
    from spark_tui.engine.loader import LoadedModel, StoredModel


WEIGHTS = ("f32", "f16", "q8_0", "q4_0")
_FOR_SERVERS = (
    'for a server: spark edits with it as [models.NAME] with format = "quoting" in config.toml, '
    "and in process with what --format hf writes"
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_KEPT = ("*.json", "*.safetensors", "*.md", "LICENSE*", "*.gguf")


def add(args: argparse.Namespace) -> int:
    """Check a model in full, then keep a copy.

    Raises:
        UsageError, ModelError, FileError.
    """
    from spark_tui.engine.loader import find_model, is_gguf, model_name

    listed = named(args.source)
    name = args.name or (listed.name if listed else "")
    if name:
        _check_free(name)
    if listed:
        source = fetched(listed, lambda words: output.say(f"spark: {words}"))
    else:
        source = find_model(args.source)
    name = name or model_name(source)
    _check_free(name)
    _check(source)
    edits = can_edit(source)
    target = data_dir() / "models" / (f"{name}.gguf" if is_gguf(source) else name)
    with _files_of(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".", dir=target.parent) as folder:
            _copied(source, Path(folder) / target.name).rename(target)
    if listed:
        forget(listed)
    output.say(
        f"spark: added; use it with -m {name}"
        if edits
        else f"spark: added as {name}; it {CANNOT_EDIT}"
    )
    return 0


def remove(args: argparse.Namespace) -> int:
    """Delete a model that was added.

    Raises:
        UsageError, FileError.
    """
    places = added_models()
    if args.name not in places:
        raise UsageError(f"no added model {args.name!r}; added are: {', '.join(places) or 'none'}")
    place = places[args.name]
    with _files_of(place):
        shutil.rmtree(place) if place.is_dir() and not place.is_symlink() else place.unlink()
    output.say(f"spark: removed {args.name}")
    return 0


def export(args: argparse.Namespace) -> int:
    """Write a model for a server or another program.

    Raises:
        UsageError, ModelError, FileError.
    """
    destination = Path(args.destination)
    if destination.exists():
        raise UsageError(f"{destination} already exists; name another place or move it")
    if args.format == "hf" and args.weights:
        raise UsageError(
            "--weights is for GGUF; a Hugging Face folder gets the numbers as they are"
        )
    from spark_tui.engine.loader import find_model, model_name, read_model

    path = find_model(load_settings({"model": args.model}).model)
    stored = read_model(path)
    with _files_of(destination):
        if args.format == "gguf":
            _export_gguf(stored, destination, args.weights or "f16", model_name(path))
            if can_edit(path) and not can_edit(destination):
                output.say(f"spark: {_FOR_SERVERS}")
        else:
            _export_folder(stored, destination, path)
    return 0


def _export_gguf(stored: "StoredModel", destination: Path, weights: str, name: str) -> None:
    from spark_tui.engine.export import QUANTISATIONS, Quantisation, write_gguf

    quantisation = next(each for each in QUANTISATIONS if each == weights)
    head: Quantisation | None = (
        "q8_0" if quantisation == "q4_0" else None
    )  # four bits cost most there
    parts = stored.config, stored.weights, stored.tokenizer
    write_gguf(destination, *parts, quantisation, name=name, head=head)


def _export_folder(stored: "StoredModel", destination: Path, source: Path) -> None:
    from spark_tui.engine.export import write_folder
    from spark_tui.providers.calibration import Calibration

    calibration = Calibration.read(source)
    write_folder(destination, stored.config, stored.weights, stored.tokenizer)
    if calibration is not None:
        calibration.write(destination)


def _check_free(name: str) -> None:
    from spark_tui.engine.loader import list_models

    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is not a valid name for a model; give a --name of letters, digits, '.', "
            f"'_' and '-'"
        )
    if name in list_models() or name in added_models():
        raise UsageError(
            f"there is a model {name!r}; give another name with --name, or `spark model remove` it"
        )


def _check(source: Path) -> None:
    """Load it and let it read a token."""
    import numpy as np

    from spark_tui.engine.loader import load

    loaded = load(source, backend_of(load_settings()))
    if not np.isfinite(loaded.model.forward([0], loaded.model.new_cache(1))).all():
        raise ModelError(f"{source}: it computes numbers that are not finite; name another model")


def _copied(source: Path, target: Path) -> Path:
    if source.is_file():
        shutil.copyfile(source, target)
        return target
    target.mkdir()
    for pattern in _KEPT:
        for file in source.glob(pattern):
            shutil.copyfile(file, target / file.name)
    return target


@contextmanager
def _files_of(place: Path) -> Iterator[None]:
    """Say which place could not be written."""
    try:
        yield
    except OSError as error:
        why = error.strerror or error
        raise FileError(
            f"{place} cannot be written ({why}); name another place or free some space"
        ) from error


_READ_BYTES = 1 << 27
"""Read to measure the bandwidth of memory: more than a cache holds, in a fraction of a second."""
_PLACE = "a name, a model folder or a .gguf file"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare `list`, `info`, `add`, `remove` and `export`."""
    commands = parser.add_subparsers(
        dest="action", required=True, metavar="list|info|add|remove|export"
    )
    names = commands.add_parser("list", help="the models known by name")
    facts = commands.add_parser("info", help="the facts of one model")
    facts.add_argument("name", nargs="?", help=f"{_PLACE} (default: the model in use)")
    for each in (names, facts):
        each.add_argument("--json", action="store_true", help="print one object")
    names.add_argument(
        "--all", action="store_true", help="also those that can be downloaded by name"
    )
    added = commands.add_parser("add", help="check a model and keep a copy of it under a name")
    added.add_argument(
        "source",
        metavar="NAME_OR_PLACE",
        help="a Hugging Face folder, a .gguf file, or a name of `list --all`, which is "
        "downloaded from the hub",
    )
    added.add_argument("--name", help="its name (default: that of the folder or file)")
    removed = commands.add_parser("remove", help="delete a model that was added")
    removed.add_argument("name", help="its name")
    exported = commands.add_parser(
        "export",
        help="write a model as GGUF or a Hugging Face folder, for a server that spark asks with"
        ' format = "quoting", or for other programs',
    )
    exported.add_argument(
        "destination", metavar="DEST", help="the file or folder to write; it must not exist"
    )
    exported.add_argument("-m", "--model", help=f"{_PLACE} (default: the model in use)")
    exported.add_argument(
        "--format", choices=("gguf", "hf"), default="gguf", help="gguf (default) or hf"
    )
    exported.add_argument(
        "--weights", choices=WEIGHTS, help="number format of a GGUF file (default: f16)"
    )


def run(args: argparse.Namespace) -> int:
    """Do it.

    Raises:
        UsageError: No such model, or a place that is taken.
        ModelError: It cannot be loaded.
    """
    if args.action == "list":
        return _list(as_json=args.json, fetchable=args.all)
    if args.action == "info":
        return _info(args.name, as_json=args.json)
    return {"add": add, "remove": remove, "export": export}[args.action](args)


def _list(*, as_json: bool, fetchable: bool) -> int:
    from spark_tui.engine.loader import DEFAULT_MODEL, find_model, list_models

    shipped = {name: find_model(name) for name in list_models()}
    models = [
        {
            "name": name,
            "path": str(path),
            "default": name == DEFAULT_MODEL,
            "added": name not in shipped,
        }
        | {"edits": can_edit(path)}
        for name, path in {**added_models(), **shipped}.items()
    ]
    models.sort(key=lambda model: (model["added"], model["name"]))
    settings = load_settings()
    endpoints = settings.models.values()
    known = _prospects(settings.bits) if fetchable else []
    if as_json:
        named = [
            {"name": each.name, "base_url": each.base_url, "model": each.model}
            for each in endpoints
        ]
        entries = [asdict(each) | asdict(prospect) for each, prospect in known]
        more = {"catalogue": entries} if fetchable else {}
        output.show_json({"version": 1, "models": models, "endpoints": named} | more)
        return 0
    for model in models:
        if model["default"]:
            notes = " (default)"
        elif model["added"]:
            notes = " (added)"
        else:
            notes = ""
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
    """The models that can be added, and how each would run here.

    Args:
        bits: Of a weight.
    """
    from spark_tui.cli.bench.suite import read_bandwidth
    from spark_tui.engine.machine import available_bytes

    free = available_bytes()
    bandwidth = read_bandwidth(_READ_BYTES)
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
    from spark_tui.engine.loader import find_model, load

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
    from spark_tui.engine.loader import number_formats
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
