"""Rounds a base to four bits: matrices as IQ4_NL, the vocabulary in eight bits.

Each block of 32 weights gets the scale that leaves the least error. The error of a weight counts by
the mean square of the numbers that the weight is multiplied with on code (an importance matrix, as
llama.cpp's). An adapter is then trained on the rounded base itself.
"""

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from spark_tui.engine.config import FILE_NAME as CONFIG_FILE
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.export import write_part
from spark_tui.engine.gguf import gguf_name, interleaved
from spark_tui.engine.gguf_quants import F16, F32, IQ4_NL, IQ4_STEPS, Q8_0, quantise_q8_0
from spark_tui.engine.loader import read_model
from spark_tui.engine.tokenizer import FILE_NAME as TOKENIZER_FILE
from spark_tui.engine.weights import EMBEDDING
from spark_tui.training.batches import PaddedBatch
from spark_tui.training.decoder import Inputs, TorchDecoder, read_frozen
from spark_tui.training.rows import TokenRow

MOST_BYTES = 26 << 20
"""The most bytes of a part, where it holds more than one tensor."""
_TRIED = (1.0, 0.93, 0.86, 0.78)
"""Scales, as shares of the one that reaches the largest weight."""

Stored = tuple[tuple[int, ...], int, bytes]


def write_rounded(base: Path, importance: Mapping[str, Tensor], folder: Path) -> list[Path]:
    """Write a base folder in four bits.

    Args:
        base: The folder of the base.
        importance: The result of `importance_of`.
        folder: The folder to write, which may exist.

    Returns:
        The parts.

    Raises:
        OSError: The folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in (CONFIG_FILE, TOKENIZER_FILE):
        shutil.copyfile(base / name, folder / name)
    model = read_model(base)
    stored = {}
    for name, weight in model.weights.items():
        # In GGUF files the rows of a llama's queries and keys stand in llama.cpp's order.
        laid_out = torch.from_numpy(interleaved(name, weight, model.config))
        stored[name] = _stored(name, laid_out, importance)
    return write_parts(stored, folder)


def _stored(name: str, weight: Tensor, importance: Mapping[str, Tensor]) -> Stored:
    shape = tuple(weight.shape)
    if name == EMBEDDING:
        return shape, Q8_0, quantise_q8_0(weight.numpy().reshape(-1)).tobytes()
    if weight.ndim == 1:
        return shape, F32, weight.numpy().astype("<f4").tobytes()
    # a block of IQ4_NL is 32 weights of one row
    if weight.shape[1] % 32:
        return shape, F16, weight.numpy().astype("<f2").tobytes()
    return shape, IQ4_NL, packed(*rounded(weight, importance[name])).tobytes()


def write_parts(stored: Mapping[str, Stored], folder: Path) -> list[Path]:
    """Write tensors into files of at most MOST_BYTES: layers from below, then the vocabulary.

    Args:
        stored: The tensors by Hugging Face name.
        folder: The folder of the files.
    """
    parts: list[dict[str, Stored]] = [{}]
    size = 0
    for name in sorted(stored, key=_order):
        _, _, data = stored[name]
        if parts[-1] and size + len(data) > MOST_BYTES:
            parts.append({})
            size = 0
        parts[-1][gguf_name(name)] = stored[name]
        size += len(data)
    paths = []
    for number, part in enumerate(parts, 1):
        path = folder / f"base-{number:05}-of-{len(parts):05}.gguf"
        write_part(path, part)
        paths.append(path)
    return paths


def _order(name: str) -> tuple[int, str]:
    pieces = name.split(".")
    if pieces[1] == "layers":
        return int(pieces[2]), name
    if name == EMBEDDING:
        # behind any number of layers: the vocabulary, and before it what else is of no layer
        return 1 << 20, name
    return 1 << 10, name


def importance_of(base: Path, rows: Iterable[TokenRow]) -> dict[str, Tensor]:
    """Return the mean square of the inputs of each column of each matrix, by the matrix' name."""
    config = ModelConfig.read(base)
    device = torch.device("cpu")
    model = TorchDecoder(config, read_frozen(base, config), device)
    sums: dict[str, Tensor] = {}

    def add_squares(name: str, x: Tensor) -> None:
        squares = x.float().square().sum(0)
        before = sums.get(name)
        sums[name] = squares if before is None else before + squares

    # Measured on the region alone, which is code, without the requests behind it.
    model.observer = add_squares
    with torch.no_grad():
        for row in rows:
            region = row.branches == 0
            alone = TokenRow(row.tokens[region], row.branches[region], row.kinds[region])
            model.hidden(Inputs.of(PaddedBatch.of([alone]), device))
    return sums


def rounded(weight: Tensor, importance: Tensor) -> tuple[Tensor, Tensor]:
    """Return the codes (out, in) and the scales (out, in / 32) of a matrix.

    Args:
        weight: (out, in).
        importance: (in,), of each column.
    """
    out, into = weight.shape
    steps = torch.from_numpy(IQ4_STEPS).float()
    borders = (steps[1:] + steps[:-1]) / 2  # between which a number is nearest to one step
    # Blocks: (out * in / 32, 32), with the importance of each column repeated for every row.
    x = weight.float().reshape(-1, 32)
    # Bounded from below: a column that code hardly uses still counts a little.
    shares = (importance / importance.mean()).clamp_min(1e-3)
    counts = shares.view(1, -1, 32).expand(out, -1, -1).reshape(-1, 32)
    largest = x.gather(1, x.abs().argmax(1, keepdim=True))
    least = torch.full((len(x), 1), float("inf"))
    codes = torch.zeros_like(x, dtype=torch.uint8)
    scales = torch.zeros(len(x), 1).half()
    # The step farthest from 0 is -127, so the scale has the sign that puts the largest weight
    # there. A smaller scale cuts that weight off and leaves less error in the other 31.
    for share in _TRIED:
        scale = (largest / -127 * share).half().float()
        inverse = torch.where(scale == 0, torch.zeros_like(scale), 1 / scale)
        tried = torch.bucketize(x * inverse, borders)
        y = steps[tried]
        # With the codes fixed, the scale of the least error is a weighted regression.
        square = (counts * y * y).sum(1, keepdim=True)
        product = (counts * y * x).sum(1, keepdim=True)
        scale = torch.where(square > 0, product / square, scale).half().float()
        error = (counts * (y * scale - x) ** 2).sum(1, keepdim=True)
        better = error < least
        least = torch.where(better, error, least)
        codes = torch.where(better, tried.to(torch.uint8), codes)
        scales = torch.where(better, scale.half(), scales)
    return codes.view(out, into), scales.view(out, into // 32)


def packed(codes: Tensor, scales: Tensor) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return codes and scales as IQ4_NL blocks, (blocks, 18) bytes.

    The first 16 codes are the low halves of the bytes.
    """
    blocks = codes.numpy().reshape(-1, 32)
    halves = scales.numpy().reshape(-1, 1).astype("<f2").view(np.uint8)
    # the scale in half precision, then 16 bytes of two codes each, as ggml's block_iq4_nl
    return np.hstack([halves, blocks[:, :16] | blocks[:, 16:] << 4])
