"""The loader: finds models by name or path, and makes them ready to run.

A model is a folder as of Hugging Face, whose weights may be safetensors or GGUF files, or a single
GGUF file.
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
"""Memory that reading a model takes in the libraries used, however small the model is."""
_WEIGHTS = (f"*{SUFFIX}", "*.safetensors", "*.json")


@dataclass(frozen=True, slots=True)
class StoredModel:
    """The content of the files of a model.

    Attributes:
        config: The model's shape.
        tokenizer: The tokenizer.
        weights: The weights in float32, by Hugging Face name.
    """

    config: ModelConfig
    tokenizer: Tokenizer
    weights: Mapping[str, FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class LoadedModel:
    """A model ready to run; equal only to itself.

    Attributes:
        name: The name of the model.
        path: The folder or file.
        config: The model's shape.
        tokenizer: The tokenizer.
        model: Computes logits.
        load_seconds: The seconds that loading took.
        bytes: The bytes of memory that the weights take.
    """

    name: str
    path: Path
    config: ModelConfig
    tokenizer: Tokenizer
    model: Model
    load_seconds: float
    bytes: int


def list_models() -> tuple[str, ...]:
    """Return the names of the models shipped with spark, sorted."""
    configs = MODELS_FOLDER.glob(f"*/{CONFIG_FILE}")
    return tuple(sorted(file.parent.name for file in configs))


def find_model(name_or_path: str | None = None) -> Path:
    """Return the folder or file of a model.

    Args:
        name_or_path: One of `list_models()`, else a folder or a GGUF file; None for the default
            model.

    Raises:
        UsageError: No such model; the message names those that exist.
    """
    name = name_or_path or DEFAULT_MODEL
    known = list_models()
    # A shipped model comes before a folder of the same name in the current directory.
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
    """Return the name of the model in a folder or file."""
    if is_gguf(path):
        return path.stem
    return path.resolve().name


def read_model(path: Path, *, adapter: bool = True) -> StoredModel:
    """Read config, tokenizer and weights of a model folder, with its adapter, or of a GGUF file.

    The tensors of GGUF files and of mixtures are read on access.

    Args:
        path: The folder or the file.
        adapter: Whether the adapter of a folder is added.

    Raises:
        ModelError: A file is missing or damaged, the files do not fit together, or the weights do
            not fit into memory.
    """
    config, tokenizer, weights = _open(path, adapter=adapter)
    return StoredModel(config, tokenizer(), weights())


def load(path: Path, backend: Backend = _PLAIN) -> LoadedModel:
    """Make the model of a folder or a GGUF file ready to run.

    Args:
        path: The folder or the file.
        backend: The arithmetic of the model.

    Raises:
        ModelError: As `read_model`.
        UsageError: The backend cannot run here.
    """
    began = time.perf_counter()
    # With less memory, the libraries would end the process instead of raising an error.
    require(LEAST_BYTES, f"reading {model_name(path)}")
    backend = backend.of_model(path)
    config, read_tokenizer, weights = _open(path)
    files = model_files(path)
    with ThreadPoolExecutor(1) as pool:  # a large vocabulary takes about as long as the weights do
        reading = pool.submit(read_tokenizer)
        try:
            # Packed weights of an earlier start, else the files: these are read only if need be.
            model = backend.kept(config, files, weights)
            model = model or backend.make(config, weights(), files)
        finally:
            tokenizer = reading.result()  # its error comes before that of the weights
    name = model_name(path)
    seconds = time.perf_counter() - began
    return LoadedModel(name, path, config, tokenizer, model, seconds, model.bytes)


def _open(
    path: Path, *, adapter: bool = True
) -> tuple[ModelConfig, Callable[[], Tokenizer], Callable[[], Mapping[str, FloatArray]]]:
    """Return the config of a model, and functions that read its tokenizer and its weights."""
    if is_gguf(path):
        file = read_gguf(path)
        config = gguf_config(file)
        tokenizer = partial(_checked, path, config, partial(gguf_tokenizer, file))
        return config, tokenizer, partial(gguf_weights, file, config)
    config = ModelConfig.read(path)
    tokenizer = partial(_checked, path / TOKENIZER_FILE, config, partial(Tokenizer.read, path))
    return config, tokenizer, partial(_weights, path, config, adapter)


def _weights(folder: Path, config: ModelConfig, adapter: bool) -> Mapping[str, FloatArray]:
    parts = _parts(folder)
    weights: Mapping[str, FloatArray]
    if parts:
        weights = gguf_weights(read_parts(parts), config)
    elif config.experts is not None:
        weights = folder_weights(folder, config)
    else:
        weights = read_weights(folder, config)
    if adapter:
        return adapted(folder, weights, config)
    return weights


def _parts(folder: Path) -> list[Path]:
    """Return the GGUF files of a model folder, without its adapter."""
    files = folder.glob(f"*{SUFFIX}")
    return sorted(path for path in files if path.name != GGUF_FILE)


def model_files(path: Path) -> list[Path]:
    """Return the files that decide the weights of a model.

    The JSON files are among them, such as the config and an adapter's settings.
    """
    if is_gguf(path):
        return [path]
    files: list[Path] = []
    for pattern in _WEIGHTS:
        files += path.glob(pattern)
    return sorted(file for file in files if file.name != TOKENIZER_FILE)


def number_formats(path: Path) -> tuple[str, ...]:
    """Return the number formats of a model's weights, the most frequent first.

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
    return tuple(dict(counts.most_common()))


def _checked(path: Path, config: ModelConfig, read: Callable[[], Tokenizer]) -> Tokenizer:
    tokenizer = read()
    # Fewer tokens than rows of the embedding are usual; more would be ids without a row.
    if tokenizer.vocab_size > config.vocab_size:
        allowing = "its embedding" if is_gguf(path) else "config.json"
        raise damaged(path, f"{tokenizer.vocab_size} tokens, {allowing} allows {config.vocab_size}")
    return tokenizer
