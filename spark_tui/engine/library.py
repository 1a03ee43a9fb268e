"""Models by name: those shipped with spark, and any Hugging Face-style folder by its path."""

import time
from dataclasses import dataclass
from pathlib import Path

from spark_tui.engine.config import FILE_NAME as CONFIG_FILE
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.decoder import Decoder
from spark_tui.engine.files import damaged
from spark_tui.engine.model import Model
from spark_tui.engine.tokenizer import FILE_NAME as TOKENIZER_FILE
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.engine.weights import read_weights
from spark_tui.errors import UsageError

DEFAULT_MODEL = "spark-s"
MODELS_FOLDER = Path(__file__).parent.parent / "models"


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model ready to run. `bytes`: memory its weights take; `load_seconds`: how long loading took."""

    name: str
    path: Path
    config: ModelConfig
    tokenizer: Tokenizer
    model: Model
    load_seconds: float
    bytes: int


def list_models() -> tuple[str, ...]:
    """The names of the models shipped with spark, sorted."""
    return tuple(sorted(file.parent.name for file in MODELS_FOLDER.glob(f"*/{CONFIG_FILE}")))


def find_model(name_or_path: str | None = None) -> Path:
    """The folder of a model.

    Args: name_or_path: one of `list_models()`, else a folder; None for the default model.
    Raises: UsageError: neither; the message names the models there are.
    """
    name = name_or_path or DEFAULT_MODEL
    known = list_models()
    if name in known:
        return MODELS_FOLDER / name
    if name_or_path and Path(name).is_dir():
        return Path(name)
    raise UsageError(f"no model {name!r}; known are: {', '.join(known) or 'none'}, or give a model folder")


def load(path: Path) -> LoadedModel:
    """Load config, tokenizer and weights of a model folder.

    Raises: ModelError: a file is missing or damaged, or the files do not fit together.
    """
    began = time.perf_counter()
    config = ModelConfig.read(path)
    tokenizer = Tokenizer.read(path)
    if tokenizer.vocab_size > config.vocab_size:
        raise damaged(path / TOKENIZER_FILE, f"{tokenizer.vocab_size} tokens, config.json allows {config.vocab_size}")
    model = Decoder(config, read_weights(path, config))
    seconds = time.perf_counter() - began
    return LoadedModel(path.resolve().name, path, config, tokenizer, model, seconds, model.bytes)
