"""An adapter as files: in 8 bits, as PEFT reads it, and in pieces that travel more easily."""

import json
import shutil
import tempfile
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from spark_tui.engine.adapters import (
    CONFIG_FILE,
    DOWN,
    GGUF_FILE,
    PREFIX,
    UP,
    WEIGHTS_FILE,
    Pairs,
    read_adapter,
)
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.gguf_write import write_adapter
from spark_tui.engine.weights import expected_shapes
from spark_tui.errors import UsageError
from spark_tui.training.recipe import Recipe

_PIECES = f"{GGUF_FILE}.[0-9]*"


def write_adapter_files(
    folder: Path,
    config: ModelConfig,
    pairs: Pairs,
    recipe: Recipe,
    base: str,
) -> Path:
    """Write an adapter in 8 bits, and in half precision with what PEFT wants to know.

    Args:
        folder: Older files in it are replaced once the new ones are whole.
        config: The shape of the base.
        pairs: (rank, in) and (out, rank), by the name of the weight that they are added to.
        recipe: What the adapter was trained by.
        base: The name of the base.

    Returns:
        The file in 8 bits.
    """
    path, unfinished = folder / GGUF_FILE, folder / f"{GGUF_FILE}.part"
    write_adapter(unfinished, config, pairs, recipe.alpha)
    unfinished.replace(path)
    tensors = {}
    for name, (down, up) in pairs.items():
        stem = PREFIX + name.removesuffix(".weight")
        tensors[stem + DOWN] = down.astype(np.float16)
        tensors[stem + UP] = up.astype(np.float16)
    unfinished = folder / f"{WEIGHTS_FILE}.part"
    save_file(tensors, unfinished)
    unfinished.replace(folder / WEIGHTS_FILE)
    entries = {
        "peft_type": "LORA",
        "base_model_name_or_path": base,
        "r": recipe.rank,
        "lora_alpha": recipe.alpha,
        "lora_dropout": recipe.dropout,
        "layers_to_transform": list(range(recipe.first_layer, config.n_layers)),
    }
    (folder / CONFIG_FILE).write_text(json.dumps(entries, indent=2) + "\n", "utf-8")
    return path


def write_pieces(path: Path, most: int) -> list[Path]:
    """Write the pieces of a file beside it, `NAME.0`, `NAME.1`, ...; older ones go.

    Args:
        path: The file.
        most: Bytes of a piece.
    """
    for piece in path.parent.glob(f"{path.name}.[0-9]*"):
        piece.unlink()
    data, pieces = path.read_bytes(), list[Path]()
    for number, start in enumerate(range(0, len(data), most)):
        piece = path.with_name(f"{path.name}.{number}")
        piece.write_bytes(data[start : start + most])
        pieces.append(piece)
    return pieces


def read_any_adapter(path: Path, config: ModelConfig) -> tuple[Pairs, float]:
    """Read an adapter: a file, a folder that holds one, or a folder of its pieces.

    Returns:
        The pairs of matrices, and what scales their product.

    Raises:
        UsageError: A folder holds no adapter, or a piece is missing.
        ModelError: The adapter is damaged or of another model.
    """
    names = expected_shapes(config)
    if not path.is_dir():
        return read_adapter(path, names, config)
    if (path / GGUF_FILE).is_file():
        return read_adapter(path / GGUF_FILE, names, config)
    if (path / CONFIG_FILE).is_file():
        return read_adapter(path / WEIGHTS_FILE, names, config)
    with tempfile.TemporaryDirectory() as folder:
        joined = Path(folder) / GGUF_FILE
        _join(path, joined)
        return read_adapter(joined, names, config)


def _join(folder: Path, joined: Path) -> None:
    pieces = sorted(folder.glob(_PIECES), key=_number)
    if not pieces:
        raise UsageError(f"{folder} holds no adapter and no pieces of one")
    missing = set(range(_number(pieces[-1]) + 1)) - set(map(_number, pieces))
    if missing:
        raise UsageError(f"{folder} lacks {GGUF_FILE}.{min(missing)}")
    with joined.open("wb") as file:
        for piece in pieces:
            with piece.open("rb") as source:
                shutil.copyfileobj(source, file)


def _number(piece: Path) -> int:
    return int(piece.suffix[1:])
