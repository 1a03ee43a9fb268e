"""Which model a command about wafers means: a well-known one by its name, or one whose files are here."""

from pathlib import Path
from typing import TYPE_CHECKING

from spark_tui.errors import ModelError, UsageError
from spark_tui.wafer.shapes import Shape, shape_named

if TYPE_CHECKING:
    from spark_tui.engine.config import ModelConfig

MODEL_HELP = "a well-known name (llama3-8b, ...), a config.json, a model folder, a .gguf file, or a model spark knows"


def shape_of(name: str | None = None) -> Shape:
    """The shape of a model. Args: name: None for the embedded one.

    Raises: UsageError: there is none of that name, or its files describe none that fits together.
    """
    if name is not None and (known := _well_known(name)):
        return known
    try:
        return _from_files(name)
    except ModelError as e:
        raise UsageError(str(e)) from e


def _well_known(name: str) -> Shape | None:
    try:
        return shape_named(name)
    except UsageError:
        return None


def _from_files(name: str | None) -> Shape:
    from spark_tui.config import added_models
    from spark_tui.engine.config import ModelConfig
    from spark_tui.engine.entries import Entries
    from spark_tui.engine.gguf import read_gguf
    from spark_tui.engine.gguf_model import gguf_config
    from spark_tui.engine.library import find_model, is_gguf, list_models, model_name

    if name is not None and Path(name).suffix == ".json":
        path = Path(name)
        return _shape(path.resolve().parent.name, ModelConfig.of(path, Entries.read(path, limit=1 << 20)))
    if name is not None and name not in {*list_models(), *added_models()} and (not name or not Path(name).exists()):
        shape_named(name)
    place = added_models().get(name or "") or find_model(name)
    return _shape(model_name(place), gguf_config(read_gguf(place)) if is_gguf(place) else ModelConfig.read(place))


def _shape(name: str, config: "ModelConfig") -> Shape:
    return Shape(
        name=name,
        dim=config.hidden_size,
        ffn=config.intermediate_size,
        layers=config.n_layers,
        heads=config.n_heads,
        kv_heads=config.n_kv_heads,
        head_dim=config.head_dim,
        vocab=config.vocab_size,
        tied=config.tie_word_embeddings,
        qk_norm=config.qk_norm,
        bias=config.attention_bias,
    )
