"""Finds the model and the wafer that a command names: a well-known model, or one that is here."""

from argparse import ArgumentParser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from spark_tui.config import added_models
from spark_tui.errors import ModelError, UsageError
from spark_tui.wafer.machine import WAFERS, ModelShape, Wafer, device_named, shape_named

if TYPE_CHECKING:
    from spark_tui.engine.config import ModelConfig

MODEL_HELP = (
    "a well-known name (llama3-8b, ...), a config.json, a model folder, a .gguf file, "
    "or a model spark knows"
)


def add_device_argument(parser: ArgumentParser) -> None:
    """Declare `--device`."""
    wafers = " or ".join(WAFERS)
    parser.add_argument("--device", default="wse2", metavar="D", help=f"{wafers} (default: wse2)")


def wafer_of(name: str, use: str) -> Wafer:
    """Look up a wafer by name.

    Args:
        name: The name of a device.
        use: What the command does with its mesh, for the message.

    Raises:
        UsageError: No device has this name, or the device is no wafer.
    """
    device = device_named(name)
    if not isinstance(device, Wafer):
        wafers = " or ".join(WAFERS)
        raise UsageError(f"{device.name} has no mesh to {use}; choose {wafers}")
    return device


def shape_of(name: str | None = None) -> ModelShape:
    """Find the shape of a model.

    Args:
        name: A well-known name, a file, a folder or a model that spark knows; None for the embedded
            model.

    Raises:
        UsageError: No model has this name, or its files describe no shape that fits together.
    """
    if name is not None:
        with suppress(UsageError):
            return shape_named(name)
    try:
        return _shape_from_files(name)
    except ModelError as e:
        from spark_tui.engine.config import ADVICE

        advice = "correct the shape, or name another model"
        raise UsageError(str(e).replace(ADVICE, advice)) from e


def _shape_from_files(name: str | None) -> ModelShape:
    from spark_tui.engine.config import FILE_NAME
    from spark_tui.engine.gguf import gguf_config, read_gguf
    from spark_tui.engine.loader import find_model, is_gguf, model_name

    if name is not None and Path(name).suffix == ".json":
        path = Path(name)
        # A config.json lies in the folder that is named after the model.
        own_name = path.resolve().parent.name if path.name == FILE_NAME else path.stem
        return ModelShape.of(_read_config(path), own_name)
    if name is not None and not _is_here(name):
        # Refuse with the well-known names, which `find_model` does not know.
        shape_named(name, besides="a config.json or ")
    path = added_models().get(name or "") or find_model(name)
    if is_gguf(path):
        return ModelShape.of(gguf_config(read_gguf(path)), model_name(path))
    return ModelShape.of(_read_config(path / FILE_NAME), model_name(path))


def _is_here(name: str) -> bool:
    from spark_tui.engine.loader import list_models

    if name in {*list_models(), *added_models()}:
        return True
    return bool(name) and Path(name).exists()


def _read_config(path: Path) -> "ModelConfig":
    """Read a config.json, which may leave out what the shape does not depend on."""
    from spark_tui.engine.config import Entries, ModelConfig

    defaults = {"max_position_embeddings": 4096, "rms_norm_eps": 1e-6}
    return ModelConfig.of(path, Entries.read(path, limit=1 << 20).over(defaults))
