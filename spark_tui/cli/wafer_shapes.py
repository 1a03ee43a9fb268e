"""Which model a command about wafers means: a well-known one by its name, or one whose files are here."""

from argparse import ArgumentParser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from spark_tui.config import added_models
from spark_tui.errors import ModelError, UsageError
from spark_tui.wafer.machine import WAFERS, ModelShape, Wafer, device_named, shape_named

if TYPE_CHECKING:
    from spark_tui.engine.config import ModelConfig

MODEL_HELP = "a well-known name (llama3-8b, ...), a config.json, a model folder, a .gguf file, or a model spark knows"


def add_device_argument(parser: ArgumentParser) -> None:
    """--device."""
    parser.add_argument("--device", default="wse2", metavar="D", help=f"{' or '.join(WAFERS)} (default: wse2)")


def wafer_of(name: str, use: str) -> Wafer:
    """The wafer of a name. Args: use: what its mesh is for. Raises: UsageError: it is none."""
    device = device_named(name)
    if not isinstance(device, Wafer):
        raise UsageError(f"{device.name} has no mesh to {use}; choose {' or '.join(WAFERS)}")
    return device


def shape_of(name: str | None = None) -> ModelShape:
    """The shape of a model. Args: name: None for the embedded one.

    Raises: UsageError: there is none of that name, or its files describe none that fits together.
    """
    if name is not None:
        with suppress(UsageError):
            return shape_named(name)
    try:
        return _from_files(name)
    except ModelError as e:
        from spark_tui.engine.files import ADVICE

        raise UsageError(str(e).replace(ADVICE, "correct the shape, or name another model")) from e


def _from_files(name: str | None) -> ModelShape:
    from spark_tui.engine.config import FILE_NAME
    from spark_tui.engine.gguf import read_gguf
    from spark_tui.engine.gguf_model import gguf_config
    from spark_tui.engine.library import find_model, is_gguf, list_models, model_name

    if name is not None and Path(name).suffix == ".json":
        path = Path(name)
        named = path.resolve().parent.name if path.name == FILE_NAME else path.stem
        return ModelShape.of(_config(path), named)
    if name is not None and name not in {*list_models(), *added_models()} and (not name or not Path(name).exists()):
        shape_named(name, besides="a config.json or ")
    place = added_models().get(name or "") or find_model(name)
    if is_gguf(place):
        return ModelShape.of(gguf_config(read_gguf(place)), model_name(place))
    return ModelShape.of(_config(place / FILE_NAME), model_name(place))


def _config(path: Path) -> "ModelConfig":
    """A config.json, which need not say what the shape does not depend on."""
    from spark_tui.engine.config import ModelConfig
    from spark_tui.engine.entries import Entries

    unused = {"max_position_embeddings": 4096, "rms_norm_eps": 1e-6}
    return ModelConfig.of(path, Entries.read(path, limit=1 << 20).over(unused))
