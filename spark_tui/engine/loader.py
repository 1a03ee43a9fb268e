"""Models by name: those shipped with spark, and any Hugging Face-style folder or GGUF file by
its path.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import prod
from pathlib import Path

from spark_tui.config import refuse_address
from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.backend import Backend
from spark_tui.engine.config import FILE_NAME as CONFIG_FILE
from spark_tui.engine.config import ModelConfig, damaged
from spark_tui.engine.gguf import SUFFIX, gguf_config, gguf_weights, read_gguf, read_parts
from spark_tui.engine.gguf_tokenizer import gguf_tokenizer
from spark_tui.engine.lora import GGUF_FILE, adapted
from spark_tui.engine.machine import require
from spark_tui.engine.model import Model
from spark_tui.engine.tokenizer import FILE_NAME as TOKENIZER_FILE
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.engine.weights import folder_weights, open_shard, read_weights
from spark_tui.errors import UsageError

DEFAULT_MODEL = "spark-m"
MODELS_FOLDER = Path(__file__).parent.parent / "models"
_PLAIN = Backend("numpy")
LEAST_BYTES = 160 << 20
"""What the libraries take that read a model, however small the model is."""
_WEIGHTS = (f"*{SUFFIX}", "*.safetensors", "*.json")


@dataclass(frozen=True, slots=True)
class StoredModel:
    """What the files of a model hold; `weights`: float32, by Hugging Face name."""

    config: ModelConfig
    tokenizer: Tokenizer
    weights: Mapping[str, FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class LoadedModel:
    """A model ready to run; each is equal to itself only.

    `bytes`: memory its weights take; `load_seconds`: how long loading took.
    """

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
    """The folder or file of a model.

    Args:
        name_or_path: One of `list_models()`, else a folder or a GGUF file; None for the default
            model.

    Raises:
        UsageError: Neither; the message names the models there are.
    """
    name = name_or_path or DEFAULT_MODEL
    known = list_models()
    if name in known:
        return MODELS_FOLDER / name
    if name_or_path and (Path(name).is_dir() or is_gguf(Path(name))):
        return Path(name)
    refuse_address(name)
    raise UsageError(
        f"no model {name!r}; shipped are: {', '.join(known) or 'none'}; `spark model list` "
        f"shows those added as well, "
        "with --all those that can be; or give a model folder or a .gguf file"
    )


def is_gguf(path: Path) -> bool:
    """Whether a path is that of a GGUF file, by its name."""
    return path.suffix.lower() == SUFFIX and path.is_file()


def model_name(path: Path) -> str:
    """What a model is called that lies here."""
    return path.stem if is_gguf(path) else path.resolve().name


def read_model(path: Path, *, adapter: bool = True) -> StoredModel:
    """Read config, tokenizer and weights of a model folder, with its adapter, or a GGUF file.

    The tensors of a GGUF file are read when they are taken.

    Args:
        adapter: False leaves it out.

    Raises:
        ModelError: A file is missing or damaged, what is in them does not fit together, or not into
            memory.
    """
    config, tokenizer, weights = _open(path, adapter=adapter)
    return StoredModel(config, tokenizer(), weights())


def load(path: Path, backend: Backend = _PLAIN) -> LoadedModel:
    """Make the model of a folder or a GGUF file ready to run.

    Args:
        backend: What it computes with.

    Raises:
        ModelError: As `read_model`.
        UsageError: The backend cannot run here.
    """
    began = time.perf_counter()
    require(LEAST_BYTES, f"reading {model_name(path)}")  # below that, libraries end the process
    (config, read_tokenizer, weights), files = _open(path), _files(path)
    with ThreadPoolExecutor(1) as pool:  # a large vocabulary takes about as long as the weights do
        reading = pool.submit(read_tokenizer)
        try:
            model = backend.kept(config, files, weights)
            model = model or backend.make(config, weights(), files)
        finally:
            tokenizer = reading.result()  # what is wrong with it is said first
    name = model_name(path)
    seconds = time.perf_counter() - began
    return LoadedModel(name, path, config, tokenizer, model, seconds, model.bytes)


def _open(
    path: Path, *, adapter: bool = True
) -> tuple[ModelConfig, Callable[[], Tokenizer], Callable[[], Mapping[str, FloatArray]]]:
    """What is known of a model at once, and how to come by its tokenizer and its weights."""
    if not is_gguf(path):
        config = ModelConfig.read(path)
        tokenizer = partial(_checked, path / TOKENIZER_FILE, config, partial(Tokenizer.read, path))
        return config, tokenizer, partial(_weights, path, config, adapter)
    file = read_gguf(path)
    config = gguf_config(file)
    return (
        config,
        partial(_checked, path, config, partial(gguf_tokenizer, file)),
        partial(gguf_weights, file, config),
    )


def _weights(folder: Path, config: ModelConfig, adapter: bool) -> Mapping[str, FloatArray]:
    parts = _parts(folder)
    weights: Mapping[str, FloatArray]
    if parts:
        weights = gguf_weights(read_parts(parts), config)
    elif config.experts is not None:
        weights = folder_weights(folder, config)
    else:
        weights = read_weights(folder, config)
    return adapted(folder, weights, config) if adapter else weights


def _parts(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob(f"*{SUFFIX}") if path.name != GGUF_FILE)


def _files(path: Path) -> list[Path]:
    """What the weights of a model come out of."""
    if is_gguf(path):
        return [path]
    return sorted(
        file for kind in _WEIGHTS for file in path.glob(kind) if file.name != TOKENIZER_FILE
    )


def number_formats(path: Path) -> tuple[str, ...]:
    """The number formats of a model's weights, the one most of them have first.

    Raises:
        ModelError: A file is missing or damaged.
    """
    counts: Counter[str] = Counter()
    for file in [path] if is_gguf(path) else _parts(path):
        for tensor in read_gguf(file).tensors.values():
            counts[tensor.encoding.name] += prod(tensor.shape)
    for file in sorted(path.glob("*.safetensors")):
        with open_shard(file) as shard:
            for stored in shard.tensors.values():
                counts[stored.dtype] += prod(stored.shape)
    return tuple(name for name, _ in counts.most_common())


def _checked(path: Path, config: ModelConfig, read: Callable[[], Tokenizer]) -> Tokenizer:
    tokenizer = read()
    if tokenizer.vocab_size > config.vocab_size:
        allowing = "its embedding" if is_gguf(path) else "config.json"
        raise damaged(path, f"{tokenizer.vocab_size} tokens, {allowing} allows {config.vocab_size}")
    return tokenizer
