"""Writes and reads low-rank adapters as files, and computes the mean of several.

An adapter is written in 8 bits for spark, in half precision as PEFT reads it, and in pieces that
travel more easily.

The mean is that of the changes that adapters make to the weights, not of their matrices. The
changes of several adapters add up to a change of the sum of their ranks; the singular value
decomposition keeps the largest part of it that a rank can hold.
"""

import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.export import write_adapter
from spark_tui.engine.lora import (
    CONFIG_FILE,
    DOWN,
    GGUF_FILE,
    PREFIX,
    UP,
    WEIGHTS_FILE,
    Pairs,
    read_adapter,
)
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
        folder: The folder to write; its older files are replaced once the new ones are whole.
        config: The shape of the base.
        pairs: (rank, in) and (out, rank), by the name of the weight that they are added to.
        recipe: The recipe of the training.
        base: The name of the base.

    Returns:
        The file in 8 bits.
    """
    path = folder / GGUF_FILE
    unfinished = folder / f"{GGUF_FILE}.part"
    write_adapter(unfinished, config, pairs, recipe.alpha)
    unfinished.replace(path)
    # The same in half precision, by the names that PEFT gives to pairs.
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
    data = path.read_bytes()
    pieces = list[Path]()
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
    # The last piece tells how many there should be; nothing tells whether a later one is missing,
    # except that the file is then damaged.
    missing = set(range(_number(pieces[-1]) + 1)) - set(map(_number, pieces))
    if missing:
        raise UsageError(f"{folder} lacks {GGUF_FILE}.{min(missing)}")
    with joined.open("wb") as file:
        for piece in pieces:
            with piece.open("rb") as source:
                shutil.copyfileobj(source, file)


def _number(piece: Path) -> int:
    return int(piece.suffix[1:])


@dataclass(frozen=True, slots=True)
class WeightedAdapter:
    """An adapter with its weight in a mean.

    Attributes:
        pairs: (rank, in) and (out, rank), by the name of the weight that they are added to.
        scale: The factor of the product of a pair.
        weight: The weight in the mean.
    """

    pairs: Pairs
    scale: float
    weight: float = 1.0

    @property
    def rank(self) -> int:
        """The largest of its ranks."""
        return max((len(down) for down, _ in self.pairs.values()), default=0)


@dataclass(frozen=True, slots=True)
class MeanAdapter:
    """The mean of adapters.

    Attributes:
        pairs: (rank, in) and (out, rank), by the name of the weight that they are added to.
        scale: The factor of the product of a pair.
        rank: The rank of every pair.
        lost: The share of the squared change of all weights that the rank cannot hold.
    """

    pairs: Pairs
    scale: float
    rank: int
    lost: float


def mean_of_adapters(adapters: Sequence[WeightedAdapter], rank: int | None = None) -> MeanAdapter:
    """Return the mean of the changes that adapters make, weighted.

    Args:
        adapters: The adapters, of any ranks, scales and layers.
        rank: The rank of the mean; None for the largest rank of an adapter.

    Raises:
        UsageError: The weights add up to nothing, or the adapters change nothing.
    """
    total = sum(adapter.weight for adapter in adapters)
    if not total > 0:
        raise UsageError("the weights of the adapters must add up to more than 0")
    rank = rank or max(adapter.rank for adapter in adapters)
    names = sorted(set[str]().union(*(adapter.pairs for adapter in adapters)))
    if not names:
        raise UsageError("these adapters change nothing")
    # any scale above 0 will do: the factors are divided by it
    scale = 1.0
    if adapters[0].scale > 0:
        scale = adapters[0].scale
    pairs = Pairs()
    lost = 0.0
    whole = 0.0
    for name in names:
        # a sum of products of matrices is the product of the matrices side by side
        ups = []
        downs = []
        for adapter in adapters:
            if name in adapter.pairs:
                down, up = adapter.pairs[name]
                ups.append(up * (adapter.scale * adapter.weight / total))
                downs.append(down)
        left, values, right = _decomposed(np.hstack(ups), np.vstack(downs))
        lost += float(np.square(values[rank:]).sum())
        whole += float(np.square(values).sum())
        pairs[name] = _balanced(left, values, right, rank, scale)
    if whole:
        lost /= whole
    return MeanAdapter(pairs, scale, rank, lost)


def _decomposed(
    up: FloatArray, down: FloatArray
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the singular value decomposition of up @ down, by way of two small matrices."""
    # up = left @ Rl and down.T = right @ Rr, so up @ down = left @ (Rl @ Rr.T) @ right.T: only the
    # small matrix in the middle, of the sum of the ranks, goes through the decomposition.
    left, left_triangle = np.linalg.qr(up.astype(np.float64))
    right, right_triangle = np.linalg.qr(down.T.astype(np.float64))
    inner_left, values, inner_right = np.linalg.svd(left_triangle @ right_triangle.T)
    return left @ inner_left[:, : len(values)], values, inner_right[: len(values)] @ right.T


def _balanced(
    left: NDArray[np.float64],
    values: NDArray[np.float64],
    right: NDArray[np.float64],
    rank: int,
    scale: float,
) -> tuple[FloatArray, FloatArray]:
    """Return a pair of the given rank whose matrices are of like size; zeros fill it up."""
    count = min(rank, len(values))
    # Each matrix takes the root of the singular values, so that the two are of like size.
    roots = np.sqrt(values[:count] / scale)
    down = np.zeros((rank, right.shape[1]), np.float32)
    up = np.zeros((len(left), rank), np.float32)
    down[:count] = roots[:, None] * right[:count]
    up[:, :count] = left[:, :count] * roots
    return down, up
