"""`spark model`: lists models, and adds, removes and exports them."""

import argparse
import os
import re  # noqa: TID251 - reads names and settings
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_tui.cli import output
from spark_tui.cli.catalogue import (
    Listed,
    Prospect,
    catalogue,
    check_pinned,
    fetched,
    fetched_bytes,
    forget,
    free_bytes,
    named,
    pinned_model,
    require_room,
)
from spark_tui.cli.common import CANNOT_EDIT, backend_of, can_edit, ready_backend
from spark_tui.cli.output import table
from spark_tui.config import Endpoint, added_models, cache_dir, data_dir, load_settings
from spark_tui.errors import FileError, ModelError, UsageError
from spark_tui.small_files import OddFile, opened

if TYPE_CHECKING:
    from spark_tui.engine.loader import LoadedModel, StoredModel


WEIGHTS = ("f32", "f16", "q8_0", "q4_0")
_FOR_SERVERS = (
    'for a server: spark edits with it as [models.NAME] with format = "quoting" in config.toml, '
    "and in process with what --format hf writes"
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_WEIGHTS = {".safetensors", ".gguf"}
_MOST_TEXT_BYTES = 64 << 20
"""The most bytes of a file of a model that holds no weights."""
_KEPT = ("*.json", "*.safetensors", "*.md", "LICENSE*", "*.gguf")


def add(args: argparse.Namespace) -> int:
    """Check a model in full, then keep a copy.

    A call that was ended at any moment can be made again: a download goes on, and nothing else is
    half done.

    Raises:
        UsageError, ModelError, FileError: The name is taken, the model is damaged or another one,
            or memory or disk are too small.
    """
    from spark_tui.engine.loader import find_model, is_gguf, model_name

    listed = _listed(args)
    name = args.name or (listed.name if listed else "")
    if pinned_model(name) and name in added_models():
        _pack(name, added_models()[name])
        return 0
    if name:
        _check_free(name)  # before a download that takes minutes
    is_fetched = listed is not None and args.file is None
    if listed and is_fetched:
        source = fetched(listed, lambda words: output.say(f"spark: {words}"))
    else:
        source = find_model(args.file or args.source)
    name = name or model_name(source)
    _check_free(name)
    pinned = pinned_model(name)
    if pinned is None:
        _check_original(source)
    else:
        check_pinned(pinned, source)
    target = data_dir() / "models" / name
    if is_gguf(source):
        target = target.with_name(f"{name}.gguf")
    _place(source, target, moves=is_fetched)
    if listed:
        forget(listed)
    if pinned:
        _pack(name, target)
    else:
        _tell_added(name, target)
    return 0


def _tell_added(name: str, place: Path) -> None:
    if can_edit(place):
        output.say(f"spark: added; use it with -m {name}")
    else:
        output.say(f"spark: added as {name}; it {CANNOT_EDIT}")


def _listed(args: argparse.Namespace) -> Listed | None:
    """Return the model of the catalogue that is to be added.

    Raises:
        UsageError: A file comes with a name that the catalogue does not have.
    """
    if args.file is None:
        return named(args.source)
    listed = catalogue().get(args.source)
    if listed is None:
        raise UsageError(
            f"{args.source!r} is no name of `spark model list --all`; any other file is added by "
            f"`spark model add FILE --name NAME`"
        )
    return listed


def _place(source: Path, target: Path, *, moves: bool) -> None:
    """Put the files of a model where they are kept, all of them in one step.

    Args:
        source: The folder or the file.
        target: The new folder or file.
        moves: Whether the source is not needed any more.

    Raises:
        FileError: The copy cannot be written.
    """
    with _files_of(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        prefix = f".{target.name}-"
        for unfinished in target.parent.glob(f"{prefix}*"):  # the copy of a call that was killed
            shutil.rmtree(unfinished)
        if moves and source.stat().st_dev == target.parent.stat().st_dev:
            source.rename(target)
            return
        # Copied beside its place and renamed. Names with a dot in front are no models, so a copy
        # that breaks off never counts as one.
        with tempfile.TemporaryDirectory(prefix=prefix, dir=target.parent) as folder:
            _copied(source, Path(folder) / target.name).rename(target)


def _pack(name: str, place: Path) -> None:
    """Load a model once, so that its packed weights are kept for the next time."""
    output.say(f"spark: loading {name}; the first time its weights are packed: half a minute")
    _check(place)
    output.say(f"spark: {name} is ready; use it with -m {name}")


def remove(args: argparse.Namespace) -> int:
    """Delete a model that was added.

    Raises:
        UsageError, FileError: No such model, or its files cannot be deleted.
    """
    from spark_tui.engine.loader import model_files

    places = added_models()
    listed = catalogue().get(args.name)
    is_fetched = listed is not None and fetched_bytes(listed) > 0
    if args.name not in places and not is_fetched:
        raise UsageError(f"no added model {args.name!r}; added are: {', '.join(places) or 'none'}")
    if listed:
        forget(listed)
    if args.name not in places:
        output.say(f"spark: removed what was fetched of {args.name}")
        return 0
    place = places[args.name]
    with _files_of(place):
        # A folder tells no more which files it had, so the files are deleted last.
        backend_of(load_settings()).of_model(place).forget(model_files(place))
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        else:
            place.unlink()
    output.say(f"spark: removed {args.name}")
    return 0


def export(args: argparse.Namespace) -> int:
    """Write a model for a server or another program.

    Raises:
        UsageError, ModelError, FileError: The place is taken, the model cannot be read, or the file
            cannot be written.
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

    quantisation = next(known for known in QUANTISATIONS if known == weights)
    head: Quantisation | None = None
    if quantisation == "q4_0":
        head = "q8_0"  # four bits cost most in the LM head
    parts = stored.config, stored.weights, stored.tokenizer
    write_gguf(destination, *parts, quantisation, name=name, head=head)


def _export_folder(stored: "StoredModel", destination: Path, source: Path) -> None:
    from spark_tui.engine.export import write_folder
    from spark_tui.providers.calibration import Calibration

    calibration = Calibration.read(source)
    beside = destination.parent
    beside.mkdir(parents=True, exist_ok=True)
    # Whatever ends the export, nothing stands under the name before all of it does.
    with tempfile.TemporaryDirectory(prefix=f".{destination.name}-", dir=beside) as part:
        folder = Path(part) / destination.name
        write_folder(folder, stored.config, stored.weights, stored.tokenizer)
        if calibration is not None:
            calibration.write(folder)
        folder.rename(destination)


def _check_free(name: str) -> None:
    """Refuse a name that is taken, or whose model has no room here."""
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
    pinned = pinned_model(name)
    if pinned:
        require_room(pinned, data_dir())


def _check(source: Path) -> None:
    """Load a model and let it read a token, and read what is known of its answers."""
    import numpy as np

    from spark_tui.engine.loader import load

    loaded = load(source, ready_backend(load_settings()))
    if not np.isfinite(loaded.model.forward([0], loaded.model.new_cache(1))).all():
        raise ModelError(f"{source}: it computes numbers that are not finite; name another model")
    can_edit(source)


def _check_original(source: Path) -> None:
    """Check a model that is about to be copied or moved, and leave nothing packed of it behind.

    Packed weights go by the place of a model. Nobody would look for those of the original again,
    unless they were there before.
    """
    from spark_tui.engine.loader import model_files

    backend = backend_of(load_settings()).of_model(source)
    files = model_files(source)
    was_kept = backend.has_kept(files)
    try:
        _check(source)
    finally:
        if not was_kept:
            backend.forget(files)


def _copied(source: Path, target: Path) -> Path:
    """Copy a file of a model, or the files of its folder that are kept.

    Raises:
        ModelError: What is to be copied is no file, or far larger than a file of its kind.
    """
    if source.is_file():
        _copy_file(source, target)
        return target
    target.mkdir()
    for pattern in _KEPT:
        for file in source.glob(pattern):
            _copy_file(file, target / file.name)
    return target


def _copy_file(source: Path, target: Path) -> None:
    """Copy a file, unless it has no end.

    Raises:
        ModelError: It is no regular file, or too large.
    """
    try:
        with opened(source) as file:
            size = os.fstat(file.fileno()).st_size
    except OddFile as error:
        raise ModelError(f"{source}: {error.strerror}") from error
    if source.suffix not in _WEIGHTS and size > _MOST_TEXT_BYTES:
        raise ModelError(f"{source}: larger than {_MOST_TEXT_BYTES:,} bytes; move it away")
    shutil.copyfile(source, target)


@contextmanager
def _files_of(place: Path) -> Iterator[None]:
    """Turn an error of the system into one that names the place."""
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
    for command in (names, facts):
        command.add_argument("--json", action="store_true", help="print one object")
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
    added.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help="the file of that name, to take it from here instead of the hub",
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
    """Run one of the actions.

    Raises:
        UsageError: No such model, or a place that is taken.
        ModelError: The model cannot be loaded.
    """
    match args.action:
        case "list":
            return _list(as_json=args.json, fetchable=args.all)
        case "info":
            return _info(args.name, as_json=args.json)
        case "add":
            return add(args)
        case "remove":
            return remove(args)
        case _:
            return export(args)


def _list(*, as_json: bool, fetchable: bool) -> int:
    models = _known_models()
    settings = load_settings()
    prospects = _prospects(settings.bits) if fetchable else []
    if as_json:
        body: dict[str, Any] = {"version": 1, "models": models}
        body["endpoints"] = [
            {"name": endpoint.name, "base_url": endpoint.base_url, "model": endpoint.model}
            for endpoint in settings.models.values()
        ]
        if fetchable:
            body["catalogue"] = [
                {**asdict(listed), **asdict(prospect)} for listed, prospect in prospects
            ]
        output.show_json(body)
        return 0
    for model in models:
        output.show_line(_model_line(model))
    for endpoint in settings.models.values():
        output.show_line(f"{endpoint.name} (endpoint)  {endpoint.base_url}, {endpoint.model}")
    for listed, prospect in prospects:
        adding = f"{listed.name} (`spark model add {listed.name}`)"
        output.show_line(f"{adding}  {listed.download}; {prospect.summary}")
    if not models:
        output.say("spark: no model is installed; give a model folder with -m")
    return 0


def _known_models() -> list[dict[str, Any]]:
    """Return the models that are here: first those that are shipped, by name."""
    from spark_tui.engine.loader import DEFAULT_MODEL, find_model, list_models

    shipped = {name: find_model(name) for name in list_models()}
    models: list[dict[str, Any]] = []
    for name, path in {**added_models(), **shipped}.items():
        model = {
            "name": name,
            "path": str(path),
            "default": name == DEFAULT_MODEL,
            "added": name not in shipped,
            "edits": can_edit(path),
        }
        models.append(model)
    models.sort(key=lambda model: (model["added"], model["name"]))
    return models


def _model_line(model: dict[str, Any]) -> str:
    line: str = model["name"]
    if model["default"]:
        line += " (default)"
    elif model["added"]:
        line += " (added)"
    if not model["edits"]:
        line += " (for measuring only)"
    return f"{line}  {model['path']}"


def _prospects(bits: int) -> list[tuple[Listed, Prospect]]:
    """Return the models that can be added, and how each would run here.

    Args:
        bits: Bits of a weight.
    """
    from spark_tui.cli.bench.suite import read_bandwidth
    from spark_tui.engine.machine import available_bytes

    free = available_bytes()
    bandwidth = read_bandwidth(_READ_BYTES)
    free_disk = free_bytes(cache_dir()) or 0
    added = added_models()
    prospects = []
    for listed in catalogue().values():
        if listed.name not in added:
            prospect = Prospect.of(listed, bits, free, bandwidth, free_disk)
            prospects.append((listed, prospect))
    return prospects


def _info(name: str | None, *, as_json: bool) -> int:
    from spark_tui.engine.loader import find_model, load

    settings = load_settings({"model": name})
    if endpoint := settings.models.get(settings.model):
        facts = endpoint_facts(endpoint)
    else:
        facts = model_facts(load(find_model(settings.model), backend_of(settings)))
    if as_json:
        output.show_json({"version": 1, **facts})
        return 0
    output.show("\n".join(table(facts)))
    if endpoint:
        output.show_line(f"`spark doctor -m {endpoint.name}` asks the server what it can do")
        return 0
    if not facts["edits"]:
        output.show_line(CANNOT_EDIT)
    return 0


def endpoint_facts(endpoint: Endpoint) -> dict[str, Any]:
    """Return what the settings say of an endpoint, for people and programs; no server is asked.

    The key itself is left out: only the name of the variable that holds the key is a fact.
    """
    return {
        "name": endpoint.name,
        "base_url": endpoint.base_url,
        "model": endpoint.model,
        "key_env": endpoint.key_env or None,
        "format": endpoint.format,
        "context": endpoint.context,
        "repository_map": endpoint.map,
        "thinking": endpoint.thinking,
        "fallback": endpoint.fallback or None,
        "edits": True,
    }


def model_facts(loaded: "LoadedModel") -> dict[str, Any]:
    """Return the facts of a loaded model, for people and programs."""
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
