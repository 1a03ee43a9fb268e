"""`spark model add`, `remove` and `export`: models of the user's own, and ours for servers."""

import argparse
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from spark_tui.cli import output
from spark_tui.cli.catalogue import fetched, forget, named
from spark_tui.cli.start import CANNOT_EDIT, backend_of, can_edit
from spark_tui.config import added_models, data_dir, load_settings
from spark_tui.errors import FileError, ModelError, UsageError

if TYPE_CHECKING:
    from spark_tui.engine.library import StoredModel

WEIGHTS = ("f32", "f16", "q8_0", "q4_0")
_FOR_SERVERS = (
    'for a server: spark edits with it as [models.NAME] with format = "quoting" in config.toml, '
    "and in process with what --format hf writes"
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_KEPT = ("*.json", "*.safetensors", "*.md", "LICENSE*", "*.gguf")


def add(args: argparse.Namespace) -> int:
    """Check a model in full, then keep a copy. Raises: UsageError, ModelError, FileError."""
    from spark_tui.engine.library import find_model, is_gguf, model_name

    listed = named(args.source)
    name = args.name or (listed.name if listed else "")
    if name:
        _check_free(name)
    source = fetched(listed, lambda words: output.say(f"spark: {words}")) if listed else find_model(args.source)
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
    output.say(f"spark: added; use it with -m {name}" if edits else f"spark: added as {name}; it {CANNOT_EDIT}")
    return 0


def remove(args: argparse.Namespace) -> int:
    """Delete a model that was added. Raises: UsageError, FileError."""
    places = added_models()
    if args.name not in places:
        raise UsageError(f"no added model {args.name!r}; added are: {', '.join(places) or 'none'}")
    place = places[args.name]
    with _files_of(place):
        shutil.rmtree(place) if place.is_dir() and not place.is_symlink() else place.unlink()
    output.say(f"spark: removed {args.name}")
    return 0


def export(args: argparse.Namespace) -> int:
    """Write a model for a server or another program. Raises: UsageError, ModelError, FileError."""
    destination = Path(args.destination)
    if destination.exists():
        raise UsageError(f"{destination} already exists; name another place or move it")
    if args.format == "hf" and args.weights:
        raise UsageError("--weights is for GGUF; a Hugging Face folder gets the numbers as they are")
    from spark_tui.engine.library import find_model, model_name, read_model

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
    from spark_tui.engine.gguf_write import QUANTISATIONS, Quantisation, write_gguf

    quantisation = next(each for each in QUANTISATIONS if each == weights)
    head: Quantisation | None = "q8_0" if quantisation == "q4_0" else None  # four bits cost most there
    parts = stored.config, stored.weights, stored.tokenizer
    write_gguf(destination, *parts, quantisation, name=name, head=head)


def _export_folder(stored: "StoredModel", destination: Path, source: Path) -> None:
    from spark_tui.answering.calibration import Calibration
    from spark_tui.engine.folder_write import write_folder

    calibration = Calibration.read(source)
    write_folder(destination, stored.config, stored.weights, stored.tokenizer)
    if calibration is not None:
        calibration.write(destination)


def _check_free(name: str) -> None:
    from spark_tui.engine.library import list_models

    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is not a valid name for a model; give a --name of letters, digits, '.', '_' and '-'"
        )
    if name in list_models() or name in added_models():
        raise UsageError(f"there is a model {name!r}; give another name with --name, or `spark model remove` it")


def _check(source: Path) -> None:
    """Load it and let it read a token."""
    import numpy as np

    from spark_tui.engine.library import load

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
        raise FileError(f"{place} cannot be written ({why}); name another place or free some space") from error
